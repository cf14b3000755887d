"""What `risk` says: who is still at risk, as tables and as a document with stable names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from toolbox.charts import render_table
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import count_in_bins, join_parts, render_paragraph, render_scrolling_table
from toolbox.knowledge.meanings import FEWEST
from toolbox.messages import (
    choose_setting_name,
    format_count,
    is_asked_in_python,
    join_said,
    mark,
    say,
    say_count,
)
from toolbox.privacy.measures import FewColumnsRisk, KnownColumns
from toolbox.privacy.people import AlikePersons
from toolbox.report.advice import (
    Advice,
    Minimality,
    SettingRemedy,
    advise_on_classes,
    advise_on_consistency,
    advise_on_minimality,
    sort_by_severity,
)
from toolbox.report.columns import format_own_values
from toolbox.report.console import ConsoleReport, ResultTable, make_table, print_notes
from toolbox.report.judges.attackers import JOINT, MATCHING
from toolbox.report.judges.face import Faces, MeasuredRisks, MeasureFace, document_tables
from toolbox.report.judges.inferences import CONTROL, SAMPLE, SENSITIVE, STATISTICS
from toolbox.risks.joint import JointRisk
from toolbox.risks.risk import AttackerRisk, Consistency, Risk

# Somebody who knows a few of the quasi-identifiers.

_MOST_SETS = 10
"""Sets of columns that a table for eyes lists."""


def _build_few_columns_document(found: FewColumnsRisk) -> dict[str, Any]:
    """Return the part ``few_columns`` of the JSON document; its names are stable."""
    by_size = [{**asdict(known), "columns": len(known.columns)} for known in found.by_size]
    sets = [{**asdict(known), "columns": list(known.columns)} for known in found.sets]
    return {"k": found.k, "of": found.of, "noun": found.noun, "by_size": by_size, "sets": sets}


def _make_few_columns_rows(found: FewColumnsRisk) -> list[tuple[str, KnownColumns]]:
    """Return whom any columns find, by their number, and the worst sets, each with its name."""
    sizes: list[tuple[str, KnownColumns]] = [
        (say("any %(count)s", count=len(known.columns)), known) for known in found.by_size
    ]
    worst = [known for known in found.sets if known.below_k][:_MOST_SETS]
    return [*sizes, *((", ".join(known.columns), known) for known in worst)]


def _list_few_columns_heads(found: FewColumnsRisk) -> tuple[str, ...]:
    if found.noun == "person":
        alike, below = say("fewest persons alike"), say("persons below %(k)s", k=found.k)
    else:
        alike, below = say("fewest records alike"), say("records below %(k)s", k=found.k)
    return say("columns that somebody knows"), alike, below, say("alone")


def _print_few_columns(console: Console, found: FewColumnsRisk) -> None:
    """Print whom somebody finds, by the columns that he knows."""
    table = make_table("known: a few columns", *_list_few_columns_heads(found), numbers=frozenset({1, 2, 3}))
    for name, known in _make_few_columns_rows(found):
        smallest = "-" if known.smallest is None else f"{known.smallest:,}"
        table.add_row(name, smallest, f"{known.below_k:,}", f"{known.alone:,}")
    console.print(table)


def _render_few_columns(found: FewColumnsRisk) -> Markup | None:
    rows: list[Sequence[str | float]] = [
        (name, "-" if known.smallest is None else known.smallest, known.below_k, known.alone)
        for name, known in _make_few_columns_rows(found)
    ]
    shown = render_table(_list_few_columns_heads(found), rows, figures=range(1, 4))
    said = say(
        "Nobody knows everything of a person. These are whom somebody finds who knows a few columns, of %(count)s.",
        count=found.of,
    )
    return join_parts(
        element("h3", say("Known: a few columns")),
        render_paragraph(said),
        render_scrolling_table(shown, say("Whom somebody finds by a few columns")),
    )


_FEW_COLUMNS = MeasureFace(
    "few_columns",
    key="few_columns",
    document=_build_few_columns_document,
    show=_print_few_columns,
    render=_render_few_columns,
)


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
FACES = Faces((SAMPLE, STATISTICS, SENSITIVE, MINIMALITY, _FEW_COLUMNS, CONTROL, MATCHING, JOINT, PROFILES))
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
            suppressed = say_count(
                "%(count)s record is suppressed: it is in no class, and fits everybody.",
                "%(count)s records are suppressed: they are in no class, and fit everybody.",
                risk.suppressed,
            )
            notes.append(suppressed)
        if risk.journalist is None:
            setting = choose_setting_name("--population FILE", python="population=", in_python=self.in_python)
            notes.append(say("Without a population (%(setting)s) there is no journalist's risk.", setting=setting))
        if (consistent := risk.consistency) is None and self.untrue:
            words = mark("There is no consistency risk of values that are not those of the records: %(columns)s.")
            notes.append(say(words, columns=", ".join(self.untrue)))
        elif consistent is None:
            setting = choose_setting_name("--original FILE", python="original=", in_python=self.in_python)
            words = mark("Without the original records (%(setting)s) there is no consistency risk.")
            notes.append(say(words, setting=setting))
        elif consistent.unmatched:
            unmatched = say_count(
                "%(count)s person fits no released record at all.",
                "%(count)s people fit no released record at all.",
                consistent.unmatched,
            )
            notes.append(unmatched)
        notes += FACES.list_notes(self, in_python=self.in_python)
        notes += [
            format_own_values(values.attribute, say("each record"))
            for values in self.sensitive
            # All records differ: the most frequent value occurs once.
            if risk.records >= FEWEST and values.share_without_release * risk.records < _TWO
        ]
        return (*notes, *(advice.in_words() for advice in self.advice))

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


# What a run knows of classes whose values follow from their statistics, and advice on them.


class SolvedResult(NamedTuple):
    """How many classes of one released column give their values back."""

    column: str
    classes: int
    looked_at: int
    """Those that are small enough to try all multisets."""
    solved: int
    """Of these, those with only one multiset that fits interval, mean and variance, where several fit the interval."""


def advise_on_statistics(columns: Iterable[SolvedResult], k: int) -> Iterator[Advice]:
    """Advise on classes whose values follow from their statistics."""
    for column in columns:
        if not column.solved:
            continue
        found: list[str] = [
            say(
                "The statistics of %(column)s give values back: in %(solved)s of %(looked_at)s classes only one "
                "multiset of values fits the interval, the mean and the variance.",
                column=column.column,
                solved=column.solved,
                looked_at=column.looked_at,
            )
        ]
        if larger := column.classes - column.looked_at:
            found.append(
                say_count("%(count)s larger class was not tried.", "%(count)s larger classes were not tried.", larger)
            )
        yield Advice(
            finding=join_said(" ", found),
            severity="high",
            remedy=say("%(setting)s leaves at least %(k)s.", setting="statistics='rounded'", k=k),
            setting=SettingRemedy("statistics", "rounded"),
        )


# What a run says that has counted earlier releases before it released.

_OF_EARLIER = Faces((replace(JOINT, name="risk"),))


@dataclass(frozen=True)
class EarlierResult:
    """What a new release and earlier ones tell together of persons, as the summary of a run says it."""

    risk: JointRisk
    repair: Mapping[str, Any] | None = None
    """What a repair cost, by its names in the document."""

    @property
    def name(self) -> str:
        """The names of the earlier releases."""
        names = [Path(name).name for name in self.risk.earlier]
        *first, last = names
        return say("%(names)s and %(last)s", names=", ".join(first), last=last) if first else last

    def line(self) -> str:
        """Return the line at the head of the printed summary."""
        found = self.risk.classes
        assert found is not None, "a run has a link"
        people = format_count(found.records, "person", "people")
        values = "".join(
            f"; {each.attribute}: at least {each.fewest:,} left, {each.changed_share or 0:.0%} in classes with others"
            for each in self.risk.values
        )
        where = "all releases" if len(self.risk.earlier) > 1 else "both releases"
        return f"{people} also in {self.name}, at least {found.smallest:,} alike in {where}{values}"

    def document(self) -> dict[str, Any]:
        """Return the part ``earlier`` of the JSON document."""
        return {
            **_OF_EARLIER.document(self)[JOINT.key],
            **({} if self.repair is None else {"repair": dict(self.repair)}),
        }

    def notes(self) -> list[str]:
        """Return what to know of the figures."""
        labels, notes = self.risk.labels, _OF_EARLIER.list_notes(self, in_python=False)
        if labels is not None:
            words = mark(
                "%(agreeing)s of %(classes)s classes have labels that %(name)s has, too; all releases together show at "
                "least %(people)s under the labels of a class."
            )
            told = {"agreeing": labels.agreeing, "classes": labels.classes, "name": self.name}
            alike = say_count("%(count)s person", "%(count)s people", labels.smallest)
            notes.append(say(words, people=alike, **told))
        if (made := self.repair) is not None:
            words = mark(
                "Values became wider for %(people)s below k: %(kept)s of the information is kept, not %(before)s. Left "
                "out: %(left_out)s, whom no wider values would hide."
            )
            shares = {"kept": f"{made['kept']:.0%}", "before": f"{made['kept_before']:.0%}"}
            people, out = (
                say_count("%(count)s person", "%(count)s people", made[name]) for name in ("below_k", "left_out_people")
            )
            notes.append(say(words, people=people, left_out=out, **shares))
        return notes

    def advice(self) -> list[Advice]:
        """Return what was found that calls for a change."""
        return _OF_EARLIER.list_advice(self, in_python=False)
