"""Options of reading that a format has no use for are refused: nobody should think that they did something."""

from __future__ import annotations

from eigenselect.exceptions import InputError
from eigenselect.io import FORMATS
from eigenselect.io.request import Request

#: formats of text, and of annotated tables
TEXT, ANNOTATED = ("csv", "tsv"), ("h5ad", "h5mu", "loom")
#: what each option is for
OPTIONS = {
    "--sep": TEXT,
    "--decimal": TEXT,
    "--encoding": TEXT,
    "--layer": (*ANNOTATED, "zarr"),
    "--raw": ("h5ad", "h5mu"),
    "--obsp": (*ANNOTATED, "zarr"),
    "--obsm": (*ANNOTATED, "zarr"),
}


def refuse_idle(request: Request, kind: str, source: str) -> None:
    """Refuse an option that is for files of other kinds.

    Parameters
    ----------
    request : Request
    kind : str
        The format of the file.
    source : str
        What messages call the file.

    Examples
    --------
    >>> from eigenselect.io.request import TextFormat
    >>> refuse_idle(Request(text=TextFormat(separator=";")), "npz", "x.npz")
    Traceback (most recent call last):
    ...
    eigenselect.exceptions.InputError: x.npz: --sep is for csv and tsv, and this is npz; leave it out.
    """
    text, parts = request.text, request.parts
    given = (text.separator, text.decimal, text.encoding, parts.layer, parts.raw or None, parts.obsp, parts.obsm)
    for (option, kinds), value in zip(OPTIONS.items(), given, strict=True):
        if value is not None and kind not in kinds:
            known = [name for name in kinds if name in FORMATS]
            *most, last = known
            listed = f"{', '.join(most)} and {last}" if most else last
            raise InputError(f"{source}: {option} is for {listed}, and this is {kind}; leave it out.")
