"""genVals, read as the receiver of a release reads it."""

from helpers.small_releases import DROP, KEEP, finished, read

from toolbox.release.formats.gen_vals import build_general_values
from toolbox.store.engine.store import Store


def test_genvals_replaces_the_quasi_identifiers_in_the_order_of_the_input(store: Store) -> None:
    tables, loaded = finished(store)
    (part,) = build_general_values(tables, loaded.layout, KEEP)
    assert part.suffix == ""
    assert read(store, part) == [
        "age illness sex note",
        "young flu F x",
        "old cold M y",
        "old gout M z",
        "young flu F u",
        "* cold person v",
    ]


def test_suppressed_records_are_dropped_where_the_configuration_says_so(store: Store) -> None:
    tables, loaded = finished(store)
    (part,) = build_general_values(tables, loaded.layout, DROP)
    assert [row.split()[-1] for row in read(store, part)] == ["note", "x", "y", "z", "u"]
