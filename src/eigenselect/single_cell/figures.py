"""Show, save and hand back figures as scanpy does."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: what a name starts with that is appended to that of the verb, as scanpy does
APPENDED = ("_", "-", ".")
#: kinds of files that a name may end in
ENDINGS = (".png", ".pdf", ".svg")


def finish(axes: Axes | list[Axes], name: str, *, show: bool | None, save: bool | str | os.PathLike[str] | None) -> Any:
    """Save the figure, show it, or return its Axes.

    Parameters
    ----------
    axes : Axes or list of Axes
    name : str
        Name of the file where ``save`` gives none, or only its end.
    show : bool or None
        False returns the Axes. None shows the figure where there is a screen or a notebook to show it on, and
        scanpy's setting ``autoshow`` is not off; elsewhere it returns the Axes.
    save : bool, str, path or None
        A path. True, or an end such as ``"_mine.pdf"``: ``figures/{name}_mine.pdf``, or scanpy's folder of figures.

    Returns
    -------
    Axes, list of Axes or None
        None if the figure was shown.
    """
    import matplotlib.pyplot as plt

    first: Any = axes[0] if isinstance(axes, list) else axes
    if save:
        path = _path(name, save)
        path.parent.mkdir(parents=True, exist_ok=True)
        first.get_figure(root=True).savefig(path, dpi=150)
    if _shows() if show is None else show:
        plt.show()
        return None
    return axes


def _path(name: str, save: bool | str | os.PathLike[str]) -> Path:
    """Return where a figure is saved.

    >>> _path("qq", "_mine.pdf").as_posix(), _path("qq", "mine").as_posix(), _path("qq", "out/mine.svg").as_posix()
    ('figures/qq_mine.pdf', 'mine.png', 'out/mine.svg')
    """
    text = "" if isinstance(save, bool) else os.fspath(save)
    is_end = text == "" or (text.startswith(APPENDED) and not os.path.dirname(text))
    path = str(_folder() / f"{name}{text}") if is_end else text
    return Path(path if path.endswith(ENDINGS) else f"{path}.png")


def _settings() -> Any:
    """Return scanpy's settings where a program uses scanpy, else None; it is not imported for them."""
    return getattr(sys.modules.get("scanpy"), "settings", None)


def _folder() -> Path:
    return Path(getattr(_settings(), "figdir", "figures"))


def _shows() -> bool:
    """Tell whether a figure can be shown, and is wanted: a window, a notebook, but no file-only backend."""
    import matplotlib as mpl
    from matplotlib.backends.registry import BackendFilter, backend_registry

    drawn_to_files = {name.lower() for name in backend_registry.list_builtin(BackendFilter.NON_INTERACTIVE)}
    return mpl.get_backend().lower() not in drawn_to_files and bool(getattr(_settings(), "autoshow", True))
