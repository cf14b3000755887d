"""What the options of the judging commands ask, and of which tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command_options import parsed

from toolbox.cli.commands.judges import find_original, read_question, release_of
from toolbox.errors import ConfigurationError, UsageError
from toolbox.flows.judge.question import Question

CONFIG = """<config method='Mondrian' k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>
<qid><att name='age'/></qid><sens><att name='illness' type='category'/></sens></config>"""


def asked(command: str, *words: object) -> Question:
    return read_question(parsed(command, *words), command)


def models(question: Question) -> list[tuple[str, str | None, dict[str, object]]]:
    return [(model.name, model.attribute, dict(model.parameters())) for model in question.models]


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    (tmp_path / "c.xml").write_text(CONFIG)
    return tmp_path / "c.xml"


def test_columns_are_declared_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "towns.csv").write_text("Graz;south;*\nLinz;north;*\n")
    words = ("--qi", "age,town", "--hierarchy", f"town={tmp_path / 'towns.csv'}", "--kind", "age=number")
    question = asked("measure", *words, "--weight", "town=3", "--decimal", ",", "--thousands", ".")
    age, town = question.quasi_identifiers
    assert (age.column.name, age.kind, age.weight, age.hierarchy) == ("age", "number", None, None)
    assert (town.column.name, town.kind, town.weight) == ("town", "category", 3.0)
    assert town.hierarchy is not None
    assert (question.figures.decimal, question.figures.thousands, question.by_name) == (",", ".", True)


def test_a_builder_is_named_as_for_a_run() -> None:
    question = asked("risk", "--qi", "born", "--kind", "born=date:%d.%m.%Y", "--hierarchy", "born=dates:month,year")
    (born,) = question.quasi_identifiers
    assert (born.kind, born.format, born.periods) == ("date", "%d.%m.%Y", ("month", "year"))
    with pytest.raises(ConfigurationError, match="says more than the file"):
        asked("risk", "--qi", "age", "--hierarchy", "age=a.csv:header=yes")


def test_k_is_required_once_and_l_c_and_t_of_every_sensitive_column() -> None:
    words = ("--qi", "age", "--sensitive", "illness,town", "-k", 2, "-t", 0.5)
    assert models(asked("check", *words, "-l", 2, "-c", 3)) == [
        ("k-anonymity", None, {"k": 2}),
        ("recursive (c,l)-diversity", "illness", {"c": 3.0, "l": 2.0}),
        ("t-closeness", "illness", {"t": 0.5, "distance": "auto"}),
        ("recursive (c,l)-diversity", "town", {"c": 3.0, "l": 2.0}),
        ("t-closeness", "town", {"t": 0.5, "distance": "auto"}),
    ]
    assert models(asked("check", "--qi", "age", "--sensitive", "illness", "-l", 2)) == [
        ("entropy l-diversity", "illness", {"l": 2.0}),
    ]


def test_the_k_of_other_commands_is_no_model() -> None:
    assert asked("risk", "--qi", "age", "-k", 2).models == ()


def test_a_configuration_declares_the_columns_and_requires_its_models(configuration: Path) -> None:
    question = asked("check", "-config", configuration, "-l", 3, "--threads", 2)
    assert models(question) == [("k-anonymity", None, {"k": 2}), ("entropy l-diversity", "illness", {"l": 3.0})]
    assert (question.config.limits.threads, question.by_name) == (2, False)


def test_tables_are_those_that_are_named_or_else_those_of_the_configuration(configuration: Path) -> None:
    question = asked("measure", "-config", configuration)
    release, original = release_of(question, None), find_original(question, None)
    assert not isinstance(release, Path)
    assert not isinstance(original, Path)
    assert original is not None
    assert (release.path.name, original.path.name) == ("out.csv", "people.csv")
    assert (release_of(question, "a.csv"), find_original(question, "b.csv")) == (Path("a.csv"), Path("b.csv"))
    by_name = asked("measure", "--qi", "age")
    assert find_original(by_name, None) is None
    with pytest.raises(UsageError, match="Nothing names the release"):
        release_of(by_name, None)


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        (
            (),
            UsageError,
            "Nothing names the quasi-identifiers. Write toolbox check .. -config FILE, or --qi age,zip,sex",
        ),
        (
            ("-config", "c.xml", "--sensitive", "illness"),
            UsageError,
            "--config says everything itself, so --sensitive cannot be combined with it",
        ),
        (("--qi", "age", "-t", "0.2"), UsageError, "-t protects a sensitive attribute, and none is named"),
        (("--qi", "age", "--sensitive", "illness", "-c", "2"), UsageError, "-c goes with -l"),
        (("--qi", "age", "-k", "none"), ConfigurationError, "--k 'none' is not a whole number"),
        (("--qi", "age", "--kind", "age=word", "--hierarchy", "age", "-k", "none"), ConfigurationError, "3 faults"),
    ],
)
def test_what_contradicts_itself_or_is_wrong_is_said(
    words: tuple[str, ...], error: type[UsageError], said: str
) -> None:
    with pytest.raises(error) as caught:
        asked("check", *words)
    assert said in str(caught.value)
