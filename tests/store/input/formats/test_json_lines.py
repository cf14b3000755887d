"""JSON lines: names that differ from line to line, values of any kind, and lines that are no objects."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from helpers.file_tables import FileReader

from toolbox.store.input.formats import json_lines
from toolbox.store.input.source import RecordPlace


def written(path: Path, *lines: str, encoding: str = "utf-8") -> Path:
    path.write_bytes("\n".join(lines).encode(encoding))
    return path


def test_lines_are_records_and_names_are_columns(read: FileReader, tmp_path: Path) -> None:
    path = written(
        tmp_path / "p.jsonl",
        '{"a": 1, "b": "x", "half": 2}',
        "",
        '{"b": null, "c": [1, {"d": "ü"}], "half": 0.5}',
        "{}",
        '{"a": 2, "half": NaN, "late": true}',
    )
    assert read.rows(path) == [
        ("a", "b", "half", "c", "late"),
        (1, "x", 2.0, None, None),
        (None, None, 0.5, '[1,{"d":"ü"}]', None),
        (None, None, None, None, None),
        (2, None, None, None, True),
    ]
    source = read.source(path)
    assert source.account(4).blank == 1
    assert (source.place, source.place_of(2), source.place_of(4)) == ("line", RecordPlace(3), RecordPlace(5))


def test_numbers_beyond_64_bits_stay_exact_and_are_numbers(read: FileReader, tmp_path: Path) -> None:
    path = written(tmp_path / "p.ndjson", '{"a": 1}', '{"a": 123456789012345678901234567890}', '{"a": 0.5}')
    assert read.rows(path)[1:] == [("1",), ("123456789012345678901234567890",), ("0.5",)]
    assert read.kinds(path) == ["number"]


def test_packed_files_and_several_are_one_table(read: FileReader, tmp_path: Path) -> None:
    first = tmp_path / "1.jsonl.gz"
    first.write_bytes(gzip.compress(b'{"a": 1}\n'))
    second = written(tmp_path / "2.jsonl", '\ufeff{"b": 2}', '{"a": "x"}')
    assert read.rows(first, second) == [("a", "b"), ("1", None), (None, 2), ("x", None)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['{"a": 1}', '{"a": 2, "b"'], "line 2: holds no JSON, or breaks off. Each line is one complete object."),
        (['{"a": 1}', '{"a": 2, "b": 1, "a": 3}'], "line 2: has the name 'a' twice. Each line is one complete object."),
        (['{"a": 1}', "[1, 2]"], "line 2: is no object. Each line is one, with names: "),
        (['{"a": {"b": 1, "b": 2}}'], "line 1: has the name 'b' twice."),
        (["secret,words", "1,2"], "line 1: holds no JSON, or breaks off."),
        (["[" * 100_000], "line 1: holds no JSON, or breaks off."),
        (
            ['{"a": 1}', '{"a": "' + "x" * 8_000_000 + '"}'],
            "line 2: is longer than 8 MB. Does a line end or a quote lack?",
        ),
        (["{}", "{}"], " has no columns. A table needs at least one."),
        (["[", '{"a": 1}', "]"], " has the name of JSON lines, and is a JSON document."),
    ],
)
def test_what_is_no_object_is_told_by_its_line(lines: list[str], said: str, read: FileReader, tmp_path: Path) -> None:
    found = read.refusal(written(tmp_path / "p.jsonl", *lines))
    assert said in found
    assert "secret" not in found


def test_text_in_another_encoding_is_told(read: FileReader, tmp_path: Path) -> None:
    path = written(tmp_path / "p.jsonl", '{"a": 1}', '{"a": "ü"}', encoding="latin-1")
    assert read.refusal(path).startswith("p.jsonl, line 2: the text is not utf-8.")
    assert read.rows(path, encoding="latin-1") == [("a",), ("1",), ("ü",)]


def test_values_in_the_place_of_names_end_the_reading(read: FileReader, tmp_path: Path) -> None:
    names = ", ".join(f'"n{number}": 1' for number in range(json_lines.MOST_NAMES))
    path = written(tmp_path / "p.jsonl", f"{{{names}}}", '{"one more": 1}')
    assert "line 2: the lines have more than 10,000 different names." in read.refusal(path)
