"""Similarities as they are written at a terminal."""

from __future__ import annotations

from typing import Any

from eigenselect.similarity.base import named_similarity

#: short names of options
_SHORT = {"k": "n_neighbors", "sigma": "bandwidth"}


def similarity_from_text(text: str) -> Any:
    """Read a similarity from ``name`` or ``name:option=value,…``, as the command has it.

    Parameters
    ----------
    text : str
        A name of `SIMILARITY_NAMES`, and options: parameters of its class, k for ``n_neighbors``, sigma for
        ``bandwidth``.

    Returns
    -------
    str or BaseSimilarity
        The name where there are no options, else an object with them.

    Raises
    ------
    ValueError
        For a name or an option that is none.

    See Also
    --------
    as_similarity : Makes an object of a name, or of a function.

    Examples
    --------
    >>> from eigenselect.similarity import similarity_from_text
    >>> similarity_from_text("knn:k=5,weight=binary")
    KNN(n_neighbors=5, weight='binary')
    """
    name, _, options = text.partition(":")
    kind = named_similarity(name)
    if not options:
        return name
    known = kind().get_params(deep=False)
    parameters = {}
    for part in options.split(","):
        key, separator, value = part.strip().partition("=")
        key = _SHORT.get(key, key)
        if not separator or key not in known:
            raise ValueError(f"{part.strip()!r} is no option of {name}; it has {', '.join(known) or 'none'}.")
        parameters[key] = _value(value)
    return kind(**parameters)


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
