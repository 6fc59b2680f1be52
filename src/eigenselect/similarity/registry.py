"""Names that stand for similarities with their default parameters."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from eigenselect.graph import SampleGraph, graph_from_matrix
from eigenselect.similarity.base import BaseSimilarity
from eigenselect.similarity.diffusion import Diffusion
from eigenselect.similarity.geodesic import Geodesic
from eigenselect.similarity.hit_miss import HitMiss
from eigenselect.similarity.kernel import RBF, Cosine, Linear
from eigenselect.similarity.knn import KNN
from eigenselect.similarity.label import ClassLabels

_BY_NAME: dict[str, type[BaseSimilarity]] = {
    "knn": KNN,
    "rbf": RBF,
    "linear": Linear,
    "cosine": Cosine,
    "diffusion": Diffusion,
    "geodesic": Geodesic,
    "class_labels": ClassLabels,
    "hit_miss": HitMiss,
}
SIMILARITY_NAMES = tuple(_BY_NAME)


class _FromCallable(BaseSimilarity):
    """Any function from X to an n × n similarity matrix."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def build(self, X: Any, y: Any = None, *, n_jobs: int | None = None) -> SampleGraph:
        name = getattr(self.function, "__name__", repr(self.function))
        source = f"the matrix that similarity={name} returned"
        return graph_from_matrix(self.function(X), X.shape[0], name=source, description={"similarity": name})


def as_similarity(similarity: Any, n_samples: int) -> BaseSimilarity:
    """A similarity from an object, a name, or a function of X that returns a matrix.

    A name stands for the defaults, and these follow the table: with fewer than 11 samples,
    ``"knn"`` takes all the others as neighbours. An object is used exactly as given.
    """
    if isinstance(similarity, BaseSimilarity):
        return similarity
    if isinstance(similarity, type) and issubclass(similarity, BaseSimilarity):
        raise TypeError(
            f"similarity must be an object, got the class {similarity.__name__}; write {similarity.__name__}()."
        )
    if isinstance(similarity, str):
        if similarity not in _BY_NAME:
            raise ValueError(_unknown_name(similarity))
        return _BY_NAME[similarity]().adapted_to(n_samples)
    if callable(similarity):
        return _FromCallable(similarity)
    raise TypeError(
        f"similarity must be a name, a similarity object or a function of X, got {type(similarity).__name__}; "
        "pass a precomputed matrix as fit(X, similarity_matrix=...)."
    )


def made_of_labels(similarity: Any) -> bool:
    """Whether a similarity, an object or a name, needs ``y``; False for what is none."""
    if isinstance(similarity, str):
        return similarity in _BY_NAME and _BY_NAME[similarity].requires_labels
    return bool(getattr(similarity, "requires_labels", False))


#: short names of options at a terminal
_SHORT = {"k": "n_neighbors", "sigma": "bandwidth"}


def similarity_from_text(text: str) -> Any:
    """A similarity from ``name`` or ``name:option=value,…``: a name stays one, options make an object.

    >>> similarity_from_text("knn:k=5,weight=binary")
    KNN(n_neighbors=5, weight='binary')
    """
    name, _, options = text.partition(":")
    if name not in _BY_NAME:
        raise ValueError(_unknown_name(name))
    if not options:
        return name
    known = _BY_NAME[name]().get_params(deep=False)
    parameters = {}
    for part in options.split(","):
        key, separator, value = part.strip().partition("=")
        key = _SHORT.get(key, key)
        if not separator or key not in known:
            raise ValueError(f"{part.strip()!r} is no option of {name}; it has {', '.join(known) or 'none'}.")
        parameters[key] = _value(value)
    return _BY_NAME[name](**parameters)


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _unknown_name(name: str) -> str:
    near = difflib.get_close_matches(name, _BY_NAME, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"similarity must be one of {', '.join(map(repr, _BY_NAME))}, got {name!r}{hint}"
