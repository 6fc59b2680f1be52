"""The house keeps its shape: imports point one way, and light commands stay light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import eigenselect

SOURCE = Path(eigenselect.__file__).parent
#: a room may import from itself and from rooms before it
ORDER = [
    "_version", "exceptions", "_typing", "_names", "_warn", "_checks", "_random", "_progress", "_scaling", "_rounding",
    "_labels", "_parallel", "_eigen", "_compiled", "matrix", "graph", "similarity", "spectral",
    "criteria", "selection", "semisupervised", "sensitivity",
    "multivariate", "io", "multisource", "selectors", "evaluation", "reporting", "plot", "cli", "__main__",
]  # fmt: skip


def imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name and name.startswith("eigenselect."):
                yield name.split(".")[1]


@pytest.mark.parametrize(
    "path", sorted(p for p in SOURCE.rglob("*.py") if p.name != "__init__.py" or p.parent != SOURCE), ids=str
)
def test_dependencies_point_one_way(path):
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    allowed = ORDER[: ORDER.index(room) + 1]
    assert set(imported_rooms(path)) <= set(allowed)


#: what finds eigenvectors or singular vectors: only `_eigen`, which the tests can replace, may call them
EIGENSOLVERS = {
    "eig", "eigh", "eigvals", "eigvalsh", "eigs", "eigsh", "lobpcg", "svd", "svds", "svdvals", "eig_banded",
    "eigvals_banded", "eigh_tridiagonal", "eigvalsh_tridiagonal", "randomized_svd", "sqrtm", "orth", "null_space",
    "pinv", "pinvh", "matrix_rank", "lstsq", "PCA", "TruncatedSVD", "KernelPCA", "SpectralClustering",
    "spectral_clustering", "SpectralEmbedding", "spectral_embedding",
}  # fmt: skip


def eigensolvers_of_libraries(path):
    """Names of eigensolvers that a file takes from numpy, scipy or scikit-learn: imported, or as an attribute."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("eigenselect"):
            yield from {alias.name for alias in node.names} & EIGENSOLVERS
        if isinstance(node, ast.Attribute) and node.attr in EIGENSOLVERS:
            yield node.attr


def test_one_file_calls_eigensolvers():
    callers = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if any(eigensolvers_of_libraries(path))
    }
    assert callers == {"_eigen.py"}


def modules_after(code):
    program = f"{code}\nimport sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}


def test_importing_the_package_imports_nothing_heavy():
    assert not modules_after("import eigenselect") & {"numpy", "scipy", "sklearn", "pandas", "numba"}


def test_small_tables_import_no_numba():
    code = "import numpy as np, eigenselect; eigenselect.SPEC(3).fit(np.random.default_rng(0).normal(size=(100, 1000)))"
    modules = modules_after(code)
    assert "sklearn" in modules
    assert "numba" not in modules


def test_large_tables_use_compiled_kernels():
    code = "import numpy as np, eigenselect; eigenselect.SPEC(3).fit(np.random.default_rng(0).normal(size=(500, 6000)))"
    assert "numba" in modules_after(code)


def test_every_room_is_there_in_a_fresh_process():
    code = "import eigenselect as es; print(all(getattr(es, room) for room in es._ROOMS), es.exceptions.GraphWarning)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True <class 'eigenselect.exceptions.GraphWarning'>\n"
