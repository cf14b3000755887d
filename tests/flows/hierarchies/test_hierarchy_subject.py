"""The hierarchy that `toolbox hierarchy` is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.errors import ConfigurationError, UsageError
from toolbox.flows.arguments.checks import make_text_input
from toolbox.flows.hierarchies.subject import HierarchyRequest, read_subject

TOWNS = "Graz;Styria;*\nLeoben;Styria;*\nWien;Vienna;*\n"


def test_a_file_names_its_values_and_data_are_set_against_them(tmp_path: Path) -> None:
    folder = tmp_path
    (folder / "towns.csv").write_text(TOWNS)
    (folder / "people.csv").write_text("age,town\n20,Graz\n30,Bonn\n40,Graz\n,\n")
    subject = read_subject(HierarchyRequest(files=(folder / "towns.csv",), column="town", data=folder / "people.csv"))
    assert (subject.name, subject.column, subject.kind) == (str(folder / "towns.csv"), "town", "category")
    assert subject.coverage is not None
    assert (dict(subject.coverage.records), dict(subject.coverage.uncovered)) == ({"Graz": 2}, {"Bonn": 1})


def test_nothing_named_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Nothing names the hierarchy"):
        read_subject(HierarchyRequest())
    with pytest.raises(UsageError, match=r"Write --column NAME"):
        read_subject(HierarchyRequest(files=(tmp_path / "a.csv",), data=tmp_path / "b.csv"))


@pytest.mark.parametrize(
    ("text", "kind", "remarks"),
    [
        ("1;a;*\n2;a;*\n3;b;*\n", "number", []),
        ("01;a;*\n02;a;*\n", "category", [("order", 1)]),
        ("1;a;*\n2;b;*\n3;a;*\n", "category", [("order", 1)]),
        ("1,2 => a\n3 => b\n", "number", [("notation", 0)]),
        ("v;l;m\n1;a;*\n2;a;*\n3;b;*\n", "number", [("header", 0)]),
    ],
)
def test_how_a_file_was_read_is_told(tmp_path: Path, text: str, kind: str, remarks: list[tuple[str, int]]) -> None:
    path = tmp_path / "tree"
    path.write_text(text)
    subject = read_subject(HierarchyRequest(files=(path,)))
    assert (subject.kind, [(remark.kind, remark.line) for remark in subject.remarks]) == (kind, remarks)


def test_a_document_alone_takes_decimal_commas_of_the_data(tmp_path: Path) -> None:
    (tmp_path / "t.xml").write_text("<vgh value='[0:9]'><node value='[0:5]'/><node value='[5:9]'/></vgh>")
    (tmp_path / "d.csv").write_text("x;y\n4,5;1\n9,5;1\n")
    asked = HierarchyRequest(
        files=(tmp_path / "t.xml",), column="x", data=tmp_path / "d.csv", reading=make_text_input(None, None, ",", None)
    )
    subject = read_subject(asked)
    assert list(subject.outline.paths()) == [("4,5", "[0:5]", "[0:9]")]
    assert subject.coverage is not None
    assert (dict(subject.coverage.records), dict(subject.coverage.uncovered)) == ({"4,5": 1}, {"9,5": 1})
    assert [remark.kind for remark in subject.remarks] == ["interval"]


def test_faults_of_a_file_are_raised_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;x;*\nb;x;**\na;y;*\n")
    with pytest.raises(ConfigurationError) as error:
        read_subject(HierarchyRequest(files=(tmp_path / "t.csv",)))
    assert [fault.line for fault in error.value.faults] == [2, 3]
