"""The class of a record, and records that are in none."""

from __future__ import annotations

import pandas as pd
import pytest

import toolbox


def test_the_class_of_a_record_lists_its_values_the_most_frequent_first() -> None:
    ages = [*range(12), 3, 3, 7, None]
    people = pd.DataFrame({"age": pd.array(ages, dtype="Int64"), "sex": [*"fm" * 8]})
    with toolbox.open(people, quasi_identifiers=["age", "sex"], records=True) as session:
        variant = session.run(k=15, keep=True)
        found = session.class_of(4, variant)
        alone = session.class_of(4)
        with pytest.raises(toolbox.UsageError, match="Record 16 lacks a value, so that it is in no class"):
            session.class_of(16, variant)
        with pytest.raises(toolbox.UsageError, match="A variant has its own quasi-identifiers"):
            session.class_of(4, variant, ["age"])
    assert (found.size, found.suppressed, len(found.columns)) == (15, False, 2)
    age, sex = found.columns
    assert (age.name, age.released, age.others) == ("age", "[0:11]", 2)
    assert age.values[:3] == (("3", 3), ("7", 2), ("0", 1))
    assert (sex.released, sex.values) == ("{f,m}", (("f", 8), ("m", 7)))
    assert (alone.size, [column.values for column in alone.columns]) == (2, [(("3", 2),), (("m", 2),)])
