"""What is asked of a reader: nothing special unless said."""

from eigenselect import io
from eigenselect.io.request import ANY_FORMAT, DUPLICATES, X_ALONE, AnnotatedParts, Request, TextFormat


def test_a_request_asks_for_nothing_special():
    request = Request()
    assert (request.text, request.parts) == (ANY_FORMAT, X_ALONE) == (TextFormat(), AnnotatedParts())
    assert not request.transpose
    assert request.roles.duplicates == "error"
    assert not request.roles.describes


def test_what_is_done_with_equal_names_is_listed_once():
    assert DUPLICATES is io.DUPLICATES
