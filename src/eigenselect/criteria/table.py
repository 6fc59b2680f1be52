"""The table of methods: one row each, typed columns, from which prose, names and command are made.

Pure data: importing it imports neither numpy nor scikit-learn.

A row of the theorem scores a feature by f̂ᵀŜf̂. A row whose `Method.instead` is set says what it does instead of one
such form; `Method.has_quadratic_form` tells the two apart.

To add a method: write its selector in ``selectors/``, its row here, and its formula in ``tests/naive.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import Any


class Labels(StrEnum):
    """Whether a method uses labels; the value is what the tables print."""

    NONE = "none"
    NEEDED = "needed"
    SOME = "a few"
    BY_SIMILARITY = "as the similarity"
    BY_TARGET = "as the target"
    #: uses them if one of its parts (sources, rankers) does
    EITHER = "either"


class Target(StrEnum):
    """What y may hold, for a method that uses it."""

    CLASSES = "classes"
    NUMBERS = "numbers"
    KERNEL = "a kernel"


class Direction(StrEnum):
    """Which native scores are good."""

    SMALL = "small"
    LARGE = "large"


class Command(StrEnum):
    """The subcommand that runs a method."""

    RANK = "rank"
    FUSE = "fuse"
    PYTHON_ONLY = "Python only"


class Option(StrEnum):
    """An option of ``rank`` that applies to some methods only."""

    SIMILARITY = "similarity"
    POWER = "power"
    CLUSTERS = "clusters"
    TARGET = "target"

    @property
    def parameter(self) -> str:
        """The parameter of the constructor that the option sets."""
        return {"power": "spectral_function", "clusters": "n_clusters"}.get(self, str(self))


class Default(StrEnum):
    """The data for which a method is recommended, in the words of the README, and taken unless told otherwise."""

    CLASSES = "classes; a list with p-values"
    #: ``rank`` takes this one by name only
    CLASSES_TOGETHER = "classes; a set to predict with"
    #: of the labelled samples alone
    SOME_LABELS = "labels of some samples"
    NUMBERS = "a number for every sample"
    #: only with a number of features, and up to some number of samples
    UNLABELLED_TOGETHER = "no labels; a number of features"
    UNLABELLED = "no labels; an order of all features"
    LABELS_AND_GRAPH = "labels and a graph of the samples"


#: in `Method.similarities`: every similarity is accepted
ANY = "any"


@dataclass(frozen=True, kw_only=True)
class Method:
    """One row of the table of methods.

    Attributes
    ----------
    name : str
        As the command has it.
    selector, module : str
        The class, and the module where it and the score function live.
    similarity, normalization, matrix : str
        What S, f̂ and Ŝ are, as formulae.
    direction : Direction
        Whether small or large native scores are good.
    labels : Labels
        Whether it uses labels.
    reference : str
        Where it was published.
    summary : str
        What it looks for.
    in_words : str
        The same for readers who know no formula: a clause that can follow a colon.
    statement : str
        What a paper says after "Features were ranked": the criterion in one sentence, with {parameters} as fitted.
    statement_for_numbers : str
        The same where the target is a number, if it is another criterion then.
    settings_in_words : dict of str to dict
        Values of parameters as these sentences have them; "" stands for what is no text.
    cites : tuple of str
        Keys of `eigenselect.criteria.references` that the paper then cites.
    parameters : dict
        What makes this row of a class with several.
    command : Command
        The subcommand that runs it.
    score_function : str
        Empty where there is none.
    instead : str
        What it does instead of scoring by one quadratic form; empty where it does not.
    targets : tuple of Target
        What y may hold.
    similarities : tuple of str
        Names that ``similarity=`` accepts, the default first, "any" for all; empty where S is the method's own.
    similarity_with_labels : str
        The similarity that the command takes with labels, if it is not the default.
    options : tuple of Option
        Options of ``rank`` that apply to it.
    orders_all : bool
        False if it orders only the features that it selects.
    default_for : dict of Default to dict
        The data for which it is recommended, with the parameters that it then has.
    compared : int
        Place among the methods that ``compare`` runs unless told otherwise; 0 where it does not.
    pvalue_function : str
        Returns scores and p-values; empty where there is none.
    p_value_rule : str
        How p-values follow from the scores; empty where no rule is known.

    See Also
    --------
    MethodTable : The rows.

    Examples
    --------
    >>> from eigenselect.criteria import METHODS
    >>> row = METHODS["spec-phi3"]
    >>> row.call(), str(row.direction), row.matrix
    ("SPEC(ranking='phi3')", 'large', 'Σ₂ᵏ (γ(2) - γ(λⱼ)) ξⱼξⱼᵀ')
    """

    name: str
    selector: str
    module: str
    similarity: str
    normalization: str
    matrix: str
    direction: Direction
    labels: Labels
    reference: str
    summary: str
    in_words: str
    statement: str = ""
    statement_for_numbers: str = ""
    settings_in_words: dict[str, dict[str, str]] = field(default_factory=dict)
    cites: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    command: Command = Command.RANK
    score_function: str = ""
    instead: str = ""
    targets: tuple[Target, ...] = ()
    similarities: tuple[str, ...] = ()
    similarity_with_labels: str = ""
    options: tuple[Option, ...] = ()
    orders_all: bool = True
    default_for: dict[Default, dict[str, Any]] = field(default_factory=dict)
    compared: int = 0
    pvalue_function: str = ""
    p_value_rule: str = ""

    @property
    def has_quadratic_form(self) -> bool:
        """Whether ``quadratic_form(X)`` returns (Ŝ, F̂), with the parameters of the row."""
        return not self.instead

    @property
    def supervision(self) -> str:
        """Whether labels are used and what they may be, in words."""
        if self.labels is not Labels.NEEDED or self.targets == (Target.CLASSES,):
            return str(self.labels)
        *most, last = self.targets
        return f"{self.labels} ({', '.join(most)} or {last})"

    @property
    def public_names(self) -> list[str]:
        """The class and the functions of the method."""
        return [name for name in (self.selector, self.score_function, self.pvalue_function) if name]

    @property
    def score_name(self) -> str:
        """What the native score is called: the ranking function, where the class has several."""
        return str(self.parameters.get("ranking", self.name))

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain values.

        Returns
        -------
        dict
            All attributes, ``supervision`` and ``quadratic_form``.
        """
        derived = {"supervision": self.supervision, "quadratic_form": self.has_quadratic_form}
        return {**asdict(self), **derived}

    def call(self, **parameters: Any) -> str:
        """Say how it is made in Python.

        Parameters
        ----------
        **parameters : dict
            Added to those of the row.

        Returns
        -------
        str
            The class with its parameters.
        """
        arguments = ", ".join(f"{name}={value!r}" for name, value in (self.parameters | parameters).items())
        return f"{self.selector}({arguments})"

    def selector_class(self) -> Any:
        """Import the class.

        Returns
        -------
        type
            A selector.
        """
        return getattr(import_module(self.module), self.selector)


class MethodTable:
    """Rows in the order in which they are printed; read at every call, so that a row can be added.

    ``METHODS`` is the table of this library. It can be iterated, and indexed by name.

    Parameters
    ----------
    rows : iterable of Method
        Names must differ.

    See Also
    --------
    Method : One row.

    Examples
    --------
    >>> from eigenselect.criteria import METHODS
    >>> [row.name for row in METHODS if row.labels == "needed"]
    ['fisher', 'relieff', 'hsic', 'trace-ratio']
    """

    def __init__(self, rows: Iterable[Method]) -> None:
        self._rows = {row.name: row for row in rows}

    def __iter__(self) -> Iterator[Method]:
        return iter(tuple(self._rows.values()))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, name: str) -> Method:
        return self._rows[name]

    def names(self, command: Command = Command.RANK) -> list[str]:
        """List the methods that a subcommand runs.

        Parameters
        ----------
        command : Command, default=Command.RANK
            The subcommand.

        Returns
        -------
        list of str
            Their names, in the order of the table.
        """
        return [row.name for row in self if row.command is command]

    def default(self, data: Default) -> str:
        """Name the method that ``rank`` takes for such data.

        Parameters
        ----------
        data : Default
            What is known of the data.

        Returns
        -------
        str
            The name of a row.
        """
        return next(row.name for row in self if data in row.default_for)

    def recommended(self) -> dict[str, str]:
        """Say which method is recommended for which data.

        Returns
        -------
        dict of str to str
            From the data, in words, to the call in Python.

        Examples
        --------
        >>> METHODS.recommended()["classes; a set to predict with"]
        "MRSF(target='lda')"
        """
        rows = {data: self[self.default(data)] for data in Default}
        return {str(data): row.call(**row.default_for[data]) for data, row in rows.items()}

    def compared(self) -> list[str]:
        """List the methods that ``compare`` runs unless told otherwise, in its order.

        Returns
        -------
        list of str
            Their names.
        """
        return [row.name for row in sorted(self, key=lambda row: row.compared) if row.compared]

    def homes(self) -> dict[str, str]:
        """Return every public class and score function, with its module.

        Returns
        -------
        dict of str to str
            From names to modules.
        """
        return {
            name: row.module for row in self for name in (row.selector, row.score_function, row.pvalue_function) if name
        }

    @contextmanager
    def added(self, row: Method) -> Iterator[None]:
        """Within, the table has one more row.

        Parameters
        ----------
        row : Method
            The row; one of the same name is replaced.

        Yields
        ------
        None
            Nothing.
        """
        before = self._rows
        self._rows = {**before, row.name: row}
        try:
            yield
        finally:
            self._rows = before


_SPEC: dict[str, Any] = {
    "selector": "SPEC",
    "module": "eigenselect.selectors.spec",
    "score_function": "spec_score",
    "similarity": "any",
    "similarities": ("knn", ANY),
    "similarity_with_labels": "class_labels",
    "labels": Labels.BY_SIMILARITY,
    "targets": (Target.CLASSES,),
}
_SPEC_REFERENCE = "Zhao & Liu, ICML 2007, doi:10.1145/1273496.1273641"

#: the methods of this library, in the order in which they are printed
METHODS = MethodTable(
    [
        Method(
            name="spec-phi1",
            **_SPEC,
            parameters={"ranking": "phi1"},
            normalization="D½f, unit length",
            matrix="I - γ(N)",
            direction=Direction.SMALL,
            options=(Option.SIMILARITY, Option.POWER),
            p_value_rule="permutation, ratio of uncentred forms",
            cites=("zhao2007spectral",),
            statement="by the spectral criterion φ1: the normalised cut of the sample graph by the feature, which is "
            "weighted by the degrees of the samples and scaled to unit length",
            reference=_SPEC_REFERENCE + ", Eq. 9",
            summary="normalised cut of the graph by the feature",
            in_words="neighbours have like values, as they also have where a feature hardly varies",
        ),
        Method(
            name="spec-phi2",
            **_SPEC,
            parameters={"ranking": "phi2"},
            normalization="D½f, ξ₁ removed, unit length",
            matrix="I - γ(N)",
            direction=Direction.SMALL,
            options=(Option.SIMILARITY, Option.POWER),
            p_value_rule="permutation, ratio of forms",
            cites=("zhao2007spectral",),
            statement="by the spectral criterion φ2: the normalised cut of the sample graph by the feature, without "
            "its component along the trivial eigenvector of the normalised Laplacian",
            reference=_SPEC_REFERENCE + ", Eq. 10",
            summary="smoothness over the graph, without the share that only follows the density of samples",
            in_words="neighbours have like values, for how much the feature varies",
        ),
        Method(
            name="spec-phi3",
            **_SPEC,
            parameters={"ranking": "phi3"},
            normalization="D½f, unit length",
            matrix="Σ₂ᵏ (γ(2) - γ(λⱼ)) ξⱼξⱼᵀ",
            direction=Direction.LARGE,
            options=(Option.SIMILARITY, Option.POWER, Option.CLUSTERS),
            p_value_rule="permutation, ratio of uncentred forms",
            cites=("zhao2007spectral",),
            statement="by the spectral criterion φ3: the agreement of the feature with {n_clusters_} of the "
            "normalised Laplacian of the sample graph, weighted by how far the eigenvalue lies below its bound of 2",
            reference=_SPEC_REFERENCE + ", Eq. 11",
            summary="agreement with the leading cluster indicators only; drops noise",
            in_words="values follow the few broadest divisions of the samples",
        ),
        Method(
            name="laplacian",
            selector="LaplacianScore",
            module="eigenselect.selectors.laplacian_score",
            score_function="laplacian_score",
            similarity="kNN, RBF weights; any",
            similarities=("knn", ANY),
            normalization="D½f, ξ₁ removed, unit length",
            matrix="I - N",
            direction=Direction.SMALL,
            labels=Labels.NONE,
            options=(Option.SIMILARITY,),
            default_for={Default.UNLABELLED: {}},
            compared=4,
            p_value_rule="permutation, ratio of forms",
            cites=("he2005laplacian",),
            statement="by the Laplacian score: the squared differences between neighbours in the sample graph, "
            "relative to the degree-weighted variance of the feature",
            reference="He, Cai & Niyogi, NeurIPS 2005",
            summary="φ2 with γ = identity: neighbours have like values",
            in_words="neighbours have like values",
        ),
        Method(
            name="iterated-spec",
            selector="IteratedSPEC",
            module="eigenselect.selectors.iterated_spec",
            similarity="kNN, RBF weights; any",
            similarities=("knn", ANY),
            normalization="D½f, ξ₁ removed, unit length",
            matrix="I - γ(N)",
            direction=Direction.SMALL,
            labels=Labels.NONE,
            options=(Option.SIMILARITY, Option.POWER),
            cites=("zhao2007spectral", "tarashansky2019self"),
            statement="by the spectral criterion {ranking} on a sample graph that was made of the selected features "
            "themselves and made again {converged_}, {n_iter_} of at most {max_iter} times",
            reference="Tarashansky et al., eLife 2019, doi:10.7554/eLife.48994; Zhao & Liu, ICML 2007",
            summary="smooth over the graph of the selected features themselves, made again until they stay",
            in_words="samples that are alike in the kept features have like values",
        ),
        Method(
            name="multiscale",
            selector="MultiscaleSPEC",
            module="eigenselect.selectors.multiscale_spec",
            score_function="multiscale_spec_score",
            similarity="kNN, RBF weights; any",
            similarities=("knn", ANY),
            normalization="D½f, ξ₁ removed, unit length",
            matrix="I - γₛ(N), the s with the largest z",
            instead="takes the best of several scales",
            direction=Direction.LARGE,
            labels=Labels.NONE,
            options=(Option.SIMILARITY,),
            p_value_rule="permutation, Cauchy combination of scales",
            cites=("zhao2007spectral",),
            statement="by the number of standard deviations by which the spectral criterion φ2 of the feature is "
            "better than that of its permutations, at the best of the scales {scales} of the sample graph, "
            "where numbers are times of heat flow",
            reference="Liu & Xie, JASA 2020, doi:10.1080/01621459.2018.1554485; Zhao & Liu, ICML 2007",
            summary="stands out from chance at some scale of the graph, narrow or wide",
            in_words="near or far neighbours have like values, at the scale where chance explains it least",
        ),
        Method(
            name="moran",
            selector="MoranI",
            module="eigenselect.selectors.moran_i",
            score_function="moran_i_score",
            similarity="kNN, RBF weights; any",
            similarities=("knn", ANY),
            normalization="f, centred, unit length",
            matrix="nW / ΣW",
            direction=Direction.LARGE,
            labels=Labels.NONE,
            options=(Option.SIMILARITY,),
            p_value_rule="permutation, one form",
            cites=("moran1950notes",),
            statement="by Moran's I over the sample graph",
            reference="Moran, Biometrika 1950, doi:10.1093/biomet/37.1-2.17",
            summary="correlates with itself along the graph",
            in_words="neighbours lie on the same side of the mean",
        ),
        Method(
            name="geary",
            selector="GearyC",
            module="eigenselect.selectors.geary_c",
            score_function="geary_c_score",
            similarity="kNN, RBF weights; any",
            similarities=("knn", ANY),
            normalization="f, centred, unit length",
            matrix="I - (n-1)L / ΣW",
            direction=Direction.SMALL,
            labels=Labels.NONE,
            options=(Option.SIMILARITY,),
            p_value_rule="permutation, one form",
            cites=("geary1954contiguity",),
            statement="by Geary's C over the sample graph",
            reference="Geary, The Incorporated Statistician 1954, doi:10.2307/2986645",
            summary="neighbours differ little, every sample counting the same",
            in_words="neighbours differ little, for how much the feature varies",
        ),
        Method(
            name="variance",
            selector="Variance",
            module="eigenselect.selectors.variance",
            score_function="variance_score",
            similarity="none",
            normalization="f, centred",
            matrix="I / n",
            direction=Direction.LARGE,
            labels=Labels.NONE,
            cites=("pearson1894contributions",),
            statement="by their variance over the samples",
            reference="Pearson, Philosophical Transactions A 1894, doi:10.1098/rsta.1894.0003",
            summary="varies much, whatever the samples have in common",
            in_words="values vary much",
        ),
        Method(
            name="fisher",
            selector="FisherScore",
            module="eigenselect.selectors.fisher_score",
            score_function="fisher_score",
            pvalue_function="fisher_score_pvalues",
            similarity="class labels",
            normalization="D½f, ξ₁ removed, unit length",
            matrix="I - N",
            direction=Direction.LARGE,
            labels=Labels.NEEDED,
            targets=(Target.CLASSES,),
            default_for={Default.CLASSES: {}, Default.SOME_LABELS: {}},
            compared=1,
            p_value_rule="permutation, ratio of forms",
            cites=("duda2001pattern", "zhao2010thesis"),
            statement="by the Fisher score: the variance of the class means of the feature relative to its variance "
            "within the classes",
            reference="Duda, Hart & Stork 2001; Zhao 2010, Theorem 11",
            summary="class means far apart, classes narrow: 1/φ2 - 1 on the class-label similarity",
            in_words="class means lie far apart, for how widely the classes spread",
        ),
        Method(
            name="relieff",
            selector="ReliefF",
            module="eigenselect.selectors.relieff",
            score_function="relieff_score",
            similarity="near hits and misses",
            normalization="f",
            matrix="D_A - A (squared differences)",
            instead="takes absolute differences",
            direction=Direction.LARGE,
            labels=Labels.NEEDED,
            targets=(Target.CLASSES, Target.NUMBERS),
            cites=("robnik2003relieff",),
            statement="by ReliefF: how much the feature differs between a sample and its {n_neighbors} nearest samples "
            "of every other class, less how much it differs from as many of its own class",
            statement_for_numbers="by RReliefF: how much the feature differs between a sample and its {n_neighbors} "
            "nearest samples where the target does, too, less how much it differs where the target does not",
            reference="Robnik-Šikonja & Kononenko 2003, doi:10.1023/A:1025667309714; Zhao 2010, Eq. 3.15",
            summary="differs from near samples of other classes, not from those of its own",
            in_words="near samples differ where their labels do, and not where these agree",
        ),
        Method(
            name="hsic",
            selector="HSICScore",
            module="eigenselect.selectors.hsic_score",
            score_function="hsic_score",
            pvalue_function="hsic_score_pvalues",
            similarity="target kernel",
            normalization="f, unit deviation",
            matrix="S_HSIC",
            direction=Direction.LARGE,
            labels=Labels.NEEDED,
            targets=(Target.CLASSES, Target.NUMBERS, Target.KERNEL),
            p_value_rule="permutation, one form",
            default_for={Default.NUMBERS: {}},
            compared=3,
            cites=("song2007supervised",),
            statement="by the unbiased estimate of the Hilbert-Schmidt independence criterion between the feature, "
            "{scale} and with a linear kernel, and the target",
            reference="Song et al., ICML 2007, doi:10.1145/1273496.1273600",
            summary="dependence on the target, unbiased, with a linear kernel on the feature",
            in_words="samples with like labels lie on the same side of the mean",
        ),
        Method(
            name="trace-ratio",
            selector="TraceRatio",
            module="eigenselect.selectors.trace_ratio",
            similarity="within / between classes",
            normalization="f, unit deviation",
            matrix="L_b - λ* L_w",
            direction=Direction.LARGE,
            labels=Labels.NEEDED,
            targets=(Target.CLASSES,),
            p_value_rule="permutation, ratio of forms (level='feature')",
            cites=("nie2008trace",),
            statement="by the trace ratio criterion: each by {level} {graphs}",
            settings_in_words={
                "level": {
                    "subset": "its first scatter less λ times its second, λ being the largest ratio that as many "
                    "features together can have of",
                    "feature": "its ratio of",
                },
                "graphs": {
                    "fisher": "the scatter between classes to that within classes",
                    "laplacian": "the scatter of all samples to that between neighbours",
                    "semi-supervised": "the scatters between classes and of all samples to those within classes and "
                    "between neighbours",
                    "": "the scatters over two graphs that were given",
                },
            },
            reference="Nie, Xiang, Jia, Zhang & Yan, AAAI 2008",
            summary="the subset with the best ratio of scatter between to within classes, exactly",
            in_words="samples that belong together, in a class or as neighbours, differ little for how much all differ",
        ),
        Method(
            name="sselect",
            selector="SSelect",
            module="eigenselect.selectors.sselect",
            score_function="sselect_score",
            similarity="kNN, RBF weights; any",
            similarities=("knn", ANY),
            normalization="D½f, ξ₁ removed, unit length",
            matrix="λ(I - N), and (1-λ) NMI with the labels",
            instead="adds labels",
            direction=Direction.SMALL,
            labels=Labels.SOME,
            targets=(Target.CLASSES,),
            options=(Option.SIMILARITY, Option.POWER),
            default_for={Default.LABELS_AND_GRAPH: {}},
            cites=("zhao2007semi",),
            statement="by λ = {regularization_} times the spectral criterion {ranking} over the graph of all samples "
            "and 1 - λ times one less the normalised mutual information of the feature, cut into {n_levels} "
            "levels, with the known labels",
            reference="Zhao & Liu, SDM 2007, doi:10.1137/1.9781611972771.75",
            summary="smooth over all samples and in agreement with the labels that are known",
            in_words="neighbours have like values, and these agree with the labels that are known",
        ),
        Method(
            name="evsc",
            selector="EVSC",
            module="eigenselect.selectors.evsc",
            score_function="evsc_score",
            similarity="RBF; kNN with RBF weights; linear",
            similarities=("rbf", "knn", "linear"),
            normalization="f",
            matrix="one per eigenvalue: ∂λᵣ = fᵀLᵣf, Σ |∂λᵣ|",
            instead="sums one form per eigenvalue",
            direction=Direction.LARGE,
            labels=Labels.NONE,
            options=(Option.SIMILARITY,),
            cites=("jiang2011eigenvalue",),
            statement="by eigenvalue sensitivity: the sum of the absolute derivatives of the eigenvalues of the "
            "normalised Laplacian of the sample graph with respect to the weight of the feature",
            reference="Jiang & Ren, ICML 2011",
            summary="its weight moves the eigenvalues of the sample graph",
            in_words="more weight on the feature moves the eigenvalues of the sample graph most",
        ),
        Method(
            name="mrsf",
            selector="MRSF",
            module="eigenselect.selectors.mrsf",
            similarity="RBF; any",
            similarities=("rbf", ANY),
            similarity_with_labels="class_labels",
            normalization="f, unit deviation",
            matrix="none: min ½‖Y - XW‖² + λ‖W‖₂,₁ with YYᵀ = S",
            instead="chooses features together",
            direction=Direction.LARGE,
            labels=Labels.BY_TARGET,
            targets=(Target.CLASSES,),
            options=(Option.SIMILARITY, Option.TARGET),
            orders_all=False,
            default_for={
                Default.CLASSES_TOGETHER: {"target": "lda"},
                Default.UNLABELLED_TOGETHER: {"similarity": "knn"},
            },
            compared=2,
            cites=("zhao2010efficient", "zhao2010thesis"),
            statement="together, in the order in which they entered the path of an L2,1-penalised regression of "
            "targets (the {target} target) on the features, which leaves near-copies out",
            reference="Zhao 2010, chapter 4; Zhao, Wang & Liu, AAAI 2010",
            summary="explains the similarity together with the others selected, so copies are left out",
            in_words="together the kept features rebuild how alike samples are, so near-copies add nothing",
        ),
        Method(
            name="msfs",
            selector="MSFS",
            module="eigenselect.selectors.msfs",
            similarity="Σ θᵢSᵢ, one per knowledge source",
            normalization="D½f, ξ₁ removed, unit length",
            matrix="I - γ(N)",
            direction=Direction.SMALL,
            labels=Labels.EITHER,
            targets=(Target.CLASSES,),
            command=Command.FUSE,
            p_value_rule="permutation, ratio of forms",
            cites=("zhao2010thesis",),
            statement="by the spectral criterion {ranking} on the sample graph that several sources of knowledge made "
            "together, each similarity scaled to the same centred trace",
            reference="Zhao 2010, chapter 5",
            summary="smooth over the graph that several sources of knowledge make together",
            in_words="samples that the sources together call alike have like values",
        ),
        Method(
            name="kogs",
            selector="KOGS",
            module="eigenselect.selectors.kogs",
            similarity="one per ranker",
            normalization="one per ranker",
            matrix="one per ranker; their rankings are aggregated",
            instead="joins rankings",
            direction=Direction.LARGE,
            labels=Labels.EITHER,
            targets=(Target.CLASSES, Target.NUMBERS),
            command=Command.PYTHON_ONLY,
            cites=("zhao2010thesis",),
            statement="by aggregation ({aggregation}) of several rankings, each of its own knowledge and criterion",
            reference="Zhao 2010, section 5.5",
            summary="ranked high by several pairs of knowledge and criterion",
            in_words="several rankings place the feature high",
        ),
    ]
)
