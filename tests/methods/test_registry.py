"""Methods are found by name through entry points, ours and other people's, or given as a reference or a class."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.reader import read_config
from toolbox.errors import ConfigurationError, UsageError
from toolbox.methods.anonymizer import Anonymizer, collect_method_facts, find_method, list_installed_methods
from toolbox.methods.datafly import Datafly
from toolbox.methods.mondrian import Mondrian

PLUGIN = '''
from toolbox.methods.datafly import Datafly

class Quick(Datafly):
    """A method of somebody else's."""

    name = "Quick"
    aliases = {"Fast": "k", "Q": "k"}

class Datafly2(Datafly):
    """A method under a name that is taken."""

class Sluggish(Datafly):
    """A method under an alias that is taken."""

    name = "Sluggish"
    aliases = {"mondrian": "k"}

number = 7
'''


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Install a package with entry points for methods, one in each line."""

    def install(entries: str) -> None:
        (tmp_path / "somebodys_plugin.py").write_text(PLUGIN)
        facts = tmp_path / "somebodys-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[toolbox.methods]\n{entries}\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    yield install
    sys.modules.pop("somebodys_plugin", None)


# Installed methods


@pytest.mark.parametrize("name", ["Datafly", "datafly", "DATAFLY"])
def test_a_method_is_found_by_its_name_whatever_its_case(name: str) -> None:
    assert find_method(name) is Datafly


def test_our_methods_are_installed() -> None:
    assert {Datafly, Mondrian} <= set(list_installed_methods().values())
    assert collect_method_facts()["mondrian"] == Mondrian.facts()


@pytest.mark.parametrize(
    ("name", "hint"), [("Datafy", " Did you mean 'Datafly'?"), ("mondriaan", " Did you mean 'Mondrian'?"), ("xyz", "")]
)
def test_an_unknown_method_is_refused_with_the_nearest_and_all(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_method(name)
    names = ", ".join(sorted({method.name for method in list_installed_methods().values()}))
    assert str(caught.value) == f"There is no method {name!r}.{hint} Installed: {names}."


def test_a_method_of_another_package_is_found_by_its_name_and_aliases(plugin: Callable[[str], None]) -> None:
    plugin("Something = somebodys_plugin:Quick")
    assert [find_method(name).name for name in ("quick", "FAST", "q")] == ["Quick"] * 3
    assert collect_method_facts()["fast"].full_domain
    with pytest.raises(UsageError, match="There is no method 'Something'"):
        find_method("Something")


def test_only_who_names_an_entry_point_that_leads_to_no_method_is_stopped(plugin: Callable[[str], None]) -> None:
    plugin("Theirs = somebodys_plugin:number\nQuick = somebodys_plugin:Quick")
    assert find_method("Mondrian") is Mondrian
    assert find_method("quick").name == "Quick"
    said = r"The method 'Theirs' \(somebodys_plugin:number\) is no subclass of Anonymizer"
    for asked in (lambda: find_method("theirs"), lambda: collect_method_facts().get("theirs")):
        with pytest.raises(UsageError, match=said):
            asked()


@pytest.mark.parametrize(("target", "name"), [("Datafly2", "datafly"), ("Sluggish", "mondrian")])
def test_a_method_under_a_name_of_ours_is_left_out_and_both_entry_points_named(
    plugin: Callable[[str], None], target: str, name: str
) -> None:
    plugin(f"Theirs = somebodys_plugin:{target}")
    assert find_method(name) in (Datafly, Mondrian)
    with pytest.raises(UsageError) as caught:
        find_method("Theirs")
    message = str(caught.value).lower()
    assert f"two installed methods are called '{name}': " in message
    assert f"the entry point 'theirs' (somebodys_plugin:{target.lower()}) of the package somebodys" in message
    assert f"the entry point '{name}' (toolbox.methods.{name}:{name}) of the package anonymisation-toolbox" in message
    assert message.endswith("uninstall one of them, or give it another name.")


def test_one_method_may_have_several_entry_points(plugin: Callable[[str], None]) -> None:
    plugin("Quick = somebodys_plugin:Quick\nSwift = somebodys_plugin:Quick")
    assert find_method("quick").name == "Quick"


# Methods at hand


class Mine(Datafly):
    """A method of this page."""

    name = "Mine"


class Unfinished(Anonymizer):
    """A method that does nothing yet."""

    name = "Unfinished"


def test_a_class_is_its_own_method() -> None:
    assert find_method(Mine) is Mine


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Unfinished, "The method 'Unfinished' is abstract: it lacks anonymize."),
        (Path, "The method 'Path' is no subclass of Anonymizer."),
        (7, "The method 7 is no subclass of Anonymizer."),
    ],
)
def test_a_class_that_is_no_method_is_refused(given: object, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_method(given)
    assert str(caught.value).startswith(said)


REFERENCE = "toolbox.methods.datafly:Datafly"


def test_a_reference_is_imported() -> None:
    assert find_method(REFERENCE) is Datafly


def test_a_configuration_learns_of_a_reference_only_when_it_asks() -> None:
    known = collect_method_facts()
    assert REFERENCE not in known
    facts = known[REFERENCE]
    assert (facts.name, facts.full_domain) == (REFERENCE, True)
    with pytest.raises(KeyError):
        known["unknown"]


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    """Write a configuration whose root has some attributes."""

    def write(root: str) -> Path:
        path = tmp_path / "c.xml"
        path.write_text(
            f"<config {root}><input filename='in.csv' header='true'/><output filename='out.csv'/>"
            "<qid><att name='age'><vgh value='[0:99]'/></att></qid></config>"
        )
        (tmp_path / "in.csv").write_text("age\n1\n2\n")
        return path

    return write


def test_an_option_may_name_a_reference(config: Callable[[str], Path]) -> None:
    read = read_config(
        config("method='Mondrian'"), overrides=Overrides(method=REFERENCE), methods=collect_method_facts()
    )
    assert read.method == REFERENCE
    assert find_method(read.method) is Datafly


def test_a_configuration_file_may_not_name_one_even_beside_an_option(config: Callable[[str], Path]) -> None:
    path = config(f"method='{REFERENCE}'")
    for overrides in (Overrides(), Overrides(method="Mondrian")):
        with pytest.raises(ConfigurationError) as caught:
            read_config(path, overrides=overrides, methods=collect_method_facts())
        assert str(caught.value) == (
            f"{path}: line 1: method='{REFERENCE}' would import code. "
            f"Name an installed method, or give the option -method {REFERENCE}."
        )


def test_a_wrong_reference_is_an_error_of_usage(config: Callable[[str], Path]) -> None:
    with pytest.raises(UsageError, match=r"The method 'absent_module:Mine' cannot be loaded: there is no module"):
        read_config(config(""), overrides=Overrides(method="absent_module:Mine"), methods=collect_method_facts())
