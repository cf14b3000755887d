"""What a quasi-identifier can be generalised to: its values, the levels above them, and all their names."""

from dataclasses import replace

import pytest
from helpers.small_tables import declared, load, quasi_identifier
from sqlalchemy import select

from toolbox.config.formats import AS_IN_2010
from toolbox.config.model import Column, QuasiIdentifier
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.store.engine.store import Store
from toolbox.store.tables import QuasiIdentifierTables


def node(text: str, *children: Node, label: str = "") -> Node:
    return Node(Interval.parse(text), label or text, children)


def tables(store: Store, values: str, declaration: QuasiIdentifier, **options: object) -> QuasiIdentifierTables:
    """Load a table of one column ``a`` with these values."""
    loaded = load(store, "\n".join(["a", *values.split()]), declared([declaration], **options))
    return loaded.tables.quasi_identifiers[0]


def numbers(*children: Node, root: str = "[0:100]") -> QuasiIdentifier:
    return QuasiIdentifier(
        column=Column(index=None, name="a"), kind="number", hierarchy=Hierarchy(node(root, *children))
    )


def names(store: Store, one: QuasiIdentifierTables, level: int) -> dict[str, str]:
    """Return what each value is called at a level."""
    interval = one.intervals
    joined = select(one.ground.c.label, interval.c.label).join_from(
        one.ground, interval, interval.c.interval_id == one.level(level)
    )
    return dict(map(tuple, store.rows(joined.order_by(one.ground.c.level_0))))


TWO = (node("[0:50)", node("[0:25)"), node("[25:50)")), node("[50:100]", node("[50:75)"), node("[75:100]")))


def test_values_are_ranked_in_their_order_and_keep_their_texts(store: Store) -> None:
    one = tables(store, "30 7 100 30 -1.5 007", quasi_identifier("a", kind="number"))
    ground = one.ground.c
    assert store.rows(select(ground.level_0, ground.value, ground.label).order_by(ground.level_0)) == [
        (0, -1.5, "-1.5"),
        (1, 7.0, "7"),
        (2, 30.0, "30"),
        (3, 100.0, "100"),
    ]
    assert (one.values, one.kind, one.name, one.position) == (4, "number", "a", 0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("texts", "shown"), [("1.0 1 01", "1"), ("1e1 10.0 10 1E1", "10"), ("0 -0", "0"), ("+5 05", "+5")]
)
def test_the_shortest_way_to_write_a_number_names_it_of_equals_the_first(store: Store, texts: str, shown: str) -> None:
    one = tables(store, texts, quasi_identifier("a", kind="number"))
    assert [label for (label,) in store.rows(select(one.ground.c.label))] == [shown]


def test_each_level_names_the_interval_above(store: Store) -> None:
    one = tables(store, "0 24.9 25 50 99 100", numbers(*TWO))
    assert one.height == 3
    assert names(store, one, 0) == {value: value for value in ("0", "24.9", "25", "50", "99", "100")}
    assert names(store, one, 1) == {
        "0": "[0:25)",
        "24.9": "[0:25)",
        "25": "[25:50)",
        "50": "[50:75)",
        "99": "[75:100]",
        "100": "[75:100]",
    }
    assert set(names(store, one, 2).values()) == {"[0:50)", "[50:100]"}
    assert set(names(store, one, 3).values()) == {"[0:100]"}


def test_of_leaves_that_share_a_boundary_the_first_takes_it(store: Store) -> None:
    one = tables(store, "25 50", numbers(node("[0:25]"), node("[25:50]"), node("[50:100]")))
    assert names(store, one, 1) == {"25": "[0:25]", "50": "[25:50]"}


def test_categories_follow_the_hierarchy_not_the_alphabet(store: Store) -> None:
    states = quasi_identifier("a", hierarchy="Ohio Midwest *\nParis France *\nIowa Midwest *")
    one = tables(store, "Paris Iowa Ohio", states)
    assert list(names(store, one, 0)) == ["Ohio", "Iowa", "Paris"]
    assert names(store, one, 1) == {"Ohio": "Midwest", "Iowa": "Midwest", "Paris": "France"}
    assert one.root == 3
    assert names(store, one, 2) == dict.fromkeys(["Ohio", "Iowa", "Paris"], "*")


def test_intervals_are_the_values_then_the_nodes_from_the_root_on(store: Store) -> None:
    one = tables(store, "10 60", numbers(node("[0:50)", label="young"), node("[50:100]")))
    interval = one.intervals.c
    shown = (interval.interval_id, interval.level, interval.label, interval.low, interval.high)
    ends = (interval.low_closed, interval.high_closed, interval.members)
    assert store.rows(select(*shown, *ends).order_by(interval.interval_id)) == [
        (0, 0, "10", 10.0, 10.0, True, True, None),
        (1, 0, "60", 60.0, 60.0, True, True, None),
        (2, 2, "[0:100]", 0.0, 100.0, True, True, None),
        (3, 1, "young", 0.0, 50.0, True, False, None),
        (4, 1, "[50:100]", 50.0, 100.0, True, True, None),
    ]
    assert (one.root, one.values, one.has_hierarchy) == (2, 2, True)


def test_without_a_hierarchy_a_star_is_the_root_one_level_above_the_values(store: Store) -> None:
    one = tables(store, "5 7", quasi_identifier("a", kind="number"))
    assert (one.height, one.has_hierarchy) == (1, False)
    assert names(store, one, 1) == {"5": "*", "7": "*"}


def test_leaves_at_unequal_depth_have_no_levels_but_a_root(store: Store) -> None:
    one = tables(store, "10 60", numbers(node("[0:50)", node("[0:25)"), node("[25:50)")), node("[50:100]")))
    assert (one.height, "level_1" in one.ground.c) == (0, False)
    root = select(one.intervals.c.label).where(one.intervals.c.interval_id == one.root)
    assert store.scalar(root) == "[0:100]"


def test_what_is_missing_and_kept_stays_as_it_is_below_the_root(store: Store) -> None:
    sexes = quasi_identifier("a", hierarchy="F person *\nM person *")
    one = tables(store, "M ? F", sexes, on_missing="keep")
    assert names(store, one, 0) == {"F": "F", "M": "M", "?": "?"}
    assert names(store, one, 1) == {"F": "person", "M": "person", "?": "?"}
    assert names(store, one, 2) == {"F": "*", "M": "*", "?": "*"}


@pytest.mark.slow
def test_codes_list_the_declared_categories_or_else_those_that_occur(store: Store) -> None:
    def codes(values: str, declaration: QuasiIdentifier, **options: object) -> list[float]:
        found = tables(store, values, declaration, **options).codes
        return sorted(code for (code,) in store.rows(select(found.c.value)))

    sexes = quasi_identifier("a", hierarchy="F *\nM *\nX *")
    assert codes("M F", sexes) == [0.0, 1.0, 2.0]
    assert codes("M ? F", sexes, on_missing="keep") == [0.0, 1.0, 2.0, 3.0]
    assert codes("b a b", quasi_identifier("a")) == [0.0, 1.0]
    assert codes("1 2", quasi_identifier("a")) == []


def test_labels_with_quotes_and_percents_are_shown_as_they_are(store: Store) -> None:
    one = tables(store, "10", numbers(node("[0:100]", label="it's 100% \\ :x")))
    assert names(store, one, 1) == {"10": "it's 100% \\ :x"}


# As in 2010


def tables_in_codes(
    store: Store, values: str, declaration: QuasiIdentifier, **options: object
) -> QuasiIdentifierTables:
    config = replace(declared([declaration], **options), compatibility=AS_IN_2010)
    return load(store, "\n".join(["a", *values.split()]), config).tables.quasi_identifiers[0]


def labels(store: Store, one: QuasiIdentifierTables) -> tuple[list[str], list[str]]:
    """Return what values are called in a row, and what all intervals are called, values first, then from the root on."""
    values = select(one.ground.c.label).order_by(one.ground.c.level_0)
    intervals = select(one.intervals.c.label).order_by(one.intervals.c.interval_id)
    return [label for (label,) in store.rows(values)], [label for (label,) in store.rows(intervals)]


def test_in_compatibility_numbers_are_doubles_and_nodes_are_verbatim(store: Store) -> None:
    leaves = (
        Node(Interval.parse("[-2: 0 )"), "low", text="[-2: 0 )"),
        Node(Interval.parse("[0:1e9]"), "[0:1e9]", text="[0:1e9]"),
    )
    root = Node(Interval.parse("[-2:1E9]"), "all", leaves, text="[-2:1E9]")
    column = QuasiIdentifier(column=Column(index=None, name="a"), kind="number", hierarchy=Hierarchy(root))
    one = tables_in_codes(store, "58 058.0 -1.50 1e8 .0001", column)
    assert labels(store, one) == (
        ["-1.5", "1.0E-4", "58.0", "1.0E8"],
        ["[-1.5]", "[1.0E-4]", "[58.0]", "[1.0E8]", "[-2:1E9]", "[-2: 0 )", "[0:1e9]"],
    )


def test_in_compatibility_categories_are_their_codes(store: Store) -> None:
    column = Column(index=None, name="a")
    codes = {"F": 1, "M": 7, "X": -3}
    root = Node(Interval.parse("[-3:7]"), "person", text="[-3:7]")
    sexes = QuasiIdentifier(column=column, kind="category", categories=codes, hierarchy=Hierarchy(root))
    assert labels(store, tables_in_codes(store, "M F X", sexes)) == (
        ["-3.0", "1.0", "7.0"],
        ["[-3.0]", "[1.0]", "[7.0]", "[-3:7]"],
    )


@pytest.mark.slow
def test_in_compatibility_a_hierarchy_file_keeps_its_labels_and_no_hierarchy_is_an_interval(store: Store) -> None:
    states = quasi_identifier("a", hierarchy="Ohio Midwest *\nParis France *")
    assert labels(store, tables_in_codes(store, "Ohio Paris", states))[1] == [
        *["[0.0]", "[1.0]", "*", "Midwest", "France"],
    ]
    assert labels(store, tables_in_codes(store, "5 70.25", quasi_identifier("a", kind="number")))[1] == [
        "[5.0]",
        "[70.25]",
        "[5.0:70.25]",
    ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("leaves", "height"), [(("[0.0]", "[1.0]"), 1), (("[0]", "[1]"), 2), (("[0.0]", "[1:1]"), 2)])
def test_in_compatibility_leaves_that_are_called_like_values_are_no_level(
    store: Store, leaves: tuple[str, ...], height: int
) -> None:
    children = tuple(Node(Interval.parse(text), text, text=text) for text in leaves)
    root = Node(Interval.parse("[0:1]"), "[0:1]", children, text="[0:1]")
    column = Column(index=None, name="a")
    sexes = QuasiIdentifier(column=column, kind="category", categories={"F": 0, "M": 1}, hierarchy=Hierarchy(root))
    one = tables_in_codes(store, "F M", sexes)
    assert one.height == height
    assert names(store, one, height) == {"0.0": "[0:1]", "1.0": "[0:1]"}
    assert tables(store, "F M", sexes).height == 2
