"""The rows of the table: who is measured against whom, on what, and what was aimed at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import ours
import peers
from data import SPATIAL_SHAPE, Store, Table
from measure import Job, Measurement, Work

#: scoring with γ = identity may cost this part of scipy's S @ X
SCORING_COST = 0.35
#: a verb may be so many times as slow, and as large, as the selector that it calls
VERB_COST = 1.1
#: held-out accuracy, stability and bands of a report may cost so many fits
EVALUATION_COST = 10.0


@dataclass(frozen=True)
class Goal:
    """How a row is judged.

    Attributes
    ----------
    kind : {"speedup", "cost", "memory", "growth", "recall"}
        Their time over ours, our time over theirs, our megabytes, our megabytes over theirs, or the one number that
        our call returned, which is the part that it found.
    limit : float, optional
        At least (speedup, recall), at most (cost, growth), below (memory); None only informs.
    """

    kind: str
    limit: float | None = None

    def value(self, mine: Measurement, other: Measurement | None) -> float | None:
        if self.kind == "memory":
            return mine.peak_mb
        if self.kind == "recall":
            return None if mine.scores is None else float(mine.scores[0])
        if self.kind == "growth":
            known = other is not None and mine.peak_mb is not None and other.peak_mb
            return mine.peak_mb / other.peak_mb if known else None
        if other is None or mine.seconds is None or other.seconds is None:
            return None
        return other.seconds / mine.seconds if self.kind == "speedup" else mine.seconds / other.seconds

    def met(self, value: float | None) -> bool | None:
        if value is None or self.limit is None:
            return None
        if self.kind in ("cost", "growth"):
            return value <= self.limit
        return value < self.limit if self.kind == "memory" else value >= self.limit


@dataclass(frozen=True)
class Case:
    """One row; ``comparable`` says that both sides return the same scores, whose difference is then reported."""

    title: str
    rival: str
    ours: Job
    other: Job | None
    goal: Goal
    comparable: bool = False


def spec_cases(store: Store) -> Iterator[Case]:
    """SPEC against skfeature; a quick run takes 300 columns, because skfeature needs about a minute for all."""

    def full(limit: float) -> float | None:
        """Targets are for the full table."""
        return None if store.quick else limit

    table = store.basehock(columns=300 if store.quick else None)
    where = f"BASEHOCK{' (300 columns)' if store.quick else ''}"
    for ranking, style in (("phi1", -1), ("phi2", 0)):
        peer = Job(peers.skfeature_spec, (table, style))
        fit, scoring = Job(ours.spec_fit, (table, ranking)), Job(ours.spec_scoring, (table, ranking))
        yield Case(f"SPEC {ranking} fit, {where}", "skfeature", fit, peer, Goal("speedup", full(1000)), True)
        yield Case(f"SPEC {ranking} scoring, {where}", "skfeature", scoring, peer, Goal("speedup"), True)
    fit, peer = Job(ours.spec_fit, (table, "phi3", 1, 10)), Job(peers.skfeature_spec, (table, 10))
    yield Case(f"SPEC phi3 k=10 fit, {where}", "skfeature", fit, peer, Goal("speedup", full(50)), True)
    n_columns = 20 if store.quick else 100
    table = store.basehock(columns=n_columns)
    mine, peer = Job(ours.spec_class_labels, (table,)), Job(peers.itmo_spec_class_labels, (table,))
    where = f"BASEHOCK ({n_columns} columns)"
    yield Case(f"SPEC phi1 of class labels, {where}", "ITMO-FS", mine, peer, Goal("speedup"), True)


def laplacian_cases(store: Store) -> Iterator[Case]:
    """Laplacian score on a wide dense table."""
    wide, basehock = store.wide(), store.basehock()
    mine, peer = Job(ours.laplacian_score_fit, (wide,)), Job(peers.skfeature_lap_score, (wide, "index"))
    yield Case("Laplacian score fit, 2000 x 20000", "skfeature, indices", mine, peer, Goal("speedup", 30))
    if not store.quick:
        peer = Job(peers.skfeature_lap_score, (wide, "rank"))
        yield Case("Laplacian score fit, 2000 x 20000", "skfeature, its default", mine, peer, Goal("speedup"))
    mine, peer = Job(ours.laplacian_score_fit, (basehock,)), Job(peers.itmo_laplacian_score, (basehock,))
    yield Case("Laplacian score fit, BASEHOCK", "ITMO-FS", mine, peer, Goal("speedup"), True)


def product_cases(store: Store) -> Iterator[Case]:
    """γ(r) = r^p against one bare product; the scores alone are judged, the whole fit is shown beside them."""
    for table, where in ((store.basehock(), "BASEHOCK"), (store.wide(), "2000 x 20000")):
        for exponent in (1, 2, 3, 4):
            limit = SCORING_COST * (1.0 if exponent == 1 else exponent / 2 + 1)
            yield _product_case(f"scoring r^{exponent}, {where}", ours.spec_scoring, table, exponent, limit)
            yield _product_case(f"fit r^{exponent}, {where}", ours.spec_fit, table, exponent, None)


def _product_case(title: str, make: Callable[..., Work], table: Table, exponent: int, limit: float | None) -> Case:
    mine = Job(make, (table, "phi2", exponent))
    return Case(title, "scipy S @ X", mine, Job(peers.bare_product, (table,)), Goal("cost", limit))


def knn_cases(store: Store) -> Iterator[Case]:
    """The exact neighbour graph against brute force."""
    table = store.wide()
    mine, peer = Job(ours.knn_graph, (table,)), Job(peers.sklearn_knn_graph, (table,))
    yield Case("kNN graph, 2000 x 20000", "scikit-learn brute", mine, peer, Goal("cost", 1.0))


def memmap_cases(store: Store) -> Iterator[Case]:
    """A table of 1.6 GB that is only mapped."""
    shape = store.mapped_shape
    job = Job(ours.mapped_fit, (store.mapped(), shape))
    title = f"graph and scores of a memory map, {shape[0]} x {shape[1]} float32"
    yield Case(title, "(beyond the graph)", job, None, Goal("memory", None if store.quick else 300))


def sparse_cases(store: Store) -> Iterator[Case]:
    """Text counts that stay sparse."""
    table = store.basehock()
    dense = Job(ours.spec_scoring, (table, "phi2"))
    for layout in ("csr", "csc"):
        name = f"BASEHOCK as {layout.upper()}"
        fit = Job(ours.sparse_fit, (table, layout))
        yield Case(f"graph and scores, {name}", "(beyond X)", fit, None, Goal("memory", 150))
        scoring = Job(ours.spec_scoring, (table, "phi2", 1, layout))
        yield Case(f"scoring, {name}", "ours on dense", scoring, dense, Goal("speedup", 1.0), True)


def relieff_cases(store: Store) -> Iterator[Case]:
    """ReliefF with the same number of neighbours; a quick run leaves out skrebate, which takes half a minute."""
    for name in ("madelon", "COIL20"):
        table = store.labelled(name)
        for difference in ("absolute", "squared"):
            mine, peer = Job(ours.relieff_fit, (table, difference)), Job(peers.fast_select_relieff, (table,))
            yield Case(f"ReliefF {difference}, {name}", "fast-select", mine, peer, Goal("speedup", 2.0))
            if not store.quick:
                slow = Job(peers.skrebate_relieff, (table,))
                yield Case(f"ReliefF {difference}, {name}", "skrebate, 2 jobs", mine, slow, Goal("speedup", 30.0))
    table = store.basehock()
    for difference in ("absolute", "squared"):
        mine, peer = Job(ours.relieff_fit, (table, difference, "csr")), Job(peers.fast_select_relieff, (table,))
        yield Case(f"ReliefF {difference}, BASEHOCK as CSR", "fast-select, dense", mine, peer, Goal("speedup", 5.0))


def supervised_cases(store: Store) -> Iterator[Case]:
    """Fisher score and trace ratio."""
    faces = store.labelled("pixraw10P")
    subset, feature = (Job(ours.trace_ratio_fit, (faces, level)) for level in ("subset", "feature"))
    peer = Job(peers.skfeature_trace_ratio, (faces,))
    yield Case("trace ratio of subsets, pixraw10P", "skfeature", subset, peer, Goal("speedup", 200.0))
    yield Case("trace ratio of subsets, pixraw10P", "ours by feature", subset, feature, Goal("cost", 1.3))
    for table, layout, where in (
        (store.wide(), "dense", "2000 x 20000"),
        (store.basehock(), "dense", "BASEHOCK"),
        (store.basehock(), "csr", "BASEHOCK as CSR"),
    ):
        mine, peer = Job(ours.fisher_fit, (table, layout)), Job(peers.sklearn_f_classif, (table, layout))
        yield Case(f"Fisher score, {where}", "f_classif", mine, peer, Goal("speedup", 1.0))


def sensitivity_cases(store: Store) -> Iterator[Case]:
    """EVSC with all eigenvalues."""
    faces = store.labelled("pixraw10P")
    mine = Job(ours.evsc_fit, (faces,))
    title = "EVSC, all eigenvalues, pixraw10P"
    yield Case(title, "its pair sums in loops", mine, Job(peers.literal_evsc, (faces,)), Goal("speedup", 1000.0))
    yield Case(title, "n products n x n x m", mine, Job(peers.bare_products, (faces,)), Goal("cost", 3.0))


def stability_cases(store: Store) -> Iterator[Case]:
    """Stability selection: what it saves to compute the distances of all samples once."""
    mine, other = (Job(partial(ours.stability_fit, shared=shared), (store.wide(),)) for shared in (True, False))
    title = "stability selection, 20 pairs, Laplacian score, 2000 x 10000"
    yield Case(title, "distances in every half", mine, other, Goal("speedup", 1.0), True)


def semisupervised_cases(store: Store) -> Iterator[Case]:
    """SSelect with ten labels against the Laplacian score, with the graph and without."""
    table = store.labelled("PCMAC")
    for given, what in ((False, "fit"), (True, "fit on a given graph")):
        mine, other = (
            Job(partial(ours.partly_labelled_fit, given_graph=given), (table, name))
            for name in ("SSelect", "LaplacianScore")
        )
        yield Case(f"SSelect {what}, PCMAC", "ours, Laplacian score", mine, other, Goal("cost", 1.5))


def multisource_cases(store: Store) -> Iterator[Case]:
    """Feature similarities without an l × l inverse; several sources at the price of their parts."""
    store.sources["genes"] = "synthetic: 100 x 8000 with 65 terms, seed 5"
    mine, peer = Job(ours.feature_similarity), Job(peers.explicit_covariance)
    title = "FeatureSimilarity, 8000 genes x 65 terms"
    if not store.quick:
        yield Case(title, "pseudo-inverse", mine, peer, Goal("speedup", 100.0))
    yield Case(title, "(memory)", mine, None, Goal("memory", 500))
    parts = (Job(partial(ours.msfs_fit, together=together)) for together in (True, False))
    yield Case("MSFS of 5 sources", "each alone", *parts, Goal("cost", 1.1))


def command_cases(store: Store) -> Iterator[Case]:
    """The command: what answers at once, and a wide csv, of which reading may not be less than half of the time.

    What is judged is a process with its libraries loaded: importing pandas and scikit-learn alone takes longer than
    reading does, and the row of a whole process shows how much.
    """
    for word in ("--help", "--version"):
        mine, peer = Job(ours.command, (word,)), Job(peers.empty_program)
        yield Case(f"eigenselect {word}", "python -c pass", mine, peer, Goal("cost", 3.0))
    path = store.csv(10_000)
    peer = Job(peers.pandas_csv, (path,))
    warm, cold = (Job(make, ("rank", str(path), "-q")) for make in (ours.warm_command, ours.command))
    yield Case("rank, csv 100 x 10000, libraries loaded", "pandas.read_csv alone", warm, peer, Goal("cost", 2.0))
    yield Case("rank, csv 100 x 10000, whole process", "pandas.read_csv alone", cold, peer, Goal("cost"))


def reading_cases(store: Store) -> Iterator[Case]:
    """A wide csv of 17 digits, read to the last bit: with Arrow and, as for those who do not install it, without."""
    columns = 2000 if store.quick else 20_000
    path = store.csv(columns, digits=17)
    rivals = (
        ("pandas, round_trip", Job(peers.pandas_exact_csv, (path,))),
        ("numpy.loadtxt", Job(peers.numpy_csv, (path,))),
    )
    for arrow in (True, False):
        mine = Job(partial(ours.read_csv, arrow=arrow), (path,))
        title = f"reading csv, 100 x {columns}, {'with' if arrow else 'without'} Arrow"
        for rival, peer in rivals:
            yield Case(title, rival, mine, peer, Goal("cost", 1.0 if rival.startswith("pandas") else None), True)


def multivariate_cases(store: Store) -> Iterator[Case]:
    """The path to 100 features against others' paths to the same λ, and its growth with the number of features."""
    for name in ("orlraws10P", "TOX-171"):
        table = store.labelled(name)
        for target in ("lda", "rbf"):
            mine = Job(ours.l21_path_to, (table, target))
            title = f"L2,1 path, 100 features, {name}, {target.upper()} targets"
            if not store.quick:
                yield Case(title, "skglm, 50 λ's", mine, Job(peers.skglm_path, (table, target)), Goal("speedup", 5.0))
                yield Case(title, "celer, 50 λ's", mine, Job(peers.celer_path, (table, target)), Goal("speedup", 1.0))
            peer = Job(peers.accelerated_gradient, (table, target))
            yield Case(title, "accelerated gradient, last λ", mine, peer, Goal("speedup", 1.0))
    store.sources["growing"] = "synthetic: 100 samples of 10 clusters with normal noise, seed 7"
    wide, narrow = (Job(ours.l21_path_growing, (m,)) for m in ((40_000, 10_000) if store.quick else (160_000, 10_000)))
    factor = 4 if store.quick else 16
    title = f"L2,1 path, 50 features, 100 x {10_000 * factor}"
    yield Case(title, "ours on 100 x 10000", wide, narrow, Goal("cost", 1.2 * factor))


def significance_cases(store: Store) -> Iterator[Case]:
    """P-values of sparse counts on a spatial graph: what they add to the scores, against squidpy's analytic ones."""
    data = store.spatial()
    peer = Job(peers.squidpy_autocorrelation, (data,))
    n_samples, n_features = (5000, 500) if store.quick else SPATIAL_SHAPE
    for name in ("MoranI", "LaplacianScore"):
        mine, title = Job(ours.significance, (data, name)), f"p-values of {name}, {n_samples} x {n_features} sparse"
        yield Case(title, "squidpy, analytic", mine, peer, Goal("cost", None if store.quick else 0.02))
        yield Case(title, "(beyond the scores)", mine, None, Goal("memory", None if store.quick else 50))
        yield Case(title, "ours, scores alone", mine, Job(ours.graph_fit, (data, name)), Goal("cost"))
    fit = Job(ours.graph_fit, (data, "MoranI"))
    yield Case(f"MoranI, {n_samples} x {n_features} sparse", "squidpy, analytic", fit, peer, Goal("speedup"), True)


def single_cell_cases(store: Store) -> Iterator[Case]:
    """Verbs on an AnnData against the selector on the same matrix: what reading, checking and writing it costs."""
    data = store.spatial()
    n_samples, n_features = (5000, 500) if store.quick else SPATIAL_SHAPE
    shape = f"{n_samples} x {n_features} sparse"
    verbs = {"pp.spectral_features": "LaplacianScore", "gr.spatial_autocorr": "MoranI"}
    for verb, name in verbs.items():
        mine, selector = Job(getattr(ours, verb[3:]), (data,)), Job(ours.tested_fit, (data, name))
        for kind in ("cost", "growth"):
            goal = Goal(kind, None if store.quick else VERB_COST)
            yield Case(f"{verb}, {shape}", f"{name} with p-values", mine, selector, goal, True)
    peer = Job(peers.squidpy_autocorrelation, (data,))
    moran = Job(ours.spatial_autocorr, (data,))
    yield Case(f"gr.spatial_autocorr, {shape}", "squidpy, analytic", moran, peer, Goal("speedup"), True)


def evaluation_cases(store: Store) -> Iterator[Case]:
    """What refits say, for a page, against one fit."""
    wide, square = ((100, 2000), (300, 300)) if store.quick else ((100, 20_000), (2000, 2000))
    for shape in (wide, square):
        for name in ("FisherScore", "LaplacianScore", "ReliefF", "MRSF"):
            if name == "MRSF" and shape is square:
                continue  # takes minutes
            mine, fit = Job(ours.evaluation, (name, shape)), Job(ours.evaluated_fit, (name, shape))
            title = f"evaluation of {name}, {shape[0]} x {shape[1]}"
            yield Case(title, "one fit", mine, fit, Goal("cost", None if store.quick else EVALUATION_COST))


GROUPS: dict[str, Callable[[Store], Iterator[Case]]] = {
    "spec": spec_cases,
    "laplacian": laplacian_cases,
    "product": product_cases,
    "knn": knn_cases,
    "memmap": memmap_cases,
    "sparse": sparse_cases,
    "relieff": relieff_cases,
    "supervised": supervised_cases,
    "sensitivity": sensitivity_cases,
    "stability": stability_cases,
    "semisupervised": semisupervised_cases,
    "multivariate": multivariate_cases,
    "multisource": multisource_cases,
    "significance": significance_cases,
    "single_cell": single_cell_cases,
    "command": command_cases,
    "reading": reading_cases,
    "evaluation": evaluation_cases,
}
