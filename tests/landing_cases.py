"""Forms of every kind with a feature, for tests of random landings."""

import numpy as np
from scipy import sparse

from eigenselect.criteria.structured import Classes, SymmetricForm
from eigenselect.inference.landing import Landing


def form(kind, n=30, seed=3):
    """Return a form with a sparse or dense part, a low-rank part and classes, or all of them."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.15)
    W = W + W.T
    V, C = rng.normal(size=(n, 2)), np.array([[1.0, 0.5], [0.5, -2.0]])
    classes = Classes(rng.integers(0, 4, n), rng.normal(size=4))
    none = np.zeros((n, 0)), np.zeros((0, 0))
    return {
        "sparse": SymmetricForm(sparse.csr_array(W), *none),
        "dense": SymmetricForm(W, *none),
        "low rank": SymmetricForm.low_rank(V, C),
        "classes": SymmetricForm.of_classes(classes.codes, classes.weights),
        "all": SymmetricForm(sparse.csr_array(W), V, C, classes),
        "all, dense": SymmetricForm(W, V, C, classes),
    }[kind]


KINDS = ["sparse", "dense", "low rank", "classes", "all", "all, dense"]


def landing(kind, *, background=0.4, seed=2**63 + 5, n_values=6):
    """Return a feature of some values on a background, with a form."""
    values = np.random.default_rng(1).normal(size=n_values)
    return Landing.of(form(kind), values, background=background, constant=-0.3, seed=seed)
