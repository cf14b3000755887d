"""Methods are found through entry points, ours and those of other people's packages."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from toolbox.errors import UsageError
from toolbox.methods.datafly import Datafly
from toolbox.methods.mondrian import Mondrian
from toolbox.methods.registry import find_method, installed_methods, method_facts
from toolbox.privacy.registry import installed_models

PLUGIN = '''
from toolbox.methods.datafly import Datafly

class Quick(Datafly):
    """A method of somebody else's."""

    name = "Quick"
    aliases = ("Fast", "Q")

number = 7
'''


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Install a package with one entry point in a group."""

    def install(group: str, target: str) -> None:
        (tmp_path / "somebodys_plugin.py").write_text(PLUGIN)
        facts = tmp_path / "somebodys-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[{group}]\nTheirs = {target}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        installed_methods.cache_clear()

    yield install
    installed_methods.cache_clear()
    sys.modules.pop("somebodys_plugin", None)


@pytest.mark.parametrize("name", ["Datafly", "datafly", "DATAFLY"])
def test_a_method_is_found_by_its_name_whatever_its_case(name: str) -> None:
    assert find_method(name) is Datafly


def test_our_methods_are_installed() -> None:
    assert {Datafly, Mondrian} <= set(installed_methods().values())
    assert method_facts()["mondrian"] == Mondrian.facts()


@pytest.mark.parametrize(
    ("name", "hint"), [("Datafy", " Did you mean 'Datafly'?"), ("mondriaan", " Did you mean 'Mondrian'?"), ("xyz", "")]
)
def test_an_unknown_method_is_refused_with_the_nearest_and_all(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_method(name)
    assert str(caught.value) == f"There is no method {name!r}.{hint} Installed: Datafly, Mondrian."


def test_a_method_of_another_package_is_found_by_its_name_and_aliases(plugin: Callable[[str, str], None]) -> None:
    plugin("toolbox.methods", "somebodys_plugin:Quick")
    assert [find_method(name).name for name in ("quick", "FAST", "q")] == ["Quick"] * 3
    assert method_facts()["fast"].full_domain


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("absent_module:Quick", "cannot be loaded: No module named 'absent_module'"),
        ("somebodys_plugin:Slow", "cannot be loaded: module 'somebodys_plugin' has no attribute 'Slow'"),
        ("somebodys_plugin:number", "is no subclass of Anonymizer"),
        ("pathlib:Path", "is no subclass of Anonymizer"),
    ],
)
def test_an_entry_point_that_leads_to_no_method_is_named(
    plugin: Callable[[str, str], None], target: str, reason: str
) -> None:
    plugin("toolbox.methods", target)
    with pytest.raises(UsageError) as caught:
        installed_methods()
    assert str(caught.value) == f"The method 'Theirs' ({target}) {reason}."


@pytest.mark.parametrize("target", ["pathlib:Path", "absent_module:Model"])
def test_an_entry_point_that_leads_to_no_privacy_model_is_named(
    plugin: Callable[[str, str], None], target: str
) -> None:
    plugin("toolbox.privacy_models", target)
    with pytest.raises(UsageError, match=f"The privacy model 'Theirs' .{target}. "):
        installed_models()
