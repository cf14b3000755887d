"""``-method package.module:Class`` runs a method from a file in the folder where the command line is used."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.running import run_as_program, run_in_process

pytestmark = pytest.mark.sampled(3)

METHOD = '''
"""A method at hand."""

from dataclasses import dataclass
from typing import ClassVar

from toolbox.methods.anonymizer import setting
from toolbox.methods.datafly import Datafly


@dataclass(frozen=True, kw_only=True)
class Mine(Datafly):
    """Datafly under another name."""

    name: ClassVar[str] = "Mine"
    mood: str = setting("idle", ("idle", "busy"))
'''
CONFIG = """<config k='2'{root}>
  <input filename='in.csv' header='true'/><output order='input' filename='out.csv'/>
  <qid><att name='age'><vgh value='[0:99]'/></att></qid>
</config>"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a method and what it needs; what a test imports from there is forgotten afterwards."""
    before = set(sys.modules)
    (tmp_path / "mine.py").write_text(METHOD)
    (tmp_path / "in.csv").write_text("age,illness\n23,flu\n25,cold\n27,flu\n")
    (tmp_path / "config.xml").write_text(CONFIG.format(root=""))
    yield tmp_path
    for name in {"mine", "broken", "evil"} - before:
        sys.modules.pop(name, None)


@pytest.mark.slow
def test_it_runs_as_an_installed_one_does_with_its_settings(folder: Path) -> None:
    options = ("-method", "mine:Mine", "--set", "mood=busy", "-suppThreshold", "0", "--json")
    finished = run_as_program(*options, cwd=folder).succeeded()
    assert finished.document["method"] in ("mine:Mine", "Mine")
    assert finished.document["settings"] == {"suppression_threshold": "0", "mood": "busy"}
    assert (folder / "out.csv").read_text() == "age,illness\n[0:99],flu\n[0:99],cold\n[0:99],flu\n"


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("mine:Yours", "mine has no class 'Yours'. It has: Mine."),
        ("yours:Mine", "there is no module 'yours'. Start in the folder that holds yours, or install it."),
        ("mine:dataclass", "The method 'mine:dataclass' is no subclass of Anonymizer."),
        ("broken:Mine", "broken.py, line 2: ZeroDivisionError: division by zero."),
    ],
)
def test_what_is_wrong_with_it_is_one_line_without_a_traceback(folder: Path, method: str, said: str) -> None:
    (folder / "broken.py").write_text("a = 0\nb = 1 / a\n")
    finished = run_in_process("-method", method, cwd=folder)
    assert (finished.status, finished.stdout) == (2, "")
    assert finished.stderr.count("\n") == 1
    assert finished.stderr.endswith(f"{said}\n")
    assert not (folder / "out.csv").exists()


def test_a_configuration_never_runs_code(folder: Path) -> None:
    (folder / "evil.py").write_text("open('here', 'w')\n")
    (folder / "config.xml").write_text(CONFIG.format(root=" method='evil:Evil'"))
    finished = run_in_process(cwd=folder)
    assert finished.status == 2
    assert "line 1: method='evil:Evil' would import code." in finished.stderr
    assert not (folder / "here").exists()
