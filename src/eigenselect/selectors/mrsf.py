"""MRSF: features that explain the similarity of samples together, so that no two of them tell the same."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from eigenselect._checks import choice, memory_for, whole_or_none
from eigenselect._floats import SAME
from eigenselect._labels import encode_classes
from eigenselect._typing import BoolArray, FloatArray
from eigenselect.criteria.criterion import Scores
from eigenselect.graph import SampleGraph
from eigenselect.matrix import Matrix, SparseMatrix, as_matrix
from eigenselect.multivariate.path import L21Path, l21_path
from eigenselect.multivariate.targets import discriminant_outputs, margin_outputs, root_of, similarity_outputs
from eigenselect.selection import Knee, TopK, knee
from eigenselect.selection.rules import HowMany
from eigenselect.selectors.base import Found, Selector, Traits
from eigenselect.selectors.spectral import build_graph
from eigenselect.similarity import made_of_labels
from eigenselect.similarity.pairs import gram_matrix, squared_distances

TARGETS = ("similarity", "lda", "svm", "pca")
#: n × n matrices beside the one whose eigenvectors are searched
BESIDE = 1.0


class MRSF(Selector):
    r"""Spectral feature selection with minimum redundancy.

    Criteria that score features one by one give near-copies of a good feature the same good score. MRSF looks for
    features whose linear combinations explain targets Y *together*; what one feature explains already, its copy cannot
    explain again:

    .. math:: \min_W\; \tfrac12 \lVert Y - XW \rVert_F^2 + \lambda \sum_i \lVert w_i \rVert_2

    where :math:`w_i` is the row of feature i, and :math:`YY^\top` is the sample similarity that the features are to
    preserve. λ falls from where no feature is in until exactly the wanted number of rows is non-zero.

    Features are penalised alike, so each is put at unit standard deviation first (`scale`).

    Parameters
    ----------
    n_features_to_select : int, float, str, rule or None, default=None
        A number, a fraction, or a rule of `eigenselect.selection` that gives a number: `TopK`, `Knee`. ``"auto"`` is
        ``Knee()``, which is no test and warns of it: the path is followed to as many features as there are samples (or
        can enter), and cut at the knee of the λ's at which they entered. None is half of the features, but not more
        than the samples less one, for beyond that every feature is a linear combination of the others.
    target : {"similarity", "lda", "svm", "pca"}, default="similarity"
        Y: :math:`U\Sigma^{1/2}` of the similarity (its negative eigenvalues, if any, and negligible ones are left
        out); linear discriminant analysis of the labels as regression; ±1 for each class; or the principal
        components of X. `eigenselect.multivariate.l21_path` takes any Y.
    similarity : str, similarity object or callable, default="rbf"
        How samples are alike, see `SPEC`; ``"class_labels"`` for a supervised one. Only for ``target="similarity"``.
    scale : {"unit", None}, default="unit"
        ``"unit"``: features at unit standard deviation, so that units do not matter; the similarity is that of X as it
        is. None takes the features as they are, the paper's letter.
    center : bool, default=True
        Subtract the means of features and targets first; sparse features are centred implicitly, and stay sparse.
    tol : float, default=1e-6
        Duality gap of the solver, relative to the objective without features.
    copy_tolerance : float, default=0.03
        A feature that differs from a selected one by at most this part of its length (their correlation is then about
        0.9995 or more) is a copy and never enters, even where the exact optimum would take both, because two copies
        average out some of each other's noise. 0 follows the exact path.
    n_outputs : int, optional
        Of "similarity" and "pca", how many leading eigenpairs; None for all that are not negligible, or the leading
        200 for more than 2000 samples. Those whose eigenvalue equals the last one's are taken too; of a number that
        was asked for, this is said in a warning.
    max_iter : int, default=1000
        Iterations of the solver at one λ; a warning names the gap where they are not enough.
    warm_start : bool, default=False
        A later `fit` on the same data with more features goes on where the last one ended.
    n_jobs : int, optional
        Threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        Start vector of the eigensolver, for more than 2000 samples; None is a fixed one.
    verbose : bool, default=False
        Say on stderr how long each step took.

    Attributes
    ----------
    scores_, native_scores_ : ndarray of shape (n_features,)
        λ at which a selected feature entered (for the last time), larger is better; 0 for features that are not
        selected, also those that entered and left again; NaN for constant ones.
    ranking_ : ndarray of shape (n_features,)
        1 is the first to enter; the features that are not selected by column order, constant ones last.
    rounding_ : ndarray of shape (n_features,)
        How far apart rounding can take two native scores that are equal by their formula: closer ones tie.
    n_ordered_ : int
        Number of features that the ranking orders: those that are selected. Nothing is said of the others, whose places
        in ``ranking_`` only complete a permutation; `eigenselect.selection.feature_order` gives them one common rank.
    path_ : ndarray of int
        The selected features in the order in which they entered. (Features that left again are not among them;
        `eigenselect.multivariate.l21_path` knows them all.)
    alphas_ : ndarray
        The λ's of the path, strictly falling: where the first feature enters, where the second one does, …, and where
        the next one would.
    coef_ : ndarray of shape (n_outputs, n_features)
        W at the last of them, for features at their `scale`, transposed as in scikit-learn: dense, 8 bytes for each
        output and feature. Its rows are in the basis of Y, which of equal eigenvalues is a choice that only their space
        decides.
    n_iter_ : int
        Number of points of the path.
    dual_gap_ : float
        The largest relative duality gap on the path.
    graph_ : SampleGraph
        For ``target="similarity"``.
    n_features_ : int
        Number of selected features; fewer than asked for if no more can enter, which is warned about.
    n_features_in_ : int
        Number of features of X.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where X is a data frame whose columns all have text for a name.

    See Also
    --------
    eigenselect.multivariate.l21_path : The path, with any targets.
    LaplacianScore : Scores features one by one.

    References
    ----------
    Zhao, Spectral feature selection for mining ultrahigh dimensional data, PhD thesis, Arizona State University 2010,
    chapter 4; Zhao, Wang and Liu, Efficient spectral feature selection with minimum redundancy, AAAI 2010.

    Examples
    --------
    >>> from eigenselect import MRSF
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> MRSF(3, target="lda").fit(X, y).path_
    array([ 6, 12, 11])
    """

    def __init__(
        self,
        n_features_to_select: HowMany = None,
        *,
        target: str = "similarity",
        similarity: Any = "rbf",
        scale: str | None = "unit",
        center: bool = True,
        tol: float = 1e-6,
        copy_tolerance: float = 0.03,
        n_outputs: int | None = None,
        max_iter: int = 1000,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int | bool = False,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.target = target
        self.similarity = similarity
        self.scale = scale
        self.center = center
        self.tol = tol
        self.copy_tolerance = copy_tolerance
        self.n_outputs = n_outputs
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _traits(self) -> Traits:
        needs, together = "one label per sample", "features are chosen together"
        by_label = self.target in ("lda", "svm") or (self.target == "similarity" and made_of_labels(self.similarity))
        other = f"MRSF: a similarity_matrix is used by target='similarity' only, got target={self.target!r}."
        return Traits(
            needs_labels=needs if by_label else "",
            orders_all_features=False,  # what is not selected has no place of its own: `n_ordered_`
            no_similarity_matrix="" if self.target == "similarity" else other,
            no_quadratic_form="MRSF chooses features together, so no f̂ᵀŜf̂ of single ones orders them as it does.",
            no_explanation="MRSF.explain: features are chosen together, so no one has a score by itself; SPEC with "
            "ranking='phi3' on the same similarity explains single features.",
            undefined="[is constant; it has|are constant; they have] no score and [is|are] ranked last",
            needs_number=together,
            no_forced=together,
            no_p_values=together,
        )

    def _check_parameters(self) -> None:
        choice(self.target, "target", "MRSF", TARGETS, advice="l21_path takes any Y")
        choice(self.scale, "scale", "MRSF", ("unit",), none=True)
        whole_or_none(self.n_outputs, "n_outputs", "MRSF")

    def _find(self, table: Matrix, y: Any, similarity_matrix: Any) -> Found:
        with self._step("target"):
            graph = None
            if self.target == "similarity":
                graph = build_graph(self.similarity, table, y, similarity_matrix, "MRSF", self.n_jobs, beside=BESIDE)
            table = table if self.scale is None else _at_unit_deviation(table)
            Y = self._outputs(graph, table, y)
            if not Y.size:
                raise ValueError(
                    f"MRSF: target={self.target!r} has nothing to explain, because no two samples differ in it; "
                    "expected samples that are not all alike."
                )
        with self._step("path"):
            path = self._path(table, Y)
        scores = _scores(path, self._undefined(table))
        attributes = {
            "path_": path.selected,
            "alphas_": path.alphas,
            "n_iter_": len(path.alphas),
            "dual_gap_": float(path.gaps.max()),
            "coef_": np.asarray(path.coef().toarray().T),
            "_last_path": path if self.warm_start else None,
        }
        if graph is not None:
            attributes["graph_"] = graph
        # S as a whole is explained, not its leading eigenvectors: no `graph` to look at for domination
        return Found(scores, attributes, n_ordered=int(path.selected.size))

    def _outputs(self, graph: SampleGraph | None, table: Matrix, y: Any) -> FloatArray:
        """Make Y, what the features are to explain together."""
        if graph is not None:
            return similarity_outputs(graph, self.n_outputs, self.random_state)
        if self.target == "pca":
            work = f"MRSF: the products of all pairs of {table.n_samples} samples and their eigenvectors (target='pca')"
            with memory_for((1 + BESIDE) * 8.0 * table.n_samples**2, work, "use another target or fewer samples"):
                products = _sample_products(table, self.center, self.n_jobs)
                return root_of(products, self.n_outputs, self.random_state)
        codes, _ = encode_classes(y, f"MRSF(target={self.target!r})", table.n_samples)
        return discriminant_outputs(codes) if self.target == "lda" else margin_outputs(codes)

    def _path(self, table: Matrix, Y: FloatArray) -> L21Path:
        n_samples, n_features = table.shape
        most = min(n_features, max(1, n_samples - 1))
        rule = self.selection_rule
        automatic = isinstance(rule, Knee)
        count = most if automatic else rule.number(np.zeros(n_features), "MRSF")
        if isinstance(rule, TopK) and rule.k is None:
            count = min(count, most)
        path = self._follow(table, Y, count, quiet=automatic)
        return self._follow(table, Y, max(1, knee(_entry_alphas(path))), quiet=False) if automatic else path

    def _follow(self, table: Matrix, Y: FloatArray, count: int, *, quiet: bool) -> L21Path:
        start = getattr(self, "_last_path", None) if self.warm_start else None
        names = ("center", "tol", "max_iter", "copy_tolerance", "n_jobs")
        options = {"owner": "MRSF", **{name: getattr(self, name) for name in names}}
        with warnings.catch_warnings(record=quiet):
            if quiet:  # "as many as can enter" is no shortfall
                warnings.simplefilter("ignore", ConvergenceWarning)
            return l21_path(table, Y, count, keep="last", start=start, strict_start=False, **options)

    def _undefined(self, table: Matrix) -> BoolArray:
        """Tell the columns with one value, or with zeros only where means are not subtracted."""
        low, high = table.column_extremes()
        return np.asarray(low == high if self.center else (low == 0) & (high == 0))


def _at_unit_deviation(table: Matrix) -> Matrix:
    """Divide each column by its standard deviation; a constant one stays as it is."""
    table = table.out_of_file("the path looks at all features again at every step")
    spread = np.sqrt(table.column_variances())
    factors = 1.0 / np.where(spread > 0.0, spread, 1.0)
    if isinstance(table, SparseMatrix):
        return as_matrix(table.by_column @ sparse.diags_array(factors), feature_names=table.feature_names)
    return as_matrix(np.asarray(table.raw * factors), feature_names=table.feature_names)


def _scores(path: L21Path, undefined: BoolArray) -> Scores:
    """Score a feature by the λ at which it entered; 0 for those that did not."""
    scores = np.where(undefined, np.nan, 0.0)
    scores[path.selected] = _entry_alphas(path)
    return Scores(scores, scores, SAME * np.abs(scores), True, n_selected=int(path.selected.size))


def _entry_alphas(path: L21Path) -> FloatArray:
    """Return the λ at which each selected feature entered."""
    entry = dict(zip(path.order.tolist(), path.entry_alphas.tolist(), strict=True))
    return np.array([entry[int(feature)] for feature in path.selected])


def _sample_products(X: Any, center: bool, n_jobs: int | None) -> FloatArray:
    """Return XXᵀ; of centred features from distances, which large means do not drown."""
    if not center:
        return gram_matrix(X, n_jobs=n_jobs)
    squared = squared_distances(X, n_jobs=n_jobs)
    means = squared.mean(axis=0)
    for change in (-means, -means[:, None], means.mean()):  # in place: there is room for one n × n matrix
        squared += change
    squared *= -0.5
    return squared
