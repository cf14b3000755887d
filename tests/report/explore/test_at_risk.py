"""Who is at risk before anything is generalised, in words, a table and a document."""

from __future__ import annotations

from toolbox.report.explore.records import AtRisk, ValueAtRisk

FOUND = AtRisk(
    k=5,
    quasi_identifiers=("age", "town"),
    records=1_000_000,
    at_risk=50_846,
    classes=46_279,
    column="town",
    values=(ValueAtRisk("[Graz]", 900_000, 50_000), ValueAtRisk(None, 49_154, 846)),
)


def test_one_sentence_says_how_many() -> None:
    assert FOUND.headline() == "50,846 of 1,000,000 records (5.08%) are in classes below k = 5"
    assert repr(FOUND) == f"<AtRisk: {FOUND.headline()}>"


def test_a_row_of_the_table_is_a_value() -> None:
    lines = [" ".join(line.split()) for line in str(FOUND).splitlines()]
    assert [line for line in lines if line and "─" not in line] == [
        FOUND.headline(),
        "by town",
        "safe at risk value",
        "900,000 50,000 [Graz]",
        "49,154 846",
    ]


def test_the_document_has_every_value() -> None:
    document = FOUND.document()
    assert document["share"] == 0.050846
    assert document["quasi_identifiers"] == ["age", "town"]
    assert document["values"] == [
        {"value": "[Graz]", "safe": 900_000, "at_risk": 50_000},
        {"value": None, "safe": 49_154, "at_risk": 846},
    ]
