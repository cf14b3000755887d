"""What `risk` says: who is still at risk, as tables and as a document with stable names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console

from toolbox.charts.rows import count_in_bins
from toolbox.knowledge.meanings import FEWEST
from toolbox.messages import choose_setting_name, format_count, is_asked_in_python, say
from toolbox.privacy.people import AlikePersons
from toolbox.report.advice import (
    Advice,
    Minimality,
    advise_on_classes,
    advise_on_consistency,
    advise_on_minimality,
    sort_by_severity,
)
from toolbox.report.columns import format_own_values
from toolbox.report.console import ConsoleReport, ResultTable, make_table, print_notes
from toolbox.report.judges.attackers import FEW_COLUMNS, JOINT, MATCHING
from toolbox.report.judges.face import Faces, MeasuredRisks, MeasureFace, document_tables
from toolbox.report.judges.inferences import CONTROL, SAMPLE, SENSITIVE, STATISTICS
from toolbox.risks.risk import AttackerRisk, Consistency, Risk
from toolbox.risks.sensitive import SensitiveRisk

# What `risk` says: who is still at risk, and the document with stable names that machines read.

MINIMALITY = MeasureFace(
    "minimality",
    key="minimality",
    document=lambda found: found.document(),
    advise=lambda found, _: advise_on_minimality(found),
)


def print_profiles(console: Console, found: AlikePersons) -> None:
    """Print who is alone, or among too few, by all rows in all tables."""
    table = make_table(
        "known: all rows of a person, in all tables",
        *("persons", "profiles", "fewest alike", "alone", "", f"below {found.k}", "highest risk", "average"),
        numbers=frozenset(range(8)),
    )
    people = max(found.persons, 1)
    highest = "-" if found.fewest is None else f"{1 / found.fewest:.4g}"
    table.add_row(
        *(f"{found.persons:,}", f"{found.profiles:,}", "-" if found.fewest is None else f"{found.fewest:,}"),
        *(f"{found.alone:,}", f"{found.alone / people:.2%}", f"{found.below_k:,}"),
        *(highest, f"{found.profiles / people:.4g}"),
    )
    console.print(table)


PROFILES = MeasureFace("profiles", key="profiles", document=lambda found: found.document(), show=print_profiles)
FACES = Faces((SAMPLE, STATISTICS, SENSITIVE, MINIMALITY, FEW_COLUMNS, CONTROL, MATCHING, JOINT, PROFILES))
"""The measures beside the classes. One more is one more here, with a field of `MeasuredRisks`."""
_TWO = 1.5
"""Records with the most frequent value from which at least two share it, however the share was rounded."""


@dataclass(frozen=True, kw_only=True, repr=False)
class RiskReport(MeasuredRisks, ConsoleReport):
    """Who is still at risk in a release."""

    risk: Risk
    timings: Mapping[str, float]
    """Seconds of wall time, by step."""
    toolbox_version: str
    minimality: Minimality | None = None
    """What the method of the configuration gives away by going no further than its models ask."""
    untrue: tuple[str, ...] = ()
    """The columns whose released values are not those of the records, so that nobody knows whom they fit."""
    person: tuple[str, ...] = ()
    """The columns that tell persons apart, who are counted; without any, records are."""
    readings: tuple[str, ...] = ()
    """How released texts were read that name several things."""
    tables: Mapping[str, RiskReport] = field(default_factory=dict)
    """The child tables by their names, each as the only one."""
    in_python: bool = field(default_factory=is_asked_in_python, compare=False, repr=False)
    """Whether notes name the arguments of a Python call."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the publisher on the figures."""
        risk, notes = self.risk, list(self.readings)
        if risk.suppressed:
            records = format_count(risk.suppressed, "record is suppressed: it is", "records are suppressed: they are")
            notes.append(f"{records} in no class, and {'fits' if risk.suppressed == 1 else 'fit'} everybody.")
        if risk.journalist is None:
            setting = choose_setting_name("--population FILE", python="population=", in_python=self.in_python)
            notes.append(f"Without a population ({setting}) there is no journalist's risk.")
        if (consistent := risk.consistency) is None and self.untrue:
            notes.append(
                f"There is no consistency risk of values that are not those of the records: {', '.join(self.untrue)}."
            )
        elif consistent is None:
            setting = choose_setting_name("--original FILE", python="original=", in_python=self.in_python)
            notes.append(f"Without the original records ({setting}) there is no consistency risk.")
        elif consistent.unmatched:
            people = format_count(consistent.unmatched, "person fits", "people fit")
            notes.append(f"{people} no released record at all.")
        notes += FACES.list_notes(self, in_python=self.in_python)
        notes += [
            format_own_values(values.attribute, say("each record")) for values in self.sensitive if self._differ(values)
        ]
        return (*notes, *(advice.in_words() for advice in self.advice))

    def _differ(self, values: SensitiveRisk) -> bool:
        """Return whether all records differ: the most frequent value occurs once."""
        return self.risk.records >= FEWEST and values.share_without_release * self.risk.records < _TWO

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What was found that calls for a change, and what would lower it."""
        return sort_by_severity(
            [
                *advise_on_classes(self.below),
                *advise_on_consistency(self.risk.consistency),
                *FACES.list_advice(self, in_python=self.in_python),
            ]
        )

    def headline(self) -> str:
        """Return the most important facts in one line."""
        risk, consistent = self.risk, self.risk.consistency
        highest = "" if risk.prosecutor is None else f", highest risk {risk.prosecutor.highest:.4g}"
        below = (
            ""
            if consistent is None
            else f"; {format_count(consistent.below_k, 'person', 'people')} below k = {consistent.k}"
        )
        return f"{format_count(risk.records, 'record')}{highest}{below}"

    def show_on(self, console: Any) -> None:
        """Print the tables on a console of rich."""
        print_risk(console, self.risk, "persons" if self.person else "records")
        FACES.show_on(console, self)
        print_notes(console, self.notes)
        for name, table in self.tables.items():
            console.print(f"\n[bold]table {name}[/]")
            table.show_on(console)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command ``risk``; its names are stable."""
        risk = self.risk
        consistency = None
        if risk.consistency is not None:
            counts = [{"consistent": records, "people": people} for records, people in risk.consistency.counts]
            consistency = {**asdict(risk.consistency), "counts": counts}
        return {
            "toolbox_version": self.toolbox_version,
            "records": risk.records,
            "records_suppressed": risk.suppressed,
            "threshold": risk.threshold,
            "prosecutor": asdict(risk.prosecutor) if risk.prosecutor else None,
            "journalist": asdict(risk.journalist) if risk.journalist else None,
            "marketer": None if risk.marketer is None else {"average": risk.marketer},
            "uniqueness": asdict(risk.uniqueness),
            "consistency": consistency,
            **FACES.document(self),
            **({"tables": document_tables(self.tables)} if self.tables else {}),
            "histogram": [{"size": bar.size, "classes": bar.classes, "records": bar.records} for bar in risk.histogram],
            "timings": dict(self.timings),
            "advice": [advice.document() for advice in self.advice],
            "notes": list(self.notes),
        }


# The tables of `risk`: attackers, classes by their size, people by the released records that fit them.


def print_risk(console: Console, risk: Risk, noun: str = "records") -> None:
    """Print who is still at risk; `RiskReport` explains the figures.

    Parameters
    ----------
    noun : str
        What is counted.
    """
    unique = risk.uniqueness
    console.print(f"[bold]{noun}[/]  {risk.records:,}, {risk.suppressed:,} suppressed")
    in_population = "" if unique.in_population is None else f"; {unique.in_population:,} in the population, too"
    alone = format_count(unique.records, noun.removesuffix("s"))
    console.print(f"[bold]unique[/]   {alone} ({unique.share:.2%}){in_population}\n")
    console.print(_make_attackers_table(risk, noun))
    console.print(_make_sizes_table(risk, noun))
    if risk.consistency is not None:
        _print_consistency(console, risk.consistency, noun)


def _make_attackers_table(risk: Risk, noun: str) -> ResultTable:
    table = make_table(
        f"an attacker who knows the quasi-identifiers (at risk: above {risk.threshold:g})",
        *("attacker", "highest risk", "average", "lowest", f"{noun} at risk", ""),
        numbers=frozenset(range(1, 6)),
    )
    attackers = {"prosecutor: knows who is in it": risk.prosecutor, "journalist: does not": risk.journalist}
    for name, attacker in attackers.items():
        if attacker is not None:
            table.add_row(name, *_format_attacker_figures(attacker))
    if risk.marketer is not None:
        table.add_row("marketer: tries everybody", "", f"{risk.marketer:.4g}", "", "", "")
    return table


def _format_attacker_figures(attacker: AttackerRisk) -> tuple[str, ...]:
    figures = (f"{figure:.4g}" for figure in (attacker.highest, attacker.average, attacker.lowest))
    return (*figures, f"{attacker.records_at_risk:,}", f"{attacker.share_at_risk:.2%}")


def _make_sizes_table(risk: Risk, noun: str) -> ResultTable:
    table = make_table("classes by their size", noun, "classes", f"{noun} in them", "", numbers=frozenset({0, 1, 2, 3}))
    classes = {bar.first: bar.amount for bar in count_in_bins((bar.size, bar.classes) for bar in risk.histogram)}
    for row in count_in_bins((bar.size, bar.records) for bar in risk.histogram):
        table.add_row(row.name, f"{classes[row.first]:,}", f"{row.amount:,}", f"{row.amount / risk.records:.2%}")
    return table


def _print_consistency(console: Console, consistency: Consistency, noun: str) -> None:
    table = make_table(
        f"people by the released {noun} that could be theirs", noun, "people", "", numbers=frozenset({0, 1, 2})
    )
    for row in count_in_bins(consistency.counts):
        table.add_row(row.name, f"{row.amount:,}", f"{row.amount / consistency.people:.2%}")
    console.print(table)
    below = format_count(consistency.below_k, "person", "people")
    verdict = "[green]nobody[/]" if not consistency.below_k else f"[red]{below}[/]"
    console.print(
        f"{verdict} with fewer than k = {consistency.k} consistent {noun}; the fewest are {consistency.lowest:,}\n"
    )
