"""MathJax from our own files: what pages load of the package ``sphinx-mathjax-offline``, and nothing else."""

from __future__ import annotations

import shutil
from importlib.metadata import files
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

#: the script, and the fonts that it asks for
WANTED = ("tex-chtml.js", "output/chtml/fonts/woff-v2/")
FOLDER = "mathjax"


def copy_mathjax(app: Sphinx, failure: Exception | None) -> None:
    """Copy the script and its fonts to the pages."""
    if failure is not None or app.builder.format != "html":
        return
    for found in files("sphinx-mathjax-offline") or ():
        name = found.as_posix().partition("/static/mathjax/")[2]
        if name.startswith(WANTED):
            target = Path(app.outdir) / "_static" / FOLDER / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found.locate(), target)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx where MathJax is."""
    app.config.mathjax_path = f"{FOLDER}/tex-chtml.js"
    app.config.mathjax3_config = {"options": {"enableMenu": False}}
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
