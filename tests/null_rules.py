"""Every rule whose scores have a null distribution, on one small table: what tests of inference run over."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

import eigenselect
from eigenselect.criteria.autocorrelation import geary_criterion, moran_criterion
from eigenselect.criteria.criterion import LARGE, AsItIs, Criterion, phi
from eigenselect.criteria.quadratic import IdentityForm
from eigenselect.graph import SampleGraph
from eigenselect.spectral import Custom, Power

N = 8


def features(n=N, seed=5):
    """Return bell-shaped, lognormal, count, single non-zero and binary features, in columns."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.8, size=n).astype(float)
    counts[:2] = [3, 0]
    single = np.zeros(n)
    single[n // 2] = 2.0
    binary = (np.arange(n) % 3 == 0).astype(float)
    return np.column_stack([rng.normal(size=n) + 0.7, rng.lognormal(size=n), counts, single, binary])


def graphs(n=N, seed=8):
    """Return similarities: sparse, dense, disconnected, with self-loops, with an isolated sample at each place."""
    rng = np.random.default_rng(seed)
    W = rng.uniform(0.2, 1.0, size=(n, n))
    W = np.triu(W, 1) + np.triu(W, 1).T
    ring = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    near = W * (np.minimum(ring, n - ring) <= 2) * (rng.random((n, n)) < 2)
    near[0, 4] = near[4, 0] = 0.9
    halves = near * (np.arange(n)[:, None] < n // 2) * (np.arange(n) < n // 2)
    halves += near * (np.arange(n)[:, None] >= n // 2) * (np.arange(n) >= n // 2)
    made = {"sparse": sparse.csr_array(near), "dense": np.exp(-W), "disconnected": sparse.csr_array(halves)}
    made["self-loops"] = sparse.csr_array(near + np.diag(np.arange(n) % 3 * 0.5))
    for place in (0, n // 2, n - 1):
        isolated = near.copy()
        isolated[place] = isolated[:, place] = 0.0
        made[f"isolated {place}"] = sparse.csr_array(isolated)
    return made


Y = np.array([0, 1, 2, 0, 1, 0, 0, 2])
TARGET = np.array([0.3, 1.0, -2.0, 0.1, 4.0, 0.0, 1.1, 2.0])
SOME = np.array([0, 1, -1, 0, 1, -1, -1, 1])


def criteria():
    """Return every kind of criterion by name."""
    found = {}
    for name, S in graphs().items():
        graph = SampleGraph(S)
        for ranking in ("phi1", "phi2", "phi3"):
            found[f"{ranking} {name}"] = phi(ranking, graph, Power(1), 3, 0)
    for power in (2, 3):
        for kind in ("sparse", "dense"):
            found[f"phi2 r^{power} {kind}"] = phi("phi2", SampleGraph(graphs()[kind]), Power(power))
    found["phi1 exp"] = phi("phi1", SampleGraph(graphs()["sparse"]), Custom(np.exp))
    found["phi2 exp"] = phi("phi2", SampleGraph(graphs()["sparse"]), Custom(np.exp))
    diffusion = SampleGraph(graphs()["sparse"]).diffuse(0.7)
    found["phi1 diffusion"] = phi("phi1", diffusion, Power(1))
    found["phi2 diffusion r^2"] = phi("phi2", diffusion, Power(2))
    found["moran"] = moran_criterion(SampleGraph(graphs()["self-loops"]))
    found["geary"] = geary_criterion(SampleGraph(graphs()["sparse"]))
    ones = SampleGraph(np.zeros((N, N)), mass=np.ones(N))
    found["variance"] = Criterion(ones, AsItIs(), IdentityForm(), LARGE)
    return found | _fitted()


def _fitted():
    """Return criteria that selectors make of labels, targets and pairs."""
    X, pair = features(), (graphs()["sparse"].toarray(), graphs()["dense"])
    near = graphs()["sparse"].toarray()
    made = {
        "laplacian": (eigenselect.LaplacianScore(similarity="rbf"), None, {}),
        "fisher": (eigenselect.FisherScore(), Y, {}),
        "hsic classes": (eigenselect.HSICScore(target="classes"), Y, {}),
        "hsic rbf": (eigenselect.HSICScore(target="numbers"), TARGET, {}),
        "hsic as it is": (eigenselect.HSICScore(target="numbers", scale=None), TARGET, {}),
        "trace ratio fisher": (eigenselect.TraceRatio(level="feature"), Y, {}),
        "trace ratio pair": (eigenselect.TraceRatio(graphs=pair, level="feature"), None, {}),
    }
    for graphs_ in ("laplacian", "semi-supervised"):
        selector = eigenselect.TraceRatio(graphs=graphs_, level="feature")
        made[f"trace ratio {graphs_}"] = (selector, SOME, {"similarity_matrix": near})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: model.fit(X, y, **more).criterion_ for name, (model, y, more) in made.items()}


CRITERIA = criteria()


def explicit(ratio):
    """Return the matrices of numerator and denominator as dense arrays."""
    denominator = np.zeros((ratio.n_samples,) * 2) if ratio.denominator is None else ratio.denominator.to_array()
    return ratio.numerator.to_array(), denominator


def is_implicit(ratio):
    return any(form.is_implicit for form in ratio.forms)
