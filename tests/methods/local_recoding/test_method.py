"""Local recoding: every class at its own levels, and as little entropy lost as a sweep over the lattice can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import pytest
from helpers.amounts import times
from helpers.beside_store import anonymize
from helpers.entropy import bits_lost
from helpers.small_tables import anonymized, arrow, declared, load, quasi_identifier, released
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox.config.model import Column, Config, QuasiIdentifier
from toolbox.errors import SettingError, UnsatisfiableError
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.methods.local_recoding import LocalRecoding
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)

LETTERS = "p soft *\nq soft *\nr hard *\ns hard *"
CHAINS = {line.split()[0]: line.split() for line in LETTERS.splitlines()}


def local(k: int, loss: str = "mixed") -> LocalRecoding:
    return LocalRecoding(models=(KAnonymity(k=k),), loss=loss)


def ranked(names: str, *, priorities: Mapping[str, int] = {}, weights: Mapping[str, float] = {}) -> Config:
    """Declare columns with what they are worth."""
    columns = [quasi_identifier(name) for name in names.split()]
    return declared(
        [replace(one, priority=priorities.get(str(one.column)), weight=weights.get(str(one.column))) for one in columns]
    )


# Classes at their own levels


def test_only_the_class_that_needs_it_is_generalised(store: Store) -> None:
    """Two records agree as they are; the others lose b, of .81 bits a record, rather than a, of one bit."""
    assert anonymized(store, local(2), "a b\np u\np v\nq u\nq u", "a b") == ["p *", "p *", "q u", "q u"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "k", "expected"),
    [
        ("p p q q", 2, "p p q q"),
        ("p q r s", 2, "soft soft hard hard"),
        ("p p q q r s", 2, "p p q q hard hard"),
        ("p p q q r", 2, "* * q q *"),
        ("p q r s", 3, "* * * *"),
        ("p q q r r r", 3, "soft soft soft r r r"),
        ("p q q", 1, "p q q"),
        ("p p p", 2, "p p p"),
    ],
    ids=[
        "all alike",
        "one level",
        "some one level",
        "one record is left and joins the first class that is cheapest",
        "nothing but the root",
        "k = 3",
        "k = 1",
        "one value",
    ],
)
def test_a_class_rises_to_the_lowest_level_at_which_it_has_k_records(
    store: Store, values: str, k: int, expected: str
) -> None:
    table = "\n".join(["a", *values.split()])
    assert anonymized(store, local(k), table, "a", hierarchies={"a": LETTERS}) == expected.split()


def test_without_a_hierarchy_a_class_shows_the_value_or_a_star(store: Store) -> None:
    assert anonymized(store, local(2), "a\n3\n3\n7\n8", "a") == ["3", "3", "*", "*"]


def test_leaves_may_lie_at_different_depths(store: Store) -> None:
    """60 and 70 have no level between themselves and [50:100]; 50 is taken by the first leaf that reaches to it."""
    low = Node(Interval(0, 50), "[0:50]", (Node(Interval(0, 20), "[0:20]"), Node(Interval(20, 50), "[20:50]")))
    tree = Hierarchy(Node(Interval(0, 100), "[0:100]", (low, Node(Interval(50, 100), "[50:100]"))))
    column = QuasiIdentifier(column=Column(index=None, name="a"), kind="number", hierarchy=tree)
    found = anonymized(store, local(2), "a\n10\n50\n60\n70\n25\n25", declared([column]))
    assert found == ["[0:50]", "[0:50]", "[50:100]", "[50:100]", "25", "25"]


def test_fewer_than_k_records_are_refused(store: Store) -> None:
    with pytest.raises(UnsatisfiableError, match="3 records"):
        anonymized(store, local(4), "a\n1\n2\n3", "a")


@pytest.mark.slow
def test_more_columns_than_the_lattice_could_be_listed_for(store: Store) -> None:
    """Of 16 columns all but the first are the same for each two records, so that only that one is lost."""
    names = [f"c{number}" for number in range(16)]
    rows = [
        [str(pair * 2 + place), *[f"v{(pair + n) % 5}" for n in range(15)]] for pair in range(5) for place in (0, 1)
    ]
    table = "\n".join(" ".join(row) for row in [names, *rows])
    found = anonymized(store, local(2), table, " ".join(names))
    assert found == [" ".join(["*", *row[1:]]) for row in rows]


# What matters more


SQUARE = "a b\np u\np v\nq u\nq v"
LOSES_A, LOSES_B = ["* u", "* v", "* u", "* v"], ["p *", "p *", "q *", "q *"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("priorities", "weights", "expected"),
    [
        ({}, {}, LOSES_B),
        ({"a": 2, "b": 1}, {}, LOSES_A),
        ({"a": 1, "b": 2}, {}, LOSES_B),
        ({"a": 1}, {}, LOSES_B),
        ({"b": 7}, {}, LOSES_A),
        ({}, {"a": 0.5, "b": 2.0}, LOSES_A),
        ({}, {"a": 2.0, "b": 0.5}, LOSES_B),
        ({"a": 1, "b": 2}, {"a": 0.1}, LOSES_A),
    ],
    ids=["tie", "b first", "a first", "no rank comes last", "one rank", "b heavier", "a heavier", "a weight wins"],
)
def test_the_column_that_is_worth_less_is_lost(
    store: Store, priorities: Mapping[str, int], weights: Mapping[str, float], expected: list[str]
) -> None:
    assert anonymized(store, local(2), SQUARE, ranked("a b", priorities=priorities, weights=weights)) == expected


def test_if_bits_count_alike_weights_do_not_matter(store: Store) -> None:
    assert anonymized(store, local(2, "bits"), SQUARE, ranked("a b", weights={"a": 0.1})) == LOSES_B


@pytest.mark.slow
def test_a_column_of_many_bits_counts_no_more_than_another_where_columns_count(store: Store) -> None:
    """Each 4 of a are one u and one v, twice: a has 2 bits, b one; all of a column is lost in either case."""
    table = "a b\n" + "\n".join(f"{a} {b}" for a in "pqrs" for b in "uv")
    assert anonymized(store, local(2, "bits"), table, "a b") == [f"{a} *" for a in "pqrs" for _ in "uv"]
    weighed = ranked("a b", weights={"b": 1.1})
    assert anonymized(store, local(2, "columns"), table, weighed) == [f"* {b}" for _ in "pqrs" for b in "uv"]


def test_an_unknown_loss_is_refused() -> None:
    with pytest.raises(SettingError, match="bits"):
        local(2, "granularity")


# Other objectives

AGES = "20 young *\n21 young *\n60 old *\n61 old *"
CARDS = "a b\n20 u\n20 v\n21 u\n21 v\n60 u\n60 v\n61 u\n61 v"


def under(objective: str, **options: object) -> LocalRecoding:
    return LocalRecoding(models=(KAnonymity(k=2),), objective=objective, **options)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("objective", "loses"),
    [
        ("lm", "a"),  # young: 1 of 3 other ages; *: all of the other letters
        ("ncp", "a"),  # 1/2 of the ages; all letters
        ("precision", "a"),  # one step of two; one of one
        ("granularity", "a"),
        ("conditional-entropy", "b"),  # a bit each: a tie, which the later column loses
        ("non-uniform-entropy", "b"),  # the same
        ("weighted-non-uniform-entropy", "a"),  # a half of a's two bits; all of b's one
    ],
)
def test_the_objective_says_which_column_is_lost(store: Store, objective: str, loses: str) -> None:
    found = anonymized(store, under(objective), CARDS, "a b", hierarchies={"a": AGES})
    rows = [line.split() for line in CARDS.splitlines()[1:]]
    wider = {"20": "young", "21": "young", "60": "old", "61": "old"}
    assert found == [f"{wider[a]} {b}" if loses == "a" else f"{a} *" for a, b in rows]


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["entropy", "lm", "ncp", "precision", "conditional-entropy"])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_of_columns_that_cost_the_same_the_later_is_lost(store: Store, objective: str, size: int) -> None:
    """Each letter of a stands beside each of b, and the other way round: nothing tells the columns apart."""
    rows = [(f"{a}", f"{b}") for a in "pqrst"[:size] for b in "uvwxy"[:size]]
    method = LocalRecoding(models=(KAnonymity(k=size),), objective=objective)
    for names in ("a b", "b a"):
        table = "\n".join([names, *(" ".join(row) for row in rows)])
        assert anonymized(store, method, table, names) == [f"{kept} *" for kept, _ in rows]


@pytest.mark.slow
def test_weights_count_where_the_metric_has_them(store: Store) -> None:
    """ncp and weighted entropy know weights; ranks of importance are no weights."""
    ranks, weights = ranked("a b", priorities={"a": 2, "b": 1}), ranked("a b", weights={"b": 2.0})
    for objective in ("ncp", "weighted-non-uniform-entropy"):
        assert anonymized(store, under(objective), SQUARE, weights) == LOSES_A
        assert anonymized(store, under(objective), SQUARE, ranks) == anonymized(store, under(objective), SQUARE, "a b")


def test_an_objective_that_is_no_sum_over_cells_is_refused() -> None:
    with pytest.raises(SettingError, match="lm, granularity, ncp"):
        under("discernibility")


def test_what_weighs_entropy_is_refused_beside_another_objective() -> None:
    with pytest.raises(SettingError, match="objective='lm'"):
        under("lm", loss="columns")
    assert under("entropy", loss="columns").loss == "columns"


# Other privacy models


def diverse(store: Store, table: str) -> list[str]:
    models = (KAnonymity(k=2), DistinctLDiversity(l=2, attribute="illness"))
    hierarchies = {"a": list(CHAINS.values())}
    method, frame = LocalRecoding(models=models), arrow(table).to_pandas()
    return list(anonymize(store, method, frame, ["a"], sensitive=["illness"], hierarchies=hierarchies).release["a"])


@pytest.mark.slow
def test_groups_that_violate_a_model_form_no_class(store: Store) -> None:
    """Both of p have the flu. With q, who differ, they are fine."""
    assert diverse(store, "a illness\np flu\np flu\nq cold\nq flu\nr cold\nr flu") == [*["soft"] * 4, "r", "r"]


@pytest.mark.slow
def test_what_is_left_and_violates_a_model_joins_classes_until_it_does_not(store: Store) -> None:
    """The two of r cannot stay alone at the root; of the two classes below it the first is as cheap as the other."""
    assert diverse(store, "a illness\np cold\np flu\nq cold\nq flu\nr flu\nr flu") == ["*", "*", "q", "q", "*", "*"]


# For every table

ROWS = st.lists(st.tuples(st.sampled_from("pqrs"), st.sampled_from("pqrs")), min_size=4, max_size=14)


def lost(original: Sequence[Sequence[str]], shown: Sequence[Sequence[str]]) -> float:
    both = zip(zip(*original, strict=True), zip(*shown, strict=True), strict=True)
    return sum(bits_lost(before, after, CHAINS) for before, after in both)


def whole_columns(rows: Sequence[Sequence[str]], k: int) -> float:
    """Try every node of the lattice; return the least loss of those that are k-anonymous without suppression."""
    found = []
    for levels in product(range(3), repeat=2):
        shown = [tuple(CHAINS[value][level] for value, level in zip(row, levels, strict=True)) for row in rows]
        if min(Counter(shown).values()) >= k:
            found.append(lost(rows, shown))
    return min(found)


@pytest.mark.slow
@settings(max_examples=times(3, slow=12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS, k=st.integers(1, 4))
def test_classes_are_large_enough_cover_their_records_and_lose_no_more_than_whole_columns(
    store: Store, rows: list[tuple[str, str]], k: int
) -> None:
    table = "\n".join(["a b", *map(" ".join, rows)])
    config = declared("a b", hierarchies={"a": LETTERS, "b": LETTERS})
    loaded = load(store, table, config)
    shown = released(local(k).run(loaded.tables).tables, loaded)
    assert min(Counter(shown).values()) >= k
    assert all(
        text in CHAINS[value]
        for before, after in zip(rows, shown, strict=True)
        for value, text in zip(before, after, strict=True)
    )
    assert lost(rows, shown) <= whole_columns(rows, k) + 1e-9
