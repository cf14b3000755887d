"""The methods and privacy models that are installed, ours and those of other people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any

from toolbox import Anonymizer, PrivacyModel, ToolboxError
from toolbox.app.plain_words import METHODS
from toolbox.extensions import load_installed


@dataclass(frozen=True)
class Parameter:
    """One parameter of a privacy model."""

    name: str
    is_number: bool
    is_whole: bool
    is_needed: bool
    default: str

    def fault(self, text: str) -> str:
        """Return what is wrong with a text that somebody wrote, or nothing."""
        if not text:
            return f"{self.name} is missing. Write a number." if self.is_needed else ""
        try:
            (int if self.is_whole else float if self.is_number else str)(text)
        except ValueError:
            kind, such = ("whole number", "5") if self.is_whole else ("number", "0.2")
            return f"{self.name} is not a {kind}. Write one, such as {such}."
        return ""


@cache
def methods() -> Mapping[str, type[Anonymizer]]:
    """Return all methods by their names: those of other people behind ours."""
    found = load_installed("toolbox.methods", Anonymizer, "method", _method_names).classes.values()  # type: ignore[type-abstract]
    order = list(METHODS)

    def place(method: type[Anonymizer]) -> tuple[int, str]:
        return (order.index(method.name) if method.name in order else len(order), method.name)

    return {method.name: method for method in sorted(set(found), key=place)}


@cache
def models() -> Mapping[str, type[PrivacyModel]]:
    """Return all privacy models, by their names."""
    found = load_installed("toolbox.privacy_models", PrivacyModel, "privacy model", _model_names)  # type: ignore[type-abstract]
    return {model.name: model for model in found.classes.values()}


def _method_names(method: type[Anonymizer]) -> tuple[str, ...]:
    method.facts()
    return method.name, *method.aliases


def _model_names(model: type[PrivacyModel]) -> tuple[str]:
    fields(model)
    return (model.name,)


def method_called(name: str) -> type[Anonymizer] | None:
    """Return the method that a configuration calls so: by its name or another one of it, in any case."""
    called = name.lower()
    return next(
        (one for one in methods().values() if called in {word.lower() for word in (one.name, *one.aliases)}), None
    )


def exclusive_formats() -> Mapping[str, str]:
    """Return the formats that only one method has, with its name."""
    return {method.only_format: name for name, method in methods().items() if method.only_format is not None}


def models_of(requirements: Iterable[Any]) -> list[PrivacyModel]:
    """Make the privacy models that a configuration requires."""
    return [
        models()[each.model](**each.parameters, **({} if each.attribute is None else {"attribute": each.attribute}))
        for each in requirements
    ]


def parameters_of(model: type[PrivacyModel]) -> tuple[Parameter, ...]:
    """Return the parameters of a privacy model, besides the attribute that it protects."""
    return tuple(
        Parameter(
            name=field.name,
            is_number=_kind(field.type) in ("int", "float"),
            is_whole=_kind(field.type) == "int",
            is_needed=field.default is MISSING,
            default="" if field.default is MISSING or field.default is None else str(field.default),
        )
        for field in fields(model)
        if field.name != "attribute"
    )


def sentence(documented: type[Anonymizer] | type[PrivacyModel]) -> str:
    """Return what a method or a model is, in its own sentence."""
    return (documented.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ").replace("``", "")


def refusal(method: type[Anonymizer], required: Iterable[PrivacyModel], without_hierarchy: Iterable[str]) -> str:
    """Return why a method cannot do what is required, in one sentence; nothing if it can.

    Parameters
    ----------
    without_hierarchy : iterable of str
        The quasi-identifiers that have none.
    """
    lacking = list(without_hierarchy)
    if method.full_domain and lacking:
        names = ", ".join(lacking[:3]) + (", .." if len(lacking) > 3 else "")
        verb = "has" if len(lacking) == 1 else "have"
        return f"It needs a hierarchy for every quasi-identifier, and {names} {verb} none. Step 4 makes them."
    needed: dict[str, Any] = {field.name: 0 for field in fields(method) if field.default is MISSING}
    try:
        method(**{**needed, "models": tuple(required)})
    except ToolboxError as error:
        return str(error)
    return ""


def _kind(annotation: Any) -> str:
    """Name a type; annotations are texts, or types where a module does not put them off."""
    return str(getattr(annotation, "__name__", annotation)).partition(" ")[0]
