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
