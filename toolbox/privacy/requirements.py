"""From what a configuration requires to privacy models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Final

from toolbox.config.model import Attribute, ModelFacts, Requirement
from toolbox.errors import UsageError
from toolbox.extensions import KnownNames
from toolbox.messages import either
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import installed_models, known_models

# An annotation is a text where its module postpones them.
_TYPES: Final[dict[object, type[int] | type[float] | type[str]]] = {"int": int, "float": float, int: int, float: float}


def make_models(requirements: Iterable[Requirement]) -> tuple[PrivacyModel, ...]:
    """Make the model of every requirement.

    Raises
    ------
    SettingError
        If a parameter is out of range.
    """
    installed = {model.name: model for model in installed_models()}
    return tuple(_make(installed[requirement.model], requirement) for requirement in requirements)


def model_facts() -> KnownNames[ModelFacts]:
    """Return what a configuration must know of every installed model, by its name in lower case."""
    facts = {model.name.lower(): _facts(model) for model in installed_models()}
    return KnownNames(facts, known_models())


def check_hierarchies(models: Iterable[PrivacyModel], sensitive: Iterable[Attribute]) -> None:
    """Stop where a model needs the hierarchy of a sensitive attribute that has none.

    Raises
    ------
    UsageError
    """
    known = {str(attribute.column) for attribute in sensitive if attribute.has_hierarchy}
    for model in models:
        if model.needs_hierarchy and model.attribute not in known:
            remedy = either(
                "Write a <vgh> into its <att> in <sens>",
                python="Name it in hierarchies=",
                options=f"Write --hierarchy {model.attribute}=FILE",
            )
            raise UsageError(f"{model} needs a hierarchy of {model.attribute}. {remedy}, or choose another distance.")


def _make(model: type[PrivacyModel], requirement: Requirement) -> PrivacyModel:
    return model(attribute=requirement.attribute, **requirement.parameters)


def _facts(model: type[PrivacyModel]) -> ModelFacts:
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
    )
