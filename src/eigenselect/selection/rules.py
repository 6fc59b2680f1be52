"""How many features to select, as a part of a selector: rules with parameters of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from eigenselect._checks import choice, is_number, is_whole, number, share, whole
from eigenselect._floats import SAME
from eigenselect._typing import BoolArray, FloatArray, Names
from eigenselect._warn import warn
from eigenselect.criteria.methods import METHODS
from eigenselect.exceptions import counted
from eigenselect.selection.knee import knee
from eigenselect.selection.ranking import Candidates, Forced, as_features

#: corrections of p-values for the number of features: Benjamini-Hochberg, Benjamini-Yekutieli
CORRECTIONS = ("bh", "by")


class SelectionRule(BaseEstimator, ABC):
    """A rule that says which features to select, given the scores of all.

    Every rule has ``must_keep`` and ``never``: features that are selected, or not, in any case. They are named by text,
    where X is a data frame, or by column number from 0; a name that several columns share stands for all of them.

    Attributes
    ----------
    needs_significance : bool
        Whether the rule looks at q-values.
    gives_number : bool
        Whether the rule says how many, so that a method that needs a number before it starts can ask for it.
    """

    must_keep: Any
    never: Any
    needs_significance: bool = False
    gives_number: bool = False

    @property
    def has_forced(self) -> bool:
        """Whether some features are kept or left out whatever their scores."""
        return any(len(as_features(wanted, self._name)) for wanted in (self.must_keep, self.never))

    @property
    def _name(self) -> str:
        return type(self).__name__

    @property
    def follows_ranking(self) -> bool:
        """Whether what is selected are the first so many of the ranking."""
        return self.gives_number and not self.has_forced

    def check(self, owner: str, n_features: int, names: Names | None = None) -> None:
        """Refuse bad parameters, before anything is computed.

        Parameters
        ----------
        owner : str
            Who asks, for the error.
        n_features : int
            Number of features of X.
        names : sequence of str, optional
            Names of the features, which ``must_keep`` and ``never`` may use.

        Raises
        ------
        ValueError
            With one sentence that says what to do.
        """
        self._check_parameters(owner)
        self._check_forced(owner, n_features, Forced.of(self.must_keep, self.never, n_features, names, owner))

    def check_method(self, owner: str, *, no_p_values: str = "", needs_number: str = "", no_forced: str = "") -> None:
        """Refuse a rule that a method cannot follow; each text says why it cannot, and is empty where it can.

        Parameters
        ----------
        owner : str
            Who asks, for the error.
        no_p_values : str, default=""
            Why the method has no p-values.
        needs_number : str, default=""
            Why the method must know how many features before it starts.
        no_forced : str, default=""
            Why no feature can be kept or left out whatever its score.

        Raises
        ------
        ValueError
            With the reason, and what to do.
        """
        if self.needs_significance and no_p_values:
            raise ValueError(
                f"{owner}: {self._name} needs p-values, of which there are none ({no_p_values}); {who_has_p_values()}."
            )
        if not self.gives_number and needs_number:
            raise ValueError(f"{owner}: {self._name} gives no number, but {needs_number}; use a number, TopK or Knee.")
        if no_forced and self.has_forced:
            raise ValueError(
                f"{owner}: must_keep and never have no meaning, because {no_forced}; leave columns out of X, or add "
                "them to what was selected."
            )

    def choose(self, known: Candidates) -> BoolArray:
        """Return which features are selected.

        Parameters
        ----------
        known : Candidates
            The scores and ranks of all features, and their p-values where there are some.

        Returns
        -------
        ndarray of bool, shape (n_features,)
            True for the selected features.
        """
        forced = Forced.of(self.must_keep, self.never, known.n_features, known.names, known.owner)
        kept, left_out = known.mask(forced.kept), known.mask(forced.left_out)
        return np.asarray((self._chosen(known, kept, ~left_out) | kept) & ~left_out)

    def number(self, scores: FloatArray, owner: str, n_samples: int | None = None) -> int:
        """Count the features that the rule asks for; refuse to where it gives no number.

        Parameters
        ----------
        scores : ndarray of shape (n_features,)
            Larger is better.
        owner : str
            Who asks, for the error.
        n_samples : int, optional
            Most features that a knee gives.

        Returns
        -------
        int
            The number.

        Raises
        ------
        ValueError
            Where the rule gives no number, or one that is none of X.
        """
        raise ValueError(f"{owner}: {self._name} gives no number of features; use a number, TopK or Knee.")

    def describe(self) -> str:
        """Say in a few words which features are selected.

        Returns
        -------
        str
            A phrase.

        Examples
        --------
        >>> TopK(3, must_keep=["age"]).describe()
        'the 3 best, 1 must be kept'
        """
        lists = ((self.must_keep, "must be kept"), (self.never, "never"))
        counts = [(len(as_features(wanted, self._name)), what) for wanted, what in lists]
        return ", ".join([self._words(), *(f"{count} {what}" for count, what in counts if count)])

    @abstractmethod
    def _chosen(self, known: Candidates, kept: BoolArray, allowed: BoolArray) -> BoolArray:
        """Return which features the rule selects; what is kept or not allowed in any case is put right after it."""

    @abstractmethod
    def _words(self) -> str:
        """Say which features are selected, but for those of the two lists."""

    @abstractmethod
    def _check_parameters(self, owner: str) -> None:
        """Refuse bad parameters of the rule itself."""

    def _check_forced(self, owner: str, n_features: int, forced: Forced) -> None:
        """Refuse lists that the rule cannot follow."""


class TopK(SelectionRule):
    r"""The k best features.

    Parameters
    ----------
    k : int, float or None, default=None
        A number, a fraction of the features (rounded down, at least 1), or half of them.
    must_keep : list of str or int, default=()
        Features that are kept whatever their scores; they count towards k.
    never : list of str or int, default=()
        Features that are left out whatever their scores; the next best take their place.

    See Also
    --------
    Knee : Finds a number in the scores.
    Threshold : A smallest score.
    FDR : A false discovery rate.

    Examples
    --------
    >>> from eigenselect import FisherScore
    >>> from eigenselect.selection import TopK
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> rule = TopK(3, must_keep=["magnesium"], never=["proline"])
    >>> FisherScore(rule).fit(X, y).get_feature_names_out()
    array(['magnesium', 'flavanoids', 'od280/od315_of_diluted_wines'],
          dtype=object)
    """

    gives_number = True

    def __init__(self, k: int | float | None = None, *, must_keep: Any = (), never: Any = ()) -> None:
        self.k = k
        self.must_keep = must_keep
        self.never = never

    def number(self, scores: FloatArray, owner: str, n_samples: int | None = None) -> int:
        return self._count(owner, scores.size)

    def _count(self, owner: str, n_features: int) -> int:
        if self.k is None:
            return max(1, n_features // 2)
        if is_whole(self.k):
            if 1 <= self.k <= n_features:
                return int(self.k)
            raise ValueError(
                f"{owner}: n_features_to_select must be between 1 and the {n_features} features of X, got {self.k}; "
                f"ask for {'one at least' if self.k < 1 else 'fewer'}, or use 'auto'."
            )
        if is_number(self.k) and 0 < self.k <= 1:
            return max(1, int(n_features * float(self.k) * (1 + SAME)))  # 0.29 · 100 is 28.999999999999996
        raise _not_a_count(owner, self.k)

    def _chosen(self, known: Candidates, kept: BoolArray, allowed: BoolArray) -> BoolArray:
        missing = max(0, self._count(known.owner, known.scores.size) - int(kept.sum()))
        return known.mask(known.best_first(allowed & ~kept)[:missing])

    def _check_parameters(self, owner: str) -> None:
        """`_check_forced` counts, which refuses a bad k."""

    def _check_forced(self, owner: str, n_features: int, forced: Forced) -> None:
        count = self._count(owner, n_features)
        if forced.kept.size > count:
            raise ValueError(
                f"{owner}: must_keep holds {forced.kept.size} features, more than the {count} to select; raise k or "
                "keep fewer."
            )
        if n_features - forced.left_out.size < count:
            raise ValueError(
                f"{owner}: never leaves {n_features - forced.left_out.size} of {n_features} features, fewer than the "
                f"{count} to select; lower k or leave out fewer."
            )

    def _words(self) -> str:
        if self.k is None:
            return "the better half"
        if not is_whole(self.k):
            return f"the best {100 * float(self.k):.4g} %"
        return "the best one" if self.k == 1 else f"the {self.k} best"


class FDR(SelectionRule):
    r"""The features whose q-value is at most α, whatever their rank: at most a share α of them is expected to be false.

    For selectors with ``significance``, where ``qvalues_`` are those of Benjamini and Hochberg. None at all is also an
    answer: then nothing is selected, unless ``at_least`` says otherwise.

    Parameters
    ----------
    alpha : float, default=0.05
        The false discovery rate, between 0 and 1.
    method : {"bh", "by"}, default="bh"
        ``"bh"``: the q-values as they are. ``"by"``: times :math:`\sum_{i=1}^{m} 1/i`, which makes them valid however
        the m features depend on each other (Benjamini and Yekutieli).
    at_least : int, default=0
        Features to select in any case, those with the smallest q-values, for pipelines that need some. More than have
        q ≤ α are warned of: the false discovery rate does not hold for them.
    must_keep : list of str or int, default=()
        Features that are kept whatever their q-values.
    never : list of str or int, default=()
        Features that are left out whatever their q-values.

    See Also
    --------
    TopK : A number of features.
    eigenselect.inference.benjamini_hochberg : The q-values of p-values.
    eigenselect.StabilitySelector : Bounds false selections of methods without p-values.

    References
    ----------
    Benjamini and Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 1995,
    doi:10.1111/j.2517-6161.1995.tb02031.x; Benjamini and Yekutieli, The control of the false discovery rate in multiple
    testing under dependency, Ann. Stat. 2001, doi:10.1214/aos/1013699998.

    Examples
    --------
    Two features that follow the labels, and eight of noise:

    >>> import numpy as np
    >>> from eigenselect import FisherScore
    >>> from eigenselect.selection import FDR
    >>> y = np.repeat([0, 1], 30)
    >>> X = np.random.default_rng(0).normal(size=(60, 10))
    >>> X[:, :2] += 2.0 * y[:, None]
    >>> FisherScore(FDR(0.01), significance=True).fit(X, y).get_support(indices=True)
    array([0, 1])
    """

    needs_significance = True

    def __init__(
        self, alpha: float = 0.05, method: str = "bh", *, at_least: int = 0, must_keep: Any = (), never: Any = ()
    ) -> None:
        self.alpha = alpha
        self.method = method
        self.at_least = at_least
        self.must_keep = must_keep
        self.never = never

    def _check_parameters(self, owner: str) -> None:
        share(self.alpha, "alpha of FDR", owner, zero=False, one=False)
        choice(self.method, "method of FDR", owner, CORRECTIONS)

    def _check_forced(self, owner: str, n_features: int, forced: Forced) -> None:
        whole(self.at_least, "at_least of FDR", owner, low=0, high=n_features - forced.left_out.size)

    def _chosen(self, known: Candidates, kept: BoolArray, allowed: BoolArray) -> BoolArray:
        if known.qvalues is None:
            raise ValueError(
                f"{known.owner}: FDR needs p-values; set significance=True where labels make the graph, 'given' "
                "with a similarity_matrix of other data, 'split' or 'shadows' where X makes it."
            )
        found = np.asarray(known.qvalues * self._factor(known) <= self.alpha)  # NaN is never
        missing = self.at_least - int(((found | kept) & allowed).sum())
        if missing <= 0:
            return found
        others = known.best_first(allowed & ~found & ~kept)
        added = others[np.argsort(known.qvalues[others], kind="stable")][:missing]
        warn(
            f"{known.owner}: {int((found & allowed).sum())} of {counted(known.n_features, 'feature')} have q up to "
            f"{self.alpha:g}; at_least={self.at_least} adds the next best, which may be chance."
        )
        return found | known.mask(added)

    def _factor(self, known: Candidates) -> float:
        if self.method == "bh":
            return 1.0
        if known.pvalues is None:
            raise ValueError(
                f"{known.owner}: method='by' of FDR corrects p-values, which this significance has not; use 'bh'."
            )
        return float(np.sum(1.0 / np.arange(1, int((~np.isnan(known.pvalues)).sum()) + 1)))

    def _words(self) -> str:
        corrected = " (Benjamini-Yekutieli)" if self.method == "by" else ""
        return f"q ≤ {self.alpha:g}{corrected}" + (f", at least {self.at_least}" if self.at_least else "")


class Knee(SelectionRule):
    """The features before the knee of the sorted scores, at most as many as there are samples.

    A knee is a bend of a curve, which the scores of noise have, too: it says nothing about chance, and `fit` warns of
    that. See `eigenselect.selection.knee`.

    Parameters
    ----------
    must_keep : list of str or int, default=()
        Features that are kept beside those before the knee.
    never : list of str or int, default=()
        Features that are left out, also of the curve.

    See Also
    --------
    knee : The number alone.
    TopK : A number of your own.
    FDR : A test.

    Examples
    --------
    >>> from eigenselect.selection import Knee
    >>> Knee(never=["batch", "depth"]).describe()
    'the knee of the scores, 2 never'
    """

    gives_number = True

    def __init__(self, *, must_keep: Any = (), never: Any = ()) -> None:
        self.must_keep = must_keep
        self.never = never

    def number(self, scores: FloatArray, owner: str, n_samples: int | None = None) -> int:
        turn = max(1, knee(scores))
        return turn if n_samples is None else min(turn, n_samples)

    def _check_parameters(self, owner: str) -> None:
        """There are none."""

    def _chosen(self, known: Candidates, kept: BoolArray, allowed: BoolArray) -> BoolArray:
        count = self.number(known.scores[allowed], known.owner, known.n_samples)
        return known.mask(known.best_first(allowed)[:count])

    def caveat(self, owner: str, asked: Any, count: int, *, testable: bool) -> str:
        """Say what a knee came to, and that it is no test.

        Parameters
        ----------
        owner : str
            The selector that was asked.
        asked : any
            Its ``n_features_to_select``.
        count : int
            How many features were kept.
        testable : bool
            Whether the method has a test.

        Returns
        -------
        str
            The sentence of the warning.
        """
        name = repr(asked) if isinstance(asked, str) else f"{self._name}({'…' if self.has_forced else ''})"
        instead = "set significance to keep only" if testable else "StabilitySelector finds"
        return (
            f"{owner}: n_features_to_select={name} keeps {counted(count, 'feature')}, up to the knee of the sorted "
            f"scores; a knee is a bend in a curve, also in that of noise; {instead} features that are more than chance."
        )

    def _words(self) -> str:
        return "the knee of the scores"


class Threshold(SelectionRule):
    """The features whose ``scores_``, of which larger is better, are at least so large; equal up to rounding counts.

    Parameters
    ----------
    score : float
        The smallest score that is selected.
    must_keep : list of str or int, default=()
        Features that are kept whatever their scores.
    never : list of str or int, default=()
        Features that are left out whatever their scores.

    See Also
    --------
    TopK : A number of features.
    FDR : A false discovery rate.

    Examples
    --------
    >>> from eigenselect import FisherScore
    >>> from eigenselect.selection import Threshold
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = FisherScore(Threshold(0.65)).fit(X, y)
    >>> selector.get_support(indices=True), selector.scores_[selector.get_support()].round(2)
    (array([ 6, 11, 12]), array([0.73, 0.68, 0.7 ]))
    """

    def __init__(self, score: float = 0.0, *, must_keep: Any = (), never: Any = ()) -> None:
        self.score = score
        self.must_keep = must_keep
        self.never = never

    def _check_parameters(self, owner: str) -> None:
        number(self.score, "score of Threshold", owner, low=-np.inf, expected="a finite number")

    def _chosen(self, known: Candidates, kept: BoolArray, allowed: BoolArray) -> BoolArray:
        return np.asarray(known.scores >= self.score - SAME * abs(self.score))

    def _words(self) -> str:
        return f"score ≥ {self.score:g}"


#: what ``n_features_to_select`` takes
HowMany = int | float | str | SelectionRule | None


def as_rule(value: Any, owner: str, *, tested: bool = False) -> SelectionRule:
    """Return the rule that a value of ``n_features_to_select`` stands for.

    Parameters
    ----------
    value : int, float, "auto", "fdr", SelectionRule or None
    owner : str
        Who asks, for the error.
    tested : bool, default=False
        Whether there will be q-values: ``"auto"`` is `FDR` then, and else `Knee`.

    Examples
    --------
    >>> as_rule(10, "SPEC"), as_rule("auto", "SPEC"), as_rule("auto", "SPEC", tested=True)
    (TopK(k=10), Knee(), FDR())
    """
    if isinstance(value, SelectionRule):
        return value
    if isinstance(value, str):
        if value in ("auto", "fdr"):
            return FDR() if tested or value == "fdr" else Knee()
    elif value is None or is_number(value):
        return TopK(value)
    raise _not_a_count(owner, value)


def _not_a_count(owner: str, value: Any) -> ValueError:
    return ValueError(
        f"{owner}: n_features_to_select must be an integer, a fraction in (0, 1], 'auto', 'fdr', a rule of "
        f"eigenselect.selection or None, got {value!r}."
    )


def number_to_select(wanted: Any, scores: FloatArray, owner: str, n_samples: int | None = None) -> int:
    """Count the features that ``n_features_to_select`` asks for.

    Parameters
    ----------
    wanted : int, float in (0, 1], "auto", TopK, Knee or None
        A number, a fraction, the knee of the scores (at most ``n_samples``), or half (as scikit-learn's RFE).
    scores : array
        Larger is better.
    owner : str
        Who asks, for the error.
    n_samples : int, optional
        Most features that a knee gives. It only says where a curve bends, which the curve of 9000 features of noise
        does after 1000, too; more features than samples are never needed to tell the samples apart.

    Returns
    -------
    int
        The number of features.

    Raises
    ------
    ValueError
        For a rule that gives no number (`FDR`, `Threshold`), and for what is no number of features.

    See Also
    --------
    TopK : A number, a fraction or half.
    Knee : The knee of the scores.

    Examples
    --------
    >>> import numpy as np
    >>> from eigenselect.selection import number_to_select
    >>> scores = np.array([0.9, 0.1, 0.95, 0.05, 0.1, 0.08])
    >>> [number_to_select(wanted, scores, "example") for wanted in (None, 0.5, 4, "auto")]
    [3, 3, 4, 2]
    """
    return as_rule(wanted, owner).number(scores, owner, n_samples)


def who_has_p_values() -> str:
    """Name the estimators that have p-values, for a sentence."""
    names = list(dict.fromkeys(row.selector for row in METHODS if row.p_value_rule))
    others = f"{', '.join(names)} have p-values, and " if names else ""
    return f"{others}StabilitySelector bounds the errors of any method"
