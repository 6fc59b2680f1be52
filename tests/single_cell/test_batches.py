"""Batches: who is in which, which can be scored, and what is said once of all."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from eigenselect.single_cell.batches import Batch, Heard, batches_of
from eigenselect.single_cell.provenance import Provenance
from eigenselect.single_cell.sample_graphs import CellStructure


def structure(graph=None, labels=None):
    return CellStructure("it", {}, Provenance(True, ""), graph=graph, labels=labels)


def full(n):
    return sparse.csr_array(np.ones((n, n)) - np.eye(n))


def column(text):
    return pd.Series(list(text), name="donor").replace("-", np.nan)


def test_batches_part_the_cells():
    donors = column("bacabcab")
    batches = batches_of(donors, structure(full(8)), tested=False, owner="pp")
    assert [batch.name for batch in batches] == ["a", "b", "c"]
    for batch in batches:
        assert (donors[batch.rows] == batch.name).all()
    assert sorted(np.concatenate([batch.rows for batch in batches])) == list(range(8))
    (everything,) = batches_of(None, None, tested=True, owner="pp")
    assert everything.rows is None


def test_unused_categories_are_no_batches():
    donors = pd.Series(pd.Categorical(list("aabb"), categories=list("abz")), name="donor")
    assert [batch.name for batch in batches_of(donors, None, tested=False, owner="pp")] == ["a", "b"]


def test_parts_of_structure_and_covariates():
    rng = np.random.default_rng(0)
    graph, labels, covariates = rng.random((5, 5)), pd.Series(list("uvwxy")), pd.DataFrame({"depth": range(5)})
    rows = np.array([3, 1])
    part = Batch("a", rows).of_structure(structure(graph, labels))
    assert part.graph.tolist() == [[graph[3, 3], graph[3, 1]], [graph[1, 3], graph[1, 1]]]
    assert part.labels.tolist() == ["x", "v"]
    assert Batch("a", rows).of_frame(covariates)["depth"].tolist() == [3, 1]
    assert Batch("a", rows).of_structure(None) is Batch("a", rows).of_frame(None) is None
    assert Batch().of_frame(covariates) is covariates


@pytest.mark.parametrize(
    ("donors", "tested", "kept", "said"),
    [
        ("aaaaabc", False, "a", "2 batches with one cell ('b', 'c')"),
        ("aaaaabb", True, "a", "1 batch with fewer than 5 cells with an edge of the graph, too few for p-values ('b')"),
        ("aaaaa--", False, "a", "2 cells without a batch"),
        ("aaaaabb", False, "ab", None),
    ],
)
def test_what_cannot_be_scored_is_said_once(donors, tested, kept, said):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        batches = batches_of(column(donors), structure(full(7)), tested=tested, owner="pp")
    assert "".join(batch.name for batch in batches) == kept
    assert [str(one.message) for one in heard] == ([] if said is None else [f"pp: skipped of obs['donor']: {said}."])


def test_a_batch_needs_edges_and_labels_of_its_own():
    graph = full(10).tolil()
    graph[5:, 5:] = 0  # the second half has edges to the first half only
    with pytest.warns(UserWarning, match=r"1 batch with no edge of the graph between their cells \('b'\)"):
        (batch,) = batches_of(column("aaaaabbbbb"), structure(graph.tocsr()), tested=False, owner="pp")
    assert batch.name == "a"
    graph[5:7, 5:7] = 1  # two of its five cells: enough to score, too few to test
    assert len(batches_of(column("aaaaabbbbb"), structure(graph.tocsr()), tested=False, owner="pp")) == 2
    with pytest.warns(UserWarning, match=r"fewer than 5 cells with an edge"):
        batches_of(column("aaaaabbbbb"), structure(graph.toarray()), tested=True, owner="pp")
    with pytest.warns(UserWarning, match=r"1 batch with fewer than two labels \('b'\)"):
        batches_of(column("aaabbb"), structure(labels=pd.Series(list("uvuvvv"))), tested=False, owner="pp")


def test_no_batch_left():
    with pytest.raises(ValueError, match=r"pp: no batch of obs\['donor'\] can be scored: 3 batches with one cell"):
        batches_of(column("abc"), None, tested=False, owner="pp")


def test_the_same_words_of_several_batches_are_one_warning():
    heard = Heard()
    for name in "abc":
        with heard.listening(Batch(name, np.arange(2))):
            warnings.warn(f"{name} of 9 cells are isolated.", UserWarning, stacklevel=1)
            if name == "c":
                warnings.warn("other", DeprecationWarning, stacklevel=1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        heard.tell()
    assert [(one.category, str(one.message)) for one in told] == [
        (UserWarning, "a of 9 cells are isolated (in batch 'a' and 2 others)."),
        (DeprecationWarning, "other (in batch 'c')."),
    ]


def test_one_batch_of_all_cells_warns_as_ever():
    heard = Heard()
    with pytest.warns(UserWarning, match=r"^as ever$"), heard.listening(Batch()):
        warnings.warn("as ever", UserWarning, stacklevel=1)
    assert not heard.said
