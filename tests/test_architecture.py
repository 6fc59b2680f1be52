"""The house keeps its shape: imports point one way, and light commands stay light."""

import ast
import inspect
import re
import runpy
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import eigenselect
from eigenselect.criteria.table import METHODS
from eigenselect.selectors.base import Selector
from eigenselect.selectors.spectral import SpectralSelector

SOURCE = Path(eigenselect.__file__).parent
#: a room may import from itself and from rooms before it
ORDER = [
    "_version", "exceptions", "_typing", "_warn", "_checks", "_random", "_progress", "_memory", "_floats", "_labels",
    "_parallel", "_eigen", "_compiled", "matrix", "graph", "similarity", "spectral", "criteria", "inference",
    "selection", "semisupervised", "sensitivity", "multivariate", "io", "multisource", "selectors", "evaluation",
    "reporting", "plot", "single_cell", "pp", "gr", "pl", "cli", "__main__",
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


def test_every_room_has_its_place_in_the_order():
    rooms = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__", "py.typed"} == set(ORDER)
    assert len(ORDER) == len(set(ORDER))


#: what every estimator must leave to `Selector`, and every one on a sample graph to `SpectralSelector`
CHECKS = {
    Selector: (
        "_fit", "_checked_input", "_check_rule", "_finish", "_chosen", "_get_support_mask", "__sklearn_tags__",
        "set_params", "selection_rule", "has_p_values", "takes_similarity_matrix", "explain",
        "uses_unlabelled_samples", "orders_all_features", "has_quadratic_form",
    ),
    SpectralSelector: ("_find", "quadratic_form"),
}  # fmt: skip
ESTIMATORS = sorted({row.selector for row in METHODS})


@pytest.mark.parametrize("name", ESTIMATORS)
def test_no_estimator_overrides_a_check(name):
    estimator = getattr(eigenselect, name)
    assert issubclass(estimator, Selector)
    for base, members in CHECKS.items():
        if issubclass(estimator, base):
            assert {member for member in members if getattr(estimator, member) is not getattr(base, member)} == set()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimators_own_fit_only_names_its_arguments(name):
    """MSFS and KOGS take names of samples and features; their `fit` hands them to `_fit` and does nothing else."""
    own = vars(getattr(eigenselect, name)).get("fit")
    if own is None:
        return
    body = ast.parse(textwrap.dedent(inspect.getsource(own))).body[0].body
    *before, last = body[1:]  # without the docstring
    assert all(isinstance(statement, ast.Assign) for statement in before)
    assert isinstance(last, ast.Return)
    assert ast.unparse(last.value.func) == "self._fit"


def attributes_set(method):
    """Names that a method sets on ``self``."""
    for node in ast.walk(method):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            for part in ast.walk(target) if target is not None else ():
                if (
                    isinstance(part, ast.Attribute)
                    and isinstance(part.ctx, ast.Store)
                    and ast.unparse(part.value) == "self"
                ):
                    yield part.attr


@pytest.mark.parametrize("name", ESTIMATORS)
def test_hooks_return_values_and_park_nothing_on_self(name):
    tree = ast.parse(textwrap.dedent(inspect.getsource(getattr(eigenselect, name))))
    hooks = [node for node in tree.body[0].body if isinstance(node, ast.FunctionDef) and node.name != "__init__"]
    assert {hook.name: set(attributes_set(hook)) for hook in hooks} == {hook.name: set() for hook in hooks}


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


COMMAND = [path for room in ("cli", "reporting", "io") for path in sorted((SOURCE / room).rglob("*.py"))]


@pytest.mark.parametrize("path", COMMAND, ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_command_knows_no_method_by_name(path):
    """What applies to which method is in the columns of the table; only examples of use name one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    names = re.compile("|".join(rf"\b{re.escape(name)}\b" for row in METHODS for name in (row.name, row.selector)))
    assert [text for text in texts - docstrings if names.search(text) and not text.startswith("Example: ")] == []


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


# -- tests mirror src file by file -----------------------------------------------------------------

TESTS = Path(__file__).parent
#: files of src that need no test file of their own, and why
UNTESTED = {
    "__main__.py": "one call of the command",
    "_version.py": "one number",
    "_typing.py": "names of types",
    "reporting/facts.py": "types; test_summary.py holds summaries against them",
    "reporting/view_types.py": "types; test_summary.py holds summaries against them",
}
#: test files that are about more than one file of src, and what they are about
WIDER = {
    "test_adding_a_method.py": "what follows from a row of the table",
    "test_another_basis.py": "every method under eigensolvers that return other bases",
    "test_architecture.py": "the whole library",
    "test_docs.py": "docs/",
    "test_docstrings.py": "the docstrings of all public names",
    "test_examples.py": "examples/",
    "test_gallery.py": "examples/gallery and examples/tutorials",
    "test_make.py": "Makefile and .ci/",
    "test_mutation.py": "benchmarks/mutation/",
    "test_papers.py": "papers/",
    "test_papers_choosing.py": "papers/choosing.py",
    "test_papers_trace.py": "papers/trace_ratio.py and its parts",
    "test_papers_evsc.py": "papers/evsc*.py",
    "test_papers_sselect.py": "papers/sselect*.py",
    "test_papers_spec.py": "papers/spec.py and its files",
    "test_papers_spec_search.py": "papers/spec_search.py and papers/spec_settings.py",
    "test_papers_mrsf.py": "papers/mrsf*.py",
    "test_papers_msfs.py": "papers/msfs*.py",
    "test_readme.py": "README.md",
    "test_site.py": "the site: docs/conf.py and what it is made of",
    "test_release.py": "release/, recipe/ and .github/",
    "test_sdist.py": "the source distribution",
    "test_theorems.py": "docs/theorems.md: every statement of the papers",
    "test_threads.py": "the same bits on any number of threads, for every room",
    "graph/test_real_graphs.py": "graph/ on tables that are not shipped",
    "inference/test_calibration.py": "p-values of every rule on noise",
    "matrix/test_every_storage.py": "every method on the same numbers in every storage",
    "reporting/test_noise.py": "what reports say of noise",
    "selectors/test_scales.py": "every selector on values of any size",
    "selectors/test_ties.py": "every selector on equal scores",
}


def spelled(path):
    """How tests spell the name of a source file: `_floats.py` is floats."""
    return path.stem.strip("_")


def names_of_sources():
    """The room and the name of every source file; a package is a file of the room that it is in."""
    for path in SOURCE.rglob("*.py"):
        room = path.parent.relative_to(SOURCE)
        yield room, spelled(path)
        if path.name == "__init__.py" and room.name:
            yield room.parent, room.name


def is_about(test, sources):
    """Whether a test file is named after a source file of its room, alone or with a topic: test_FILE(_TOPIC).py."""
    topic = test.stem.removeprefix("test_") + "_"
    return any(topic.startswith(f"{name}_") for room, name in sources if room == test.parent.relative_to(TESTS))


def test_every_source_file_has_its_test_file():
    files = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name != "__init__.py"]
    without = {file.as_posix() for file in files if not (TESTS / file.parent / f"test_{spelled(file)}.py").exists()}
    assert without == set(UNTESTED)


def test_every_test_file_has_its_source_file():
    sources = set(names_of_sources())
    strays = {test.relative_to(TESTS).as_posix() for test in TESTS.rglob("test_*.py") if not is_about(test, sources)}
    assert strays == set(WIDER)


def test_the_walk_that_contributing_tells_is_the_one_of_the_code():
    root = Path(__file__).parents[1]
    told = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(root / "docs" / "make_tables.py"))["with_walk"](told) == told, "run `make tables`"
