"""OLA as a method: the release that costs least, by each kind of metric and with each kind of model."""

from __future__ import annotations

import pytest
from helpers import in_order
from helpers.lattices import TABLE
from helpers.small_tables import arrow

from toolbox import DistinctLDiversity, KAnonymity

TREES = {"age": "21 young *\n22 young *\n34 old *", "sex": "f *\nm *"}
ILLNESS = ["flu", "cold", "flu", "flu", "gout", "cold", "gout"]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # The two of 22 and m have flu both: suppression helps no other class, and is allowed all the same.
        (
            {"suppression_threshold": 5, "models": [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="illness")]},
            [0, 1],
        ),
        ({"suppression_threshold": 0}, [0, 1]),
        ({"suppression_threshold": 2}, [1, 0]),
        ({"suppression_threshold": 3, "objective": "number-of-classes"}, [0, 1]),
    ],
)
def test_the_release_that_costs_least(options: dict[str, object], expected: list[int]) -> None:
    hierarchies = {name: [line.split() for line in text.splitlines()] for name, text in TREES.items()}
    hierarchies["age"] = [(int(age), *labels) for age, *labels in hierarchies["age"]]
    table = arrow(TABLE).append_column("illness", [ILLNESS])
    k = {} if "models" in options else {"k": 2}
    result = in_order.anonymize(
        table,
        quasi_identifiers=["age", "sex"],
        sensitive=["illness"],
        hierarchies=hierarchies,
        method="OLA",
        **k,
        **options,
    )
    assert [one.level for one in result.summary.quasi_identifiers] == expected
    assert result.summary.searched is not None and result.summary.searched.is_proved
