"""The classes of a release, before it is known what its values mean."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest
from helpers.comparisons import lines, records
from sqlalchemy import select

from toolbox.errors import InputError
from toolbox.published.tables import Records, Release, build_release_classes
from toolbox.store.engine.store import Store


def release(
    store: Store,
    text: str,
    names: str,
    sensitive: str = "",
    roots: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Release:
    return build_release_classes(
        store,
        records(store, lines(text)).counted,
        name="the release",
        quasi_identifiers=names.split(),
        sensitive=sensitive.split(),
        roots=roots,
    )


def classes(store: Store, found: Release) -> dict[tuple[str | None, ...], tuple[int, bool]]:
    """Return size and suppression of each class by its texts."""
    table, joined = found.classes, found.classes
    for cells, name in zip(found.cells, found.cell_names, strict=True):
        joined = joined.join(cells, cells.c.cell_id == table.c[name])  # type: ignore[assignment]
    texts = [cells.c.text for cells in found.cells]
    rows = store.rows(select(table.c.size, table.c.suppressed, *texts).select_from(joined))
    return {tuple(shown): (size, suppressed) for size, suppressed, *shown in rows}


def test_records_that_agree_in_all_quasi_identifiers_are_a_class(store: Store) -> None:
    found = release(store, "f 20-29\nm 20-29\nf 20-29\nf *", "sex age")
    assert classes(store, found) == {("f", "20-29"): (2, False), ("m", "20-29"): (1, False), ("f", "*"): (1, False)}
    assert (found.records, found.quasi_identifiers, found.cell_names) == (4, ("sex", "age"), ["cell_1", "cell_2"])


def test_texts_are_compared_as_they_stand(store: Store) -> None:
    assert len(classes(store, release(store, "1\n1.0\n01\nA\na", "value"))) == 5


def test_a_missing_value_is_a_value(store: Store) -> None:
    found = release(store, "- 1\n- 1\nf 1", "sex age")
    assert classes(store, found) == {(None, "1"): (2, False), ("f", "1"): (1, False)}


def test_a_class_is_suppressed_where_every_cell_is_a_root(store: Store) -> None:
    found = release(store, "* *\n* any\nany any\n* 1", "sex age", roots={"age": ("any",)})
    assert classes(store, found) == {
        ("*", "*"): (1, True),
        ("*", "any"): (1, True),
        ("any", "any"): (1, False),
        ("*", "1"): (1, False),
    }


def test_each_column_knows_its_distinct_texts(store: Store) -> None:
    (cells,) = release(store, "b\n-\na\nb", "letter").cells
    rows = store.rows(select(cells.c.cell_id, cells.c.text, cells.c.records).order_by(cells.c.cell_id))
    assert sorted(number for number, _, _ in rows) == [0, 1, 2]
    assert {(text, count) for _, text, count in rows} == {("a", 1), ("b", 2), (None, 1)}


def test_sensitive_values_are_counted_in_each_class(store: Store) -> None:
    found = release(store, "f flu 1\nf flu 2\nf - 1\nm flu 1", "sex", "disease visits")
    assert dict(found.sensitive) == {"disease": "text_1", "visits": "text_2"}
    held, cells, table = found.held, found.cells[0], found.classes
    joined = held.join(table, table.c.equivalence_id == held.c.equivalence_id).join(
        cells, cells.c.cell_id == table.c.cell_1
    )
    rows = select(cells.c.text, held.c.text_1, held.c.text_2, held.c.records).select_from(joined)
    assert set(map(tuple, store.rows(rows))) == {
        ("f", "flu", "1", 1),
        ("f", "flu", "2", 1),
        ("f", None, "1", 1),
        ("m", "flu", "1", 1),
    }


def test_names_and_texts_may_hold_quotes(store: Store) -> None:
    found = build_release_classes(
        store,
        records(store, [("it's", '"x"'), ("it's", '"x"')]).counted,
        name="the release",
        quasi_identifiers=['a "name"'],
        sensitive=["it's; DROP TABLE"],
    )
    assert classes(store, found) == {("it's",): (2, False)}
    assert store.rows(select(found.held.c.text_1, found.held.c.records)) == [('"x"', 2)]


def test_a_table_without_records_is_an_error(store: Store) -> None:
    with pytest.raises(InputError, match=r"the table holds no record\. A table needs at least one\."):
        Records(store, records(store, [("a",)]).source, [0], is_left_out=lambda relation: relation.c.c0 == "a")
