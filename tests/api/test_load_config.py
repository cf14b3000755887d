"""`load_config`: a configuration, and what a program says instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox import ConfigurationError, UsageError, load_config


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text("name,age\nAnn,25\nBob,27\n")
    (tmp_path / "c.xml").write_text(
        "<config method='Mondrian' k='2'><input filename='in.csv' header='true'/><output filename='out.csv'/>"
        "<id><att name='name'/></id><qid><att name='age'/></qid></config>"
    )
    return tmp_path


def test_an_unknown_option_is_refused_with_the_nearest(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"^load_config\(\) has no argument 'kk'\. Did you mean 'k'\?"):
        load_config(folder / "c.xml", kk=4)


def test_a_wrong_configuration_shows_all_its_faults(folder: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_config(folder / "c.xml", k=0, method="Mondriaan")
    assert len(caught.value.faults) == 2


def test_several_inputs_and_any_values_with_a_text_may_be_named(folder: Path) -> None:
    config = load_config(
        folder / "c.xml", input=[folder / "in.csv", folder / "in.csv"], k=3, settings={"cut": "classic"}
    )
    assert config.input is not None
    assert (config.input.path, config.input.more, config.k) == (folder / "in.csv", (folder / "in.csv",), 3)
    assert config.settings == {"cut": "classic"}


def test_what_is_none_leaves_the_word_of_the_configuration(folder: Path) -> None:
    assert load_config(folder / "c.xml", k=None).k == 2
