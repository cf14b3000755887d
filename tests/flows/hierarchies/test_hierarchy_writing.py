"""The flows of `toolbox hierarchy` that write one."""

from __future__ import annotations

from pathlib import Path

import pytest

import toolbox
from toolbox.errors import ConfigurationError, OutputError, UsageError
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.hierarchies.commands import build_hierarchy, convert_hierarchy, read_listed_subject, write_hierarchy
from toolbox.flows.hierarchies.subject import HierarchyRequest
from toolbox.hierarchy.notations import NOTATIONS

AGES = "18;15-19;*\n19;15-19;*\n20;15-19;*\n21;20-24;*\n22;20-24;*\n"


def write(folder: Path, text: str, name: str = "tree.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_hierarchy_goes_into_each_notation_and_back(tmp_path: Path, notation: str) -> None:
    asked = HierarchyRequest(files=(write(tmp_path, AGES),))
    text, _ = convert_hierarchy(asked, notation)  # type: ignore[arg-type]
    there = write(tmp_path, text, "there")
    data = write(tmp_path, "age\n18\n19\n20\n21\n22\n", "d.csv") if notation == "utd" else None
    back, report = convert_hierarchy(HierarchyRequest(files=(there,), column=data and "age", data=data), "arx")
    assert back == AGES
    assert report.notes == ()


def test_intervals_that_name_no_value_are_no_table(tmp_path: Path) -> None:
    tree = write(tmp_path, "<vgh value='[0:99]'/>", "tree.xml")
    with pytest.raises(ConfigurationError, match="Name the data whose values are listed: DATA --column NAME"):
        convert_hierarchy(HierarchyRequest(files=(tree,)), "arx")
    data = write(tmp_path, "age\n17\n100\n", "d.csv")
    with pytest.raises(ConfigurationError, match="lacks 1 value of 1 record"):
        convert_hierarchy(HierarchyRequest(files=(tree,), column="age", data=data), "arx")


def test_a_builder_is_written_as_a_run_would_use_it(tmp_path: Path) -> None:
    data = write(tmp_path, "zip,n\n8010,1\n8020,1\n?,1\n9999,1\n", "d.csv")
    text, report = build_hierarchy(HierarchyRequest(column="zip", data=data), "prefix:2,1:other=root", "arx")
    assert text == "8010;80**;8***;*\n8020;80**;8***;*\n9999;99**;9***;*\n"
    assert report.notes == (
        "The file lists the values of today. For others to go to the root, write <vgh file='..' other='root'/>.",
    )
    assert "8010" not in str(report)
    with pytest.raises(UsageError, match="Nothing names the column"):
        build_hierarchy(HierarchyRequest(data=data), "prefix:2", "arx")
    with pytest.raises(UsageError, match="there is no value"):
        build_hierarchy(
            HierarchyRequest(column="a", data=write(tmp_path, "a,b\n?,1\n,1\n", "e.csv")), "prefix:2", "arx"
        )


def test_a_file_is_written_whole_over_an_older_one_and_over_nothing_else(tmp_path: Path) -> None:
    read = write(tmp_path, AGES)
    asked = HierarchyRequest(files=(read,))
    older = write(tmp_path, "older", "zip.csv")
    write_hierarchy("a;*\r\n", older, asked)
    assert older.read_bytes() == b"a;*\r\n"
    (tmp_path / "link").symlink_to(older)
    for name, said in (("tree.csv", "is read itself"), ("link", "is a symbolic link"), (".", "is a folder")):
        with pytest.raises(UsageError, match=said):
            write_hierarchy("", tmp_path / name, asked)
    with pytest.raises(OutputError, match="There is no folder"):
        write_hierarchy("", tmp_path / "no" / "a.csv", asked)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "tree.csv", "zip.csv"]
    assert (read.read_text(), older.read_bytes()) == (AGES, b"a;*\r\n")


def test_what_is_listed_names_its_values(tmp_path: Path) -> None:
    assert read_listed_subject(HierarchyRequest(files=(write(tmp_path, AGES),))).outline.list_all_values()[0] == "18"
    with pytest.raises(ConfigurationError, match="name none"):
        read_listed_subject(HierarchyRequest(files=(write(tmp_path, "<vgh value='[0:9]'/>"),)))


def test_no_file_that_a_configuration_or_a_builder_names_is_written_over(tmp_path: Path) -> None:
    config = write(
        tmp_path,
        "<config><input filename='people.csv' header='true'/><output filename='out.csv'/>"
        "<population filename='all.csv'/><qid><att name='age'><vgh file='tree.csv'/></att></qid></config>",
        "c.xml",
    )
    tree, people = write(tmp_path, AGES), write(tmp_path, "age\n18\n", "people.csv")
    everybody, parents = write(tmp_path, "age\n18\n", "all.csv"), write(tmp_path, "8010;Graz\n", "parents.csv")
    asked = HierarchyRequest(config=read_configuration(config, is_run=False), column="age")
    for path in (config, tree, people, everybody):
        with pytest.raises(UsageError, match="is read itself"):
            write_hierarchy("", path, asked)
        with pytest.raises(UsageError, match="is read itself"):
            toolbox.hierarchies.write(config, path, column="age")
    with pytest.raises(UsageError, match="is read itself"):
        write_hierarchy("", parents, HierarchyRequest(column="age", data=people), f"tree:{parents}:other=root")
    write_hierarchy("a;*\n", tmp_path / "new.csv", asked)
    assert (tree.read_text(), people.read_text(), everybody.read_text()) == (AGES, "age\n18\n", "age\n18\n")
