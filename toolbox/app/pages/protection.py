"""How the records are protected, as a form has it: the models, methods and formats that are installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from operator import index
from typing import TYPE_CHECKING, Any, Final

from toolbox import Anonymizer, PrivacyModel, ToolboxError
from toolbox.errors import SettingError
from toolbox.extensions import load_installed
from toolbox.messages import say, say_count

if TYPE_CHECKING:
    from toolbox import Project


# The methods and privacy models that are installed, ours and those of other people.


@dataclass(frozen=True)
class Parameter:
    """One parameter of a privacy model."""

    name: str
    is_number: bool
    is_whole: bool
    is_needed: bool
    default: str

    @property
    def title(self) -> str:
        """What its field is called."""
        return self.name.replace("_", " ")

    def fault(self, text: str) -> str:
        """Return what is wrong with a text that somebody wrote, or nothing."""
        if not text:
            return say("%(name)s is missing. Write a number.", name=self.title) if self.is_needed else ""
        try:
            (int if self.is_whole else float if self.is_number else str)(text)
        except ValueError:
            if self.is_whole:
                return say("%(name)s is not a whole number. Write one, such as 5.", name=self.title)
            return say("%(name)s is not a number. Write one, such as 0.2.", name=self.title)
        return ""


@cache
def find_methods() -> Mapping[str, type[Anonymizer]]:
    """Return all methods by their names: those of other people behind ours."""
    found = load_installed("toolbox.methods", Anonymizer, "method", _list_method_names).classes.values()  # type: ignore[type-abstract]
    return {method.name: method for method in sorted(set(found), key=lambda method: (method.rank, method.name))}


@cache
def find_models() -> Mapping[str, type[PrivacyModel]]:
    """Return all privacy models, by their names."""
    found = load_installed("toolbox.privacy_models", PrivacyModel, "privacy model", _list_model_names)  # type: ignore[type-abstract]
    return {model.name: model for model in found.classes.values()}


def _list_method_names(method: type[Anonymizer]) -> tuple[str, ...]:
    method.facts()
    index(method.rank)
    return method.name, *method.aliases


def _list_model_names(model: type[PrivacyModel]) -> tuple[str]:
    fields(model)
    return (model.name,)


def find_method_called(name: str) -> type[Anonymizer] | None:
    """Return the method that a configuration calls so: by its name or another one of it, in any case."""
    called = name.lower()
    return next(
        (one for one in find_methods().values() if called in {word.lower() for word in (one.name, *one.aliases)}), None
    )


def find_exclusive_formats() -> Mapping[str, str]:
    """Return the formats that only one method has, with its name."""
    return {method.only_format: name for name, method in find_methods().items() if method.only_format is not None}


def list_parameters(model: type[PrivacyModel]) -> tuple[Parameter, ...]:
    """Return the parameters of a privacy model, besides the attribute that it protects."""
    return tuple(
        Parameter(
            name=field.name,
            is_number=_name_type(field.type) in ("int", "float"),
            is_whole=_name_type(field.type) == "int",
            is_needed=field.default is MISSING,
            default="" if field.default is MISSING or field.default is None else str(field.default),
        )
        for field in fields(model)
        if field.name != "attribute"
    )


def describe(kind: type[Anonymizer] | type[PrivacyModel]) -> str:
    """Return what a method or a model is, in its own words."""
    if kind.summary:
        return say(kind.summary)
    return (kind.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ").replace("``", "")


def find_refusal(method: type[Anonymizer], required: Iterable[PrivacyModel], without_hierarchy: Iterable[str]) -> str:
    """Return why a method cannot do what is required, in one sentence; nothing if it can.

    Parameters
    ----------
    without_hierarchy : iterable of str
        The quasi-identifiers that have none.
    """
    required, lacking = list(required), list(without_hierarchy)
    if method.full_domain and lacking:
        names = ", ".join(lacking[:3]) + (", .." if len(lacking) > 3 else "")
        return say_count(
            "It needs a hierarchy for every quasi-identifier, and %(names)s has none. Step 4 makes them.",
            "It needs a hierarchy for every quasi-identifier, and %(names)s have none. Step 4 makes them.",
            len(lacking),
            names=names,
        )
    for model in required:
        if not method.supports(model):
            return say("It cannot satisfy %(model)s.", model=model.name)
    needed: dict[str, Any] = {field.name: 0 for field in fields(method) if field.default is MISSING}
    try:
        method(**{**needed, "models": tuple(required)})
    except ToolboxError as error:
        return str(error)
    return ""


def _name_type(annotation: Any) -> str:
    """Name a type; annotations are texts, or types where a module does not put them off."""
    return str(getattr(annotation, "__name__", annotation)).partition(" ")[0]


# How the records are protected, as a form has it: what every class must satisfy, by which method, in which format.

Error = tuple[str, str]
PROFILE: Final = "profile"
"""The attacker who knows all rows of a person."""
_OF_PERSONS: Final = ("attacker", "suppress_by")
"""The fields that are there only where persons are declared; they are called as the options of a project."""
_SUPPRESSION: Final = "suppThreshold="
"""How a fault of a project begins that is one of the records that may be suppressed."""


@dataclass(frozen=True)
class ModelRow:
    """One privacy model, as it is written in a form."""

    model: type[PrivacyModel]
    texts: Mapping[str, str]
    """Of its parameters, by their names."""
    attribute: str = ""

    @property
    def words(self) -> str:
        """What it means."""
        return describe(self.model)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters."""
        return list_parameters(self.model)

    def as_written(self) -> dict[str, str]:
        """Return the settings for a project; empty fields have their defaults."""
        written = {"type": self.model.name, "attribute": self.attribute, **self.texts}
        return {name: text for name, text in written.items() if text}


@dataclass(frozen=True)
class MethodChoice:
    """One method that can be chosen, or not."""

    name: str
    words: str
    refusal: str
    """Why it cannot be chosen; empty if it can."""


@dataclass(frozen=True)
class FormatChoice:
    """One format that can be chosen, or not."""

    name: str
    words: str
    refusal: str
    """Why it cannot be chosen; empty if it can."""


@dataclass(frozen=True)
class Protection:
    """All that the form says."""

    method: str
    rows: Sequence[ModelRow]
    settings: Mapping[str, str] = field(default_factory=dict)
    """Of the method."""
    suppression: str = ""
    form: str = ""
    """The format of the release."""
    attacker: str = ""
    """Whether somebody knows single rows, or all rows of a person; empty: the release decides."""
    suppress_by: str = ""
    """Whether single rows are suppressed, or persons with all of theirs; empty: as usual."""

    @classmethod
    def of_project(cls, project: Project) -> Protection:
        """Return what a project says."""
        method = find_method_called(project.method)
        rows = [_make_model_row(model) for model in project.models if model["type"] in find_models()]
        suppression = project.suppression or ""
        name = project.method if method is None else method.name
        of_persons = (project.option(option) or "" for option in _OF_PERSONS)
        return cls(name, rows, project.settings, suppression, project.format, *of_persons)

    @classmethod
    def of_form(cls, said: Mapping[str, str]) -> Protection:
        """Return what somebody has written into the form."""
        known, rows, number = find_models(), [], 0
        while (name := said.get(f"model-{number}-type")) is not None:
            if name in known:
                names = [parameter.name for parameter in list_parameters(known[name])]
                texts = {each: said.get(f"model-{number}-{each}", "").strip() for each in names}
                rows.append(ModelRow(known[name], texts, said.get(f"model-{number}-attribute", "")))
            number += 1
        settings = {
            name.removeprefix("setting-"): text.strip() for name, text in said.items() if name[:8] == "setting-"
        }
        method, suppression = said.get("method", ""), said.get("suppression", "").strip()
        of_persons = (said.get(option, "") for option in _OF_PERSONS)
        return cls(method, rows, settings, suppression, said.get("format", ""), *of_persons)

    def faults(self, project: Project) -> list[Error]:
        """Return what is wrong with what was written for a project, by the fields."""
        found = [
            (f"model-{number}-{parameter.name}", fault)
            for number, row in enumerate(self.rows)
            for parameter in row.parameters
            if (fault := parameter.fault(row.texts.get(parameter.name, "")))
        ]
        found += [
            (
                f"model-{number}-attribute",
                say("Say which sensitive attribute %(model)s protects.", model=row.model.name),
            )
            for number, row in enumerate(self.rows)
            if row.model.needs_attribute and not row.attribute
        ]
        wrong = {field.split("-")[1] for field, _ in found}
        found += [
            refused
            for number, row in enumerate(self.rows)
            if str(number) not in wrong and (refused := _find_parameter_fault(number, row)) is not None
        ]
        if not self.rows:
            found.append(("add-model", say("Nothing is required of the classes. Add k-anonymity at least.")))
        if self.attacker == PROFILE and (refusal := self.find_profile_refusal()):
            found.append(("attacker", refusal))
        if self.suppress_by == "person" and (refusal := self.find_suppression_refusal()):
            found.append(("suppress_by", refusal))
        return found + self._find_suppression_faults(project)

    def find_profile_refusal(self) -> str:
        """Return why persons cannot be made alike in all of their rows together; empty if they can."""
        required = self._make_models()
        able = [name for name, method in find_methods().items() if method.supports_profiles(required)]
        if self.method in able:
            return ""
        if not able:
            return say("What is required judges each row by itself.")
        return say(
            "%(method)s judges each row by itself. Those that judge all rows of a person: %(able)s.",
            method=self.method,
            able=", ".join(able),
        )

    def find_suppression_refusal(self) -> str:
        """Return why persons cannot be suppressed with all of their rows; empty if they can."""
        if any(model.looks_beyond_class for model in self._make_models()):
            return say("What is required does not judge each class by itself.")
        able = [name for name, method in find_methods().items() if method.suppresses_persons]
        if self.method in able:
            return ""
        return say(
            "%(method)s suppresses single rows. Those that can suppress persons: %(able)s.",
            method=self.method,
            able=", ".join(able),
        )

    def _make_models(self) -> list[PrivacyModel]:
        """Return what is required, as far as it is written right."""
        try:
            return [_make_model(row) for row in self.rows]
        except (ToolboxError, ValueError, TypeError):
            return []

    def _find_suppression_faults(self, project: Project) -> list[Error]:
        tried = project.copy()
        tried.set_suppression(self.suppression or None)
        return [
            ("suppression", fault.removeprefix(_SUPPRESSION))
            for fault in tried.faults()
            if fault.startswith(_SUPPRESSION)
        ]

    def find_field(self, fault: str) -> str:
        """Return the field of a setting that a project refuses; empty if it has no field."""
        return next((f"setting-{name}" for name in self.method_settings() if fault.startswith(f"{name}=")), "")

    def apply(self, project: Project) -> None:
        """Make the project say it.

        Raises
        ------
        ToolboxError
            If there is no such method, model or setting.
        """
        known = find_methods()[self.method].facts().settings if self.method in find_methods() else {}
        if self.method != Protection.of_project(project).method:
            project.set_method(self.method)
        elif settings := {name: text or None for name, text in self.settings.items() if name in known}:
            project.set_method(project.method, **settings)
        project.set_models([row.as_written() for row in self.rows])
        project.set_suppression(self.suppression or None)
        project.set_output(format=self._choose_format(project))
        if project.person:
            project.set_option("attacker", self.attacker if self.attacker in ("rows", PROFILE) else None)
            project.set_option("suppress_by", self.suppress_by if self.suppress_by in ("row", "person") else None)

    def _choose_format(self, project: Project) -> str | None:
        """Return the format that was chosen, or the one that the method can have."""
        method = find_methods().get(self.method)
        if method is not None and method.only_format is not None:
            return method.only_format
        return self.form if self.form in project.formats and self.form not in find_exclusive_formats() else None

    def formats(self, project: Project) -> list[FormatChoice]:
        """Return all formats; a format that the method cannot write has the reason."""
        method = find_methods().get(self.method)
        only = None if method is None else method.only_format
        found = []
        for name, words in project.formats.items():
            owner = find_exclusive_formats().get(name)
            refusal = ""
            if only is not None and name != only:
                refusal = say("%(method)s has a format of its own", method=self.method)
            elif owner is not None and owner != self.method:
                refusal = say("only with %(method)s", method=owner)
            found.append(FormatChoice(name, words, refusal))
        return found

    def choices(self, project: Project) -> list[MethodChoice]:
        """Return all methods; a method that cannot be chosen has the reason."""
        columns = [column for column in project.columns() if column.role == "quasi-identifier"]
        lacking = [column.name for column in columns if column.hierarchy == "none" and not _is_date(column.kind)]
        required, counts_persons = self._make_models(), bool(project.person)
        return [
            MethodChoice(
                name=name,
                words=describe(method),
                refusal=say("It counts records, not persons.")
                if counts_persons and not method.counts_persons
                else find_refusal(method, required, lacking)
                if required
                else "",
            )
            for name, method in find_methods().items()
        ]

    def method_settings(self) -> Mapping[str, tuple[str, ...]]:
        """Return the settings of the method with the words that each takes; none: any."""
        method = find_methods().get(self.method)
        return {} if method is None else method.facts().settings


def list_addable_models(project: Project) -> list[tuple[str, str, str]]:
    """Return each model that can be required, its meaning, and why it cannot be added; empty if it can."""
    has_sensitive = any(column.role == "sensitive" for column in project.columns())
    found = []
    for name, model in find_models().items():
        reason = ""
        if model.needs_population and project.population is None:
            reason = say("it needs a table of the population: name one below")
        elif model.needs_attribute and not has_sensitive:
            reason = say("no column is sensitive yet")
        found.append((name, describe(model), reason))
    return found


def _find_parameter_fault(number: int, row: ModelRow) -> Error | None:
    """Return what a privacy model says against its parameters."""
    try:
        _make_model(row)
    except SettingError as error:
        return f"model-{number}-{error.args[0]}", str(error).replace("_", " ")
    except ToolboxError as error:
        return "", str(error)
    return None


def _make_model_row(model: Mapping[str, object]) -> ModelRow:
    kind = find_models()[str(model["type"])]
    texts = {name: _format_parameter(value) for name, value in model.items() if name not in ("type", "attribute")}
    return ModelRow(kind, texts, str(model.get("attribute") or ""))


def _format_parameter(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _make_model(row: ModelRow) -> PrivacyModel:
    values = {
        parameter.name: _parse_parameter(parameter, text)
        for parameter in row.parameters
        if (text := row.texts.get(parameter.name, ""))
    }
    return row.model(attribute=row.attribute or None, **values)


def _parse_parameter(parameter: Parameter, text: str) -> object:
    return int(text) if parameter.is_whole else float(text) if parameter.is_number else text


def _is_date(kind: str | None) -> bool:
    return kind is not None and kind.startswith(("date", "timestamp"))
