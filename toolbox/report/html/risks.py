"""Who is still at risk: three attackers, the sizes of classes, and the released records that fit a person."""

from __future__ import annotations

from collections.abc import Sequence

from toolbox.charts import class_sizes, figure, percent, table, written
from toolbox.charts.bins import binned
from toolbox.charts.markup import Markup, element
from toolbox.charts.sizes import SIZES, SizeBar, size_bars, sizes_figure
from toolbox.report.html.findings import Findings
from toolbox.report.html.parts import all_of, listed, paragraph, scrolling, section
from toolbox.risks.attackers import AttackerRisk, ClassSize
from toolbox.risks.risk import Consistency, Risk


def risks(findings: Findings) -> Markup:
    """Return the section."""
    risk = findings.risk
    if risk is None:
        return section("risks", "Who is still at risk", paragraph("The risks were not measured."))
    return section(
        "risks",
        "Who is still at risk",
        _before(findings),
        _attackers(findings, risk),
        _certain(findings),
        _sizes(findings, risk),
        _consistent(findings, risk.consistency),
    )


def _before(findings: Findings) -> Markup:
    original, k = findings.original, findings.k
    if original is None:
        return Markup()
    return paragraph(
        f"Before: {written(original.at_risk)} of {written(original.records)} records "
        f"({percent(original.at_risk / original.records)}) were in classes below k = {k}, and "
        f"{written(original.alone)} were alone. After: {_below(findings)} of {written(findings.counts.records)}."
    )


def _below(findings: Findings) -> str:
    assert findings.risk is not None
    return written(sum(size.records for size in findings.risk.histogram if size.size < findings.k))


def _attackers(findings: Findings, risk: Risk) -> Markup:
    if risk.prosecutor is None:
        return paragraph("All records are suppressed, so that no attacker learns anything from the quasi-identifiers.")
    knows = "knows that a person is in the release, and knows the person's quasi-identifiers"
    rows = [_row(findings, "The prosecutor", risk.prosecutor, knows)]
    if risk.journalist is not None:
        wants = "knows a population, and wants to find anybody of the release in it"
        rows.append(_row(findings, "The journalist", risk.journalist, wants))
    if risk.marketer is not None:
        tries = "tries to assign all records, and is right so often"
        rows.append(("The marketer", "", percent(risk.marketer), "", tries))
    heads = ["attacker", "highest risk", "average risk", f"records above {percent(risk.threshold)}", "who it is"]
    most = percent(risk.prosecutor.highest)
    who = "An attacker who looks for one person and knows the quasi-identifiers"
    said = f"{who} is right with a probability of at most {most}."
    return all_of(paragraph(said), scrolling(table(heads, rows, figures={1, 2, 3}), "The attackers"))


def _row(findings: Findings, name: str, risk: AttackerRisk, words: str) -> tuple[str, str, str, str, str]:
    return (name, percent(risk.highest), percent(risk.average), findings.number(risk.records_at_risk), words)


def _certain(findings: Findings) -> Markup:
    """Return, for each attribute, whose sensitive value follows from the class; also if it is nobody's."""
    said = [
        findings.certainty(found)
        if found.people
        else f"In no class do all records have one value of {found.attribute}."
        for found in findings.certain
        if findings.counts.classes
    ]
    return all_of(element("h3", "Sensitive values that are certain"), listed(said)) if said else Markup()


def _sizes(findings: Findings, risk: Risk) -> Markup:
    after = _bars(risk.histogram, findings.k)
    told = [row for row in after if not findings.hides(row.records)]
    caption = f"Records by the size of their class. {_most(told)}"
    if findings.original is not None:
        before = _bars(findings.original.sizes, findings.k)
        return Markup(sizes_figure(before, after, key="sizes", caption=caption))
    drawn = class_sizes([row.drawn for row in told], key="sizes", title=SIZES)
    shown = table(
        ["records in the class", "classes", "records in them"], [(row.name, row.classes, row.records) for row in told]
    )
    return Markup(figure(drawn, shown, caption=caption))


def _bars(sizes: Sequence[ClassSize], k: int) -> list[SizeBar]:
    return size_bars(((size.size, size.classes) for size in sizes), k)


def _most(rows: list[SizeBar]) -> str:
    if not rows:
        return "There is no class."
    largest = max(rows, key=lambda row: row.records)
    return f"The largest group, {written(largest.records)} released records, hides in classes of {largest.name}."


def _consistent(findings: Findings, found: Consistency | None) -> Markup:
    if found is None:
        return Markup()
    if found.below_k:
        said = (
            f"{written(found.below_k)} of {written(found.people)} people have fewer than {found.k} released records "
            "that could be theirs; these are easier to find than their class suggests."
        )
    else:
        said = f"Every person fits at least {written(found.lowest)} released records, whatever their class says."
    lost = (
        f" {written(found.unmatched)} people fit no released record: the release does not cover them."
        if found.unmatched
        else ""
    )
    rows = [(row.name, row.amount) for row in binned(found.counts)]
    shown = table(["released records that fit", "people"], rows)
    return all_of(
        element("h3", "Released records that could be a person's"),
        paragraph(said + lost),
        scrolling(shown, "People by fitting records"),
    )
