"""The tables of the AEPD's note on k-anonymity."""

from __future__ import annotations

import pytest
from helpers.comparisons import measured, unpaired
from helpers.small_tables import quasi_identifier

from toolbox.loss.cells import NormalisedCertaintyPenalty, Precision
from toolbox.loss.distances import AbsoluteDistance, FullDomainPrecision, RelativeDistance
from toolbox.loss.sizes import (
    AverageClassSize,
    Discernibility,
    DiscernibilityWithSuppression,
    NumberOfClasses,
    SuppressedRecords,
)
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)

CODES = ["24700", "28108", "37003", "37891", "50011"]
POSTCODE = quasi_identifier(
    "Postcode",
    hierarchy="\n".join(" ".join(code[:left] + "*" * (5 - left) for left in range(5, -1, -1)) for code in CODES),
)
AGE = quasi_identifier("Age", hierarchy="\n".join(f"{age} {age // 10}0-{age // 10}9 *" for age in range(100)))
TABLE_2 = "37003 40\n28108 44\n24700 37\n24700 37\n37003 44\n28108 40"
TABLE_3 = "37*** 40-49\n28*** 40-49\n24*** 30-39\n24*** 30-39\n37*** 40-49\n28*** 40-49"
TABLE_5 = TABLE_2 + "\n37891 33\n50011 13"
TABLE_6 = "37*** 40-49\n28*** 40-49\n24700 30-39\n24700 30-39\n37*** 40-49\n28*** 40-49\n37*** 30-39"
QUASI_IDENTIFIERS = (POSTCODE, AGE)


def test_table_3_beside_table_2(store: Store) -> None:
    beside = unpaired(store, TABLE_2, TABLE_3, QUASI_IDENTIFIERS)
    assert measured(AbsoluteDistance(), beside) == {"Postcode": 3, "Age": 1, None: 4}
    assert measured(RelativeDistance(), beside)[None] == pytest.approx(3 / 5 + 1 / 2)
    assert measured(FullDomainPrecision(), beside)[None] == pytest.approx(0.45)
    assert measured(Precision(), beside)[None] == pytest.approx(0.45)
    assert measured(Discernibility(), beside)[None] == 12
    # Each masked code hides one of three codes: 0. 40-49 is two of the three ages, 30-39 one: four times 2/3 of 12.
    found = measured(NormalisedCertaintyPenalty(), beside)
    assert found == pytest.approx({"Postcode": 0, "Age": 4 / 9, None: 2 / 9})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("original", "released", "discernibility", "classes"),
    [
        (TABLE_2, TABLE_2, 8, 5),
        (TABLE_5, TABLE_5, 10, 7),
        (TABLE_2, TABLE_3, 12, 3),
        (TABLE_2, TABLE_3.replace("24***", "24700"), 12, 3),
        (TABLE_5, TABLE_3 + "\n37*** 30-39\n50*** 10-19", 14, 5),
        (TABLE_5, TABLE_6, 13, 4),
        (TABLE_5, TABLE_6.removesuffix("\n37*** 30-39"), 12, 3),
        (TABLE_5, TABLE_6.replace("37*** 40-49", "37*** 30-49").replace("37*** 30-39", "37*** 30-49"), 17, 3),
    ],
)
def test_discernibility(store: Store, original: str, released: str, discernibility: int, classes: int) -> None:
    beside = unpaired(store, original, released, QUASI_IDENTIFIERS)
    assert measured(Discernibility(), beside)[None] == discernibility
    assert measured(NumberOfClasses(), beside)[None] == classes
    assert measured(AverageClassSize(), beside)[None] == len(released.splitlines()) / classes


@pytest.mark.slow
def test_the_records_that_table_6_leaves_out_are_suppressed(store: Store) -> None:
    """With both left out, three classes of 2, and two records that cost 8 each."""
    released = TABLE_6.removesuffix("\n37*** 30-39")
    beside = unpaired(store, TABLE_5, released, QUASI_IDENTIFIERS)
    assert measured(SuppressedRecords(), beside)[None] == 2
    assert measured(DiscernibilityWithSuppression(k=2), beside)[None] == 12 + 2 * 8
