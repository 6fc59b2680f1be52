"""Options that a format has no use for."""

import numpy as np
import pytest

from eigenselect.exceptions import InputError
from eigenselect.io import FORMATS
from eigenselect.io.idle_options import OPTIONS, refuse_idle
from eigenselect.io.readers import read_table
from eigenselect.io.request import AnnotatedParts, Request, TextFormat

GIVEN = {
    "--sep": Request(text=TextFormat(separator=";")),
    "--decimal": Request(text=TextFormat(decimal=",")),
    "--encoding": Request(text=TextFormat(encoding="cp1252")),
    "--layer": Request(parts=AnnotatedParts(layer="counts")),
    "--raw": Request(parts=AnnotatedParts(raw=True)),
    "--obsp": Request(parts=AnnotatedParts(obsp="connectivities")),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("option", GIVEN)
def test_every_option_with_every_format(option, kind):
    if kind in OPTIONS[option]:
        refuse_idle(GIVEN[option], kind, "x")
    else:
        with pytest.raises(InputError, match=rf"^x: {option} is for .*, and this is {kind}; leave it out\.$"):
            refuse_idle(GIVEN[option], kind, "x")


@pytest.mark.parametrize("kind", FORMATS)
def test_nothing_asked_is_nothing_refused(kind):
    refuse_idle(Request(), kind, "x")


def test_readers_ask(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(3))
    with pytest.raises(InputError, match=r"t\.npz: --layer is for .*h5ad.*, and this is npz; leave it out\."):
        read_table(str(tmp_path / "t.npz"), parts=AnnotatedParts(layer="counts"))
