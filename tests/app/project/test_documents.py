"""What lies beside a project is read only if it is a file of ours, and written as a whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from toolbox.app.project.documents import UnreadableError, has_shape, open_file_safely, read_document, write_document
from toolbox.errors import OutputError


def test_a_document_follows_no_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "a.json").symlink_to(victim)
    (tmp_path / f".a.json.{os.getpid()}").symlink_to(victim)
    with pytest.raises(UnreadableError):
        read_document(tmp_path / "a.json", dict)
    write_document(tmp_path / "a.json", {"a": 1})
    assert (victim.read_text(), (tmp_path / "a.json").is_symlink()) == ("mine", False)
    (tmp_path / "there").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "there")
    with pytest.raises(OutputError, match="is a link"):
        write_document(tmp_path / "linked" / "a.json", {"a": 1})


def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    os.mkfifo(tmp_path / f".a.json.{os.getpid()}")
    for flags in (os.O_RDONLY, os.O_WRONLY | os.O_APPEND):
        with pytest.raises(OSError, match=r"no file|No such device"):
            open_file_safely(tmp_path / "a.json", flags)
    with pytest.raises(UnreadableError):
        read_document(tmp_path / "a.json", dict)
    write_document(tmp_path / "a.json", {"a": 1})
    assert read_document(tmp_path / "a.json", {"a": int}) == {"a": 1}


def test_what_is_no_document_of_ours_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert read_document(path, dict) is None
    for text in ("", "{", "[" * 200_000, "\udcff", "[]", '{"a": "1"}', '{"a": ' + "9" * 5000 + "}"):
        path.write_text(text, errors="surrogateescape")
        with pytest.raises(UnreadableError):
            read_document(path, {"a": int})
    path.unlink()
    path.mkdir()
    with pytest.raises(UnreadableError):
        read_document(path, {"a": int})
    with pytest.raises(OutputError, match=r"a\.json cannot be written: Is a directory"):
        write_document(path, {})


def test_values_fit_their_shape_and_no_other() -> None:
    cases: list[tuple[Any, Any, bool]] = [
        (5, float, True),
        (True, int, False),
        (float("inf"), float, False),
        (float("nan"), float, False),
        (10**400, int, False),
        (0.5, int, False),
        (None, (int, None), True),
        ("infinity", (float, "infinity"), True),
        ("nan", (float, "infinity"), False),
        ([1, "2"], [int], False),
        ({"a": 1, "b": []}, {"a": int}, True),
        ({}, {"a": int}, False),
        ([], {"a": int}, False),
        ({"a": "x", "b": 1}, {str: str}, False),
    ]
    for value, shape, expected in cases:
        assert has_shape(value, shape) is expected, (value, shape)
