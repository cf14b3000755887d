"""Trees of children and parents."""

import pytest
from helpers.built import assert_is_hierarchy, built
from hypothesis import given
from hypothesis import strategies as st

from toolbox.errors import ConfigurationError
from toolbox.hierarchies import tree
from toolbox.hierarchy.builders.builder import BuilderError

PLACES = "child;parent\nGraz;Styria\nLeoben;Styria\nStyria;Austria\nWien;Austria\nAustria;Europe\nBern;Switzerland\nSwitzerland;Europe\n"


@pytest.fixture
def read(tmp_path):
    def write_and_read(text, options=""):
        (tmp_path / "places.csv").write_text(text, encoding="utf-8")
        return built(f"tree:places.csv{options}", tmp_path)

    return write_and_read


def test_a_leaf_that_is_less_deep_stays_on_the_levels_that_it_lacks(read):
    assert read(PLACES).rows(["Graz"]) == [
        ("Graz", "Styria", "Austria", "Europe"),
        ("Leoben", "Styria", "Austria", "Europe"),
        ("Wien", "Wien", "Austria", "Europe"),
        ("Bern", "Bern", "Switzerland", "Europe"),
    ]


def test_several_tops_have_a_root_above_them_and_a_root_may_be_called_otherwise(read):
    assert read("Graz,Styria\nWien,Vienna\n").rows([])[0] == ("Graz", "Styria", "*")
    assert read("Graz;Styria\nStyria;\nWien;Vienna\n").rows([])[1] == ("Wien", "Vienna", "*")
    assert read(PLACES, ":root=World").rows([])[0] == ("Graz", "Styria", "Austria", "Europe", "World")


def test_a_first_row_may_name_the_columns(read):
    assert [row[0] for row in read("Node,Parent\nGraz,Styria\n").rows([])] == ["Graz"]
    assert [row[0] for row in read("town;region\nGraz;Styria\n", ":header=true").rows([])] == ["Graz"]
    assert [row[0] for row in read("child;parent\nGraz;Styria\n", ":header=false").rows([])] == ["child", "Graz"]


def test_only_leaves_are_values(read):
    with pytest.raises(BuilderError, match=r"2 values are outside the hierarchy. Add them to the file as children"):
        read(PLACES).rows(["Graz", "Styria", "Rome"])
    assert read(PLACES, ":other=root").rows(["Rome"])[-1] == ("Rome", "Europe", "Europe", "Europe")


def test_all_faults_of_a_file_are_told_with_their_lines(read):
    with pytest.raises(ConfigurationError) as caught:
        read("a;b\nb;c\nc;a\nd;e\nd;f\ng;g\n")
    assert [(fault.line, fault.found) for fault in caught.value.faults] == [
        (1, "The child is above itself: the rows form a circle."),
        (5, "The child has another parent than in line 4."),
        (6, "The child is above itself: the rows form a circle."),
    ]
    with pytest.raises(ConfigurationError) as caught:
        read("a;b\nc\nd;e;f\n;x\n")
    assert [(fault.line, fault.found) for fault in caught.value.faults] == [
        (2, "The row has 1 column."),
        (3, "The row has 3 columns."),
        (4, "The row has no child."),
    ]


@pytest.mark.parametrize("text", ["", "child;parent\n"])
def test_an_empty_file_is_refused(read, text):
    with pytest.raises(ConfigurationError, match="holds no row"):
        read(text)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigurationError, match="There is no such file"):
        built("tree:places.csv", tmp_path)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=25))
def test_any_forest_becomes_a_hierarchy(pairs):
    # A parent has a smaller number than its children, so that no circle is there.
    parents = {str(max(pair)): str(min(pair)) for pair in pairs if pair[0] != pair[1]}
    if parents:
        build = tree(parents)
        assert_is_hierarchy(build.rows([]), [child for child in parents if child not in parents.values()])
