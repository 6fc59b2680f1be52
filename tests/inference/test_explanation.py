"""What an explanation says, in words and as frames."""

import numpy as np
import pandas as pd
import pytest

from eigenselect import FisherScore, LaplacianScore
from eigenselect.inference import Explanation
from eigenselect.inference.explanation import SampleTerms
from eigenselect.similarity import KNN


def test_in_words(labelled):
    X, y = labelled
    frame = pd.DataFrame(X, columns=list("abcdefg"), index=[f"s{i}" for i in range(len(X))])
    selector = LaplacianScore(2, similarity=KNN(5)).fit(frame)
    why = selector.explain(frame, "b")
    lines = repr(why).splitlines()
    assert lines[0] == f"LaplacianScore of 'b': {selector.native_scores_[1]:.4g} (smaller is better)"
    assert lines[1].startswith("  scales   ")
    assert "where shuffled values have" in lines[1]
    worst = int(np.argmax(why.samples.terms))
    assert lines[2].startswith(f"  samples  's{worst}' {why.samples.terms[worst]:.3g}, ")
    assert lines[2].endswith(f" and {len(X) - 3} more")
    assert lines[3].startswith(f"  edges    {why.edges.first[0]}-{why.edges.second[0]} {why.edges.terms[0]:.3g}, ")
    assert len(lines) == 4
    fisher = repr(FisherScore(2).fit(X, y).explain(X, 1)).splitlines()
    assert fisher[0].startswith("FisherScore of column 1: ")
    assert fisher[0].endswith("(larger is better)")
    assert fisher[-1].startswith("  classes  'class ")


def test_all_of_the_variation_is_a_hundred_percent(labelled):
    """The class means of a feature hold less than half of it: the median is the larger of two eigenvalues."""
    X, y = labelled
    noise = X - FisherScore(1).fit(X, y).graph_.affinity @ X
    scales = repr(FisherScore(1).fit(noise + 1e-3 * X, y).explain(noise + 1e-3 * X, 1)).splitlines()[1]
    assert scales == "  scales   100 % of the variation at eigenvalues up to 1, where shuffled values have 100 %"


def test_sources_in_words_and_few_terms_are_all_named():
    samples = SampleTerms(np.array([4, 7]), np.array([1.0, -2.0]), np.ones(2), np.ones(2))
    why = Explanation("MSFS", 3, 3, -1.0, False, samples, sources={"genes": 0.25, "<b>": -1.25})
    assert repr(why) == (
        "MSFS of column 3: -1 (smaller is better)\n"
        "  samples  7 -2, 4 1\n"
        "  sources  '<b>' -1.25, 'genes' 0.25"
    )  # fmt: skip


def test_frames_have_the_names_of_samples_and_classes(labelled):
    X, y = labelled
    frame = pd.DataFrame(X, columns=list("abcdefg"), index=[f"s{i}" for i in range(len(X))])
    why = FisherScore(2).fit(frame, y).explain(frame, "a")
    samples, classes = why.samples.to_frame(), why.classes.to_frame()
    assert list(samples.index) == list(frame.index)
    assert samples["term"].sum() == pytest.approx(why.score, rel=1e-12)
    classes = classes.sort_index()
    assert list(classes.index) == sorted(set(y))
    np.testing.assert_allclose(classes["means"], frame["a"].groupby(y).mean(), rtol=1e-11)
    np.testing.assert_array_equal(classes["sizes"], frame["a"].groupby(y).size())
    by_number = FisherScore(2).fit(X, y).explain(X, 0).samples.to_frame()
    assert list(by_number.index) == list(range(len(X)))


def test_pairs_of_classes_share_what_is_between_them(labelled):
    X, y = labelled
    classes = FisherScore(2).fit(X, y).explain(X, 1).classes
    pairs = classes.pairs()
    names, f = list(classes.names), X[:, 1]
    total = np.sum((f - f.mean()) ** 2)
    for a in range(len(names)):
        for b in range(len(names)):
            one, other = f[y == names[a]], f[y == names[b]]
            expected = one.size * other.size / f.size * (one.mean() - other.mean()) ** 2 / total
            assert pairs[a, b] == pytest.approx(expected, rel=1e-9, abs=1e-16)
    assert np.triu(pairs).sum() == pytest.approx(classes.between.sum(), rel=1e-11)
