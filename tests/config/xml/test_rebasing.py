"""Relative paths lead to the same file from another folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from toolbox.config.xml.writing import PATHS, rewrite_path, rewrite_relative_paths

SCHEMA = Path(__file__).parents[3] / "schemas" / "config.xsd"
XS = "{http://www.w3.org/2001/XMLSchema}"


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("a.csv", "x", "x", "a.csv"),
        ("a.csv", "x", "x/y", "../a.csv"),
        ("a.csv", "x/y", "x", "y/a.csv"),
        ("../data/*.csv", "x", "z/w", "../../data/*.csv"),
        ("parts/", "x", "z", "../x/parts/"),
        ("/etc/a.csv", "x", "z", "/etc/a.csv"),
    ],
)
def test_a_path_is_written_for_the_new_folder(
    path: str, old: str, new: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert rewrite_path(path, Path(old), Path(new)) == expected


def test_a_folder_that_is_a_link_is_left_by_its_real_name(tmp_path: Path) -> None:
    (tmp_path / "deep" / "real").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("here")
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "real")
    path = rewrite_path("a.csv", tmp_path / "data", tmp_path / "link")
    assert (tmp_path / "link" / path).read_text() == "here"


def test_every_path_of_a_configuration_is_rewritten_and_nothing_else() -> None:
    root = etree.fromstring(
        "<config><input filename='a.csv' url='u'><file name='b.csv'/></input><output filename='c.csv'/>"
        "<qid><att name='d.csv'><vgh file='e.csv'/></att></qid><sens><att name='f'><vgh file='g.csv'/></att></sens>"
        "<tables><table filename='h.csv'><qid><att name='i'><vgh file='j.csv'/></att></qid></table></tables></config>"
    )
    rewrite_relative_paths(root, Path("x"), Path("y"))
    assert [value for element in root.iter() for value in element.attrib.values()] == [
        *("../x/a.csv", "u", "../x/b.csv", "../x/c.csv", "d.csv", "../x/e.csv", "f", "../x/g.csv"),
        *("../x/h.csv", "i", "../x/j.csv"),
    ]


def list_paths_of_schema() -> Iterator[tuple[str, str]]:
    """Yield each attribute that is a path, below the elements that lead to it from the root on."""
    schema = etree.parse(str(SCHEMA)).getroot()
    kinds = {kind.get("name"): kind for kind in schema.iterfind(f"{XS}complexType")}

    def walk(element: etree._Element, place: str) -> Iterator[tuple[str, str]]:
        kind = kinds.get(element.get("type"), element)
        for attribute in kind.iter(f"{XS}attribute"):
            if attribute.get("type") == "path" and next(attribute.iterancestors(f"{XS}element"), None) in (
                None,
                element,
            ):
                yield place, attribute.get("name", "")
        for child in kind.iter(f"{XS}element"):
            is_next = next(child.iterancestors(f"{XS}element"), None) in (None, element)
            if child is not element and is_next and child.get("type") != "node":
                yield from walk(child, f"{place}/{child.get('name')}")

    return walk(schema.find(f"{XS}element"), ".")


def test_each_path_of_the_schema_is_known_as_one() -> None:
    """If it is not, projects name files that the application may not read, and saved configurations lose theirs."""
    of_schema = list(list_paths_of_schema())
    for place, attribute in of_schema:
        root = element = etree.Element("config")
        for tag in place.split("/")[1:]:
            element = etree.SubElement(element, tag)
        found = [each for path, name in PATHS if name == attribute for each in root.iterfind(path)]
        assert found == [element], f"{attribute}= of {place} is missing in PATHS of toolbox/config/xml/writing.py"
    assert sorted(of_schema) == [
        (".", "recoding"),
        ("./earlier", "filename"),
        ("./earlier/file", "name"),
        ("./input", "filename"),
        ("./input/file", "name"),
        ("./output", "filename"),
        ("./population", "filename"),
        ("./qid/att/vgh", "file"),
        ("./sens/att/vgh", "file"),
        ("./tables/table", "filename"),
        ("./tables/table/qid/att/vgh", "file"),
        ("./tables/table/sens/att/vgh", "file"),
    ]


def test_the_uri_of_a_folder_that_a_cluster_reads_stays() -> None:
    root = etree.fromstring("<config><engine name='spark'/><input filename='s3a://b/people/'/></config>")
    rewrite_relative_paths(root, Path("x"), Path("y"))
    assert root.find("input").get("filename") == "s3a://b/people/"
