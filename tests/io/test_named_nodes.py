"""Which of the arrays of a hierarchy is the table, and what stands beside it."""

import numpy as np
import pytest

from eigenselect.io.named_nodes import Access, NoTableError, layout_of, named_arrays


class Group(dict):
    """A group of arrays and groups."""

    def __init__(self, parts, **attrs):
        super().__init__(parts)
        self.attrs = {name.replace("_", "-") if name != "shape" else name: value for name, value in attrs.items()}


def part(group, name):
    for step in name.split("/"):
        group = group[step]
    return group


ACCESS = Access(part, np.asarray)
TABLE = np.arange(6.0).reshape(2, 3)
SPARSE = Group({name: np.zeros(1) for name in ("data", "indices", "indptr")}, encoding_type="csc_matrix", shape=[2, 3])


def test_the_only_table_is_found_with_what_stands_beside_it():
    inner = Group({"counts": TABLE, "genes": np.array(["a", "b", "c"]), "class": np.array([1, 2]), "other": np.ones(9)})
    found = named_arrays(Group({"day": inner, "note": np.array(["text"])}), ACCESS, None)
    assert (found.path, found.layout) == ("day/counts", "dense")
    np.testing.assert_array_equal(found.matrix["X"], TABLE)
    assert sorted(found.others) == ["class", "genes"]  # the other one is as long as nothing


def test_x_comes_first_and_others_are_named():
    root = Group({"X": TABLE, "Y": TABLE + 1})
    assert named_arrays(root, ACCESS, None).path == "X"
    np.testing.assert_array_equal(named_arrays(root, ACCESS, "/Y").matrix["X"], TABLE + 1)
    assert named_arrays(Group({"m": SPARSE}), ACCESS, None).layout == "csc"


@pytest.mark.parametrize(
    ("root", "table", "says"),
    [
        (Group({"a": TABLE, "b": TABLE}), None, r"^holds 2 tables \('a', 'b'\), of which none is named$"),
        (Group({"a": np.ones(3)}), None, "^holds no matrix of numbers$"),
        (Group({"a": np.ones(3)}), "a", "^'a' is no matrix of numbers"),
        (TABLE, "a", "^is one array, which has no part 'a'$"),
    ],
)
def test_what_cannot_be_told_is_refused(root, table, says):
    with pytest.raises(NoTableError, match=says):
        named_arrays(root, ACCESS, table)


def test_a_hierarchy_without_end_is_left():
    circle = Group({})
    circle["again"] = circle
    with pytest.raises(NoTableError, match="more groups than can be looked through"):
        named_arrays(circle, ACCESS, None)


def test_groups_that_are_no_sparse_matrix():
    assert layout_of(Group({}, encoding_type="csr_matrix", shape=[2, 3]))[0] is None  # without its parts
    assert layout_of(Group(SPARSE, encoding_type="dataframe", shape=[2, 3]))[0] is None
    assert layout_of(np.array([["a"]]))[0] is None
