"""What was found out says the most important facts in one line, and all but the records in its document."""

from pathlib import Path

from toolbox.report.explore.suggestion import Sniffed, Unreadable

FOUND = Sniffed(
    source=Path("people.csv"),
    kind="text",
    separator=";",
    encoding="utf-8",
    header=True,
    header_line=3,
    missing=None,
    decimal=".",
    thousands="",
    columns=("name", "age"),
    kinds=("category", None),
    records=1,
    rows=(("Ada", None),),
    rejected=2,
    unreadable=(Unreadable(3, None, "It has 1 value."), Unreadable(4, Path("b.csv"), "It has 3 values.")),
)


def test_it_is_told_in_lines_and_as_a_document() -> None:
    assert repr(FOUND) == "<Sniffed: text, 1 record, 2 columns, 2 lines that cannot be read>"
    assert str(FOUND).splitlines()[1] == "line 3: It has 1 value."
    document = FOUND.document()
    assert document["unreadable"][1] == {"line": 4, "file": "b.csv", "reason": "It has 3 values."}
    assert document["header_line"] == 3
    assert "Ada" not in str(document)
