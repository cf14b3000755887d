"""What `risk` and `report` say of sensitive values, statistics of classes, a control group, and a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape

from toolbox.charts import format_percent, render_table
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import join_parts, render_list, render_paragraph, render_scrolling_table
from toolbox.messages import (
    choose_setting_name,
    format_count,
    join_said,
    mark,
    say,
    say_count,
    write_figure,
)
from toolbox.report.advice import Advice, advise_on_certain_value
from toolbox.report.console import ResultTable, make_table
from toolbox.report.judges.face import MeasureFace, name_levels
from toolbox.risks.control import ControlRisk
from toolbox.risks.figures import SolvedStatistics, StatisticsRisk
from toolbox.risks.individual import IndividualRisk, SampleRisk
from toolbox.risks.sensitive import SensitiveRisk, Similarity

# What the class of a person tells of sensitive values: the document and advice.


def build_sensitive_document(found: SensitiveRisk) -> dict[str, Any]:
    """Return the part of the JSON document about one attribute; its names are stable."""
    skewness = found.skewness
    return {
        **asdict(found),
        "believed_above": name_levels(found.believed_above),
        "skewness": {
            "largest_ratio": skewness.largest_ratio,
            "grown_by_factor": name_levels(skewness.grown_by_factor),
            "grown_by": name_levels(skewness.grown_by),
        },
        "similarity": None if found.similarity is None else _build_similarity_document(found.similarity),
    }


def list_near_values(found: Similarity) -> Sequence[tuple[str, int]]:
    """Return how near the values of some classes are to each other, with the people of these classes."""
    levels = [
        (say("below one node of level %(level)s", level=level) if level else say("one value"), n)
        for level, n in found.levels
    ]
    words = mark("different, in an interval with %(share)s of the records")
    narrow = [(say(words, share=write_figure(f"{share:.0%}")), n) for share, n in found.narrow]
    return levels + narrow


def _build_similarity_document(found: Similarity) -> dict[str, Any]:
    levels = [{"level": level, "people": people} for level, people in found.levels]
    return {"levels": levels, "narrow": name_levels(found.narrow)}


def advise_on_sensitive(found: Sequence[SensitiveRisk]) -> Iterator[Advice]:
    """Advise on sensitive values that are certain by the class, believed in, or near each other."""
    for values in found:
        if values.certain:
            finding = say(
                "%(attribute)s is certain of %(people)s, whose class has one value of it.",
                attribute=values.attribute,
                people=say_count("%(count)s person", "%(count)s people", values.certain),
            )
            yield advise_on_certain_value(finding, values.attribute)
    yield from advise_on_beliefs(found)


def advise_on_beliefs(found: Iterable[SensitiveRisk]) -> Iterator[Advice]:
    """Advise on sensitive values that are not certain by the class, but believed in or near each other."""
    for values in found:
        if values.shared:
            words = mark("All persons in the class of %(people)s share one value of %(attribute)s, beside others.")
            people = say_count("%(count)s person", "%(count)s people", values.shared)
            finding = say(words, attribute=values.attribute, people=people)
            remedy = say("%(model)s limits that.", model="(alpha,k)-anonymity")
            yield Advice(finding=finding, severity="high", remedy=remedy)
        level, believed = values.believed_above[-1]
        if believed > values.certain + values.shared:
            more = _count_more_people(believed - values.certain - values.shared)
            words = mark("One value of %(attribute)s is believed more strongly than %(level)s of %(people)s.")
            finding = say(words, attribute=values.attribute, level=f"{level:.4g}", people=more)
            remedy = say("Entropy l-diversity and t-closeness limit that.")
            yield Advice(finding=finding, severity="medium", remedy=remedy)
        yield from _advise_on_near(values)


def _advise_on_near(values: SensitiveRisk) -> Iterator[Advice]:
    """Advise on classes whose values differ and mean nearly the same."""
    if values.similarity is None:
        return
    # Level 0 is one value; the highest is just below the root.
    if levels := values.similarity.levels:
        (_, same), (level, people) = levels[0], levels[-1]
        if people > same:
            yield Advice(
                finding=say(
                    "%(attribute)s is known in part of %(people)s: the values of their class differ, and are all below "
                    "one node of level %(level)s of the hierarchy.",
                    attribute=values.attribute,
                    people=_count_more_people(people - same),
                    level=level,
                ),
                severity="medium",
                remedy=say("%(model)s limits that.", model="t-closeness with distance='hierarchical'"),
            )
    for share, people in values.similarity.narrow[:1]:
        if people:
            yield Advice(
                finding=say(
                    "%(attribute)s is nearly known of %(people)s: the numbers of their class differ, and lie in an "
                    "interval that holds at most %(share)s of all records.",
                    attribute=values.attribute,
                    people=_count_more_people(people),
                    share=f"{share:.0%}",
                ),
                severity="medium",
                remedy=say("%(model)s limits that.", model="t-closeness"),
            )


def _count_more_people(people: int) -> str:
    return say_count("%(count)s more person", "%(count)s more people", people)


# Its tables.


def print_sensitive(console: Console, found: Sequence[SensitiveRisk]) -> None:
    """Print what an attacker learns who knows the class of each person; `SensitiveRisk` explains the figures."""
    console.print(_make_beliefs_table(found))
    console.print(_make_skewness_table(found))
    if any(attribute.similarity for attribute in found):
        console.print(_make_similarity_table(found))


def _make_beliefs_table(found: Sequence[SensitiveRisk]) -> ResultTable:
    levels = [f"above {level:.4g}" for level, _ in found[0].believed_above]
    table = make_table(
        "people by how strongly their class makes believe in one sensitive value",
        *("attribute", *levels, "certain", "guessed rightly", "without the release"),
        numbers=frozenset(range(1, len(levels) + 4)),
    )
    for attribute in found:
        believed = (f"{people:,}" for _, people in attribute.believed_above)
        right = f"{attribute.right_guesses:.2%}"
        known = f"{attribute.share_without_release:.2%}"
        table.add_row(attribute.attribute, *believed, f"{attribute.certain:,}", right, known)
    return table


def _make_skewness_table(found: Sequence[SensitiveRisk]) -> ResultTable:
    skewness = found[0].skewness
    factors = [f"over {factor:g} times" for factor, _ in skewness.grown_by_factor]
    growths = [f"by over {growth:g}" for growth, _ in skewness.grown_by]
    table = make_table(
        "people in whose class some value is more frequent than in the table (skewness)",
        *("attribute", *factors, *growths, "at most"),
        numbers=frozenset(range(1, len(factors) + len(growths) + 2)),
    )
    for attribute in found:
        counts = (*attribute.skewness.grown_by_factor, *attribute.skewness.grown_by)
        ratio = f"{attribute.skewness.largest_ratio:,.4g} times"
        table.add_row(attribute.attribute, *(f"{people:,}" for _, people in counts), ratio)
    return table


def _make_similarity_table(found: Sequence[SensitiveRisk]) -> ResultTable:
    table = make_table(
        "people whose class has values that are near each other (similarity)",
        *("attribute", "all values of the class are", "people", ""),
        numbers=frozenset({2, 3}),
    )
    for attribute in found:
        if (similarity := attribute.similarity) is None:
            continue
        for words, people in list_near_values(similarity):
            table.add_row(attribute.attribute, words, f"{people:,}", f"{people / attribute.people:.2%}")
    return table


# Its part of the page.


def render_class_beliefs(found: Sequence[SensitiveRisk]) -> Markup | None:
    """Return the part on sensitive values that classes make likely; None where none are declared."""
    if not found:
        return None
    levels = [say("believed above %(level)s", level=write_figure(f"{level:g}")) for level, _ in found[0].believed_above]
    rights = say("right, as expected"), say("right without the release")
    heads = [say("sensitive attribute"), *levels, *rights, say("grown by at most")]
    rows: list[Sequence[str | float]] = [
        (
            values.attribute,
            *(people for _, people in values.believed_above),
            format_percent(values.right_guesses),
            format_percent(values.share_without_release),
            say("%(factor)s times", factor=write_figure(f"{values.skewness.largest_ratio:,.4g}")),
        )
        for values in found
    ]
    said = say(
        "An attacker who finds the class of a person, or the group of an anatomy, believes in each sensitive value as "
        "strongly as it is frequent there. A missing value counts as a value."
    )
    shown = render_table(heads, rows, figures=range(1, len(heads)))
    return join_parts(
        element("h3", say("By the class of a person")),
        render_paragraph(said),
        render_scrolling_table(shown, say("Beliefs by classes")),
        _render_near_values(found),
    )


def _render_near_values(found: Sequence[SensitiveRisk]) -> Markup | None:
    rows = [
        (values.attribute, words, people, format_percent(people / values.people))
        for values in found
        if values.similarity is not None
        for words, people in list_near_values(values.similarity)
    ]
    if not rows:
        return None
    shown = render_table(
        [say("sensitive attribute"), say("all values of the class are"), say("people"), say("share")],
        rows,
        figures={2, 3},
    )
    return render_scrolling_table(shown, say("People whose class has values that are near each other"))


SENSITIVE = MeasureFace(
    "sensitive",
    key="sensitive",
    document=lambda found: [build_sensitive_document(values) for values in found],
    show=lambda console, found: print_sensitive(console, found) if found else None,
    advise=lambda found, _: advise_on_sensitive(found),
    render=render_class_beliefs,
)


# What statistics give back that are released with classes: the document, notes and advice.

_ROUNDED = "statistics='rounded'"
"""What leaves several multisets of values."""


def build_statistics_document(found: StatisticsRisk) -> dict[str, Any]:
    """Return the part ``statistics`` of the JSON document; its names are stable."""
    columns = [{**asdict(column), "share_disclosed": column.share_disclosed} for column in found.columns]
    return {
        "cells": found.cells,
        "cells_disclosed": found.cells_disclosed,
        "share_disclosed": found.share_disclosed,
        "columns": columns,
    }


def list_statistics_notes(found: StatisticsRisk) -> list[str]:
    """Return what to know of the figures."""
    notes: list[str] = [
        say_count(
            "Intervals of %(column)s are not taken to begin and end with values of their class, since the figures of "
            "%(count)s class do not allow that. If these are false, more may follow of the others.",
            "Intervals of %(column)s are not taken to begin and end with values of their class, since the figures of "
            "%(count)s classes do not allow that. If these are false, more may follow of the others.",
            column.without_ends,
            column=column.column,
        )
        for column in found.columns
        if column.without_ends
    ]
    if undecided := [column for column in found.columns if column.undecided]:
        words = mark(
            "For some classes (%(classes)s) it is not known whether values follow from their statistics: the classes "
            "are too large to try all values, or the figures fit no values that were tried."
        )
        told = (say("%(number)s of %(column)s", number=one.undecided, column=one.column) for one in undecided)
        notes.append(say(words, classes=join_said(", ", told)))
    return notes


def format_tried_values(column: SolvedStatistics) -> str:
    """Say what values were tried."""
    if column.kind == "distribution":
        return say("shares of categories")
    if column.step is None:
        return say("no step of values fits")
    step = write_figure(f"{column.step:g}")
    if column.ends_are_values:
        return say("multiples of %(step)s, ends are values", step=step)
    return say("multiples of %(step)s", step=step)


def advise_on_disclosed(found: StatisticsRisk, *, in_python: bool = False) -> Iterator[Advice]:
    """Advise on cells that follow from the statistics of their class."""
    if not found.cells_disclosed:
        return
    genvals = choose_setting_name("outputFormat='genVals'", python="output_format='genVals'", in_python=in_python)
    names = ", ".join(column.column for column in found.columns if column.solved)
    yield Advice(
        finding=say_count(
            "Statistics give back %(count)s cell (%(share)s) of %(columns)s: only one multiset of values fits the "
            "class.",
            "Statistics give back %(count)s cells (%(share)s) of %(columns)s: only one multiset of values fits the "
            "class.",
            found.cells_disclosed,
            share=f"{found.share_disclosed:.1%}",
            columns=names,
        ),
        severity="high",
        remedy=say("%(rounded)s leaves several, and %(genvals)s releases none.", rounded=_ROUNDED, genvals=genvals),
    )


# Its table, and its part of the page.


def print_statistics(console: Console, found: StatisticsRisk) -> None:
    """Print which values follow from statistics; `StatisticsRisk` explains the figures."""
    table = make_table(
        "values that follow from the statistics of their class",
        *("column", "classes", "solved", "not decided", "cells disclosed", "", "tried"),
        numbers=frozenset(range(1, 6)),
    )
    for column in found.columns:
        counts = (column.classes, column.solved, column.undecided, column.cells_disclosed)
        share = f"{column.share_disclosed:.2%}"
        table.add_row(column.column, *(f"{count:,}" for count in counts), share, format_tried_values(column))
    table.add_row("all", "", "", "", f"{found.cells_disclosed:,}", f"{found.share_disclosed:.2%}", "")
    console.print(table)


def render_statistics(found: StatisticsRisk) -> Markup:
    """Return the part on values that follow from statistics."""
    said = say(
        "An attacker can try all values that a class may have, and finds those that fit its statistics. For "
        "%(disclosed)s of %(cells)s cells (%(share)s) no other values fit: these classes give their original values "
        "back.",
        disclosed=found.cells_disclosed,
        cells=found.cells,
        share=format_percent(found.share_disclosed),
    )
    heads: list[str] = [say("column"), say("classes"), say("solved"), say("not decided"), say("cells given back")]
    heads += [say("share"), say("values tried")]
    rows = [
        (
            *(column.column, column.classes, column.solved, column.undecided, column.cells_disclosed),
            *(format_percent(column.share_disclosed), format_tried_values(column)),
        )
        for column in found.columns
    ]
    shown = render_table(heads, rows, figures=range(1, 6))
    return join_parts(
        element("h3", say("By the statistics of the classes")),
        render_paragraph(said),
        render_scrolling_table(shown, say("Values that follow from statistics")),
        render_list(notes, "warnings") if (notes := list_statistics_notes(found)) else None,
    )


STATISTICS = MeasureFace(
    "statistics",
    key="statistics",
    document=build_statistics_document,
    show=print_statistics,
    list_notes=lambda found, _: list_statistics_notes(found),
    advise=lambda found, in_python: advise_on_disclosed(found, in_python=in_python),
    render=render_statistics,
)


# The people of a release beside people who are not in it: the document, tables and notes.

_ATTACKS = {
    "fits": mark("a record fits"),
    "fits few": mark("1 to %(k)s records fit"),
    "fits one": mark("exactly one record fits"),
    "value": mark("%(attribute)s is guessed"),
}


def build_control_document(found: ControlRisk) -> dict[str, Any]:
    """Return the part ``control`` of the JSON document; its names are stable."""
    return {"k": found.k, "attacks": [_build_attack_document(attack) for attack in found.attacks]}


def _build_attack_document(attack: Any) -> dict[str, Any]:
    groups = {"inside": attack.inside, "outside": attack.outside}
    return {
        "attack": attack.name,
        "attribute": attack.attribute,
        **{
            name: {**asdict(group), "share": group.share, "interval": list(group.interval)}
            for name, group in groups.items()
        },
        "difference": attack.difference,
        "interval": list(attack.interval),
        "advantage": attack.advantage,
    }


def _name_attack(found: ControlRisk, attack: Any) -> str:
    return say(_ATTACKS[attack.name], k=found.k - 1, attribute=attack.attribute)


def _make_control_rows(found: ControlRisk) -> list[tuple[str, ...]]:
    """Return a row for each attack: on whom it succeeds, and how much more often on the people of the release."""
    rows = []
    for attack in found.attacks:
        shares = (
            _format_interval(f"{one.share:.2%}", f"{one.interval.low:.2%}", f"{one.interval.high:.2%}")
            for one in (attack.inside, attack.outside)
        )
        low, high = attack.interval
        difference = _format_interval(f"{attack.difference:+.2%}", f"{low:+.2%}", f"{high:+.2%}")
        rows.append((_name_attack(found, attack), *shares, difference))
    return rows


def _format_interval(share: str, low: str, high: str) -> str:
    figures = {name: write_figure(text) for name, text in (("share", share), ("low", low), ("high", high))}
    return say("%(share)s (%(low)s to %(high)s)", **figures)


def _list_control_heads() -> list[str]:
    return [say("attack"), say("in the release"), say("not in it"), say("difference")]


def print_control(console: Console, found: ControlRisk) -> None:
    """Print how often attacks succeed on the people of the release, and on others."""
    inside, outside = found.attacks[0].inside.people, found.attacks[0].outside.people
    title = f"beside a control group: {inside:,} people in the release, {outside:,} not in it"
    table = make_table(title, *_list_control_heads())
    for name, *cells in _make_control_rows(found):
        table.add_row(escape(name), *cells)
    console.print(table)


def _list_control_notes(found: ControlRisk, in_python: bool) -> list[str]:
    """Say what may be concluded from the differences."""
    surely = [attack for attack in found.attacks if attack.interval.low > 0]
    if not surely:
        return [say("Beside the control group: no attack surely succeeds more often on the people of the release.")]
    words = mark("Beside the control group: the release tells of its own people more than of others (%(attacks)s).")
    return [say(words, attacks=join_said(", ", [_name_attack(found, one) for one in surely]))]


def _render_control(found: ControlRisk) -> Markup | None:
    shown = render_table(_list_control_heads(), _make_control_rows(found))
    return join_parts(
        element("h3", say("Beside people who are not in the release")),
        render_paragraph(say("What succeeds on others as often is not told by their records. 95 % intervals.")),
        render_scrolling_table(shown, say("Attacks on both groups")),
    )


CONTROL = MeasureFace(
    "control",
    key="control",
    document=build_control_document,
    show=print_control,
    list_notes=_list_control_notes,
    render=_render_control,
)


# What `risk` says of a sample: for whom classes stand, individual risks, and who is alone in the population.


def _build_sample_document(found: SampleRisk) -> dict[str, Any]:
    """Return the part ``sample`` of the JSON document; its names are stable."""
    return {**asdict(found), "proved": False}


def _list_sample_notes(found: SampleRisk) -> list[str]:
    """Return what to know of the figures of a sample."""
    words = mark("Estimated, not proved: each class stands for at least %(people)s people of the population (k-map).")
    notes: list[str] = [say(words, people=write_figure(f"{found.smallest:,.6g}"))]
    if found.light:
        light = say_count(
            "%(count)s record is in classes whose weights sum up to less than their records. These classes count as "
            "their own records, the least for which they can stand.",
            "%(count)s records are in classes whose weights sum up to less than their records. These classes count as "
            "their own records, the least for which they can stand.",
            found.light,
        )
        notes.append(light)
    if found.uniqueness.chosen != "sample" and found.uniqueness.sample_unique and found.uniqueness.snb is None:
        words = mark("The slide negative binomial (SNB) does not fit the sizes of the classes; it estimates nothing.")
        notes.append(say(words))
    return notes


def _print_sample(console: Console, found: SampleRisk) -> None:
    """Print the risk of a sample; `SampleRisk` explains the figures."""
    console.print(_make_individual_table(found), markup=False)
    console.print(_make_uniqueness_table(found))


def _describe_sample(found: SampleRisk) -> str:
    figures = {
        "share": write_figure(f"{found.fraction:.4%}"),
        "people": write_figure(f"{found.population:,.0f}"),
    }
    if found.basis == "weights":
        words = mark(
            "a sample of %(share)s of about %(people)s people, by the weights %(weight)s: estimated, not proved"
        )
        return say(words, weight=found.weight, **figures)
    return say(
        "a sample of %(share)s of about %(people)s people, by the sampling fraction: estimated, not proved", **figures
    )


def _list_sample_heads() -> list[str]:
    figures = say("highest"), say("average"), say("expected re-identifications"), say("records at risk")
    return [say("risk of a record"), *figures, ""]


def _make_individual_table(found: SampleRisk) -> ResultTable:
    table = make_table(_describe_sample(found), *_list_sample_heads(), numbers=frozenset(range(1, 6)))
    for row in _make_individual_rows(found):
        table.add_row(*row)
    return table


def _make_individual_rows(found: SampleRisk) -> list[tuple[str, ...]]:
    named = {
        say("individual (approximate)"): found.approximate,
        say("individual (exact)"): found.exact,
        say("with its household"): found.household,
    }
    rows: list[tuple[str, ...]] = [
        (name, *_format_individual_figures(risk)) for name, risk in named.items() if risk is not None
    ]
    rows.append((say("marketer: tries everybody"), "", write_figure(f"{found.marketer:.4g}"), "", "", ""))
    small = say("in classes of fewer than k = %(k)s people", k=found.k)
    return [*rows, (small, "", "", "", write_figure(f"{found.below_k:,}"), "")]


def _format_individual_figures(risk: IndividualRisk) -> tuple[str, ...]:
    ends = (f"{figure:.4g}" for figure in (risk.highest, risk.average))
    counts = f"{risk.expected:,.2f}", f"{risk.records_at_risk:,}", f"{risk.share_at_risk:.2%}"
    return tuple(map(write_figure, (*ends, *counts)))


def _make_uniqueness_table(found: SampleRisk) -> ResultTable:
    unique = found.uniqueness
    table = make_table(
        "people who are alone in the population, estimated from the sizes of the classes",
        *("model", "share of the population", "people", ""),
        numbers=frozenset({1, 2}),
    )
    named = {"Pitman": unique.pitman, "Zayatz": unique.zayatz, "SNB": unique.snb}
    for name, share in named.items():
        chosen = "chosen by Dankar's rule" if name == unique.chosen else ""
        if share is None:
            table.add_row(name, "no estimate", "", "")
        else:
            table.add_row(name, f"{share:.4%}", f"{share * found.population:,.0f}", chosen)
    alone = format_count(unique.sample_unique, "record")
    table.add_row("the sample itself", f"{unique.sample_share:.4%}", "", f"{alone} of the sample")
    return table


def _render_sample(found: SampleRisk) -> Markup:
    shown = render_table(_list_sample_heads(), _make_individual_rows(found), figures=range(1, 6))
    words = mark("The records are %(sample)s. Each class stands for at least %(people)s people.")
    people, share = write_figure(f"{found.smallest:,.6g}"), format_percent(found.uniqueness.dankar)
    return join_parts(
        element("h3", say("For whom the records stand")),
        render_paragraph(say(words, sample=_describe_sample(found), people=people)),
        render_scrolling_table(shown, say("The risk of a sample")),
        render_paragraph(say("Alone in the population, by the rule of Dankar: %(share)s.", share=share)),
    )


SAMPLE = MeasureFace(
    "sample",
    key="sample",
    document=_build_sample_document,
    show=_print_sample,
    list_notes=lambda found, _: _list_sample_notes(found),
    render=_render_sample,
)
