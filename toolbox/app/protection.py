"""How the records are protected, as a form has it: what every class must satisfy, by which method, in which format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolbox import PrivacyModel, ToolboxError
from toolbox.app import installed
from toolbox.app.plain_words import FORMATS, METHODS, MODELS
from toolbox.errors import SettingError

if TYPE_CHECKING:
    from toolbox import Project

Error = tuple[str, str]
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
        return MODELS.get(self.model.name, installed.sentence(self.model))

    @property
    def parameters(self) -> tuple[installed.Parameter, ...]:
        """Its parameters."""
        return installed.parameters_of(self.model)

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

    @classmethod
    def of_project(cls, project: Project) -> Protection:
        """Return what a project says."""
        method = installed.method_called(project.method)
        rows = [_row(model) for model in project.models if model["type"] in installed.models()]
        suppression = project.suppression or ""
        name = project.method if method is None else method.name
        return cls(name, rows, project.settings, suppression, project.format)

    @classmethod
    def of_form(cls, said: Mapping[str, str]) -> Protection:
        """Return what somebody has written into the form."""
        known, rows, number = installed.models(), [], 0
        while (name := said.get(f"model-{number}-type")) is not None:
            if name in known:
                names = [parameter.name for parameter in installed.parameters_of(known[name])]
                texts = {each: said.get(f"model-{number}-{each}", "").strip() for each in names}
                rows.append(ModelRow(known[name], texts, said.get(f"model-{number}-attribute", "")))
            number += 1
        settings = {
            name.removeprefix("setting-"): text.strip() for name, text in said.items() if name[:8] == "setting-"
        }
        method, suppression = said.get("method", ""), said.get("suppression", "").strip()
        return cls(method, rows, settings, suppression, said.get("format", ""))

    def faults(self, project: Project) -> list[Error]:
        """Return what is wrong with what was written for a project, by the fields."""
        found = [
            (f"model-{number}-{parameter.name}", fault)
            for number, row in enumerate(self.rows)
            for parameter in row.parameters
            if (fault := parameter.fault(row.texts.get(parameter.name, "")))
        ]
        found += [
            (f"model-{number}-attribute", f"Say which sensitive attribute {row.model.name} protects.")
            for number, row in enumerate(self.rows)
            if row.model.needs_attribute and not row.attribute
        ]
        wrong = {field.split("-")[1] for field, _ in found}
        found += [
            refused
            for number, row in enumerate(self.rows)
            if str(number) not in wrong and (refused := _refused(number, row)) is not None
        ]
        if not self.rows:
            found.append(("add-model", "Nothing is required of the classes. Add k-anonymity at least."))
        return found + self._suppression_faults(project)

    def _suppression_faults(self, project: Project) -> list[Error]:
        tried = project.copy()
        tried.set_suppression(self.suppression or None)
        return [
            ("suppression", fault.removeprefix(_SUPPRESSION))
            for fault in tried.faults()
            if fault.startswith(_SUPPRESSION)
        ]

    def field_of(self, fault: str) -> str:
        """Return the field of a setting that a project refuses; empty if it has no field."""
        return next((f"setting-{name}" for name in self.method_settings() if fault.startswith(f"{name}=")), "")

    def apply(self, project: Project) -> None:
        """Make the project say it.

        Raises
        ------
        ToolboxError
            If there is no such method, model or setting.
        """
        known = installed.methods()[self.method].facts().settings if self.method in installed.methods() else {}
        if self.method != Protection.of_project(project).method:
            project.set_method(self.method)
        elif settings := {name: text or None for name, text in self.settings.items() if name in known}:
            project.set_method(project.method, **settings)
        project.set_models([row.as_written() for row in self.rows])
        project.set_suppression(self.suppression or None)
        project.set_output(format=self._fitting(project))

    def _fitting(self, project: Project) -> str | None:
        """Return the format that was chosen, or the one that the method can have."""
        method = installed.methods().get(self.method)
        if method is not None and method.only_format is not None:
            return method.only_format
        return self.form if self.form in project.formats and self.form not in installed.exclusive_formats() else None

    def formats(self, project: Project) -> list[FormatChoice]:
        """Return all formats; a format that the method cannot write has the reason."""
        method = installed.methods().get(self.method)
        only = None if method is None else method.only_format
        found = []
        for name, words in zip(project.formats, FORMATS, strict=True):
            owner = installed.exclusive_formats().get(name)
            refusal = ""
            if only is not None and name != only:
                refusal = f"{self.method} has a format of its own"
            elif owner is not None and owner != self.method:
                refusal = f"only with {owner}"
            found.append(FormatChoice(name, words, refusal))
        return found

    def choices(self, project: Project) -> list[MethodChoice]:
        """Return all methods; a method that cannot be chosen has the reason."""
        columns = [column for column in project.columns() if column.role == "quasi-identifier"]
        lacking = [column.name for column in columns if column.hierarchy == "none" and not _is_date(column.kind)]
        try:
            required = [_made(row) for row in self.rows]
        except (ToolboxError, ValueError, TypeError):
            required = []
        return [
            MethodChoice(
                name=name,
                words=METHODS.get(name, installed.sentence(method)),
                refusal=installed.refusal(method, required, lacking) if required else "",
            )
            for name, method in installed.methods().items()
        ]

    def method_settings(self) -> Mapping[str, tuple[str, ...]]:
        """Return the settings of the method with the words that each takes; none: any."""
        method = installed.methods().get(self.method)
        return {} if method is None else method.facts().settings


def addable(project: Project) -> list[tuple[str, str, str]]:
    """Return each model that can be required, its meaning, and why it cannot be added; empty if it can."""
    has_sensitive = any(column.role == "sensitive" for column in project.columns())
    found = []
    for name, model in installed.models().items():
        reason = ""
        if model.needs_population and project.population is None:
            reason = "it needs a table of the population: name one below"
        elif model.needs_attribute and not has_sensitive:
            reason = "no column is sensitive yet"
        found.append((name, MODELS.get(name, installed.sentence(model)), reason))
    return found


def _refused(number: int, row: ModelRow) -> Error | None:
    """Return what a privacy model says against its parameters."""
    try:
        _made(row)
    except SettingError as error:
        return f"model-{number}-{error.args[0]}", str(error)
    except ToolboxError as error:
        return "", str(error)
    return None


def _row(model: Mapping[str, object]) -> ModelRow:
    kind = installed.models()[str(model["type"])]
    texts = {name: _text(value) for name, value in model.items() if name not in ("type", "attribute")}
    return ModelRow(kind, texts, str(model.get("attribute") or ""))


def _text(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _made(row: ModelRow) -> PrivacyModel:
    values = {
        parameter.name: _value(parameter, text)
        for parameter in row.parameters
        if (text := row.texts.get(parameter.name, ""))
    }
    return row.model(attribute=row.attribute or None, **values)


def _value(parameter: installed.Parameter, text: str) -> object:
    return int(text) if parameter.is_whole else float(text) if parameter.is_number else text


def _is_date(kind: str | None) -> bool:
    return kind is not None and kind.startswith(("date", "timestamp"))
