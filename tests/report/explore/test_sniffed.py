"""What was found out says the most important facts in one line, and all but the records in its document."""

from dataclasses import replace
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


def test_what_stands_below_the_last_record_is_a_footer() -> None:
    # Two lines of a title, a header on line 3, ten records on the lines 4 to 13.
    def footer(*numbers: int, header: bool = True) -> tuple[int, ...]:
        unreadable = tuple(Unreadable(number, None, "It has 1 value.") for number in numbers)
        records = 10 if header else 11
        known = {"header": header, "records": records, "rejected": len(numbers), "unreadable": unreadable}
        return replace(FOUND, **known).footer

    assert (footer(14), footer(14, 15), footer(14, header=False)) == ((14,), (14, 15), (14,))
    assert footer(15, 16) == (15, 16), "a blank line stands above it"
    assert [footer(), footer(13), footer(7, 15), footer(4, 5)] == [()] * 4


def test_it_is_told_in_lines_and_as_a_document() -> None:
    assert repr(FOUND) == "<Sniffed: text, 1 record, 2 columns, 2 lines that cannot be read>"
    assert str(FOUND).splitlines()[1] == "line 3: It has 1 value."
    document = FOUND.document()
    assert document["unreadable"][1] == {"line": 4, "file": "b.csv", "reason": "It has 3 values."}
    assert document["header_line"] == 3
    assert "Ada" not in str(document)
