"""The page as text: no request, numbers rounded to what can be seen. `test_browser.py` opens it in Chromium."""

import re

import numpy as np

import eigenselect as es
from eigenselect.reporting.page import rounded, without_last_zeros


def test_the_page_asks_for_nothing(hostile_report):
    html = hostile_report.to_html()
    assert "default-src 'none'" in html
    own = re.sub(r'<script type="application/json".*?</script>', "", html, flags=re.DOTALL)
    assert set(re.findall(r"(?:https?:)?//[\w.]+", re.sub(r"//[^\n]*\n", "\n", own))) <= {"http://www.w3.org"}


def test_the_same_input_gives_the_same_page(wine):
    X = wine[0]
    one, other = (es.report(es.LaplacianScore(3).fit(X), X).to_html() for _ in range(2))
    assert one == other


def test_rounding():
    assert rounded({"a": [1 / 3, 2], "b": (np.inf, "x")}) == {"a": [0.333333, 2], "b": [np.inf, "x"]}


def test_a_column_ends_with_its_last_number_that_is_not_zero():
    assert without_last_zeros([0.0, 0.5, None, 0, 0.0]) == [0.0, 0.5, None]
    assert without_last_zeros([0, 0.0]) == []
