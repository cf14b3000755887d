"""The records of a release of one table: their order, and the slices in which they are written."""

import pyarrow as pa
import pytest
from helpers.small_releases import DROP, KEEP
from helpers.small_tables import load

from toolbox.config.model import Config
from toolbox.release.files.part import Notation
from toolbox.release.formats import gen_vals as one_table
from toolbox.release.formats.gen_vals import build_general_values
from toolbox.release.release import write_part
from toolbox.release.returned import to_arrow
from toolbox.store.engine.store import Store


@pytest.mark.slow
def test_many_records_keep_their_order(own_store: Store) -> None:
    count = 300_000
    loaded = load(own_store, pa.table({"a": [number % 7 for number in range(count)], "n": range(count)}), "a")
    (part,) = build_general_values(loaded.tables, loaded.layout, KEEP)
    assert to_arrow(own_store, part)["n"].to_pylist() == list(range(count))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("config", [KEEP, DROP], ids=["keep", "drop"])
def test_records_are_the_same_written_in_slices_or_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, config: Config
) -> None:
    count, notation = 1000, Notation(",")
    loaded = load(store, pa.table({"a": [number % 7 for number in range(count)], "n": range(count)}), "a")
    (at_once,) = build_general_values(loaded.tables, loaded.layout, config, notation)
    monkeypatch.setattr(one_table, "_SLICE", 64)
    monkeypatch.setattr(one_table, "_RECORDS_PER_JOINED", 1)
    (part,) = build_general_values(loaded.tables, loaded.layout, config, notation)
    assert (len(at_once.slices), len(part.slices)) == (0, 16)
    write_part(store, part, store.folder / "out.csv", notation, header=True)
    lines = [f"{number % 7},{number}" for number in range(count)]
    assert (store.folder / "out.csv").read_text().splitlines() == ["a,n", *lines]
    assert [path.name for path in store.folder.glob("out*")] == ["out.csv"]


def test_slices_are_large_beside_the_classes_that_each_is_joined_to(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = load(store, pa.table({"a": range(1000)}), "a")
    monkeypatch.setattr(one_table, "_SLICE", 64)
    (part,) = build_general_values(loaded.tables, loaded.layout, KEEP, Notation(","))
    assert part.slices == ()
