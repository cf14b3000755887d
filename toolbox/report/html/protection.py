"""What protects the people in a release, what that does not promise, and who is still at risk."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from toolbox.charts import class_sizes, figure, percent, table, written
from toolbox.charts.markup import Markup, element
from toolbox.charts.pictures import SIZES, SizeBar, size_bars, sizes_figure
from toolbox.charts.rows import binned
from toolbox.privacy.measures import Measured
from toolbox.report.html.findings import Findings
from toolbox.report.html.parts import all_of, listed, paragraph, precise, scrolling, section
from toolbox.risks.attackers import AttackerRisk, ClassSize
from toolbox.risks.risk import Consistency, Risk

# What protects the people in a release: the privacy models, what they do not promise, and the notes of a run.

_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "k-anonymity": "Somebody who knows the quasi-identifiers of a person finds at least {value} records "
        "that could be that person's.",
        "(alpha,k)-anonymity": "In no class does one value of {of} have more than this share of the records: {value}.",
        "p-sensitive k-anonymity": "Every class has at least {value} different values of {of}.",
        "distinct l-diversity": "Every class has at least {value} different values of {of}.",
        "entropy l-diversity": "In every class {of} is at least as varied as {value} equally frequent values are.",
        "recursive (c,l)-diversity": "The most frequent value of {of} in a class is less than {value} times as "
        "frequent as the rarer values together.",
        "t-closeness": "No class differs from the whole table in {of} by more than {value}, of at most 1.",
        "delta-disclosure": "The share of a value of {of} in a class differs from that in the table by a factor of at "
        "most e to the power of {value}.",
        "basic beta-likeness": "The share of a value of {of} in a class exceeds that in the table by at most "
        "{value} times as much.",
        "enhanced beta-likeness": "Basic beta-likeness, with a closer bound for frequent values of {of}: {value}.",
        "k-map": "Each released record fits at least {value} people of the population.",
        "delta-presence": "That a person of the population is in the release can be believed by at most {value}.",
    }
)
"""What each model means for a person in the release, with what was achieved."""

_UNTOLD = "Required. It compares with a population, so this page shows no figure."

_NOT_PROMISED = (
    "By the declared quasi-identifiers nobody can be told from k - 1 others. Somebody who knows another "
    "column of a person, which is released as it is, may find the record by it.",
    "A class whose members all have the same sensitive value gives that value away, although nobody in it can be "
    "found. The models for sensitive attributes, such as l-diversity and t-closeness, measure that.",
    "Somebody who combines this release with another release of the same people may learn more than from each of them.",
    "Records that show different values can still all fit one person; the risk by consistency counts these.",
    "Whether the right columns were declared is a judgement of people. No program can prove it.",
)


_TELLING = ("distance", "absent", "l")
"""Settings with which one model is measured several times."""
_EMPTY_AT_1 = ("k", "alpha", "p", "l", "t")
"""Parameters of our models that promise nothing at 1, which every table satisfies."""


def models(findings: Findings) -> Markup:
    """Return the section on the models that are required, and on those that hold besides."""
    rows = [
        (
            _model_name(model.name, model.attribute),
            _figure(model.required),
            _figure(model.achieved),
            "holds" if model.holds else "does not hold",
            _sentence(model.name, model.attribute, model.achieved),
        )
        for model in findings.models
    ]
    rows += [
        (_model_name(model.name, model.attribute), _figure(model.required), "-", "not told", _UNTOLD)
        for model in findings.untold
    ]
    heads = ["model", "required", "achieved", "result", "in words"]
    asked = (
        scrolling(table(heads, rows), "The required models")
        if rows
        else paragraph("Nothing is required of this release. The table below shows what it satisfies all the same.")
    )
    return section("models", "Privacy models", asked, _besides(findings))


def _besides(findings: Findings) -> Markup:
    required = {(model.name, model.attribute) for model in findings.models}
    others = [
        model
        for model in findings.measured
        if (model.name, model.attribute) not in required and model.achieved is not None
    ]
    rows = [
        (
            _named(model),
            model.parameter,
            _figure(model.achieved),
            _sentence(model.name, model.attribute, model.achieved),
        )
        for model in others
        if not _never_holds(model) and not _is_empty(model)
    ]
    shown = table(["model", "parameter", "strictest that holds", "in words"], rows)
    words = "The release satisfies these models as well. Nobody required that, and nobody should rely on it."
    holding = (
        all_of(element("h3", "What else holds"), paragraph(words), scrolling(shown, "Other models that hold"))
        if rows
        else None
    )
    return all_of(holding, _not_holding(others))


def _not_holding(models: Sequence[Measured]) -> Markup | None:
    """List the models that hold with no parameter, or only with one that promises nothing."""
    never = [
        f"{_named(model)}: there is a class that satisfies it with no parameter, however weak."
        for model in models
        if _never_holds(model)
    ]
    empty = [
        f"{_named(model)}: it holds with {model.parameter} = 1 alone, as in every table, which protects nothing."
        for model in models
        if _is_empty(model)
    ]
    return (
        all_of(element("h3", "What does not hold, or protects nothing"), listed([*never, *empty]))
        if never or empty
        else None
    )


def _never_holds(model: Measured) -> bool:
    return model.achieved is not None and math.isinf(model.achieved)


def _is_empty(model: Measured) -> bool:
    """Return whether a model holds with nothing but the value that every table satisfies."""
    return model.parameter in _EMPTY_AT_1 and model.achieved is not None and math.isclose(model.achieved, 1)


def _named(model: Measured) -> str:
    """Name a model with the settings by which it differs from others of its name."""
    settings = [f"{name} = {value}" for name, value in model.given.items() if name in _TELLING]
    return ", ".join([_model_name(model.name, model.attribute), *settings])


def _model_name(name: str, attribute: str | None) -> str:
    return f"{name}, {attribute}" if attribute else name


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return "none holds" if math.isinf(value) else precise(value)


def _sentence(name: str, attribute: str | None, achieved: float | None) -> str:
    if achieved is not None and math.isinf(achieved):
        return "There is a class that satisfies it with no parameter, however weak."
    if achieved is None or name not in _SENTENCES:
        return ""
    return _SENTENCES[name].format(value=_figure(achieved), of=attribute or "the sensitive attribute")


def limits(findings: Findings) -> Markup:
    """Return the section on what the verdict does not say, with the notes for the publisher."""
    notes = all_of(element("h3", "Notes"), listed(findings.notes, "warnings")) if findings.notes else None
    return section("limits", "What k-anonymity does not promise", all_of(listed(_NOT_PROMISED), notes))


# Who is still at risk: three attackers, the sizes of classes, and the released records that fit a person.


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
