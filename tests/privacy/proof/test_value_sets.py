"""Which values a class holds, as bits: what the proof counts so is what a look at the records finds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.small_tables import declared
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, literal, select

from toolbox.config.model import Attribute, Column
from toolbox.errors import ProofError
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity
from toolbox.privacy.proof.placed import assign_value_bits, join_value_bits, list_bit_attributes
from toolbox.privacy.proof.proof import prove
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables

RUNS = settings(
    max_examples=times(8, slow=40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
ILL = Attribute(column=Column(index=None, name="ill"), kind="category")
WEIGHT = Attribute(column=Column(index=None, name="kg"), kind="number")


def judged(store: Store, table: pa.Table) -> Tables:
    """Load a table whose columns besides the age are sensitive, and judged by a model."""
    others = {"ill": ILL, "kg": WEIGHT}
    names = [name for name in table.column_names if name in others]
    config = declared("age", sensitive=[others[name] for name in names], on_missing="keep")
    return Loader(config, open_arrow_source(store, table), store, judged=dict.fromkeys(names, False)).load().tables


def loaded(store: Store, illnesses: list[str | None]) -> Tables:
    """Load one record for each illness; the ages are two in turn, so that there are two combinations."""
    ages = [20 + number % 2 for number in range(len(illnesses))]
    return judged(store, pa.table({"age": ages, "ill": pa.array(illnesses, pa.string())}))


def dealt(tables: Tables, classes: list[int], suppressed: tuple[int, ...] = ()) -> Tables:
    """Put each record into the class that is named for it; every class shows the roots alone."""
    store, record = tables.store, tables.anon_record
    places = store.from_arrays(
        "places", {"record_id": np.arange(len(classes)), "class_id": np.array(classes, dtype=np.int32)}
    )
    kept = [column for column in record.c if column.name != "equivalence_id"]
    same = places.c.record_id == record.c.record_id
    records = store.create(
        "records", select(*kept, places.c.class_id.label("equivalence_id")).join_from(record, places, same)
    )
    key, (age,) = records.c.equivalence_id, tables.quasi_identifiers
    shown = select(
        key, func.count().label("size"), key.in_(suppressed).label("suppressed"), literal(age.root).label("interval_1")
    )
    equivalence = store.create("classes", shown.group_by(key))
    return replace(tables, keys=None, records=records, equivalence=equivalence)


def distinct(l: float, attribute: str = "ill") -> DistinctLDiversity:  # noqa: E741
    return DistinctLDiversity(l=l, attribute=attribute)


def entropy(l: float) -> EntropyLDiversity:  # noqa: E741
    return EntropyLDiversity(l=l, attribute="ill")


def fewest(illnesses: list[str | None], classes: list[int]) -> int:
    """Count the different values of each class in Python, and return the smallest count."""
    held = defaultdict(set)
    for illness, number in zip(illnesses, classes, strict=True):
        held[number].add(illness)
    return min(map(len, held.values()))


RECORDS = st.lists(
    st.tuples(st.sampled_from(["flu", "cold", "gout", "FLU", "", None]), st.integers(1, 4)), min_size=3, max_size=24
)


@pytest.mark.slow
@RUNS
@given(records=RECORDS)
def test_the_proof_finds_as_many_values_as_a_look_at_the_records(
    store: Store, records: list[tuple[str | None, int]]
) -> None:
    illnesses, classes = [illness for illness, _ in records], [number for _, number in records]
    initial = loaded(store, illnesses)
    # An empty value is a missing one, too.
    expected = fewest([illness or None for illness in illnesses], classes)
    final = dealt(initial, classes)
    apart = prove(initial, final, (distinct(1),), tells_classes_apart=True)
    assert apart.models[0].achieved == expected
    # A reader who cannot tell classes apart sees one.
    together = prove(initial, final, (distinct(1),))
    assert together.models[0].achieved == len({illness or None for illness in illnesses})


def test_a_class_with_too_few_values_is_found(store: Store) -> None:
    initial = loaded(store, ["flu", "cold", "flu", "flu"])
    final = dealt(initial, [1, 1, 2, 2])
    with pytest.raises(ProofError, match=r"distinct l-diversity requires 2, achieved 1"):
        prove(initial, final, (distinct(2),), tells_classes_apart=True)


def test_a_suppressed_class_holds_nothing_that_anybody_sees(store: Store) -> None:
    initial = loaded(store, ["flu", "cold", "flu", "flu"])
    proof = prove(initial, dealt(initial, [1, 1, 2, 2], suppressed=(2,)), (distinct(2),), tells_classes_apart=True)
    assert (proof.models[0].achieved, proof.records_suppressed) == (2, 2)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("count", [62, 63, 64])
def test_more_values_than_a_number_has_bits_are_counted_one_by_one(store: Store, count: int) -> None:
    illnesses = [f"illness {number}" for number in range(count)] * 2
    initial = loaded(store, illnesses)
    assert len(list_bit_attributes(initial, (distinct(2),))) == (count <= 62)
    proof = prove(initial, dealt(initial, [1] * count + [2] * count), (distinct(count),), tells_classes_apart=True)
    assert proof.models[0].achieved == count


def test_every_value_has_a_bit_of_its_own(store: Store) -> None:
    initial = loaded(store, [f"illness {number}" for number in range(62)])
    bits = [bit for (bit,) in store.rows(select(assign_value_bits(store, initial.sensitive["ill"]).c.bit))]
    assert sorted(bits) == [2**place for place in range(62)]


ASKED = {
    "by one model that counts values": ((distinct(2),), ["ill"]),
    "by two of them": ((distinct(2), distinct(3)), ["ill"]),
    "of two attributes": ((distinct(2), distinct(3, "kg")), ["ill", "kg"]),
    "by another model as well": ((distinct(2), entropy(2), distinct(3, "kg")), ["kg"]),
    "by another model alone": ((entropy(2),), []),
    "by no model": ((), []),
}


@pytest.mark.slow
@pytest.mark.parametrize(("models", "expected"), ASKED.values(), ids=ASKED)
def test_only_attributes_whose_values_are_merely_counted_are_told_by_bits(
    store: Store, models: tuple[PrivacyModel, ...], expected: list[str]
) -> None:
    table = pa.table({"age": [20, 30], "ill": ["flu", "cold"], "kg": [60, 70]})
    assert [sensitive.name for sensitive in list_bit_attributes(judged(store, table), models)] == expected


def test_two_attributes_are_told_side_by_side(store: Store) -> None:
    table = pa.table({"age": [20, 20, 30, 30], "ill": ["flu", "cold", "flu", "flu"], "kg": [60, 70, 60, 70]})
    initial = judged(store, table)
    models = (distinct(1), distinct(2, "kg"))
    proof = prove(initial, dealt(initial, [1, 1, 2, 2]), models, tells_classes_apart=True)
    assert [model.achieved for model in proof.models] == [1, 2]


def test_a_record_without_a_known_value_stays_a_record(store: Store) -> None:
    """It must not be lost from the size of its class, whatever the codes say."""
    initial = loaded(store, ["flu", "cold", "gout"])
    sensitive = initial.sensitive["ill"]
    bits = assign_value_bits(store, sensitive)
    few = store.create("few", select(bits).where(bits.c.text != "cold"))
    joined, held = join_value_bits(initial.anon_record, initial.anon_record, sensitive, few)
    assert store.row(select(func.count(), func.bit_count(held)).select_from(joined)) == (3, 2)
