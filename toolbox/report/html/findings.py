"""What a page is written from: measured on the release, and for those inside also on the original records."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from toolbox.charts import format_number
from toolbox.config.model import ReportKind
from toolbox.messages import mark, say, say_count
from toolbox.privacy.measures import MeasuredParameter
from toolbox.privacy.results import ModelResult
from toolbox.report.advice import Advice
from toolbox.report.columns import list_untrue_columns
from toolbox.report.judges.face import MeasuredRisks
from toolbox.report.judges.measure import LossReport
from toolbox.report.runs.summary import Summary
from toolbox.risks.risk import CertainValues, ClassSize, Risk


class DeclaredColumn(NamedTuple):
    """A column as it was declared."""

    name: str
    role: str
    kind: str
    hierarchy: str
    priority: int | None


class UntoldModel(NamedTuple):
    """A model that was required, and that only a population can judge; the page has none."""

    name: str
    attribute: str | None
    parameters: Mapping[str, object]
    required: float


class FindingsBar(NamedTuple):
    """The records with one value, or with those of a range; what is spread over several values is no whole number."""

    name: str | None
    records: float


@dataclass(frozen=True, kw_only=True)
class ColumnPicture:
    """One quasi-identifier, as it is released and as it was."""

    name: str
    is_number: bool
    """Dates are numbers."""
    released_values: int
    """Distinct texts of the release."""
    most_frequent: tuple[FindingsBar, ...]
    """Texts of the release, the most frequent first; not all."""
    not_told: int
    """Records that show the root of the column, which says nothing."""
    original_values: int | None = None
    """Values that people have; None where the original records were not read, as for all below."""
    exact: int | None = None
    """Records that show their one value."""
    before: tuple[FindingsBar, ...] = ()
    after: tuple[FindingsBar, ...] = ()
    """The same bars for a reader of the release, who takes each released value for any that it covers."""


class Original(NamedTuple):
    """The original records, if they were released as they are."""

    records: int
    classes: int
    at_risk: int
    """Records in classes of fewer than k."""
    alone: int
    """Records in a class of their own."""
    sizes: tuple[ClassSize, ...] = ()
    """How many classes of each size there are."""


class Counts(NamedTuple):
    """The records and classes of a release."""

    records: int
    suppressed: int
    classes: int
    smallest: int | None
    average: float | None

    @classmethod
    def of(cls, summary: Summary) -> Counts:
        """Return what the proof of a run has counted, as far as it is in the release."""
        proof = summary.proof
        shown = proof.records_suppressed if summary.suppressed == "keep" else 0
        return cls(summary.records_released, shown, proof.classes, proof.smallest_class, proof.average_class)


@dataclass(frozen=True, kw_only=True)
class PageFindings(MeasuredRisks):
    """All that a page says."""

    kind: ReportKind
    name: str
    """Of the release, without its folder."""
    date: str
    k: int
    """The smallest class that is asked for; where nothing is asked for, what the risks are counted with."""
    counts: Counts
    models: tuple[ModelResult, ...]
    """What the release must satisfy."""
    not_proved: tuple[str, ...] = ()
    """What somebody may take for proved, and is not; a public page says it of released columns alone."""
    untold: tuple[UntoldModel, ...] = ()
    """What it must satisfy besides, of which the page has no figure."""
    columns: tuple[DeclaredColumn, ...]
    version: str
    measured: tuple[MeasuredParameter, ...] = ()
    """What it satisfies besides."""
    undeclared: tuple[str, ...] = ()
    """Columns of the release that nobody declared."""
    pictures: tuple[ColumnPicture, ...] = ()
    risk: Risk | None = None
    certain: tuple[CertainValues, ...] = ()
    """Whose sensitive values everybody can tell from their class."""
    losses: LossReport | None = None
    original: Original | None = None
    checksums: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """SHA-256 of the files of the release, by their names."""
    advice: tuple[Advice, ...] = ()
    """What was found that calls for a change; it counts records, and is for those inside alone."""
    notes: tuple[str, ...] = ()
    unjudged: str = ""
    """Why the finished release could not be measured, where it could not."""
    was_read: bool = True
    """Whether its files were read for that, and not the tables of which they were written."""
    method: str | None = None
    """None where nobody knows who made the release."""
    summary: Summary | None = None
    """What a run says of itself; for those inside alone."""
    order: str | None = None
    """Of the records, as it was asked for."""
    has_seed: bool = False
    """Whether what is random can be made again; for those inside alone."""
    configuration: str | None = None
    """The document that makes the release again."""
    command: str | None = None
    decision: tuple[str | None, ...] = (None, None, None)
    """Who releases it, what for, and who decides on it, as far as somebody says it."""
    data: tuple[tuple[str, str], ...] = ()
    """Lines about the files that were read and written; for those inside alone."""

    def __post_init__(self) -> None:
        consistency = None if self.risk is None else self.risk.consistency
        risks = (getattr(self, each.name) or None for each in fields(MeasuredRisks))
        told = (self.summary, self.original, self.losses, self.configuration, self.command, consistency, *risks)
        before = (bar for picture in self.pictures for bar in picture.before)
        listed = (*self.data, *self.notes, *self.advice, *before)
        if self.is_public and (self.has_seed or listed or any(part is not None for part in told)):
            raise ValueError("a public report tells only what follows from the release")

    @property
    def is_public(self) -> bool:
        """Whether it is for everybody."""
        return self.kind == "public"

    @property
    def holds(self) -> bool | None:
        """Whether all that is asked for holds; None where all that was judged does, and something was not judged."""
        if not all(model.holds for model in self.models):
            return False
        return None if self.untold else True

    def is_hidden_count(self, count: float) -> bool:
        """Return whether a count of records is one that a public report does not tell: from 1 to k - 1."""
        return self.is_public and 0 < count < self.k

    @property
    def hides_suppressed(self) -> bool:
        """Whether the number of suppressed records is not told; then no total that contains it may be."""
        return self.is_hidden_count(self.counts.suppressed)

    def count_records(self, count: int) -> str:
        """Write a count of records, as far as it may be told."""
        if self.is_hidden_count(count):
            return say("fewer than %(k)s records", k=self.k)
        return say_count("%(count)s record", "%(count)s records", count)

    def count_people(self, count: int) -> str:
        """Write a count of people, as far as it may be told."""
        if self.is_hidden_count(count):
            return say("fewer than %(k)s people", k=self.k)
        return say_count("%(count)s person", "%(count)s people", count)

    def say_of_records(self, one: str, many: str, count: int, /, **values: Any) -> str:
        """Say something of a count of records, ``%(records)s`` in it, as far as the count may be told."""
        told = 2 if self.is_hidden_count(count) else count
        return say_count(one, many, told, records=self.count_records(count), **values)

    def number(self, count: int) -> str:
        """Write a count of records without its noun, as far as it may be told."""
        return say("fewer than %(k)s", k=self.k) if self.is_hidden_count(count) else format_number(count)

    def certainty(self, found: CertainValues) -> str:
        """Return for how many people a sensitive value is certain, as far as the page may show it."""
        return say(
            "Of %(people)s the %(attribute)s is certain: everybody in their class has the same value of it.",
            people=self.count_people(found.people),
            attribute=found.attribute,
        )


def tell_untrue_columns(findings: PageFindings, summary: Summary | None) -> PageFindings:
    """Return the findings of a public page with what is not true of released columns: whoever reads them must know."""
    if summary is None:
        return findings
    untrue = list_untrue_columns(summary.treatments, summary.quasi_identifiers, summary.proof.profile_column)
    return replace(findings, not_proved=tuple(untrue))


# The day of a report: today, or the one that somebody sets who wants the same page for the same input.

_EPOCH = "SOURCE_DATE_EPOCH"
_MONTHS = (
    *(mark("January"), mark("February"), mark("March"), mark("April"), mark("May"), mark("June"), mark("July")),
    *(mark("August"), mark("September"), mark("October"), mark("November"), mark("December")),
)


def format_today() -> str:
    """Return the day as people write it."""
    day = datetime.fromtimestamp(int(os.environ[_EPOCH]), UTC) if _is_set() else datetime.now(UTC)
    return say("%(day)s %(month)s %(year)s", day=day.day, month=_MONTHS[day.month - 1], year=str(day.year))


def make_repeatable(summary: Summary) -> Summary:
    """Return a summary without its seconds where the day is set, as they differ from run to run."""
    return replace(summary, timings={}) if _is_set() else summary


def _is_set() -> bool:
    return os.environ.get(_EPOCH, "").isdecimal()
