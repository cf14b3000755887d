"""One reading with learned values makes what two readings make, to the byte, whatever the values are."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from helpers.learned import (
    HEADER,
    IN_VAIN,
    KNOWN,
    ONE_READING,
    QID,
    TWO_READINGS,
    both_ways,
    delimited,
    learn_from,
    told,
    write,
)


@pytest.mark.slow
def test_quasi_identifiers_that_come_later_are_looked_up_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = "8,71,F,flu,x\n9,72,X,cold,x\n10,20,X,flu,x\n11,71,F,flu,x\n"
    folder = write(tmp_path, HEADER + KNOWN + later + KNOWN)
    learned, twice = both_ways(monkeypatch, folder, 8)
    assert (learned.readings, twice.readings) == (ONE_READING, TWO_READINGS)
    assert learned.outcome == twice.outcome
    assert learned.document["records_released"] == 20


@pytest.mark.slow
def test_a_value_that_passes_through_and_comes_later_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned, twice = both_ways(monkeypatch, write(tmp_path, HEADER + KNOWN + "8,20,F,gout,y\n"), 8)
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome
    assert b",gout,y\n" in learned.files["out.csv"]


@pytest.mark.slow
def test_a_column_in_which_a_value_stands_alone_stays_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = "".join(f"{number},20,F,flu,note {number}\n" for number in range(40))
    learned, twice = both_ways(monkeypatch, write(tmp_path, HEADER + notes), 8)
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome
    assert b",note 39\n" in learned.files["out.csv"]


@pytest.mark.slow
def test_two_unknown_combinations_with_one_hash_are_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real collision of the engine's hash: there is no key for both, so that all is read twice."""
    twins = "".join(f"1,{twin},x\n" * 2 for twin in ("2vlqxxnlappt", "2ko421qea908"))
    folder = write(tmp_path, "id,a,b\n" + "1,k,x\n" * 8 + twins, qid="<att name='a' type='category'/>", sens="")
    learned, twice = both_ways(monkeypatch, folder, 8)
    assert learned.readings == IN_VAIN
    assert learned.outcome == twice.outcome
    assert learned.files["out.csv"].decode().splitlines()[-4:] == ["2vlqxxnlappt,x"] * 2 + ["2ko421qea908,x"] * 2


# What is learned, and what is not


@pytest.mark.slow
def test_more_combinations_than_a_key_can_number_are_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"q{number}" for number in range(64)]
    lines = "".join(f"1,{','.join(str((row + place) % 2) for place in range(64))}\n" for row in range(8))
    qid = "".join(f"<att name='{name}' type='category'/>" for name in names)
    folder = write(tmp_path, f"id,{','.join(names)}\n{lines}", qid=qid, sens="")
    learn_from(monkeypatch, 8)
    assert told(folder).readings == TWO_READINGS
    few = write(tmp_path, f"id,{','.join(names)}\n{lines}", qid=qid[: qid.index("<att name='q37'")], sens="")
    learned, twice = both_ways(monkeypatch, few, 8)
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome


@pytest.mark.slow
def test_a_quasi_identifier_of_too_many_values_is_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, HEADER + KNOWN * 2)
    learned, twice = both_ways(monkeypatch, folder, 8, most_values=4)
    assert (learned.readings, learned.outcome) == (ONE_READING, twice.outcome)
    assert learned.files["out.csv"].decode().splitlines()[:3] == ["age,sex,illness,note", "20,F,flu,x", "21,M,cold,x"]
    learn_from(monkeypatch, 8, most_values=3)
    more = told(folder)
    assert (more.readings, more.outcome) == (TWO_READINGS, twice.outcome)


@pytest.mark.slow
def test_a_quasi_identifier_that_is_empty_at_first_is_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned, twice = both_ways(monkeypatch, write(tmp_path, HEADER + "1,,F,flu,\n" * 8 + KNOWN), 8)
    assert learned.readings == TWO_READINGS
    assert learned.outcome == twice.outcome
    assert learned.document["records_skipped"] == 8


def test_tables_that_are_kept_are_read_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, HEADER + KNOWN)
    learn_from(monkeypatch, 8)
    kept = told(folder, store=tmp_path / "out.duckdb")
    assert kept.readings == TWO_READINGS
    assert "out.duckdb" in kept.files


# What is missing, and what does not fit

GAPS = 'a,,F,flu,x\nb,20,"",flu,\nc,?,F,flu,""\nd,20,F,,?\ne,20,F,"",x\nf,20,F,?,x\n'
"""Every way of missing in every column."""


# By default each policy, each in another place.
@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("mode", ["", " compatibility='utd'"])
@pytest.mark.parametrize("place", ["both", "before", "behind"])
@pytest.mark.parametrize("policy", ["skip", "keep", "fail"])
def test_missing_values_are_missing_in_one_reading_too(
    mode: str, policy: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = {"before": GAPS * 2 + KNOWN * 2, "behind": KNOWN * 2 + GAPS, "both": GAPS * 2 + KNOWN * 2 + GAPS}[place]
    folder = write(
        tmp_path,
        HEADER + text,
        root=f"method='Mondrian' k='2'{mode}",
        given=f"header='true' onMissing='{policy}'",
        qid=QID.replace("number", "category"),
    )
    learned, twice = both_ways(monkeypatch, folder, 28 if place == "both" else 16)
    assert learned.outcome == twice.outcome
    assert (learned.error[0] == "InputError") == (policy == "fail")
    if policy != "fail":
        assert learned.readings == ONE_READING


@pytest.mark.slow
def test_lines_that_are_no_records_are_counted_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of them stand before what is learned from, and some behind it."""
    wrong = "1,2\n\n\r\n1,20,F,flu,x,y,z\n"
    folder = write(tmp_path, HEADER + wrong + KNOWN * 2 + wrong)
    learned, twice = both_ways(monkeypatch, folder, 8, rejects=tmp_path / "out.rejects")
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome
    assert (learned.document["lines_rejected"], learned.document["lines_blank"]) == (4, 4)
    assert learned.files["out.rejects"] == b"1,2\n1,20,F,flu,x,y,z\n" * 2


UNREADABLE = {
    "bytes of another encoding in a quasi-identifier": b"8,20,\xff,flu,x\n",
    "bytes of another encoding that pass through": b"8,20,F,flu,\xff\n",
    "a quote that never closes": b'8,20,F,flu,"x\n',
    "a value out of its domain": b"8,young,F,flu,x\n",
    "more wrong lines than are allowed": b"8\n" * 40,
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("line", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("place", ["before", "behind"])
def test_what_stops_two_readings_stops_one(
    place: str, line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = KNOWN.encode() * 2
    folder = write(tmp_path, HEADER.encode() + (line + known if place == "before" else known + line))
    learned, twice = both_ways(monkeypatch, folder, 8)
    assert learned.outcome == twice.outcome
    assert learned.error[0] == "InputError"
    assert not learned.files


AWKWARD = [
    *("'", '"', "%", "100%", "?'", "a,b", "a\nb", "é", "E\u0301", " a", "a ", "A", "a", "名前", "{a}", "*", ""),
    *("\\", "\t", "\x01", "\x00", "x\x00y", "\U0001f600", "NULL", "null", "1e3", "a" * 3000),
]


COMPARED = {
    "texts that are quoted in SQL": ["'", "''", "%", "%s", "100%", ":x", "\\", "\\'", '"', "--", ";", "E'", "$1"],
    "texts that are nearly alike": ["a", "A", " a", "a ", "é", "E\u0301", "É", "名前", "名", "NULL", "null", "0", "00"],
    "one that nobody sees": ["a", "b", "a\u200b", "\x01", "\x00"],
    "a long one": ["a" * 100, "a" * 101, "a"],
    "as many as are compared": [f"value {number:02}" for number in range(20)],
    "one more": [f"value {number:02}" for number in range(21)],
}


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("texts", COMPARED.values(), ids=COMPARED)
def test_few_texts_are_compared_letter_by_letter(
    texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two quasi-identifiers, of which one says what the other one must be; some of their values are missing."""
    rows = [["1", text, other] for text, other in zip(texts, reversed(texts), strict=True)] * 2 + [["1", "", ""]]
    qid = "<att name='a' type='category'/><att name='b' type='category'/>"
    folder = write(
        tmp_path,
        delimited(["id", "a", "b"], rows * 2),
        qid=qid,
        sens="",
        root="method='Mondrian' k='1'",
        given="header='true' onMissing='keep'",
    )
    learned, twice = both_ways(monkeypatch, folder, 1000)
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome
    assert len(learned.files["out.csv"].splitlines()) == 1 + 2 * len(rows)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("sample", [1000, 4])
def test_texts_are_kept_letter_by_letter(sample: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["1", text, AWKWARD[-place - 1]] for place, text in enumerate(AWKWARD)] * 2
    qid = "<att name='a' type='category'/>"
    folder = write(tmp_path, delimited(["id", "a", "b"], rows), qid=qid, sens="", root="method='Mondrian' k='1'")
    learned, twice = both_ways(monkeypatch, folder, sample)
    assert learned.outcome == twice.outcome
    if sample == 1000:
        assert learned.readings == ONE_READING, "a table smaller than the sample is learned as a whole"
    _, *released = csv.reader(io.StringIO(learned.files["out.csv"].decode(), newline=""))
    assert [row[1] for row in released] == [row[2] for row in rows if row[1]]


# Numbers that are read, not looked up

PLACES = ["47.0700", "46.6200", "47.8000", "48.2100", "47.0701", "-0.5000"]
ODD = {
    "numbers of the range of the sample, and a little beyond": ["47.5000", "48.9999", "46.0000"],
    "numbers far away": ["9999.0000", "-9999.0000", "123456789012345678.0000"],
    "numbers that are written otherwise": ["47.07", "+47.0700", "047.0700", "4.70700e1", " 47.0700", "47_0.0000"],
    "one number in two ways, of which the sample has one": ["47.070", "47.0700"],
}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("policy", ["skip", "keep"])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_numbers_that_are_read_make_what_texts_make(
    odd: list[str], policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [["1", place, "FM"[index % 2], "flu", "x"] for index, place in enumerate(PLACES * 4)]
    rows += [["2", text, "F", "flu", "x"] for text in (*odd, "") for _ in range(2)]
    folder = write(
        tmp_path,
        delimited(HEADER.strip().split(","), rows),
        given=f"header='true' onMissing='{policy}'",
        qid=QID.replace("number", "category"),
    )
    learned, twice = both_ways(monkeypatch, folder, 4 * len(PLACES), soon_found=2)
    assert learned.readings == ONE_READING
    assert learned.outcome == twice.outcome
    listed, _ = both_ways(monkeypatch, folder, 4 * len(PLACES))
    assert listed.outcome == twice.outcome


NO_NUMBERS = {
    "a word": [*PLACES, "unknown"],
    "decimals of several lengths": [*PLACES, "47.1"],
    "a leading zero": [*PLACES, "047.1000"],
    "more digits than there is room for": [*PLACES, "123456789012345678.0000"],
}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("texts", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_many_texts_that_are_no_numbers_of_one_form_are_looked_up_or_read_twice(
    texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [["1", text, "FM"[index % 2], "flu", "x"] for index, text in enumerate(texts * 4)]
    folder = write(tmp_path, delimited(HEADER.strip().split(","), rows), qid=QID.replace("number", "category"))
    learned, twice = both_ways(monkeypatch, folder, 1000, soon_found=2)
    assert (learned.readings, learned.outcome) == (ONE_READING, twice.outcome)
    few, _ = both_ways(monkeypatch, folder, 1000, soon_found=2, most_values=3)
    assert (few.readings, few.outcome) == (TWO_READINGS, twice.outcome)
