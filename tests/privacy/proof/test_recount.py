"""A release that was written is judged by its own count: every way to spoil it is found, but for one that is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pytest
from sqlalchemy import FromClause, column
from sqlalchemy import table as table_of

from toolbox.errors import ProofError
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.privacy.proof.proof import Proof
from toolbox.privacy.proof.recount import JudgedValues, Recount
from toolbox.store.engine.store import Store

Row = tuple[object, ...]

STATED: list[Row] = [
    ("[20:29]", "F", 3, False, 30),
    ("[30:39]", "M", 2, False, 20),
    ("[40:49]", None, 2, False, 21),
    ("*", "*", 1, True, 5),
]
"""``shown_0, shown_1, size, suppressed, sum_1``."""
FOUND: list[Row] = [
    ("[20:29]", "F", 2, 21),
    ("[40:49]", None, 2, 21),
    ("[20:29]", "F", 1, 9),
    ("[30:39]", "M", 2, 20),
    ("*", "*", 1, 5),
    ("never", "there", 0, 0),
]
"""``shown_0, shown_1, size, sum_1``; a class in two parts, and one of no records."""
HELD: list[Row] = [
    ("[20:29]", "F", "flu", 2),
    ("[20:29]", "F", "cold", 1),
    ("[30:39]", "M", "flu", 1),
    ("[30:39]", "M", "gout", 1),
    ("[40:49]", None, "cold", 1),
    ("[40:49]", None, "flu", 1),
    ("*", "*", "gout", 1),
]
CODES = {"flu": 0.0, "cold": 1.0, "gout": 2.0}
K2 = KAnonymity(k=2)
L2 = DistinctLDiversity(l=2, attribute="illness")


def relation(store: Store, names: str, rows: Sequence[Row], kinds: dict[str, pa.DataType] | None = None) -> FromClause:
    """Make a relation of some rows; columns hold texts where nothing else is said."""
    known = {"size": pa.int64(), "suppressed": pa.bool_(), "sum_1": pa.int64(), **(kinds or {})}
    columns = zip(*rows, strict=True) if rows else [[] for _ in names.split()]
    arrays = [
        pa.array(values, known.get(name, pa.string())) for name, values in zip(names.split(), columns, strict=True)
    ]
    return table_of(store.register("given", pa.table(arrays, names=names.split())), *map(column, names.split()))


def recount(
    store: Store, stated: Sequence[Row] = STATED, found: Sequence[Row] = FOUND, held: Sequence[Row] = HELD
) -> Recount:
    numbers = {"value": pa.float64(), "records": pa.int64()}
    return Recount(
        store=store,
        shown=("shown_0", "shown_1"),
        stated=relation(store, "shown_0 shown_1 size suppressed sum_1", stated),
        found=relation(store, "shown_0 shown_1 size sum_1", found),
        sums=("sum_1",),
        held={"illness": relation(store, "shown_0 shown_1 text size", held)},
        values={
            "illness": JudgedValues(
                "category",
                relation(store, "text value", list(CODES.items()), numbers),
                relation(store, "value records", [(0.0, 4), (1.0, 2), (2.0, 2)], numbers),
                None,
            )
        },
    )


# What holds


def test_what_was_written_as_it_should_be_is_measured_as_a_reader_sees_it(store: Store) -> None:
    proof = recount(store).prove([K2, L2])
    assert (proof.records, proof.records_suppressed, proof.classes) == (8, 1, 3)
    assert (proof.smallest_class, proof.average_class) == (2, 7 / 3)
    assert [(result.name, result.achieved, result.holds) for result in proof.models] == [
        ("k-anonymity", 2, True),
        ("distinct l-diversity", 2, True),
    ]


def test_a_release_of_suppressed_records_only_has_no_class(store: Store) -> None:
    proof = recount(store, [("*", "*", 2, True, 7)], [("*", "*", 2, 7)], []).prove([K2, L2])
    assert (proof.records, proof.records_suppressed, proof.classes) == (2, 2, 0)
    assert (proof.smallest_class, proof.average_class) == (None, None)


def test_suppressed_records_that_a_class_shows_too_are_judged_with_it(store: Store) -> None:
    """Nobody can tell them apart; so a class of one is a class of three."""
    stated = [("*", "*", 1, False, 4), ("*", "*", 2, True, 3)]
    held = [("*", "*", "flu", 2), ("*", "*", "cold", 1)]
    proof = recount(store, stated, [("*", "*", 3, 7)], held).prove([KAnonymity(k=3), L2])
    assert (proof.records, proof.records_suppressed, proof.smallest_class) == (3, 0, 3)


def test_values_are_exchanged_between_classes_unseen_as_long_as_the_models_hold_and_no_sum_is_given(
    store: Store,
) -> None:
    """What a count cannot see: docs/engines.md says so, and what helps."""
    held = exchanged(HELD, (1, "gout"), (3, "cold"))
    assert recount(store, held=held).prove([K2, L2]).classes == 3


@pytest.mark.parametrize("turns", [1, -1])
def test_sums_that_began_anew_on_either_side_are_the_same(store: Store, turns: int) -> None:
    """Beyond 64 bits an engine begins anew, sooner or later, by how it adds the parts up."""
    kinds = {"sum_1": pa.decimal128(38, 0)}
    beyond = 2**63 + 2**40
    stated = relation(store, "shown_0 shown_1 size suppressed sum_1", [("a", "b", 2, False, beyond)], kinds)
    found = relation(store, "shown_0 shown_1 size sum_1", [("a", "b", 2, beyond - turns * 2**64)], kinds)
    assert Recount(store=store, shown=("shown_0", "shown_1"), stated=stated, found=found, sums=("sum_1",)).prove([K2])
    other = relation(store, "shown_0 shown_1 size sum_1", [("a", "b", 2, beyond - turns * 2**64 + 2**20)], kinds)
    with pytest.raises(ProofError, match="records were exchanged or changed"):
        Recount(store=store, shown=("shown_0", "shown_1"), stated=stated, found=other, sums=("sum_1",)).prove([K2])


# Every way to spoil it


def changed(rows: Sequence[Row], place: int, **values: object) -> list[Row]:
    """Change one row; a value by the place that its name begins with."""
    row = list(rows[place])
    for name, value in values.items():
        row[int(name[1:])] = value
    return [*rows[:place], tuple(row), *rows[place + 1 :]]


def exchanged(rows: Sequence[Row], *new: tuple[int, str]) -> list[Row]:
    """Write other sensitive values into some rows."""
    rows = list(rows)
    for place, value in new:
        rows = changed(rows, place, _2=value)
    return rows


CLASS = "a class is missing, invented or of another size"
SPOILT: dict[str, tuple[list[Row], str]] = {
    "a record is lost": (changed(FOUND, 3, _2=1), CLASS),
    "a record is doubled": (changed(FOUND, 3, _2=3), CLASS),
    "a class is lost": (FOUND[:3] + FOUND[4:], CLASS),
    "all is lost": ([], CLASS),
    "a class is doubled": ([*FOUND, FOUND[3]], CLASS),
    "a record is in another class": (changed(changed(FOUND, 3, _2=1), 1, _2=3), CLASS),
    "a class is invented": ([*FOUND, ("[50:59]", "F", 2, 0)], CLASS),
    "a class of nobody shows a null": ([*FOUND, (None, None, 1, 0)], CLASS),
    "a text is changed": (changed(FOUND, 3, _0="[30:38]"), CLASS),
    "a text is null": (changed(FOUND, 3, _1=None), CLASS),
    "a null is a text": (changed(FOUND, 1, _1=""), CLASS),
    "two texts changed places": (changed(changed(FOUND, 3, _1="F"), 1, _1="M"), CLASS),
    "the texts of one record stand in two columns": (changed(FOUND, 3, _0="M", _1="[30:39]"), CLASS),
    "suppressed records are shown": (changed(FOUND, 4, _0="[20:29]", _1="F"), CLASS),
    "a record is lost and another doubled": (changed(changed(FOUND, 1, _2=1), 3, _2=3), CLASS),
    "records of equal classes changed places": (changed(changed(FOUND, 1, _3=20), 3, _3=21), "exchanged or changed"),
    "a value that passes through is changed": (changed(FOUND, 3, _3=19), "exchanged or changed"),
    "a suppressed record is another": (changed(FOUND, 4, _3=6), "exchanged or changed"),
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_release_is_found(store: Store, how: str) -> None:
    found, message = SPOILT[how]
    with pytest.raises(ProofError, match=f"Proof failed: .*{message}.* in the release that was written"):
        recount(store, found=found).prove([K2])


ADD_UP = "the values of illness do not add up"
SPOILT_VALUES: dict[str, tuple[list[Row], str]] = {
    "values are exchanged so that a class has one only": (
        exchanged(HELD, (1, "flu"), (2, "cold")),
        r"distinct l-diversity.*requires 2, achieved 1",
    ),
    "a value is one that nobody has": (exchanged(HELD, (1, "secret")), "a value of illness is none of those"),
    "a value is missing": (exchanged(HELD, (1, None)), "a value of illness is none of those"),
    "a value is lost": (HELD[1:], ADD_UP),
    "a value is counted twice": ([*HELD, HELD[0]], ADD_UP),
    "no values are there": ([], ADD_UP),
    "a value of one class is counted in another": (changed(changed(HELD, 0, _3=1), 2, _3=2), ADD_UP),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("how", SPOILT_VALUES)
def test_spoilt_sensitive_values_are_found(store: Store, how: str) -> None:
    held, message = SPOILT_VALUES[how]
    with pytest.raises(ProofError, match=message) as told:
        recount(store, held=held).prove([K2, L2])
    assert "secret" not in str(told.value)


def test_a_class_that_is_too_small_is_found_although_it_is_as_stated(store: Store) -> None:
    """The proof believes no method, and no earlier proof."""
    with pytest.raises(ProofError, match=r"k-anonymity.* requires 3, achieved 2"):
        recount(store).prove([KAnonymity(k=3)])


# Numbers


def of_numbers(store: Store, texts: Sequence[str]) -> Callable[[Sequence[object]], Proof]:
    one_class: list[Row] = [("*", "*", len(texts), False, 0)]
    counted = Recount(
        store=store,
        shown=("shown_0", "shown_1"),
        stated=relation(store, "shown_0 shown_1 size suppressed sum_1", one_class),
        found=relation(store, "shown_0 shown_1 size", [("*", "*", len(texts))]),
        held={"pay": relation(store, "shown_0 shown_1 text size", [("*", "*", text, 1) for text in texts])},
        values={
            "pay": JudgedValues(
                "number",
                relation(store, "text value", [("1e16", 1e16), ("2.5", 2.5)], {"value": pa.float64()}),
                relation(store, "value records", [(2.5, 1), (1e16, 1)], {"value": pa.float64(), "records": pa.int64()}),
                None,
            )
        },
    )
    return counted.prove


def test_a_number_may_be_written_in_another_way_than_it_was_read(store: Store) -> None:
    """As 1e16, 10000000000000000 and 1.0E16: each engine has its own."""
    models = [DistinctLDiversity(l=2, attribute="pay")]
    assert of_numbers(store, ["10000000000000000", "2.50"])(models).models[0].achieved == 2
    assert of_numbers(store, ["1.0E16", "1e16", "2.5"])(models).models[0].achieved == 2


def test_a_text_that_is_no_number_is_found(store: Store) -> None:
    with pytest.raises(ProofError, match="a value of pay is none of those that were counted"):
        of_numbers(store, ["1e16", "secret"])([DistinctLDiversity(l=1, attribute="pay")])
