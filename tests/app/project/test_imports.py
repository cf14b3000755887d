"""Files that somebody imports."""

from __future__ import annotations

import pytest

from toolbox.app.screens.hierarchy_edits import _ImportRefusedError, _read_uploaded_hierarchy, _Upload

RULES = (b"17,18 => 15-19\n21 => 20-24\n", b"15-19,20-24 => 15-24\n")


def refused(*uploads: _Upload) -> tuple[str, ...]:
    with pytest.raises(_ImportRefusedError) as error:
        _read_uploaded_hierarchy(uploads, "town")
    return error.value.sentences


def test_every_notation_is_read() -> None:
    for content in (b"town;wider;all\nGraz;Styria;*\nWien;Vienna;*\n", b"Graz => Styria\nWien => Vienna\n"):
        assert _read_uploaded_hierarchy([_Upload("towns", content)], "town")[0][:2] == ("Graz", "Styria")
    pairs = b"Graz;Styria\nStyria;Austria\nWien;Austria\n"
    assert _read_uploaded_hierarchy([_Upload("pairs.csv", pairs)], "town") == [
        ("Graz", "Styria", "Austria"),
        ("Wien", "Wien", "Austria"),
    ]


def test_several_files_are_rules_with_a_level_each() -> None:
    uploads = [_Upload(f"level_{level}.txt", content) for level, content in enumerate(RULES, start=1)]
    assert _read_uploaded_hierarchy(uploads, "age")[2] == ("21", "20-24", "15-24")
    assert refused(_Upload("1.txt", RULES[0]), _Upload("2.txt", b"17 => a"))[0].startswith("level 2, line 1:")


def test_what_is_no_hierarchy_is_refused_with_all_that_is_wrong() -> None:
    assert refused() == ("No file is chosen.",)
    assert len(refused(_Upload("t", b"a;x;1\nb;x;2\nc;y;1\nd;y;2\n"))) == 2
    assert refused(_Upload("t", b"")) == ("The hierarchy is empty. Write a row per value.",)
    assert "is not UTF-8" in refused(_Upload("t", b"\xff\xfe\x00a"))[0]
    assert "t is not UTF-8" in refused(_Upload("t", b"\xff"), _Upload("u", RULES[0]))[0]


def test_no_path_of_ours_is_told() -> None:
    for content in (b"\x00", b'"a;b', b"<config", b"PK\x03\x04\x14\x00", b"a;b\nc"):
        assert "toolbox-app-" not in " ".join(refused(_Upload("mine.csv", content)))
