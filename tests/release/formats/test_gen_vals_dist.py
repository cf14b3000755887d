"""genValsDist, read as the receiver of a release reads it."""

from dataclasses import replace

import pytest
from helpers.small_releases import KEEP, finished, read
from helpers.small_tables import declared, load
from sqlalchemy import Integer, cast, literal, select

from toolbox.config.formats import AS_IN_2010
from toolbox.release.formats.gen_vals_dist import build_values_with_statistics
from toolbox.store.engine.store import Store


@pytest.mark.slow
def test_genvalsdist_puts_the_statistics_of_the_class_behind_each_quasi_identifier(store: Store) -> None:
    loaded = load(store, "age sex illness\n20 F flu\n26 F cold\n23 M gout\n", "age sex")
    tables = loaded.tables
    one_class = select(
        tables.combinations.c.combination_id,
        tables.combinations.c.size,
        literal(False).label("suppressed"),
        *(
            cast(literal(one.root), Integer).label(name)
            for one, name in zip(tables.quasi_identifiers, tables.interval_names, strict=True)
        ),
    )
    (part,) = build_values_with_statistics(tables.recoded(one_class), loaded.layout, replace(KEEP, k=3))
    third, two_thirds = str(1 / 3), str(2 / 3)
    assert read(store, part) == [
        "age age_mean:variance sex sex_distribution illness",
        *(f"* 23.0:6.0 * {two_thirds}:{third} {illness}" for illness in ("flu", "cold", "gout")),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "shown"), [(1, "44.0:0.0"), (2, "None")])
def test_fewer_suppressed_records_than_k_have_no_statistics(store: Store, k: int, shown: str) -> None:
    """They would be the very values of whoever is suppressed alone."""
    tables, loaded = finished(store)
    (part,) = build_values_with_statistics(tables, loaded.layout, replace(KEEP, k=k))
    *others, last = read(store, part)[1:]
    assert last.split()[1] == shown
    assert [row.split()[1] for row in others] == ["20.0:0.0", "34.5:12.25", "34.5:12.25", "20.0:0.0"]


@pytest.mark.slow
def test_in_compatibility_the_statistics_take_the_place_of_the_values(store: Store) -> None:
    config = replace(declared("age sex", output_format="genValsDist"), compatibility=AS_IN_2010)
    loaded = load(store, "age sex illness\n20 F flu\n26 F cold\n23 M gout\n20 F flu\n", config)
    (part,) = build_values_with_statistics(loaded.tables, loaded.layout, config)
    assert read(store, part) == [
        "age sex illness",
        "20.0:0.0 1.0:0.0 flu",
        "26.0:0.0 1.0:0.0 cold",
        "23.0:0.0 0.0:1.0 gout",
        "20.0:0.0 1.0:0.0 flu",
    ]


def test_in_compatibility_suppressed_records_have_statistics_like_all_others(store: Store) -> None:
    tables, loaded = finished(store)
    config = replace(declared("sex age", k=3, output_format="genValsDist"), compatibility=AS_IN_2010)
    (part,) = build_values_with_statistics(tables, loaded.layout, config)
    assert [row.split()[0] for row in read(store, part)] == [
        *["age", "20.0:0.0", "34.5:12.25", "34.5:12.25", "20.0:0.0", "44.0:0.0"],
    ]
