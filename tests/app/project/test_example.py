"""The example is the same for everybody, and a table that the toolbox understands."""

from pathlib import Path

import toolbox
from toolbox.app.project.files import RECORDS
from toolbox.app.screens.data import _write_example


def test_the_example_has_one_of_each_role(tmp_path: Path) -> None:
    path = _write_example(tmp_path)
    before = path.read_bytes()
    assert _write_example(tmp_path).read_bytes() == before
    suggestion = toolbox.suggest(path)
    assert suggestion.plan.records == RECORDS
    assert {
        column.name: column.role for column in suggestion.columns if column.name in ("name", "born", "illness")
    } == {
        "name": "identifier",
        "born": "quasi-identifier",
        "illness": "sensitive",
    }
