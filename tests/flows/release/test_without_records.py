"""From counted combinations to a proved release without records, whoever has counted them."""

from __future__ import annotations

import pyarrow as pa
import pytest
from helpers.small_tables import declared
from sqlalchemy import BigInteger, Boolean, String, cast, select

from toolbox import KAnonymity
from toolbox.config.formats import FormatName
from toolbox.errors import UnsatisfiableError
from toolbox.flows.release.pipeline import CountedRelease, prepare_release
from toolbox.methods.anonymizer import find_method
from toolbox.steps import Steps
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.counted import CountedLoader, CountedSource, CountedTables

ROWS = {
    "key": pa.array([7, 8, 9, 10], pa.int64()),
    "text_1": ["20", "21", "60", "61"],
    "unusable": [False] * 4,
    "size": pa.array([1, 2, 2, 1], pa.int64()),
}
STEPS = ["read", "Mondrian", "prove"]


def made(store: Store, steps: Steps, *, k: int = 3, form: FormatName = "genVals") -> CountedRelease:
    relation = open_arrow_source(store, pa.table(ROWS)).relation()
    kinds = zip(ROWS, (BigInteger, String, Boolean, BigInteger), strict=True)
    columns = [cast(relation.c[f"c{place}"], kind).label(name) for place, (name, kind) in enumerate(kinds)]
    config = declared("age", output_format=form, k=k, seed=7)
    source = CountedSource("people", pa.schema([("age", pa.int64())]))
    loader = CountedLoader(config, source, store, CountedTables(store.create("given", select(*columns))), {}, steps)
    method = find_method("Mondrian").configured(config, (KAnonymity(k=k),))
    return prepare_release(loader, method, config, steps)


def test_each_key_gets_its_class_and_each_class_its_text(store: Store) -> None:
    found = made(store, Steps(None)).mapping
    classes = {row[0]: row[1:] for row in store.rows(select(found.classes))}
    texts = {key: classes[number] for key, number in store.rows(select(found.keys.c.key, found.keys.c.class_id))}
    first, second = (3, False, "[20:21]"), (3, False, "[60:61]")
    assert texts == {7: first, 8: first, 9: second, 10: second}


@pytest.mark.slow
def test_a_release_has_a_column_for_each_quasi_identifier_and_its_statistics(store: Store) -> None:
    assert made(store, Steps(None)).headers == ("age",)
    assert made(store, Steps(None), form="genValsDist").headers == ("age", "age_mean:variance")


def test_the_summary_tells_what_was_made_and_no_seed_because_nothing_was_put_into_an_order(store: Store) -> None:
    steps = Steps(None)
    config = declared("age", seed=7)
    method = find_method("Mondrian").configured(config, (KAnonymity(k=3),))
    summary = made(store, steps).summary(config, method, steps, release=("a place",))
    document = summary.document()
    assert (summary.records_read, summary.proof.classes, document["release"]) == (6, 2, ["a place"])
    assert not any("seed" in note for note in summary.notes)
    assert list(document["timings"])[:3] == STEPS


def test_what_cannot_be_satisfied_is_told(store: Store) -> None:
    with pytest.raises(UnsatisfiableError):
        made(store, Steps(None), k=7)
