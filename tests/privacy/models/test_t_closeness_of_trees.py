"""The hierarchical distance of t-closeness: what it costs to move shares over a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from helpers import brute_models as brute
from helpers.amounts import times
from helpers.model_classes import achieved, classes, violating
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.errors import UsageError
from toolbox.hierarchy.outline import read_hierarchy_rows
from toolbox.privacy.classes import Classes
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.store.engine.store import Store
from toolbox.store.load.sensitive import create_tree

RUNS = settings(
    max_examples=times(7, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
DISEASES = [
    ("gastric ulcer", "stomach", "digestive", "*"),
    ("gastritis", "stomach", "digestive", "*"),
    ("stomach cancer", "stomach", "digestive", "*"),
    ("colitis", "colon", "digestive", "*"),
    ("colon cancer", "colon", "digestive", "*"),
    ("flu", "infection", "respiratory", "*"),
    ("pneumonia", "infection", "respiratory", "*"),
    ("pulmonary edema", "vessels", "respiratory", "*"),
    ("pulmonary embolism", "vessels", "respiratory", "*"),
]
NAMES = [row[0] for row in DISEASES]
VALUES = st.lists(st.sampled_from(NAMES), min_size=1, max_size=10)
Tree = Sequence[Sequence[str]]


def model(t: float = 0.5) -> TCloseness:
    return TCloseness(t=t, distance="hierarchical", attribute="disease")


def with_tree(store: Store, given_classes: Sequence[Sequence[str]], column: Sequence[str], tree: Tree) -> Classes:
    """Put classes and a hierarchy into the store; classes number values alphabetically, the hierarchy in its order."""
    codes = read_hierarchy_rows(tree, "diseases", "category")
    assert codes.categories is not None
    shown = {value: float(rank) for rank, value in enumerate(sorted(set(column)))}
    places = [(rank, float(codes.categories[value])) for value, rank in shown.items()]
    judged = classes(store, *given_classes, column=column)
    return replace(judged, tree=create_tree(store, codes.hierarchy, places))


def distances(store: Store, *given_classes: Sequence[str], column: Sequence[str], tree: Tree = DISEASES) -> list[float]:
    return achieved(store, model(), with_tree(store, given_classes, column, tree))


def test_a_move_costs_the_level_of_the_first_common_generalisation(store: Store) -> None:
    """Of two values one half must move: within the stomach a third of the way, among digestive organs two thirds."""
    for other, cost in (("gastritis", 1 / 3), ("colitis", 2 / 3), ("flu", 1)):
        column = ["gastric ulcer", other]
        found = distances(store, ["gastric ulcer"], ["gastric ulcer", other], column=column)
        assert found == pytest.approx([cost / 2, 0], abs=1e-15)


def test_stomach_diseases_alone_are_farther_away_than_a_mixture(store: Store) -> None:
    """Each of nine is one ninth. Of three stomach diseases 2/9 too much each: 2/9 go to the colon, 4/9 to the lungs."""
    found = distances(store, NAMES[:3], ["gastric ulcer", "colitis", "flu"], column=NAMES)
    assert found[0] == pytest.approx(2 / 9 * 2 / 3 + 4 / 9, rel=1e-14)
    assert found[1] == pytest.approx(
        float(brute.hierarchical_distance(["gastric ulcer", "colitis", "flu"], NAMES, DISEASES))
    )
    assert found[1] < found[0]


def test_over_a_root_alone_it_is_the_equal_distance(store: Store) -> None:
    judged = with_tree(store, ["a", "ab", "abc"], "aabc", [(one, "*") for one in "abc"])
    equal = TCloseness(t=0.5, distance="equal", attribute="disease")
    assert achieved(store, model(), judged) == pytest.approx(achieved(store, equal, judged), rel=1e-14)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Draw a hierarchy of a to f, one to three levels below the root."""
    rows: list[tuple[str, ...]] = [(one,) for one in "abcdef"]
    groups = list(range(6))
    for level in range(draw(st.integers(0, 3))):
        merged = {group: draw(st.integers(0, group)) for group in sorted(set(groups))}
        groups = [merged[group] for group in groups]
        rows = [(*row, f"{level}.{group}") for row, group in zip(rows, groups, strict=True)]
    return [(*row, "*") for row in rows]


LETTERS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9)


@RUNS
@given(given_classes=st.lists(LETTERS, min_size=1, max_size=5), rest=st.lists(st.sampled_from("abcdef")), tree=trees())
def test_it_is_the_distance_of_the_paper_node_by_node(
    store: Store, given_classes: list[list[str]], rest: list[str], tree: Tree
) -> None:
    column = [value for one in given_classes for value in one] + rest
    exact = [float(brute.hierarchical_distance(one, column, tree)) for one in given_classes]
    assert distances(store, *given_classes, column=column, tree=tree) == pytest.approx(exact, abs=1e-13)


@pytest.mark.slow
@RUNS
@given(left=LETTERS, right=LETTERS, rest=LETTERS, tree=trees(), t=st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7]))
def test_merging_classes_that_are_close_gives_one_that_is_close(
    store: Store, left: list[str], right: list[str], rest: list[str], tree: Tree, t: float
) -> None:
    column = left + right + rest
    apart = with_tree(store, [left, right], column, tree)
    together = with_tree(store, [left + right], column, tree)
    assert violating(store, model(t), apart) or not violating(store, model(t), together)


def test_without_a_hierarchy_it_cannot_be_measured(store: Store) -> None:
    with pytest.raises(UsageError, match="needs a hierarchy of the sensitive attribute"):
        model().achieved(classes(store, "ab", "c"))
