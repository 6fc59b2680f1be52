"""From the ``method`` of a verb to selectors: a name of the table of methods, a selector, or several of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import clone

from eigenselect.criteria.methods import METHODS, Command, Method, Option
from eigenselect.exceptions import listed, shown
from eigenselect.io.errors import near_names
from eigenselect.selectors.base import Selector


def selectors_of(
    method: Any, *, spectral_function: Any = None, n_jobs: int | None = None, random_state: Any = None, owner: str
) -> dict[str, Selector]:
    """Make the selectors that a method names.

    Parameters
    ----------
    method : str, selector, or list of them
        Names are those of ``eigenselect methods``.
    spectral_function : any
        γ of the methods that have one; the Laplacian score with another γ than the identity is φ2 of `SPEC`.
    n_jobs, random_state
        Of selectors that are named; objects keep theirs where these are None.
    owner : str
        The verb that errors speak for.

    Returns
    -------
    dict
        Selectors by name, not fitted.

    Examples
    --------
    >>> selectors_of(["laplacian", "moran"], owner="spectral_features")
    {'laplacian': LaplacianScore(), 'moran': MoranI()}
    >>> selectors_of("laplacian", spectral_function=4, owner="spectral_features")
    {'laplacian': SPEC(spectral_function=4)}
    """
    wanted = [method] if isinstance(method, (str, Selector)) or not isinstance(method, Iterable) else list(method)
    if not wanted:
        raise ValueError(f"{owner}: method must name at least one method, got an empty list.")
    made: dict[str, Selector] = {}
    for one in wanted:
        name = one if isinstance(one, str) else type(one).__name__
        if name in made:
            raise ValueError(f"{owner}: method must name different methods, got {shown(name)} twice.")
        selector = _named(one, owner) if isinstance(one, str) else _copied(one, owner)
        if spectral_function is not None:
            selector = _with_spectral_function(selector, name, spectral_function, owner)
        made[name] = _with(selector, n_jobs=n_jobs, random_state=random_state)
    return made


def seed_of(rng: Any, owner: str) -> Any:
    """Return a ``random_state`` of an ``rng``: None, a whole number, a Generator, or a RandomState.

    >>> seed_of(np.random.default_rng(0), "spectral_features") == seed_of(np.random.default_rng(0), "")
    True
    """
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**31 - 1))
    if rng is None or isinstance(rng, np.random.RandomState):
        return rng
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and 0 <= rng < 2**32:
        return int(rng)
    raise ValueError(
        f"{owner}: rng must be None, a whole number from 0 to 2**32 - 1, a numpy Generator or RandomState, got {rng!r}."
    )


def _named(name: str, owner: str) -> Selector:
    names = [row.name for row in METHODS if row.command is not Command.PYTHON_ONLY]
    if name not in names:
        near = near_names(name, names)
        hint = f"did you mean {' or '.join(map(shown, near))}?" if near else f"expected one of {listed(names, 99)}."
        raise ValueError(f"{owner}: no method is named {shown(name)}; {hint}")
    row: Method = METHODS[name]
    selector: Selector = row.selector_class()(**row.parameters)
    return selector


def _copied(selector: Any, owner: str) -> Selector:
    """Return a selector of the same parameters: what the user gave stays as it is."""
    if isinstance(selector, Selector):
        copy: Selector = clone(selector)
        return copy
    kind = f"the class {selector.__name__}" if isinstance(selector, type) else f"a {type(selector).__name__}"
    raise TypeError(f"{owner}: method must be a name, a selector of eigenselect, or a list of them, got {kind}.")


def _with_spectral_function(selector: Selector, name: str, gamma: Any, owner: str) -> Selector:
    from eigenselect.selectors.laplacian_score import LaplacianScore
    from eigenselect.selectors.spec import SPEC

    if isinstance(selector, LaplacianScore):
        shared = {key: value for key, value in selector.get_params(deep=False).items() if key in SPEC().get_params()}
        selector = SPEC(ranking="phi2", **shared)
    if "spectral_function" not in selector.get_params(deep=False):
        having = ["laplacian", *(row.name for row in METHODS if Option.POWER in row.options)]
        raise ValueError(f"{owner}: method={shown(name)} has no spectral_function; {listed(having, 99)} have.")
    return _with(selector, spectral_function=gamma)


def _with(selector: Selector, **parameters: Any) -> Selector:
    """Set the parameters that are given and that the selector has."""
    known = selector.get_params(deep=False)
    given = {name: value for name, value in parameters.items() if value is not None and name in known}
    return selector.set_params(**given)
