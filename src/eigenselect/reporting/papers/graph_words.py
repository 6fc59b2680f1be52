"""How samples were joined and how eigenvalues counted, as sentences of a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eigenselect.reporting.papers.citing import Citations
from eigenselect.reporting.plain import described
from eigenselect.spectral import CAR, Heat, Power, as_spectral_function


def graph_sentence(facts: Mapping[str, Any]) -> str:
    """Say how the sample graph was made; empty where there is none to speak of.

    Parameters
    ----------
    facts : dict
        What `SampleGraph.describe` tells.

    Examples
    --------
    >>> graph_sentence({"similarity": "RBF", "bandwidth": 2.0, "bandwidth_used": 2.0})
    'Any two samples were joined and weighted by exp(-d²/2σ²), d their distance (σ = 2).'
    """
    kind = str(facts.get("similarity", ""))
    if kind in _SENTENCES:
        return _SENTENCES[kind](facts) + _compared_in(facts, kind)
    return f"The sample graph was made by {kind}." if kind and kind != "none" else ""


def _compared_in(facts: Mapping[str, Any], kind: str) -> str:
    """Say in which coordinates samples were compared, where these are not the features."""
    if "made_of" not in facts or kind == "precomputed":
        return ""
    return f" Samples were compared in the coordinates {facts['made_of']}, not in the features."


def graph_words(facts: Mapping[str, Any]) -> str:
    """Name a graph in a few words, with the numbers that were found.

    >>> graph_words({"similarity": "KNN", "n_neighbors": 5, "weight": "rbf", "bandwidth_used": 1.41421})
    'KNN, 5 neighbours, rbf weights, σ = 1.414'
    >>> graph_words({"similarity": "KNN", "n_neighbors": 14, "made_of": "obsm['spatial']"})
    "KNN of obsm['spatial'], 14 neighbours"
    """
    sigma, of = facts.get("bandwidth_used"), f" of {facts['made_of']}" if "made_of" in facts else ""
    words = [
        f"{facts.get('similarity', '')}{of}",
        f"{facts['n_neighbors']} neighbours" if "n_neighbors" in facts else "",
        f"{facts['weight']} weights" if "weight" in facts else "",
        "" if sigma is None else f"σ = {sigma:.4g}",
    ]
    return ", ".join(word for word in words if word)


def _neighbours(facts: Mapping[str, Any]) -> str:
    metric = {"euclidean": "Euclidean", "cosine": "cosine"}.get(str(facts["metric"]), facts["metric"])
    of = ", measured in another table" if "of" in facts else ""
    of += f", after projection ({facts['projected']})" if "projected" in facts else ""
    of += f", search: {facts['search']}" if "search" in facts else ""
    return (
        f"Two samples were joined where one was among the {facts['n_neighbors']} nearest neighbours of the other "
        f"({metric} distance{of}) and weighted by {_weight(facts)}"
    )


def _weight(facts: Mapping[str, Any]) -> str:
    """Say how much an edge weighs."""
    if facts.get("weight", "rbf") == "binary":
        return "1"
    if facts.get("weight", "rbf") == "cosine":
        return "their cosine"
    sigma = facts.get("bandwidth_used")
    if sigma is None:
        return "exp(-d²/2σᵢσⱼ), d their distance and σᵢ that of sample i to a near neighbour"
    rule = ", the median of these distances" if facts.get("bandwidth") == "median" else ""
    unit = " at unit length" if facts.get("metric") == "cosine" else ""
    return f"exp(-d²/2σ²), d their distance{unit} (σ = {sigma:.4g}{rule})"


def _knn(facts: Mapping[str, Any]) -> str:
    return f"{_neighbours(facts)}."


def _diffusion(facts: Mapping[str, Any]) -> str:
    flow = "the similarity of two samples was the heat that flows between them over that graph"
    return f"{_neighbours(facts)}; {flow} in time {facts['beta']:g}."


def _geodesic(facts: Mapping[str, Any]) -> str:
    return (
        f"Any two samples were joined and weighted by {_weight(facts)}, along the shortest path over the graph of "
        f"{facts['n_neighbors']} nearest neighbours."
    )


def _rbf(facts: Mapping[str, Any]) -> str:
    return f"Any two samples were joined and weighted by {_weight(facts)}."


def _classes(facts: Mapping[str, Any]) -> str:
    return "Samples of one class were joined and weighted by one over its size."


#: by what a graph says that it was made by
_SENTENCES: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "KNN": _knn,
    "Diffusion": _diffusion,
    "Geodesic": _geodesic,
    "RBF": _rbf,
    "ClassLabels": _classes,
    "Linear": lambda facts: "The similarity of two samples was their inner product.",
    "Cosine": lambda facts: "The similarity of two samples was their cosine.",
    "precomputed": lambda facts: (
        "The similarity of samples was given as a matrix" + (f", {facts['made_of']}." if "made_of" in facts else ".")
    ),
    "rbf kernel of y": lambda facts: (
        "The kernel on the target was exp(-d²/2σ²), d the difference of two targets and σ the median of these."
    ),
    "linear kernel of y": lambda facts: "The kernel on the target was the product of two targets.",
    "combined": lambda facts: "",  # said of each source
    "hits and misses": lambda facts: "",  # said of the criterion
}


def spectral_sentence(function: Any, cited: Citations) -> str:
    """Say which function of the Laplacian's eigenvalues counted; empty where that is the identity.

    >>> spectral_sentence(2, Citations())
    'Eigenvalues λ of the normalised Laplacian counted as γ(λ) = λ^2.'
    """
    if function is None:
        return ""
    gamma = as_spectral_function(function)
    if isinstance(gamma, Power):
        return "" if gamma.exponent == 1 else f"{_COUNTED} γ(λ) = λ^{gamma.exponent:g}."
    if isinstance(gamma, Heat):
        return f"{_COUNTED} γ(λ) = 1 - exp(-{gamma.time:g} λ), the heat kernel {cited.of('kondor2002diffusion')}."
    if isinstance(gamma, CAR):
        return (
            f"{_COUNTED} γ(λ) = ρλ / (1 - ρ + ρλ) with ρ = {gamma.rho:g}, a conditional autoregression "
            f"{cited.of('besag1974spatial')}."
        )
    return f"{_COUNTED} {described(function)}(λ)."


_COUNTED = "Eigenvalues λ of the normalised Laplacian counted as"
