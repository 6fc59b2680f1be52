"""Imports point one way, light commands stay light, and one file calls eigensolvers."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import eigenselect
from eigenselect.criteria.methods import METHODS
from eigenselect.selectors.base import Selector
from eigenselect.selectors.spectral import SpectralSelector

SOURCE = Path(eigenselect.__file__).parent
#: a package may import from itself and from packages before it
ORDER = [
    "_version", "exceptions", "_typing", "_warn", "_checks", "_random", "_progress", "_memory", "_floats", "_labels",
    "_parallel", "_compiled", "matrix", "graph", "similarity", "spectral", "criteria", "inference",
    "selection", "semisupervised", "sensitivity", "multivariate", "io", "multisource", "selectors", "evaluation",
    "reporting", "plot", "single_cell", "pp", "gr", "pl", "cli", "__main__",
]  # fmt: skip
FILES = {path.relative_to(SOURCE): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}


def imported_packages(tree):
    """Names of the library's packages that a file imports."""
    for node in ast.walk(tree):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from (name.split(".")[1] for name in names if name and name.startswith("eigenselect."))


def test_dependencies_point_one_way():
    for path, tree in FILES.items():
        package = path.parts[0].removesuffix(".py")
        if package != "__init__":
            assert set(imported_packages(tree)) <= set(ORDER[: ORDER.index(package) + 1]), path


#: what every estimator must leave to `Selector`, and every one on a sample graph to `SpectralSelector`
CHECKS = {
    Selector: (
        "_fit", "_checked_input", "_checked_rule", "_finish", "_chosen", "_get_support_mask", "__sklearn_tags__",
        "set_params", "selection_rule", "has_p_values", "takes_similarity_matrix", "explain",
        "uses_unlabelled_samples", "orders_all_features", "has_quadratic_form",
    ),
    SpectralSelector: ("_find", "quadratic_form"),
}  # fmt: skip


def test_no_estimator_overrides_a_check():
    for estimator in (getattr(eigenselect, name) for name in {row.selector for row in METHODS}):
        for base, members in CHECKS.items():
            if issubclass(estimator, base):
                assert [m for m in members if getattr(estimator, m) is not getattr(base, m)] == [], estimator


#: finds eigenvectors or singular vectors: only `graph/eigensolver.py`, whose solvers tests can replace, may call them
EIGENSOLVERS = {
    "eig", "eigh", "eigvals", "eigvalsh", "eigs", "eigsh", "lobpcg", "svd", "svds", "svdvals", "eig_banded",
    "eigvals_banded", "eigh_tridiagonal", "eigvalsh_tridiagonal", "randomized_svd", "sqrtm", "orth", "null_space",
    "pinv", "pinvh", "matrix_rank", "lstsq", "PCA", "TruncatedSVD", "KernelPCA", "SpectralClustering",
    "spectral_clustering", "SpectralEmbedding", "spectral_embedding",
}  # fmt: skip


def calls_eigensolver(tree):
    """Whether a file takes an eigensolver from numpy, scipy or scikit-learn: imported, or as an attribute."""
    for node in ast.walk(tree):
        is_ours = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eigenselect")
        if isinstance(node, ast.ImportFrom) and not is_ours and {alias.name for alias in node.names} & EIGENSOLVERS:
            return True
        if isinstance(node, ast.Attribute) and node.attr in EIGENSOLVERS:
            return True
    return False


def test_one_file_calls_eigensolvers():
    assert [path.as_posix() for path, tree in FILES.items() if calls_eigensolver(tree)] == ["graph/eigensolver.py"]


def test_the_command_knows_no_method_by_name():
    """What applies to which method is in the columns of the table; only examples of use name one."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    names = re.compile("|".join(rf"\b{re.escape(name)}\b" for row in METHODS for name in (row.name, row.selector)))
    for path, tree in FILES.items():
        if path.parts[0] in ("cli", "reporting", "io"):
            docs = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
            texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)} - docs
            named = [text for text in texts if isinstance(text, str) and names.search(text)]
            assert [text for text in named if not text.startswith("Example: ")] == [], path


def modules_after(code):
    """Return the modules that a fresh process has imported after some code."""
    program = f"{code}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}


@pytest.mark.parametrize(
    ("shape", "has_numba"), [((100, 1000), False), pytest.param((500, 6000), True, marks=pytest.mark.slow)]
)
def test_only_large_tables_import_numba(shape, has_numba):
    fit = f"import numpy as np, eigenselect as es; es.SPEC(3).fit(np.random.default_rng(0).normal(size={shape}))"
    assert ("numba" in modules_after(fit)) == has_numba


def test_importing_the_package_imports_nothing_heavy():
    names = modules_after("import eigenselect as es; assert es.exceptions.GraphWarning")
    assert not names & {"numpy", "scipy", "sklearn", "pandas", "numba"}
