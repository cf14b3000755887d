"""Which privacy models are installed, and which of them a configuration requires."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from operator import index
from types import MappingProxyType
from typing import Final

from toolbox.config import values
from toolbox.config.model import Attribute, ModelFacts, Requirement, find_model_facts
from toolbox.config.reading.declarations import parse_model_words
from toolbox.errors import BadValueError, UsageError, did_you_mean
from toolbox.extensions import Installed, KnownNames, load_installed
from toolbox.messages import choose_setting_name
from toolbox.privacy.model import PrivacyModel

# Which privacy models are installed: the entry points of the group ``toolbox.privacy_models``.

GROUP = "toolbox.privacy_models"


def load_known_models() -> Installed[PrivacyModel]:
    """Load every installed privacy model; what cannot be used is left out, and listed."""
    return load_installed(GROUP, PrivacyModel, "privacy model", _list_model_names)  # type: ignore[type-abstract]


def list_installed_models() -> list[type[PrivacyModel]]:
    """Return every privacy model that is installed and can be used, in the order of their names."""
    return sorted(load_known_models().classes.values(), key=lambda model: model.name)


def _list_model_names(model: type[PrivacyModel]) -> tuple[str]:
    fields(model)
    index(model.rank)
    return (model.name,)


# From what a configuration requires to privacy models.

# An annotation is a text where its module postpones them.
_TYPES: Final[dict[object, type[int] | type[float] | type[str]]] = {"int": int, "float": float, int: int, float: float}
_READERS: Final[Mapping[type, Callable[[str], int | float | str]]] = MappingProxyType(
    {int: values.parse_whole_number, float: values.parse_real, str: str.strip}
)


def make_models(requirements: Iterable[Requirement]) -> tuple[PrivacyModel, ...]:
    """Make the model of every requirement.

    Raises
    ------
    SettingError
        If a parameter is out of range.
    """
    installed = {model.name: model for model in list_installed_models()}
    return tuple(_make(installed[requirement.model], requirement) for requirement in requirements)


def collect_model_facts() -> KnownNames[ModelFacts]:
    """Return what a configuration must know of every installed model, by its name in lower case."""
    facts = {model.name.lower(): _collect_facts(model) for model in list_installed_models()}
    return KnownNames(facts, load_known_models())


def parse_requirement(text: str) -> Requirement:
    """Return the requirement that a text such as ``entropy l-diversity:l=3:attribute=illness`` states.

    Raises
    ------
    BadValueError
        If it is none; whether a parameter is in its range is found when the model is made.
    """
    words = parse_model_words(text)
    name = words.pop("name")
    known = collect_model_facts()
    facts = find_model_facts(known, name, words)
    if facts is None:
        names = sorted(each.name for each in known.values())
        raise BadValueError("names no model", f"There are: {', '.join(names)}.{did_you_mean(name, names)}")
    attribute = words.pop("attribute", None)
    if facts.needs_attribute and attribute is None:
        raise BadValueError("protects no column", f"Write '{text}:attribute=COLUMN'.")
    for parameter in words:
        if parameter not in facts.parameters:
            raise BadValueError(f"has no parameter {parameter!r}", f"It has: {', '.join(facts.parameters)}.")
    for parameter in facts.needed:
        if parameter not in words:
            raise BadValueError(f"lacks {parameter}", f"Write '{text}:{parameter}=..'.")
    read: dict[str, int | float | str] = {}
    for key, value in words.items():
        try:
            read[key] = _READERS[facts.parameters[key]](value)
        except BadValueError as error:
            reason, remedy = error.args
            raise BadValueError(f"says {key}={value}, which {reason}", remedy) from None
    return Requirement(model=facts.name, attribute=attribute, parameters=MappingProxyType(read))


def check_hierarchies(models: Iterable[PrivacyModel], sensitive: Iterable[Attribute]) -> None:
    """Stop where a model needs the hierarchy of a sensitive attribute that has none.

    Raises
    ------
    UsageError
    """
    known = {str(attribute.column) for attribute in sensitive if attribute.has_hierarchy}
    for model in models:
        if model.needs_hierarchy and model.attribute not in known:
            remedy = choose_setting_name(
                "Write a <vgh> into its <att> in <sens>",
                python="Name it in hierarchies=",
                options=f"Write --hierarchy {model.attribute}=FILE",
            )
            raise UsageError(f"{model} needs a hierarchy of {model.attribute}. {remedy}, or choose another distance.")


def _make(model: type[PrivacyModel], requirement: Requirement) -> PrivacyModel:
    return model(attribute=requirement.attribute, **requirement.parameters)


def _collect_facts(model: type[PrivacyModel]) -> ModelFacts:
    own = [field for field in fields(model) if field.name != "attribute"]
    parameters = {field.name: _TYPES.get(field.type, str) for field in own}
    needed = tuple(field.name for field in own if field.default is MISSING and field.default_factory is MISSING)

    def check(requirement: Requirement) -> None:
        _make(model, requirement)

    return ModelFacts(
        name=model.name,
        needs_attribute=model.needs_attribute,
        parameters=parameters,
        needed=needed,
        check=check,
        k_is_class_size=model.k_is_class_size,
        asked_as=model.asked_as,
    )
