"""A session counts the records that lack a value, by column, whatever becomes of them."""

import pandas as pd
import pytest

import toolbox

PEOPLE = pd.DataFrame(
    {"age": [20, None, 22, 23], "town": ["Graz", None, None, "Wien"], "ill": ["flu", "flu", "cold", "flu"]}
)


@pytest.mark.parametrize(("policy", "left_out", "asks"), [(None, 2, True), ("skip", 2, False), ("keep", 0, False)])
def test_they_are_counted_by_column_with_what_becomes_of_them(policy: str | None, left_out: int, *, asks: bool) -> None:
    columns = {"quasi_identifiers": ["age", "town"], "sensitive": ["ill"], "kinds": {"age": "category"}}
    with toolbox.open(PEOPLE, **columns, on_missing=policy) as session:
        found = session.count_missing()
    assert (found.records, found.lacking, found.columns) == (4, 2, (("town", 2), ("age", 1)))
    assert (found.left_out, found.needs_choice, found.on_missing) == (left_out, asks, policy)
    becomes = "kept, with missing as a category" if policy == "keep" else "left out"
    assert found.headline() == f"2 of 4 records lack a value: {becomes}"
    assert found.document()["columns"] == {"town": 2, "age": 1}
