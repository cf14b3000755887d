"""What was granted may be named, with all that comes into it; `test_security.py` attacks the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox import Project
from toolbox.app.project.files import Reach
from toolbox.errors import UsageError


def test_a_folder_that_was_granted_may_get_more_files(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "root").mkdir()
    xml = tmp_path / "root/project.xml"
    xml.write_text("<config><input filename='../parts'/><output filename=''/></config>")
    project, reach = Project.open(xml), Reach(tmp_path / "root")
    with pytest.raises(UsageError, match=r"'project\.xml' names '\.\./parts', which is not below .*root,"):
        reach.require(project)
    reach.grant(project.find_named_files())
    (tmp_path / "parts/a.csv").write_text("x\n")
    assert project.find_named_files() == {str(xml.parent / "../parts"): [str(xml.parent / "../parts/a.csv")]}
    reach.require(project)


TABLE = "<tables><table name='visits' filename='{}'>{}</table></tables>"
TREE = "<{0}><att name='ward'><vgh file='link/a.csv'/></att></{0}>"


@pytest.mark.parametrize(
    "told",
    [
        "<input filename='l*nk/a.csv'/>",
        "<population filename='l*nk/a.csv'/>",
        "<earlier filename='l*nk/a.csv'/>",
        "<earlier><file name='l*nk/a.csv'/></earlier>",
        TABLE.format("l*nk/a.csv", ""),
        TABLE.format("visits.csv", TREE.format("qid")),
        TABLE.format("visits.csv", TREE.format("sens")),
        TREE.format("qid"),
    ],
)
def test_no_table_and_no_hierarchy_is_outside_the_root_not_by_a_pattern_either(told: str, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.csv").write_text("secret\n")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/link").symlink_to(tmp_path / "outside")
    (tmp_path / "root/b.xml").write_text(f"<config>{told}</config>")
    with pytest.raises(UsageError, match=r"^'b\.xml' names 'link/a\.csv', which is not below .*root,"):
        Reach(tmp_path / "root").require(Project.open(tmp_path / "root/b.xml"))


@pytest.mark.parametrize("place", ["input", "output", "population"])
def test_a_database_that_is_a_file_is_named_by_its_owner_alone(place: str, tmp_path: Path) -> None:
    """Whoever starts the application with the project has granted it; a server may be anywhere."""
    xml, url = tmp_path / "a.xml", "sqlite:////outside/people.db"
    xml.write_text(f"<config><{place} url='{url}' table='people'/></config>")
    project, reach = Project.open(xml), Reach(tmp_path)
    with pytest.raises(UsageError, match=f"^'a.xml' names '{url}', which is not below"):
        reach.require(project)
    reach.grant(project.find_named_files())
    reach.require(project)
    xml.write_text(f"<config><{place} url='postgresql://releaser@db.example/census' table='people'/></config>")
    Reach(tmp_path).require(Project.open(xml))
