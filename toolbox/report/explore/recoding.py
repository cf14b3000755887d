"""What a saved recoding says of each column, and how two of them differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any, Self

from toolbox.config.model import Config
from toolbox.config.reading.recoding import SavedRecoding
from toolbox.errors import quote
from toolbox.messages import choose_setting_name, format_count, say, say_count
from toolbox.privacy.results import ModelResult
from toolbox.report.console import ConsoleReport, make_judged_table, make_table, print_notes
from toolbox.store.tables import Reapplied, Tables

_SHOWN = 4
"""Names of generalised values that are printed of a column; the document has all."""


@dataclass(frozen=True, kw_only=True)
class RecodedColumn:
    """What a recoding says of a column."""

    name: str
    level: int | None
    """Of the whole column; None where classes differ."""
    labels: tuple[str, ...]
    """What classes are called, the widest last; empty where the level says it, or a builder."""
    values: int
    """Values of the table that stand in the recoding."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RecodingReport(ConsoleReport):
    """What a recoding says."""

    source: str
    method: str
    settings: Mapping[str, str]
    records: int
    """Of the table of which it was made."""
    classes: int
    columns: tuple[RecodedColumn, ...]
    configuration: str
    sha256: str

    def _count_records(self) -> str:
        return f"{format_count(self.records, 'record')} in {format_count(self.classes, 'class', 'classes')}"

    def headline(self) -> str:
        """Return the most important facts in one line."""
        made = f"{self.method}, made of {self._count_records()}"
        return f"{self.source}: {made}; columns: {', '.join(column.name for column in self.columns)}"

    def document(self) -> dict[str, Any]:
        """Return all of it with stable names."""
        return {**vars(self), "settings": dict(self.settings), "columns": [vars(column) for column in self.columns]}

    def show_on(self, console: Any) -> None:
        """Print it on a console of rich."""
        facts = make_table("")
        settings = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        facts.add_row("method", f"{self.method} ({settings})" if settings else self.method)
        facts.add_row("made of", self._count_records())
        facts.add_row("sha256", self.sha256)
        console.print(facts)
        table = make_table("columns", "column", "level", "names", "values of the table", numbers=frozenset({1, 3}))
        for column in self.columns:
            level = "-" if column.level is None else str(column.level)
            table.add_row(column.name, level, _shorten(column.labels), f"{column.values:,}")
        console.print(table)
        values = sum(column.values for column in self.columns)
        notes = ["It holds no record and no key."]
        if values:
            told = format_count(values, "value of the table stands", "values of the table stand")
            notes.append(f"{told} in it, as cuts or as classes of their own: keep it as you keep the table.")
        print_notes(console, notes)


@dataclass(frozen=True, kw_only=True)
class ChangedColumn:
    """How a column differs between two recodings."""

    name: str
    old_level: int | None
    new_level: int | None
    gone: tuple[str, ...]
    """Names that only the old one has."""
    new: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class RecodingDiff(ConsoleReport):
    """How two recodings differ."""

    old: str
    new: str
    columns: tuple[ChangedColumn, ...]
    declaration: tuple[str, ...]
    """Lines of the declaration that are gone, with ``-``, or new, with ``+``."""

    @property
    def is_empty(self) -> bool:
        """Whether they say the same."""
        return not self.columns and not self.declaration

    def headline(self) -> str:
        """Return the most important facts in one line."""
        if self.is_empty:
            return f"{self.old} and {self.new} say the same"
        return f"{self.old} and {self.new} differ in {format_count(len(self.columns), 'column')}"

    def document(self) -> dict[str, Any]:
        """Return all of it with stable names."""
        return {**vars(self), "columns": [vars(column) for column in self.columns]}

    def show_on(self, console: Any) -> None:
        """Print it on a console of rich."""
        if self.columns:
            table = make_table("columns", "column", "level", "names that are gone", "new names")
            for column in self.columns:
                levels = (column.old_level, column.new_level)
                level = " to ".join("-" if level is None else str(level) for level in dict.fromkeys(levels))
                table.add_row(column.name, level, _shorten(column.gone), _shorten(column.new))
            console.print(table)
        notes = [] if not self.is_empty else [f"{self.old} and {self.new} say the same."]
        if self.declaration:
            lines = format_count(len(self.declaration), "line")
            notes.append(f"The declarations differ in {lines}; the document shows them.")
        print_notes(console, notes)


def _shorten(labels: tuple[str, ...]) -> str:
    shown = ", ".join(quote(label)[1:-1] for label in labels[:_SHOWN])
    return f"{shown}, and {len(labels) - _SHOWN:,} more" if len(labels) > _SHOWN else shown


def describe_recoding(recoding: SavedRecoding) -> RecodingReport:
    """Describe a recoding."""
    document = recoding.document
    made = document["made"]
    levels = document.get("levels") or [None] * len(recoding.columns)
    labels = _list_labels(document, len(recoding.columns))
    return RecodingReport(
        source=recoding.source,
        method=made["method"],
        settings=made.get("settings", {}),
        records=made["records"],
        classes=made["classes"],
        columns=tuple(
            RecodedColumn(name=name, level=level, labels=names, values=document["valuesOfData"].get(name, 0))
            for name, level, names in zip(recoding.columns, levels, labels, strict=False)
        ),
        configuration=recoding.configuration,
        sha256=recoding.digest,
    )


def _list_labels(document: Mapping[str, Any], columns: int) -> list[tuple[str, ...]]:
    """List the names that classes have in each column, those of values of their own left out."""
    named: list[list[Mapping[str, Any]]] = [[]] * columns
    if "cells" in document:
        named = [[each for each in names if each["level"]] for names in document["cells"]["names"]]
    if "regions" in document:
        named = [[*names[1:], names[0]] for names in (column["names"] for column in document["regions"]["columns"])]
    # A region of one value and a node above it alone may have one name.
    return [tuple(dict.fromkeys(each["label"] for each in names if "label" in each)) for names in named]


def compare_recodings(old: RecodingReport, new: RecodingReport) -> RecodingDiff:
    """Compare two recodings."""
    before = {column.name: column for column in old.columns}
    after = {column.name: column for column in new.columns}
    nothing = RecodedColumn(name="", level=None, labels=(), values=0)
    changed = []
    for name in dict.fromkeys((*before, *after)):
        first, second = before.get(name, nothing), after.get(name, nothing)
        gone, added = set(first.labels) - set(second.labels), set(second.labels) - set(first.labels)
        if gone or added or first.level != second.level or name not in before or name not in after:
            changed.append(
                ChangedColumn(
                    name=name,
                    old_level=first.level,
                    new_level=second.level,
                    gone=tuple(label for label in first.labels if label in gone),
                    new=tuple(label for label in second.labels if label in added),
                )
            )
    lines = unified_diff(old.configuration.splitlines(), new.configuration.splitlines(), lineterm="", n=0)
    declared = tuple(line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))
    return RecodingDiff(old=old.source, new=new.source, columns=tuple(changed), declaration=declared)


# What would become of another table, before anything of it is released.

_NEW_COLUMNS = {
    "drop": "{} would be left out",
    "pass": "{} would be released as they are",
    "fail": "{} would stop the release; apply takes {remedy}",
}
_MOST_LISTED = 100
"""Values that a document lists of a column; all of them are counted."""


@dataclass(frozen=True, kw_only=True)
class NextColumn:
    """The values of a quasi-identifier in another table, beside those of a recoding."""

    name: str
    known: int | None
    """How many values the recoding lists; None: numbers, or a rule that places any value."""
    unseen: Mapping[str, int]
    """The values that it does not know, the most frequent first, each with its records."""
    gone: tuple[str, ...]
    """Values that it lists, and that no record has."""

    def document(self) -> dict[str, Any]:
        """Return all of it with stable names; long lists are cut, and counted in full."""
        listed = list(self.unseen.items())[:_MOST_LISTED]
        return {
            "name": self.name,
            "known": self.known,
            "unseen": [{"value": value, "records": records} for value, records in listed],
            "unseen_values": len(self.unseen),
            "unseen_records": sum(self.unseen.values()),
            "gone": list(self.gone[:_MOST_LISTED]),
            "gone_values": len(self.gone),
        }


@dataclass(frozen=True, kw_only=True)
class SmallClassesWay:
    """What would become of the classes that are too small, in one of the ways in which that can be decided."""

    small_classes: str
    """As the setting for small classes says it."""
    problem: str = ""
    """Why no release can be made in this way; empty: it can, and was proved."""
    kept: int = 0
    merged: int = 0
    suppressed: int = 0
    classes: int = 0
    smallest_class: int | None = None
    information: float | None = None
    """The share of the information that is kept."""


@dataclass(frozen=True, kw_only=True)
class Foreseen:
    """What a recoding makes of another table that has its columns."""

    records: int
    """Those that a release would have."""
    records_read: int
    records_skipped: int
    """Of these, records without a value in a declared column."""
    noun: str
    """What classes count: records, or persons."""
    columns: tuple[NextColumn, ...]
    models: tuple[ModelResult, ...]
    """What the classes reach that the recoding makes, before any of them is merged or suppressed."""
    classes: int
    small_classes: int
    """Those that do not satisfy every model."""
    small_records: int
    small_noun: str
    """What of these is counted: persons also where they are suppressed with records of several classes."""
    ways: tuple[SmallClassesWay, ...]
    """The usual one first."""

    @property
    def holds(self) -> bool:
        """Whether all models hold as they are."""
        return all(model.holds for model in self.models)


@dataclass(frozen=True, kw_only=True, repr=False)
class RecodingPreview(ConsoleReport):
    """What a recoding would make of another table: what is new, what is gone, and what does not hold any more."""

    recoding: str
    sha256: str
    table: str
    new_columns: tuple[str, ...]
    gone_columns: tuple[str, ...]
    lacking: tuple[str, ...]
    """Of these, the columns without which the recoding cannot be applied."""
    knows_all_columns: bool
    """Whether the recoding lists all columns of its table; otherwise it knows those that were declared."""
    undeclared: str
    """What becomes of columns that nobody declared: ``pass``, ``drop`` or ``fail``."""
    foreseen: Foreseen | None
    """None where columns are lacking."""

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return f"{self.recoding} on {self.table}: {' '.join(self.list_findings())}"

    def list_findings(self) -> list[str]:
        """Say in sentences what is new, what is gone, and what does not hold."""
        if self.foreseen is None:
            columns = format_count(len(self.lacking), "column is", "columns are")
            return [f"It cannot be applied: {columns} not there ({', '.join(self.lacking)})."]
        found = self.foreseen
        said = [
            f"{column.name}: {format_count(len(column.unseen), 'new value')}, "
            f"of {format_count(sum(column.unseen.values()), found.noun)}."
            for column in found.columns
            if column.unseen
        ]
        if not found.small_classes:
            return [*said, "Every class satisfies the models, as the recoding says it."]
        classes = format_count(found.small_classes, "class", "classes")
        counted = format_count(found.small_records, found.small_noun)
        return [*said, f"{classes} of {found.classes:,}, with {counted}, would not satisfy the models any more."]

    def document(self) -> dict[str, Any]:
        """Return all of it with stable names."""
        found = self.foreseen
        head = {name: value for name, value in vars(self).items() if name != "foreseen"}
        lists = {name: list(value) for name, value in head.items() if isinstance(value, tuple)}
        if found is None:
            return {**head, **lists, "can_be_applied": False}
        return {
            **head,
            **lists,
            "can_be_applied": any(not way.problem for way in found.ways),
            **{name: getattr(found, name) for name in ("records", "records_read", "records_skipped", "noun")},
            "columns": [column.document() for column in found.columns],
            "holds": found.holds,
            "models": [model.document() for model in found.models],
            **{name: getattr(found, name) for name in ("classes", "small_classes", "small_records")},
            "ways": [vars(way) for way in found.ways],
        }

    def show_on(self, console: Any) -> None:
        """Print it on a console of rich."""
        facts = make_table("")
        facts.add_row("recoding", self.recoding)
        facts.add_row("table", self.table)
        facts.add_row("new columns", ", ".join(self.new_columns) or "none")
        facts.add_row("gone columns", ", ".join(self.gone_columns) or "none")
        console.print(facts)
        if self.foreseen is not None:
            self._show_values(console, self.foreseen)
            console.print(make_judged_table("as the recoding says", self.foreseen.models))
            self._show_ways(console, self.foreseen)
        print_notes(console, self._list_notes())

    def _show_values(self, console: Any, found: Foreseen) -> None:
        table = make_table("values", "column", "new values", found.noun + "s", "gone values", numbers=frozenset({2}))
        for column in found.columns:
            new, gone = _shorten(tuple(column.unseen)), _shorten(column.gone)
            table.add_row(column.name, new or "-", f"{sum(column.unseen.values()):,}", gone or "-")
        console.print(table)

    def _show_ways(self, console: Any, found: Foreseen) -> None:
        heads = ("small classes", "as it says", "wider", "suppressed", "classes", "smallest", "information kept")
        table = make_table("a release", *heads, numbers=frozenset(range(1, 7)))
        for way in found.ways:
            if way.problem:
                continue
            kept = "-" if way.information is None else f"{way.information:.1%}"
            smallest = "-" if way.smallest_class is None else f"{way.smallest_class:,}"
            figures = (f"{way.kept:,}", f"{way.merged:,}", f"{way.suppressed:,}", f"{way.classes:,}", smallest, kept)
            table.add_row(way.small_classes, *figures)
        console.print(table)

    def _list_notes(self) -> list[str]:
        notes = self.list_findings()
        if self.new_columns:
            remedy = choose_setting_name("--undeclared drop, or pass", python="undeclared='drop', or 'pass'")
            becomes = _NEW_COLUMNS[self.undeclared].format(", ".join(self.new_columns), remedy=remedy)
            notes.append(f"New columns, which nobody declared: {becomes}.")
        if self.foreseen is not None:
            notes += [f"{way.small_classes}: {way.problem}" for way in self.foreseen.ways if way.problem]
        return [*notes, "Nothing was released."]


# What became of a recoding that was applied to another table.


@dataclass(frozen=True, kw_only=True)
class RecodingResult:
    """What holds of a saved recoding, and what does not any more."""

    source: str
    sha256: str
    found: Reapplied
    noun: str = "record"
    """What is counted: persons, where each has the same values in all records."""
    private: Mapping[str, Any] | None = None
    """What makes the release differentially private, where its records were drawn by lot."""

    @classmethod
    def of(cls, config: Config, tables: Tables) -> Self | None:
        """Return what became of the recoding of a run; None if a method has searched."""
        recoding, found = config.recoding, tables.reapplied
        if recoding is None or found is None:
            return None
        noun = "record" if tables.fold() is tables else "person"
        drawing = config.others.get("drawing")
        private = None if drawing is None else drawing.document()
        return cls(source=recoding.source, sha256=recoding.digest, found=found, noun=noun, private=private)

    def document(self) -> dict[str, Any]:
        """Return what a report says of it."""
        found = {**self.found.document(), "noun": self.noun, "differential_privacy": self.private}
        return {"source": self.source, "sha256": self.sha256, **found}

    def line(self) -> str:
        """Say in a line what became of the records."""
        kept = self._count(self.found.kept)
        others = f"{self.found.merged:,} in wider classes, {self.found.suppressed:,} suppressed"
        return f"of {self.source}: {kept} as it says, {others}"

    def _count(self, number: int, *verbs: str) -> str:
        """Write a number of what is counted, and the verb for one, and for several."""
        nouns = ("person", "people") if self.noun == "person" else ("record", "records")
        return format_count(number, *(" ".join(words) for words in zip(nouns, verbs or ("", ""), strict=True))).strip()

    def notes(self) -> list[str]:
        """Return what a publisher must know."""
        notes = [] if self.private is None else [_state_privacy(self.private)]
        for column, count in self.found.unseen.items():
            known = say_count(
                "%(records)s has a value of %(column)s that the recoding does not know.",
                "%(records)s have a value of %(column)s that the recoding does not know.",
                count,
                records=self._say_counted(count),
                column=column,
            )
            notes.append(known)
        if self.found.merged:
            wider = say(
                "%(records)s of %(classes)s have wider values than the recoding says, since a class was too small.",
                records=self._say_counted(self.found.merged),
                classes=say_count("%(count)s class", "%(count)s classes", self.found.merged_classes),
            )
            notes.append(wider)
        return notes

    def _say_counted(self, number: int) -> str:
        if self.noun == "person":
            return say_count("%(count)s person", "%(count)s people", number)
        return say_count("%(count)s record", "%(count)s records", number)


def _state_privacy(private: Mapping[str, Any]) -> str:
    """Say what differential privacy is promised, and for what it is not."""
    drawn = f"{private['drawn']:,} of {private['records']:,} records were drawn, each with probability"
    return (
        f"(epsilon, delta)-differential privacy with epsilon {private['epsilon']:g} and delta {private['delta']:g}: "
        f"{drawn} {private['probability']:.6g}, and classes below {private['k']:,} are left out, for which delta is "
        f"{private['reached_delta']:.3g}. The formula: {private['formula']} ({private['reference']}). "
        f"Not covered: {'; '.join(private['not_covered'])}."
    )
