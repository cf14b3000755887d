"""A configuration is read with all that is installed, and with what a caller says instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.config.reading.overrides import NamedOverrides, Overrides
from toolbox.errors import ConfigurationError, UsageError
from toolbox.flows.arguments.configuration import make_overrides, read_configuration

CONFIG = """<config method='datafly' k='2'><input filename='in.csv' header='true'/><output filename='out.csv'/>
<qid><att name='age'/></qid></config>"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text("age\n21\n")
    (tmp_path / "c.xml").write_text(CONFIG)
    return tmp_path / "c.xml"


def test_only_a_run_must_name_what_is_read_and_written(path: Path) -> None:
    path.write_text("<config><qid><att name='age'/></qid></config>")
    with pytest.raises(ConfigurationError, match="2 faults"):
        read_configuration(path)
    config = read_configuration(path, is_run=False)
    assert [str(attribute.column) for attribute in config.quasi_identifiers] == ["age"]


def test_the_installed_method_says_what_it_needs(path: Path) -> None:
    with pytest.raises(ConfigurationError, match="age has no hierarchy, which Datafly needs"):
        read_configuration(path)


def test_what_the_caller_says_wins(path: Path) -> None:
    config = read_configuration(path, Overrides(method="MONDRIAN", k="5"))
    assert (config.method, config.k) == ("Mondrian", 5)


def test_overrides_are_texts_whatever_the_caller_gives() -> None:
    overrides = make_overrides({"k": 5, "output": Path("out.csv"), "settings": {"cut": 1}, "seed": None})
    assert overrides == NamedOverrides(k="5", output="out.csv", settings={"cut": "1"})


def test_one_input_is_a_text_and_several_are_several() -> None:
    assert make_overrides({"input": Path("a.csv")}) == NamedOverrides(input="a.csv")
    assert make_overrides({"input": [Path("a.csv"), "b.csv"]}) == NamedOverrides(input=("a.csv", "b.csv"))


def test_an_option_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        make_overrides({"sed": 1})
    assert str(caught.value).startswith(
        "load_config() has no argument 'sed'. Did you mean 'seed'? There are: allow_network, attacker, c, "
    )
