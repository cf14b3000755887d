"""Relative paths lead to the same file from another folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from toolbox.config.xml.writing import rewrite_path, rewrite_relative_paths


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
        "<qid><att name='d.csv'><vgh file='e.csv'/></att></qid><sens><att name='f'><vgh file='g.csv'/></att></sens></config>"
    )
    rewrite_relative_paths(root, Path("x"), Path("y"))
    assert [value for element in root.iter() for value in element.attrib.values()] == [
        *("../x/a.csv", "u", "../x/b.csv", "../x/c.csv", "d.csv", "../x/e.csv", "f", "../x/g.csv")
    ]


def test_the_uri_of_a_folder_that_a_cluster_reads_stays() -> None:
    root = etree.fromstring("<config><engine name='spark'/><input filename='s3a://b/people/'/></config>")
    rewrite_relative_paths(root, Path("x"), Path("y"))
    assert root.find("input").get("filename") == "s3a://b/people/"
