"""What `check` says: how anonymous a release is, as tables and as a document with stable names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from toolbox.errors import UsageError, did_you_mean
from toolbox.messages import format_count, mark, name_python_arguments, say, say_count
from toolbox.privacy.measures import MeasuredParameter, Unmeasured
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.people import AlikePersons
from toolbox.privacy.results import ModelResult
from toolbox.report.advice import Advice, advise_on_classes, advise_on_models, sort_by_severity
from toolbox.report.console import ConsoleReport, ResultTable, make_judged_table, make_table, print_notes
from toolbox.report.judges.face import document_tables
from toolbox.risks.coarser import BelowK

if TYPE_CHECKING:
    import pandas as pd


# What `check` says: how anonymous a release is, and the document with stable names that machines read.


@dataclass(frozen=True, kw_only=True, repr=False)
class CheckReport(ConsoleReport):
    """How anonymous a release is."""

    records: int
    suppressed: int
    """Records with nothing but roots, which are in no class."""
    classes: int
    smallest_class: int | None
    """None if all records are suppressed."""
    average_class: float | None
    measured: tuple[MeasuredParameter, ...]
    """For every privacy model, and every sensitive attribute that it protects, the strictest parameter that holds."""
    judged: tuple[ModelResult, ...]
    """How the release stands to what is required of it."""
    harmonised: bool
    """Whether each sensitive attribute was judged with the others as quasi-identifiers."""
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    unmeasured: tuple[Unmeasured, ...] = ()
    """Installed models by other people that could not be measured, and why."""
    readings: tuple[str, ...] = ()
    """How numbers were read."""
    below: BelowK | None = None
    """The records in classes of fewer than the k that is required, or than 2; None if there are none."""
    persons: int | None = None
    """Where the sizes of classes count persons: how many there are in all."""
    not_proved: tuple[str, ...] = ()
    """What somebody may take for told, and is not: how many people the classes have."""
    profiles: AlikePersons | None = None
    """The persons who are alike in all of their records in all tables; None of one table, or if nobody can tell."""
    requires_profiles: bool = False
    """Whether k persons must be alike so."""
    tables: Mapping[str, CheckReport] = field(default_factory=dict)
    """The child tables by their names, each as the only one."""

    @property
    def holds(self) -> bool:
        """Whether the release satisfies all required models, in all tables."""
        return all(model.holds for _, model in self._list_judged())

    def _list_judged(self) -> list[tuple[str, ModelResult]]:
        """List how all tables stand to what is required, each with its table, and all of them together."""
        listed = [("", model) for model in self.judged]
        listed += [(f"table {name}", model) for name, table in self.tables.items() for model in table.judged]
        if self.profiles is not None and self.requires_profiles:
            found = self.profiles
            together = ModelResult(
                name="k-anonymity",
                attribute=None,
                parameters={"k": found.k},
                required=found.k,
                achieved=found.fewest,
                holds=found.holds,
                model=KAnonymity,
            )
            listed.append(("profiles over all tables", together))
        return listed

    def to_frame(self) -> pd.DataFrame:
        """Return what was measured as a DataFrame: ``name, attribute, parameter, achieved``, a row for each model."""
        with name_python_arguments():
            import pandas as pd

        columns = ["name", "attribute", "parameter", "achieved"]
        rows = [[getattr(model, name) for name in columns] for model in self.measured]
        return pd.DataFrame(rows, columns=columns)

    def achieved(self, name: str, attribute: str | None = None, parameter: str | None = None) -> float | None:
        """Return what a model achieves: the first measured one of this name, attribute and parameter.

        Raises
        ------
        UsageError
            If there is none.
        """
        for model in self.measured:
            if (model.name, model.attribute) == (name, attribute) and parameter in (None, model.parameter):
                return model.achieved
        known = sorted({model.name for model in self.measured})
        of = f" of {attribute!r}" if attribute else ""
        raise UsageError(f"Nothing was measured as {name!r}{of}.{did_you_mean(name, known)}")

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher on the figures."""
        notes = [*self.readings]
        if self.suppressed:
            suppressed = say_count(
                "%(count)s record is suppressed: it is in no class.",
                "%(count)s records are suppressed: they are in no class.",
                self.suppressed,
            )
            notes.append(suppressed)
        words = mark("not measured: %(names)s: %(reason)s.")
        notes += [say(words, names=model.name, reason=model.reason) for model in self.unmeasured]
        return (*notes, *(advice.in_words() for advice in self.advice))

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What was found that calls for a change, and what would lower it."""
        return sort_by_severity([*advise_on_models(self.judged, self.measured), *advise_on_classes(self.below)])

    def headline(self) -> str:
        """Return the most important facts in one line."""
        smallest = "" if self.smallest_class is None else f", smallest {self.smallest_class:,}"
        unproved = "".join(f"; not proved: {each}" for each in self.not_proved)
        judged = "; ".join(
            f"{_name_place(model, place).name} {'holds' if model.holds else 'fails'}"
            for place, model in self._list_judged()
        )
        if self.persons is not None and self.smallest_class is not None:
            smallest = f", {format_count(self.smallest_class, 'person')} in the smallest class"
        counted = f"{format_count(self.records, 'record')} in {format_count(self.classes, 'class', 'classes')}"
        return f"{counted}{smallest}{judged and f'; {judged}'}{unproved}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        print_check(
            console,
            records=self.records,
            suppressed=self.suppressed,
            classes=self.classes,
            smallest_class=self.smallest_class,
            average_class=self.average_class,
            persons=self.persons,
            profiles=self.profiles,
            judged=[_name_place(model, place) for place, model in self._list_judged()],
            not_proved=self.not_proved,
            measured=self.measured,
            notes=self.notes,
        )
        for name, table in self.tables.items():
            console.print(f"\n[bold]table {name}[/]")
            replace(table, judged=()).show_on(console)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``check``; its names are stable."""
        judged = [
            {
                "name": model.name,
                "attribute": model.attribute,
                "parameters": dict(model.parameters),
                "required": model.required,
                "achieved": _replace_infinity(model.achieved),
                "holds": model.holds,
                **({"estimated": True} if model.is_estimated else {}),
            }
            for model in self.judged
        ]
        measured = [
            {
                "name": model.name,
                "attribute": model.attribute,
                "parameters": dict(model.given),
                "parameter": model.parameter,
                "required": None,
                "achieved": _replace_infinity(model.achieved),
                "holds": None,
            }
            for model in self.measured
        ]
        return {
            "toolbox_version": self.toolbox_version,
            "records": self.records,
            "records_suppressed": self.suppressed,
            "classes": self.classes,
            "smallest_class": self.smallest_class,
            "average_class": self.average_class,
            **({} if self.persons is None else {"persons": self.persons}),
            "holds": self.holds,
            **self._document_tables(),
            **({"not_proved": list(self.not_proved)} if self.not_proved else {}),
            "harmonised": self.harmonised,
            "models": [*judged, *measured],
            "timings": dict(self.timings),
            "advice": [advice.document() for advice in self.advice],
            "notes": list(self.notes),
        }

    def _document_tables(self) -> dict[str, Any]:
        """Return what the document says of several tables; nothing of one."""
        found: dict[str, Any] = {}
        if self.profiles is not None:
            required = self.profiles.k if self.requires_profiles else None
            holds = self.profiles.holds if self.requires_profiles else None
            found["profiles"] = {**self.profiles.document(), "required": required, "holds": holds}
        if self.tables:
            found["tables"] = document_tables(self.tables)
        return found


def _name_place(model: ModelResult, place: str) -> ModelResult:
    """Return a result whose name says of which table it is."""
    return replace(model, name=f"{model.name} of {place}") if place else model


def _replace_infinity(value: float | None) -> float | str | None:
    """Write infinity as a text: JSON has no number for it."""
    return "infinity" if value is not None and math.isinf(value) else value


# The tables of `check`: classes, required privacy models, measured privacy models.


def print_check(
    console: Console,
    *,
    records: int,
    suppressed: int,
    classes: int,
    smallest_class: int | None,
    average_class: float | None,
    persons: int | None = None,
    profiles: AlikePersons | None = None,
    judged: Sequence[ModelResult],
    not_proved: Sequence[str] = (),
    measured: Sequence[MeasuredParameter],
    notes: Sequence[str],
) -> None:
    """Print how anonymous a release is; `CheckReport` explains the figures."""
    average = "-" if average_class is None else f"{average_class:,.1f}"
    smallest = "-" if smallest_class is None else f"{smallest_class:,}"
    console.print(f"[bold]records[/]  {records:,}, {suppressed:,} suppressed")
    of = "records" if persons is None else f"persons, of {persons:,}"
    console.print(f"[bold]classes[/]  {classes:,}, smallest {smallest}, average {average} {of}")
    if profiles is not None:
        console.print(f"[bold]profiles[/] {profiles.line()}")
    console.print()
    if judged:
        console.print(make_judged_table("required", judged))
    for sentence in not_proved:
        console.print(f"[yellow]not proved[/] {escape(sentence)}\n", soft_wrap=True)
    console.print(_make_measured_table(measured))
    print_notes(console, notes)


def _make_measured_table(measured: Sequence[MeasuredParameter]) -> ResultTable:
    table = make_table("measured: the strictest that holds", "model", "of", "", "", numbers=frozenset({3}))
    for model in measured:
        parameters = ", ".join(f"{name}={value}" for name, value in model.given.items())
        name = f"{model.name} ({parameters})" if parameters else model.name
        value = "no class" if model.achieved is None else f"{model.achieved:.6g}"
        table.add_row(name, model.attribute or "", model.parameter, value)
    return table
