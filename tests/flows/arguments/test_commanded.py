"""The configuration of a command line, with a file or without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.config.model import Config
from toolbox.config.reading.declarations import NO_DECLARATIONS, Declarations
from toolbox.config.reading.overrides import Overrides
from toolbox.errors import ConfigurationError
from toolbox.flows.arguments.configuration import read_command_configuration
from toolbox.messages import name_command_options

BORN = Declarations(identifiers=["name"], quasi_identifiers=["born"], sensitive=["ill"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("name;born;ill\nAda;1980;flu\n")
    return tmp_path


def config_of(declarations: Declarations = BORN, path: str | None = None, **options: str) -> Config:
    options = {"input": "p.csv", "output": "r.csv", **options} if path is None else options
    with name_command_options(path is None):
        return read_command_configuration(path and Path(path), Overrides(**options), declarations)


@pytest.mark.slow
def test_without_a_file_there_is_a_header_the_separator_is_found_and_all_is_declared() -> None:
    config = config_of()
    assert config.input is not None
    assert (config.input.header, config.input.separator, config.input.guesses_separator) == (True, ";", False)
    assert (config.undeclared, config.path, config.source, config.warnings) == ("fail", None, "the command line", ())
    assert (config.method, config.k, config.input.missing) == ("Mondrian", 10, "?")


def test_options_say_otherwise() -> None:
    config = config_of(undeclared="drop", separator=";", missing="", method="localrecoding", k="3")
    assert config.input is not None
    assert (config.undeclared, config.input.missing, config.method, config.k) == ("drop", "", "LocalRecoding", 3)


def test_a_file_keeps_what_it_means(folder: Path) -> None:
    (folder / "c.xml").write_text(
        "<config><input filename='p.csv'/><output filename='r.csv'/><qid><att index='1'/></qid></config>"
    )
    config = config_of(NO_DECLARATIONS, "c.xml")
    assert config.input is not None
    assert (config.input.header, config.undeclared, config.quasi_identifiers[0].kind) == (False, "pass", None)


def test_a_column_beside_a_file_is_looked_at_with_the_separator_that_fits(folder: Path) -> None:
    (folder / "c.xml").write_text(
        "<config><input filename='p.csv' header='true'/><output filename='r.csv'/><qid><att name='born'/></qid></config>"
    )
    config = config_of(Declarations(quasi_identifiers=["ill"]), "c.xml", save_config="s.xml")
    assert [(str(one.column), one.kind) for one in config.quasi_identifiers] == [("born", None), ("ill", "category")]


@pytest.mark.slow
def test_what_was_found_is_saved(folder: Path) -> None:
    config = config_of(save_config="s.xml")
    assert config.saved is not None
    text = config.saved.decode()
    assert "<input filename='p.csv' separator=';' header='true'/>" in text
    assert "<att name='born' type='number'/>" in text
    assert not (folder / "s.xml").exists()
    assert config_of().saved is None


@pytest.mark.slow
def test_a_text_that_would_say_something_else_is_not_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolbox.config.editing.saving import Saving

    whole = Saving.text
    monkeypatch.setattr(Saving, "text", lambda self: whole(self).replace(b"k='10'", b"k='2'"))
    with pytest.raises(ConfigurationError, match="would not say the same of k, requirements"):
        config_of(save_config="s.xml")


def test_whoever_names_no_column_is_told_which_there_are() -> None:
    with pytest.raises(ConfigurationError, match="Write --qi born,postcode,sex, say"):
        config_of(NO_DECLARATIONS)
    with pytest.raises(ConfigurationError, match="The columns are name, born, ill"):
        config_of(NO_DECLARATIONS)
    with pytest.raises(ConfigurationError) as caught:
        config_of(NO_DECLARATIONS, header="no")
    assert "The columns are" not in str(caught.value)


def test_faults_of_the_options_are_told_with_all_others() -> None:
    from toolbox.errors import Fault

    faults = [Fault(0, "--kind is 'x'.", "Write --kind NAME=VALUE.")]
    with name_command_options(), pytest.raises(ConfigurationError, match="2 faults"):
        read_command_configuration(None, Overrides(input="p.csv"), BORN, faults)
