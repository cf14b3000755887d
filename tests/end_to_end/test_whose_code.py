"""Whose code is run: what documents name is never imported, and plug-ins that cannot be used stop nobody else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from helpers import children
from helpers.small_study import plan_of, write_people

import toolbox
from toolbox.errors import ConfigurationError

_MODULE = """
from pathlib import Path
Path({seen!r}).write_text("imported")
from toolbox import Anonymizer, LossMetric
class Mine(Anonymizer):
    name = "Mine"
    def anonymize(self, tables):
        return tables
def learner(seed):
    return None
"""
_TOML = """
{top}
[parameters]
k = [2, 5]
[[data]]
table = "people.csv"
quasi_identifiers = ["age", "town"]
label = "ill"
{data}
"""
_XML = """<plan>{top}<parameters k='2'/>
<data table='people.csv' label='ill'>{data}<qid><att name='age'/><att name='town'/></qid></data></plan>"""
_NAMED = [
    ("toml", "methods = ['theirs:Mine']", "", "methods: The method"),
    ("toml", "methods = ['theirs:Mine:mood=idle']", "", "methods: The method"),
    ("toml", "metrics = ['NCP', ' theirs:Mine ']", "", "metrics: The loss metric"),
    ("toml", "classification = { learners = ['theirs:learner'] }", "", "learners: The learner"),
    ("toml", "", "methods = ['theirs:Mine']", "methods: The method"),
    ("xml", "<method name='theirs:Mine'/>", "", "line 1: <method>: The method"),
    ("xml", "<metric name='theirs:Mine'/>", "", "line 1: <metric>: The loss metric"),
    ("xml", "<classification><learner name='theirs:learner'/></classification>", "", "<learner>: The learner"),
    ("xml", "", "<method name='theirs:Mine'/>", "<method>: The method"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work beside forty people and a module of somebody else."""
    write_people(tmp_path)
    (tmp_path / "theirs.py").write_text(_MODULE.format(seen=str(tmp_path / "seen")))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path, notation: str, top: str, data: str) -> Path:
    path = folder / f"plan.{notation}"
    path.write_text((_TOML if notation == "toml" else _XML).format(top=top, data=data))
    return path


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("notation", "top", "data", "said"), _NAMED)
def test_a_plan_imports_nothing(folder: Path, notation: str, top: str, data: str, said: str) -> None:
    plan = written(folder, notation, top, data)
    command = [sys.executable, "-m", "toolbox", "experiment", plan]
    done = children.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 2
    assert said in done.stderr
    remedy = "Write an installed name. If you trust the plan and the module, give --allow-code."
    assert f"would import code. {remedy}" in done.stderr
    assert not (folder / "seen").exists()


@pytest.mark.slow
def test_python_imports_nothing_that_a_file_names_and_what_the_caller_names(folder: Path) -> None:
    plan = written(folder, "toml", "methods = ['theirs:Mine']", "")
    with pytest.raises(ConfigurationError, match=r"would import code.* write allow_code=True"):
        toolbox.experiment(plan)
    assert not (folder / "seen").exists()
    assert toolbox.experiment(plan, allow_code=True).failed
    assert (folder / "seen").exists()
    assert toolbox.experiment(plan_of(folder, methods=["theirs:Mine"])).failed
    sys.modules.pop("theirs")


@pytest.mark.slow
def test_allow_code_lets_a_plan_name_code(folder: Path) -> None:
    plan = written(folder, "toml", "methods = ['theirs:Mine', 'Mondrian']", "")
    command = [sys.executable, "-m", "toolbox", "experiment", plan, "--allow-code", "--quiet"]
    done = children.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert (done.returncode, (folder / "seen").exists()) == (0, True), done.stderr


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", ["-m", "-c"])
def test_modules_beside_a_plan_are_none(folder: Path, way: str) -> None:
    """Name them as modules that are imported late, also in the processes that a study starts."""
    for module in ("multiprocessing", "pyarrow", "duckdb", "sqlalchemy", "tomllib", "rich"):
        (folder / f"{module}.py").write_text(f"open({str(folder / 'seen')!r}, 'a').write('{module} ')\n")
    facts = folder / "theirs-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[toolbox.methods]\nMine = theirs:Mine\n")
    # As the installed command does: its own folder stands first among those of modules, not the working folder.
    script = folder.parent / "script.py"
    script.write_text(
        "from toolbox.cli.start import start\nif __name__ == '__main__':\n    raise SystemExit(start())\n"
    )
    how = {"-m": ["-m", "toolbox"], "-c": [script]}[way]
    plan = written(folder, "toml", "methods = ['Mondrian']", "")
    command = [sys.executable, *how, "experiment", plan, "--jobs", "2", "--quiet"]
    done = children.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert not (folder / "seen").exists()


def test_the_application_sets_no_method_by_its_module(folder: Path) -> None:
    config = folder / "project.xml"
    config.write_text(
        "<config k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='age'/></qid></config>"
    )
    project = toolbox.Project.open(config)
    with pytest.raises(toolbox.UsageError, match="'theirs:Mine' would import code"):
        project.set_method("theirs:Mine")
    assert not (folder / "seen").exists()


# Plug-ins


@pytest.fixture
def plug_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install three plug-ins, none of which can be used."""
    (folder / "broken.py").write_text("print('hello')\nraise SystemExit(7)\n")
    facts = folder / "somebodys-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        "[toolbox.methods]\nTheirs = broken:Mine\n"
        "[toolbox.privacy_models]\ntheir-model = absent:Model\n"
        "[toolbox.loss_metrics]\ntheir-metric = theirs:Mine\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


_RUN = ("people.csv", "--header", "yes", "--qi", "age,town", "--undeclared", "pass", "-output", "out.csv", "-k", "2")
_OLA = ("--hierarchy", "age=auto", "--hierarchy", "town=auto", "-method", "OLA", "--set")
_NOTE = "toolbox: left out, since it cannot be used: the "


def command_line(folder: Path, *words: str) -> tuple[int, str, str]:
    done = children.run(
        [sys.executable, "-m", "toolbox", *words], capture_output=True, text=True, check=False, cwd=folder
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
def test_a_run_says_once_which_plug_ins_it_has_left_out(plug_in: Path) -> None:
    status, out, err = command_line(plug_in, "anonymize", *_RUN, "--json")
    assert status == 0, err
    assert len((plug_in / "out.csv").read_text().splitlines()) == len(json.loads(out)["release"]) + 40
    notes = [line for line in err.splitlines() if line.startswith(_NOTE)]
    assert len(notes) == 1
    assert "method 'Theirs' of the package somebodys" in notes[0]
    assert "privacy model 'their-model' of the package somebodys" in notes[0]
    assert notes[0].endswith("`toolbox methods` says why.")
    assert err.count("hello") == 1
    status, _, err = command_line(plug_in, "anonymize", *_RUN, "--quiet")
    assert (status, err.replace("hello\n", "")) == (0, "")


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("anonymize", *_RUN, "-method", "theirs"), "The method 'Theirs' (broken:Mine) cannot be loaded: "),
        (
            ("anonymize", *_RUN, "--model", "their-model:k=3"),
            "The privacy model 'their-model' (absent:Model) cannot be",
        ),
        (
            ("compare", "people.csv", "--qi", "age", "--metrics", "their-metric"),
            "The loss metric 'their-metric' (theirs:Mine) is no subclass of LossMetric",
        ),
        (("anonymize", *_RUN, *_OLA, "objective=their-metric"), "is no subclass of LossMetric"),
    ],
)
def test_a_run_that_names_a_broken_plug_in_fails_with_its_reason(
    plug_in: Path, words: tuple[str, ...], said: str
) -> None:
    status, _, err = command_line(plug_in, *words, "--quiet")
    assert (status, said in err) == (2, True), err
    assert not (plug_in / "out.csv").exists()


@pytest.mark.slow
def test_what_is_installed_is_listed_with_what_is_broken(plug_in: Path) -> None:
    status, out, err = command_line(plug_in, "methods", "--json")
    listed = json.loads(out)["broken"]
    assert status == 0
    assert [(one["kind"], one["name"], one["package"]) for one in listed] == [
        ("method", "Theirs", "somebodys"),
        ("privacy model", "their-model", "somebodys"),
        ("loss metric", "their-metric", "somebodys"),
    ]
    assert "broken.py, line 2: SystemExit: 7." in listed[0]["reason"]
    assert err == "hello\n"
    status, out, _ = command_line(plug_in, "methods")
    assert status == 0
    assert "broken: the method Theirs of the package somebodys" in out
