"""The flows of `toolbox hierarchy` that look at one."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import ConfigurationError
from toolbox.flows.hierarchies.commands import check_hierarchy, report_of, show_hierarchy
from toolbox.flows.hierarchies.subject import HierarchyRequest, read_subject

AGES = "18;15-19;*\n19;15-19;*\n20;15-19;*\n21;20-24;*\n22;20-24;*\n"


def write(folder: Path, text: str, name: str = "tree.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def found(path: Path, **named: object) -> list[tuple[str, int, bool]]:
    check = check_hierarchy(HierarchyRequest(files=(path,), **named))  # type: ignore[arg-type]
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
        check_hierarchy(HierarchyRequest(files=(tmp_path / "tree.csv",)))


def test_the_data_are_checked_and_their_values_told_only_if_asked_for(tmp_path: Path) -> None:
    path, data = write(tmp_path, AGES.replace("20;15-19", "20;20-24")), write(tmp_path, "age\n18\n99\n", "d.csv")
    asked = HierarchyRequest(files=(path,), column="age", data=data)
    check = check_hierarchy(asked)
    assert [finding.kind for finding in check.findings] == ["uncovered", "unused"]
    # The folder of a test has a number too.
    assert "99" not in str(check).replace(str(tmp_path), "")
    assert "It is '99'." in str(check_hierarchy(asked, shows_values=True))


def test_values_that_only_the_data_name_are_shown_only_if_asked_for(tmp_path: Path) -> None:
    tree = write(tmp_path, "<vgh value='[0:99]'/>", "tree.xml")
    asked = HierarchyRequest(files=(tree,), column="age", data=write(tmp_path, "age\n17\n98\n", "d.csv"))
    assert "17" not in str(show_hierarchy(asked)).replace(str(tmp_path), "")
    assert "17, 98" in str(show_hierarchy(asked, shows_values=True))


def test_a_report_says_how_the_hierarchy_was_read(tmp_path: Path) -> None:
    report = report_of(read_subject(HierarchyRequest(files=(write(tmp_path, "1 => a\n2 => b\n"),))))
    assert (report.kind, len(report.notes), report.notes[0].split(",")[0]) == (
        "number",
        1,
        "The file is written as rules",
    )
