"""Builders that other people install: found by name, written in a configuration, shown as a form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from helpers.plugged import install
from helpers.running import run_in_process

import toolbox
from toolbox import hierarchies
from toolbox.app.screens.hierarchy_edits import _list_wizards, _Wizard
from toolbox.errors import UsageError
from toolbox.hierarchy.builders.words import BUILDERS, make_builder
from toolbox.report.runs.installed import build_installed_document

SOURCE = '''
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from toolbox.hierarchy.builders.builder import COUNT, Builder, FormField
from toolbox.hierarchy.builders.dates import DateBuilder
from toolbox.hierarchy.builders.texts import TextBuilder

@dataclass(frozen=True, kw_only=True)
class Vowels(TextBuilder):
    """Towns by the letters with which they begin.

    Parameters
    ----------
    letters : int
        How many letters.
    """

    name: ClassVar[str] = "vowels"
    main: ClassVar[str | None] = "letters"
    sample: ClassVar[str] = "1"
    settings: ClassVar = MappingProxyType({"letters": COUNT})
    title: ClassVar[str] = "First letters"
    form: ClassVar = MappingProxyType({"letters": FormField("How many letters", first="1")})

    letters: int

    def naming(self, counts):
        return lambda text: (text[: self.letters] + "..",)

@dataclass(frozen=True, kw_only=True)
class Halves(DateBuilder):
    """Halves of years."""

    name: ClassVar[str] = "halves"

    def labels(self, moment):
        return (f"{moment.year}-H{1 + (moment.month > 6)}", f"{moment.year}")

@dataclass(frozen=True, kw_only=True)
class Seasons(DateBuilder):
    """Summers and winters of all years."""

    name: ClassVar[str] = "seasons"

    def labels(self, moment):
        return ("summer" if 3 < moment.month < 10 else "winter",)

class Prefix(Vowels):
    """A builder under a name that is taken."""

    name = "prefix"

class Fieldless(Halves):
    """A builder of a setting that it has not."""

    name = "fieldless"
    settings = MappingProxyType({"width": COUNT})

class Nameless(Builder):
    """A builder of texts that names none."""

    name = "nameless"
    takes = "texts"

    def rows(self, values):
        return []
'''
PEOPLE = pd.DataFrame({"town": ["Graz", "Gmunden", "Wien", "Wels"] * 2, "born": ["1971-03-05", "1971-09-01"] * 4})


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install builders: for each entry point its class."""

    def put(**entries: str) -> None:
        install(tmp_path, monkeypatch, "toolbox.hierarchy_builders", entries, SOURCE)

    return put


@pytest.mark.slow
def test_a_configuration_names_one_with_its_own_settings(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(vowels="Vowels")
    PEOPLE.to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "c.xml").write_text(
        "<config k='4' method='Datafly'><input filename='in.csv' header='true'/>"
        "<output filename='out.csv' order='sorted'/><id><att name='born'/></id>"
        "<qid><att name='town'><vgh build='vowels' letters='1'/></att></qid></config>"
    )
    run_in_process("-config", tmp_path / "c.xml", "--quiet").succeeded()
    assert (tmp_path / "out.csv").read_text().split() == ["town", *["G.."] * 4, *["W.."] * 4]
    said = run_in_process("methods").succeeded().stdout
    assert "vowels" in said and "First letters" in said
    run = run_in_process(
        "anonymize",
        tmp_path / "in.csv",
        "--qi",
        "town",
        "--hierarchy",
        "town=vowels:1:letter=2",
        "-output",
        tmp_path / "b.csv",
    )
    assert "build='vowels' has no letter=. Did you mean 'letters'?" in run.stderr


def test_python_names_one_and_lists_all(plugged: Callable[..., None]) -> None:
    plugged(halves="Halves", vowels="Vowels")
    table = PEOPLE.assign(born=["1971-03-05", "1971-05-01", "1971-09-01", "1971-12-01"] * 2)
    release = toolbox.anonymize(
        table, quasi_identifiers=["born"], hierarchies={"born": "halves"}, k=4, method="Datafly", order="input"
    ).release
    assert release["born"].tolist() == ["1971-H1", "1971-H1", "1971-H2", "1971-H2"] * 2
    assert hierarchies.build("halves", ["1971-03-05"]) == [("1971-03-05", "1971-H1", "1971", "*")]
    assert {"halves", "vowels", "auto"} <= set(hierarchies.builders())
    assert "halves" in [each["name"] for each in build_installed_document()["hierarchy_builders"]]


def test_labels_that_come_back_are_refused(plugged: Callable[..., None]) -> None:
    plugged(seasons="Seasons")
    table = PEOPLE.assign(born=["1971-01-05", "1971-05-01", "1971-12-01", "1972-05-05"] * 2)
    with pytest.raises(UsageError, match="born, seasons: It calls dates alike that have others between them"):
        toolbox.anonymize(table, quasi_identifiers=["born"], hierarchies={"born": "seasons"}, k=2)


def test_forms_of_others_stand_behind_ours(plugged: Callable[..., None]) -> None:
    plugged(vowels="Vowels", halves="Halves")
    assert [one.name for one in _Wizard.fitting("category")[0]][-2:] == ["auto", "vowels"]
    assert (_list_wizards()["halves"].title, _list_wizards()["halves"].sentence) == ("halves", "Halves of years.")


@pytest.mark.parametrize(
    ("name", "target", "said"),
    [
        ("theirs", "pathlib:Path", "The hierarchy builder 'theirs' (pathlib:Path) is no subclass of Builder."),
        ("theirs", "Vowels", "leads to a class that is called 'vowels'. Give both one name."),
        ("theirs", "absent:Vowels", "cannot be loaded: there is no module 'absent'."),
        ("fieldless", "Fieldless", "has no field 'width'. Add it to Fieldless, or take it out of settings."),
        ("nameless", "Nameless", "takes texts, and has no naming(). Make it a subclass of a builder of these."),
        ("prefix", "Prefix", ""),
    ],
)
def test_only_who_names_one_that_cannot_be_used_is_stopped(
    plugged: Callable[..., None], name: str, target: str, said: str
) -> None:
    plugged(**{name: target})
    assert make_builder({"build": "prefix", "keep": "1"}).rows(["ab"]) == [("ab", "a*", "*")]
    if said:
        with pytest.raises(UsageError) as caught:
            make_builder({"build": name})
        assert said in str(caught.value)
    (broken,) = BUILDERS.every().broken
    assert (broken.what, broken.name) == ("hierarchy builder", name)
    assert (said or "Two installed hierarchy builders are called 'prefix': ") in broken.reason
    assert name not in BUILDERS.every().classes or name == "prefix"


def test_two_of_one_name_are_both_refused(plugged: Callable[..., None]) -> None:
    plugged(vowels="Vowels")
    plugged(vowels="Vowels")
    with pytest.raises(UsageError, match="Two installed hierarchy builders are called 'vowels'"):
        make_builder({"build": "vowels", "letters": "1"})


def test_names_are_known_and_nothing_is_imported_that_nobody_names(plugged: Callable[..., None]) -> None:
    plugged(theirs="absent:Vowels")
    assert "theirs" in BUILDERS.names
    with pytest.raises(UsageError, match="build='absent:Vowels' is unknown"):
        make_builder({"build": "absent:Vowels"})
