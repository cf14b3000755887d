"""A project in other words does the same: as options where these can say all of it, as Python, and as a command."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from toolbox import Project
from toolbox.cli.main import main


@pytest.mark.slow
def test_options_say_the_same_and_make_the_same_bytes(declared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    declared.set_models([
        {"type": "k-anonymity", "k": 3},
        {"type": "entropy l-diversity", "l": 1.5, "attribute": "illness"},
    ])  # fmt: skip
    declared.set_builder("age", "intervals:2,10")
    declared.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    declared.set_priority("age", 1)
    declared.set_output(order="sorted")
    declared.save()
    command = declared.as_command()
    assert command == (
        "toolbox anonymize people.csv --id name --qi age,town --sensitive illness --kind age=number "
        "--kind town=category --kind illness=category --hierarchy age=intervals:2,10 "
        "--hierarchy town=hierarchies/town.csv:header=no --priority age=1 --model k-anonymity:k=3 "
        "--model 'entropy l-diversity:l=1.5:attribute=illness' -output people_release.csv -method Mondrian "
        "--undeclared drop -separator , --header true --order sorted"
    )
    monkeypatch.chdir(declared.path.parent)
    releases = []
    for words in (shlex.split(command)[1:], ["-config", "project.xml"]):
        assert main([*words, "--quiet"]) == 0
        releases.append(Path("people_release.csv").read_bytes())
    assert releases[0] == releases[1]


def test_what_options_cannot_say_is_said_by_the_file(declared: Project, people: Path) -> None:
    declared.set_kind("age", None)  # where options say nothing, the values are looked at
    assert declared.as_command() == "toolbox -config project.xml"
    declared.set_kind("age", "number")
    assert declared.as_command().startswith("toolbox anonymize ")
    declared.save()
    text = declared.path.read_text().replace("type='number'", "type='number' minLevel='0'")
    declared.path.write_text(text.replace("Mondrian", "Datafly"))
    limited = Project.open(declared.path)
    limited.set_builder("age", "intervals:5")
    limited.set_builder("town", "auto:1")
    assert limited.faults() == []
    assert limited.as_command().startswith("toolbox anonymize "), "a lowest level of 0 is none"
    declared.path.write_text(text.replace("Mondrian", "Datafly").replace("minLevel='0'", "minLevel='1'"))
    limited = Project.open(declared.path)
    limited.set_builder("age", "intervals:5")
    limited.set_builder("town", "auto:1")
    assert limited.as_command() == "toolbox -config project.xml"


def test_python_runs_the_file(
    declared: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    declared.save()
    monkeypatch.chdir(declared.path.parent)
    exec(compile(declared.as_python(), "a program", "exec"), {})
    assert "40 read" in capsys.readouterr().out and Path("people_release.csv").exists()
