"""What protects the people in a release, what that does not promise, and who is still at risk."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from toolbox.charts import draw_class_sizes, format_number, format_percent, render_figure, render_table
from toolbox.charts.bar_charts import SIZES, SizeBar, group_class_sizes, render_sizes_figure
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import (
    count_in_bins,
    format_figure,
    join_parts,
    render_list,
    render_paragraph,
    render_scrolling_table,
    render_section,
)
from toolbox.messages import mark, say, show
from toolbox.privacy.measures import MeasuredParameter
from toolbox.privacy.results import ModelResult
from toolbox.report.html.findings import PageFindings
from toolbox.risks.risk import AttackerRisk, ClassSize, Consistency, Risk

# What protects the people in a release: the privacy models, what they do not promise, and the notes of a run.

_PLACEHOLDERS = re.compile(r"\{value\}|\{of\}")
_UNTOLD = mark("Required. It compares with a population, so this page shows no figure.")

_NOT_PROMISED = (
    mark(
        "By the declared quasi-identifiers nobody can be told from k - 1 others. Somebody who knows another column "
        "of a person, which is released as it is, may find the record by it."
    ),
    mark(
        "A class whose members all have the same sensitive value gives that value away, although nobody in it can be "
        "found. The models for sensitive attributes, such as l-diversity and t-closeness, measure that."
    ),
    mark(
        "Somebody who combines this release with another release of the same people may learn more than from each of "
        "them."
    ),
    mark("Records that show different values can still all fit one person; the risk by consistency counts these."),
    mark("Whether the right columns were declared is a judgement of people. No program can prove it."),
)


def render_models(findings: PageFindings) -> Markup:
    """Return the section on the models that are required, and on those that hold besides."""
    rows = [
        (
            _format_model_name(model.name, model.attribute),
            _format_achieved(model.required),
            _format_achieved(model.achieved),
            say("holds") if model.holds else say("does not hold"),
            _format_model_sentence(model),
        )
        for model in findings.models
    ]
    rows += [
        (
            _format_model_name(model.name, model.attribute),
            _format_achieved(model.required),
            "-",
            say("not told"),
            _UNTOLD,
        )
        for model in findings.untold
    ]
    heads = [say("model"), say("required"), say("achieved"), say("result"), say("in words")]
    asked = (
        render_scrolling_table(render_table(heads, rows), say("The required models"))
        if rows
        else render_paragraph(
            say("Nothing is required of this release. The table below shows what it satisfies all the same.")
        )
    )
    return render_section("models", say("Privacy models"), asked, _render_other_models(findings))


def _render_other_models(findings: PageFindings) -> Markup:
    required = {(model.name, model.attribute) for model in findings.models}
    others = [
        model
        for model in findings.measured
        if (model.name, model.attribute) not in required and model.achieved is not None
    ]
    rows = [
        (
            _name_model(model),
            model.parameter,
            _format_achieved(model.achieved),
            _format_model_sentence(model),
        )
        for model in others
        if not _is_never_satisfied(model) and not _is_empty(model)
    ]
    heads = [say("model"), say("parameter"), say("strictest that holds"), say("in words")]
    shown = render_table(heads, rows)
    words = say("The release satisfies these models as well. Nobody required that, and nobody should rely on it.")
    holding = (
        join_parts(
            element("h3", say("What else holds")),
            render_paragraph(words),
            render_scrolling_table(shown, say("Other models that hold")),
        )
        if rows
        else None
    )
    return join_parts(holding, _list_failed_models(others))


def _list_failed_models(models: Sequence[MeasuredParameter]) -> Markup | None:
    """List the models that hold with no parameter, or only with one that promises nothing."""
    never = [
        say("%(model)s: there is a class that satisfies it with no parameter, however weak.", model=_name_model(model))
        for model in models
        if _is_never_satisfied(model)
    ]
    empty = [
        say(
            "%(model)s: it holds with %(parameter)s = %(value)s alone, as in every table, which protects nothing.",
            model=_name_model(model),
            parameter=model.parameter,
            value=_format_achieved(model.model.empty_at),
        )
        for model in models
        if _is_empty(model)
    ]
    return (
        join_parts(element("h3", say("What does not hold, or protects nothing")), render_list([*never, *empty]))
        if never or empty
        else None
    )


def _is_never_satisfied(model: MeasuredParameter) -> bool:
    return model.achieved is not None and math.isinf(model.achieved)


def _is_empty(model: MeasuredParameter) -> bool:
    """Return whether a model holds with nothing but the value that every table satisfies."""
    empty_at = model.model.empty_at
    return empty_at is not None and model.achieved is not None and math.isclose(model.achieved, empty_at)


def _name_model(model: MeasuredParameter) -> str:
    """Name a model with the settings by which it differs from others of its name."""
    settings = [f"{name} = {value}" for name, value in model.given.items() if name in model.model.told_apart_by]
    return ", ".join([_format_model_name(model.name, model.attribute), *settings])


def _format_model_name(name: str, attribute: str | None) -> str:
    return f"{name}, {attribute}" if attribute else name


def _format_achieved(value: float | None) -> str:
    if value is None:
        return "-"
    return say("none holds") if math.isinf(value) else format_figure(value)


def _format_model_sentence(result: ModelResult | MeasuredParameter) -> str:
    if result.achieved is None:
        return ""
    if math.isinf(result.achieved):
        return say("There is a class that satisfies it with no parameter, however weak.")
    words = {"{value}": _format_achieved(result.achieved), "{of}": result.attribute or say("the sensitive attribute")}
    return _PLACEHOLDERS.sub(lambda found: words[found[0]], say(result.model.meaning))


def render_limits(findings: PageFindings) -> Markup:
    """Return the section on what the verdict does not say, with the notes for the publisher."""
    notes = join_parts(element("h3", say("Notes")), render_list(findings.notes, "warnings")) if findings.notes else None
    return render_section(
        "limits", say("What k-anonymity does not promise"), join_parts(render_list(_NOT_PROMISED), notes)
    )


# Who is still at risk: three attackers, the sizes of classes, and the released records that fit a person.


def render_risks(findings: PageFindings) -> Markup:
    """Return the section."""
    risk = findings.risk
    if risk is None:
        return render_section(
            "risks", say("Who is still at risk"), render_paragraph(say("The risks were not measured."))
        )
    return render_section(
        "risks",
        say("Who is still at risk"),
        _render_original_risk(findings),
        _render_attackers(findings, risk),
        _list_certain_values(findings),
        _render_class_sizes(findings, risk),
        _render_consistency(findings, risk.consistency),
    )


def _render_original_risk(findings: PageFindings) -> Markup:
    original, k = findings.original, findings.k
    if original is None or findings.risk is None:
        return Markup()
    said = say(
        "Before: %(at_risk)s of %(records)s records (%(share)s) were in classes below k = %(k)s, and %(alone)s were "
        "alone. After: %(at_risk_after)s of %(records_after)s.",
        at_risk=original.at_risk,
        records=original.records,
        share=format_percent(original.at_risk / original.records),
        k=k,
        alone=original.alone,
        at_risk_after=_count_below_k(findings),
        records_after=findings.risk.records,
    )
    return render_paragraph(said)


def _count_below_k(findings: PageFindings) -> str:
    assert findings.risk is not None
    return format_number(sum(size.records for size in findings.risk.histogram if size.size < findings.k))


def _render_attackers(findings: PageFindings, risk: Risk) -> Markup:
    if risk.prosecutor is None:
        return render_paragraph(
            say("All records are suppressed, so that no attacker learns anything from the quasi-identifiers.")
        )
    knows = say("knows that a person is in the release, and knows the person's quasi-identifiers")
    rows = [_make_attacker_row(findings, say("The prosecutor"), risk.prosecutor, knows)]
    if risk.journalist is not None:
        wants = say("knows a population, and wants to find anybody of the release in it")
        rows.append(_make_attacker_row(findings, say("The journalist"), risk.journalist, wants))
    if risk.marketer is not None:
        tries = say("tries to assign all records, and is right so often")
        rows.append((say("The marketer"), "", format_percent(risk.marketer), "", tries))
    above = say("records above %(share)s", share=format_percent(risk.threshold))
    heads = [say("attacker"), say("highest risk"), say("average risk"), above, say("who it is")]
    most = format_percent(risk.prosecutor.highest)
    said = say(
        "An attacker who looks for one person and knows the quasi-identifiers is right with a probability of at most "
        "%(share)s.",
        share=most,
    )
    return join_parts(
        render_paragraph(said),
        render_scrolling_table(render_table(heads, rows, figures={1, 2, 3}), say("The attackers")),
    )


def _make_attacker_row(
    findings: PageFindings, name: str, risk: AttackerRisk, words: str
) -> tuple[str, str, str, str, str]:
    return (
        name,
        format_percent(risk.highest),
        format_percent(risk.average),
        findings.number(risk.records_at_risk),
        words,
    )


def _list_certain_values(findings: PageFindings) -> Markup:
    """Return, for each attribute, whose sensitive value follows from the class; also if it is nobody's."""
    said = [
        findings.certainty(found)
        if found.people
        else say("In no class does everybody have the same value of %(attribute)s.", attribute=found.attribute)
        for found in findings.certain
        if findings.counts.classes
    ]
    return join_parts(element("h3", say("Sensitive values that are certain")), render_list(said)) if said else Markup()


def _render_class_sizes(findings: PageFindings, risk: Risk) -> Markup:
    after = _make_size_bars(risk.histogram, findings.k)
    told = [row for row in after if not findings.is_hidden_count(row.records)]
    caption = f"{show(SIZES)}. {_format_largest_group(told)}"
    if findings.original is not None:
        before = _make_size_bars(findings.original.sizes, findings.k)
        return Markup(render_sizes_figure(before, after, key="sizes", caption=caption))
    drawn = draw_class_sizes([row.drawn for row in told], key="sizes", title=SIZES)
    shown = render_table(
        [say("records in the class"), say("classes"), say("records in them")],
        [(row.name, row.classes, row.records) for row in told],
    )
    return Markup(render_figure(drawn, shown, caption=caption))


def _make_size_bars(sizes: Sequence[ClassSize], k: int) -> list[SizeBar]:
    return group_class_sizes(((size.size, size.classes) for size in sizes), k)


def _format_largest_group(rows: list[SizeBar]) -> str:
    if not rows:
        return say("There is no class.")
    largest = max(rows, key=lambda row: row.records)
    return say(
        "The largest group, %(count)s released records, hides in classes of %(size)s.",
        count=largest.records,
        size=largest.name,
    )


def _render_consistency(findings: PageFindings, found: Consistency | None) -> Markup:
    if found is None:
        return Markup()
    if found.below_k:
        said: list[str] = [
            say(
                "%(below)s of %(people)s people have fewer than %(k)s released records that could be theirs; these "
                "are easier to find than their class suggests.",
                below=found.below_k,
                people=found.people,
                k=found.k,
            )
        ]
    else:
        least = format_number(found.lowest)
        said = [say("Every person fits at least %(least)s released records, whatever their class says.", least=least)]
    if found.unmatched:
        words = mark("%(count)s people fit no released record: the release does not cover them.")
        said.append(say(words, count=found.unmatched))
    rows = [(row.name, row.amount) for row in count_in_bins(found.counts)]
    shown = render_table([say("released records that fit"), say("people")], rows)
    return join_parts(
        element("h3", say("Released records that could be a person's")),
        render_paragraph(" ".join(said)),
        render_scrolling_table(shown, say("People by fitting records")),
    )
