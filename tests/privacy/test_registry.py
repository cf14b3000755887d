"""Privacy models are found through entry points, ours and those of other people's packages."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from toolbox.errors import SettingError, UsageError
from toolbox.methods.anonymizer import Anonymizer
from toolbox.methods.datafly import Datafly
from toolbox.methods.lattice.incognito import Incognito
from toolbox.methods.singletons import Singletons
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.registry import list_installed_models, load_known_models

PLUGIN = '''
from toolbox.privacy.models.k_anonymity import KAnonymity

class Strict(KAnonymity):
    """A model of somebody else's."""

    name = "strictness"

class Copy(KAnonymity):
    """A model under a name that is taken."""
'''


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Install a package with one privacy model."""

    def install(target: str) -> None:
        (tmp_path / "somebodys_models.py").write_text(PLUGIN)
        facts = tmp_path / "somebodys-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[toolbox.privacy_models]\nTheirs = {target}\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    yield install
    sys.modules.pop("somebodys_models", None)


def test_our_models_are_installed_in_the_order_of_their_names() -> None:
    names = [model.name for model in list_installed_models()]
    ours = ["distinct l-diversity", "entropy l-diversity", "k-anonymity", "recursive (c,l)-diversity", "t-closeness"]
    assert [name for name in names if name in ours] == ours
    assert names == sorted(names)
    assert KAnonymity in list_installed_models()


def test_a_model_of_another_package_is_found(plugin: Callable[[str], None]) -> None:
    plugin("somebodys_models:Strict")
    assert "strictness" in [model.name for model in list_installed_models()]


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("k-anonymity", {"k": True}),
        ("k-map", {"k": True}),
        ("(alpha,k)-anonymity", {"alpha": 0.5, "k": True}),
        ("(alpha,k)-anonymity", {"alpha": True, "k": 2}),
        ("p-sensitive k-anonymity", {"p": True, "k": 2}),
        ("p-sensitive k-anonymity", {"p": 2, "k": True}),
        ("distinct l-diversity", {"l": True}),
        ("entropy l-diversity", {"l": True}),
        ("recursive (c,l)-diversity", {"c": True, "l": 2}),
        ("recursive (c,l)-diversity", {"c": 2, "l": True}),
        ("t-closeness", {"t": True}),
        ("delta-disclosure", {"delta": True}),
        ("basic beta-likeness", {"beta": True}),
        ("enhanced beta-likeness", {"beta": True}),
        ("delta-presence", {"delta_max": True}),
        ("delta-presence", {"delta_max": 1, "delta_min": False}),
    ],
)
def test_no_model_takes_a_truth_value_for_a_number(model: str, parameters: dict[str, object]) -> None:
    """Python calls True a whole number: k of True protected nobody, and nothing was said."""
    (wrong,) = [name for name, value in parameters.items() if isinstance(value, bool)]
    found = next(one for one in list_installed_models() if one.name == model)
    with pytest.raises(SettingError) as caught:
        found(**parameters, **({"attribute": "illness"} if found.needs_attribute else {}))
    assert str(caught.value).startswith(f"{wrong} is {parameters[wrong]}; write a")


@pytest.mark.parametrize("method", [Datafly, Incognito, Singletons])
def test_no_method_takes_a_truth_value_for_a_number(method: type[Anonymizer]) -> None:
    with pytest.raises(SettingError, match="suppression_threshold is True; write a number"):
        method(models=(KAnonymity(k=2),), suppression_threshold=True)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("pathlib:Path", "The privacy model 'Theirs' (pathlib:Path) is no subclass of PrivacyModel."),
        (
            "absent_module:Model",
            "The privacy model 'Theirs' (absent_module:Model) cannot be loaded: there is no module",
        ),
        (
            "toolbox.privacy.model:PrivacyModel",
            "is abstract: it lacks achieved, holds, least_records, required, worst.",
        ),
        ("somebodys_models:Copy", "Two installed privacy models are called 'k-anonymity': the entry point "),
    ],
)
def test_only_who_names_an_entry_point_that_leads_to_no_privacy_model_is_stopped(
    plugin: Callable[[str], None], target: str, said: str
) -> None:
    before = [model.name for model in list_installed_models()]
    plugin(target)
    assert [model.name for model in list_installed_models()] == before
    known = load_known_models()
    assert known.classes["k-anonymity"] is KAnonymity
    known.require_sound("k-anonymity")
    (broken,) = known.broken
    assert (broken.what, broken.name, broken.package) == ("privacy model", "Theirs", "somebodys")
    with pytest.raises(UsageError) as caught:
        known.require_sound("theirs")
    assert said in str(caught.value)
