"""The flows of `toolbox hierarchy`."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import ConfigurationError, OutputError, UsageError
from toolbox.flows.hierarchy import built, check_hierarchy, converted, show_hierarchy, write_hierarchy
from toolbox.flows.hierarchy_subject import Asked
from toolbox.hierarchy.notations.reading import NOTATIONS

AGES = "18;15-19;*\n19;15-19;*\n20;15-19;*\n21;20-24;*\n22;20-24;*\n"


def write(folder: Path, text: str, name: str = "tree.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def found(path: Path, **named: object) -> list[tuple[str, int, bool]]:
    check = check_hierarchy(Asked(files=(path,), **named))  # type: ignore[arg-type]
    return [(finding.kind, finding.line, finding.is_fault) for finding in check.findings]


def test_a_label_of_numbers_is_read_as_the_interval_that_it_says(tmp_path: Path) -> None:
    assert found(write(tmp_path, AGES)) == [("label", 1, True)]
    assert found(write(tmp_path, AGES.replace("20;15-19", "20;20-24"))) == []


def test_labels_of_categories_are_names(tmp_path: Path) -> None:
    assert found(write(tmp_path, "A7;1-2;*\nA8;1-2;*\nB7;3-4;*\n")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("table", 0, True)]),
        ("a;x;*\nb;x\n", [("table", 2, True)]),
        ("a;x;*\nb;x;**\na;y;*\n", [("two parents", 2, True), ("value twice", 3, True)]),
        ("<vgh value='[0:9]'>\n<node value='[0:3]'/></vgh>", [("interval", 1, True)]),
        ("a => x\na => y\n", [("table", 2, True)]),
        ("a;b\nb;a\n", [("table", 1, True)]),
    ],
)
def test_a_file_that_cannot_be_read_has_findings_with_lines(
    tmp_path: Path, text: str, expected: list[tuple[str, int, bool]]
) -> None:
    assert found(write(tmp_path, text)) == expected


def test_a_file_that_is_not_there_is_no_finding(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="There is no such file"):
        check_hierarchy(Asked(files=(tmp_path / "tree.csv",)))


def test_the_data_are_checked_and_their_values_told_only_if_asked_for(tmp_path: Path) -> None:
    path, data = write(tmp_path, AGES.replace("20;15-19", "20;20-24")), write(tmp_path, "age\n18\n99\n", "d.csv")
    asked = Asked(files=(path,), column="age", data=data)
    check = check_hierarchy(asked)
    assert [finding.kind for finding in check.findings] == ["uncovered", "unused"]
    assert "99" not in str(check)
    assert "It is '99'." in str(check_hierarchy(asked, shows_values=True))


def test_values_that_only_the_data_name_are_shown_only_if_asked_for(tmp_path: Path) -> None:
    tree = write(tmp_path, "<vgh value='[0:99]'/>", "tree.xml")
    asked = Asked(files=(tree,), column="age", data=write(tmp_path, "age\n17\n98\n", "d.csv"))
    assert "17" not in str(show_hierarchy(asked))
    assert "17, 98" in str(show_hierarchy(asked, shows_values=True))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_hierarchy_goes_into_each_notation_and_back(tmp_path: Path, notation: str) -> None:
    asked = Asked(files=(write(tmp_path, AGES),))
    text, _ = converted(asked, notation)  # type: ignore[arg-type]
    there = write(tmp_path, text, "there")
    data = write(tmp_path, "age\n18\n19\n20\n21\n22\n", "d.csv") if notation == "utd" else None
    back, report = converted(Asked(files=(there,), column=data and "age", data=data), "arx")
    assert back == AGES
    assert report.notes == ()


def test_intervals_that_name_no_value_are_no_table(tmp_path: Path) -> None:
    tree = write(tmp_path, "<vgh value='[0:99]'/>", "tree.xml")
    with pytest.raises(ConfigurationError, match="Name the data whose values are listed: DATA --column NAME"):
        converted(Asked(files=(tree,)), "arx")
    data = write(tmp_path, "age\n17\n100\n", "d.csv")
    with pytest.raises(ConfigurationError, match="lacks 1 value of 1 record"):
        converted(Asked(files=(tree,), column="age", data=data), "arx")


def test_a_builder_is_written_as_a_run_would_use_it(tmp_path: Path) -> None:
    data = write(tmp_path, "zip,n\n8010,1\n8020,1\n?,1\n9999,1\n", "d.csv")
    text, report = built(Asked(column="zip", data=data), "prefix:2,1:other=root", "arx")
    assert text == "8010;80**;8***;*\n8020;80**;8***;*\n9999;99**;9***;*\n"
    assert report.notes == (
        "The file lists the values of today. For others to go to the root, write <vgh file='..' other='root'/>.",
    )
    assert "8010" not in str(report)
    with pytest.raises(UsageError, match="Nothing names the column"):
        built(Asked(data=data), "prefix:2", "arx")
    with pytest.raises(UsageError, match="there is no value"):
        built(Asked(column="a", data=write(tmp_path, "a,b\n?,1\n,1\n", "e.csv")), "prefix:2", "arx")


def test_a_file_is_written_whole_over_an_older_one_and_over_nothing_else(tmp_path: Path) -> None:
    read = write(tmp_path, AGES)
    asked = Asked(files=(read,))
    older = write(tmp_path, "older", "zip.csv")
    write_hierarchy("a;*\r\n", older, asked)
    assert older.read_bytes() == b"a;*\r\n"
    (tmp_path / "link").symlink_to(older)
    with pytest.raises(UsageError, match="is read, and cannot be written as well"):
        write_hierarchy("", read, asked)
    for name, said in (("link", "it is a symbolic link"), (".", "it is a folder"), ("no/a.csv", "there is no folder")):
        with pytest.raises(OutputError, match=said):
            write_hierarchy("", tmp_path / name, asked)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "tree.csv", "zip.csv"]
    assert (read.read_text(), older.read_bytes()) == (AGES, b"a;*\r\n")
