"""The verdict in one sentence, and where a release comes from: data, columns, method and settings."""

from __future__ import annotations

from toolbox.charts import format_number, format_percent, render_table
from toolbox.charts.markup import Markup, element
from toolbox.charts.rows import (
    format_figure,
    join_parts,
    render_facts,
    render_paragraph,
    render_scrolling_table,
    render_section,
)
from toolbox.messages import format_count
from toolbox.privacy.results import ModelResult
from toolbox.report.advice import advise_on_certain, advise_on_models
from toolbox.report.columns import format_columns
from toolbox.report.html.findings import PageFindings, UntoldModel
from toolbox.report.judges.measure import LossReport
from toolbox.report.runs.summary import Summary

# Where a release comes from: the data, the columns as they were declared, the method and its settings.

_ORDERS = {
    "shuffled": "random: the order tells nothing",
    "sorted": "by the released values: the order tells nothing",
    "input": "the order of the input: anybody who has a list in this order can join the two line by line",
}


def render_data(findings: PageFindings) -> Markup:
    """Return the section on what was read and what was written."""
    summary = findings.summary
    lines = [*findings.data, *(() if summary is None else _read(summary))]
    lines.append(_format_released(findings))
    lines += [(f"SHA-256 of {name}", digest) for name, digest in findings.checksums.items()]
    return render_section("data", "Data", render_facts(lines))


def _format_released(findings: PageFindings) -> tuple[str, str]:
    counts = findings.counts
    if findings.hides_suppressed:
        return "Records in classes", format_number(counts.records - counts.suppressed)
    return "Records released", format_number(counts.records)


def _read(summary: Summary) -> list[tuple[str, str]]:
    digest = summary.sha256.get("input")
    return [
        ("Records read", format_number(summary.records_read)),
        ("Left out, as a declared value is missing", format_number(summary.records_skipped)),
        ("Lines that could not be read", format_number(summary.lines_rejected)),
        ("SHA-256 of the input", digest if isinstance(digest, str) else "not asked for"),
    ]


def render_columns(findings: PageFindings) -> Markup:
    """Return the section on the columns and their roles."""
    rows = [
        (
            column.name,
            column.role,
            column.kind,
            column.hierarchy,
            "" if column.priority is None else str(column.priority),
        )
        for column in findings.columns
    ]
    heads = ["column", "role", "kind", "hierarchy", "priority"]
    words = (
        "The proof is only about the quasi-identifiers. An identifier names a person by itself and is not in the "
        "release. A sensitive attribute is one that nobody should learn about a person."
    )
    return render_section(
        "columns",
        "Columns",
        render_paragraph(words),
        render_scrolling_table(render_table(heads, rows), "The declared columns"),
        _render_undeclared(findings),
        _render_treated(findings.summary),
    )


def _render_treated(summary: Summary | None) -> Markup | None:
    """Return what was done to each column that is not released as it was read, and what is not true any more."""
    if summary is None or not (summary.treatments or any(each.not_true for each in summary.quasi_identifiers)):
        return None
    untrue = "Generalised: a value stands for all that it covers."
    rows = [
        (each.name, "Grouped", "each value is between the lowest and the highest of its group", each.not_true)
        if each.not_true
        else (each.name, "Generalised", "each value covers the one that was read", untrue)
        for each in summary.quasi_identifiers
    ]
    rows += [
        (str(each["column"]), str(each["does"]), str(each["promise"]), str(each["not_true"] or "all is true"))
        for each in summary.treatments
    ]
    heads = ["column", "what was done", "counted again", "what is not true any more"]
    words = (
        "What was done to each column. Each promise was counted again on the finished release, before it was placed."
    )
    table = render_scrolling_table(render_table(heads, rows), "What was done to each column")
    return join_parts(render_paragraph(words), table)


def _render_undeclared(findings: PageFindings) -> Markup | None:
    names = findings.undeclared
    if not names:
        return None
    lead = (
        "Nobody declared this column, and it is" if len(names) == 1 else "Nobody declared these columns, and they are"
    )
    return render_paragraph(
        f"{lead} released unchanged: {format_columns(names)}. The proof says nothing about that.", "warning"
    )


def render_method(findings: PageFindings) -> Markup:
    """Return the section on how the release was made."""
    if findings.method is None:
        return render_section(
            "method", "Method", render_paragraph("Nobody told this page by which program the release was made.")
        )
    summary = findings.summary
    lines = [("Method", findings.method)]
    if summary is not None:
        lines += [(f"Setting {name}", value) for name, value in summary.settings.items()]
        lines.append(("Suppressed records", _format_suppressed(summary)))
    lines.append(("Order of the records", _ORDERS.get(findings.order or "", "")))
    return render_section("method", "Method", render_facts(lines), _render_search(summary))


def _format_suppressed(summary: Summary) -> str:
    if not summary.proof.records_suppressed:
        return "none"
    kept = {"keep": "stay in the release and show nothing", "drop": "are left out"}[summary.suppressed]
    return f"{format_number(summary.proof.records_suppressed)}; they {kept}"


def _render_search(summary: Summary | None) -> Markup | None:
    if summary is None or (found := summary.searched) is None:
        return None
    proved = "No other way costs less" if found.is_proved else "It is not proved that no other way costs less"
    looked = f"{format_number(found.checked)} of {format_number(found.nodes)} ways to generalise whole columns"
    if found.value is None:
        return render_paragraph(f"The search checked {looked}, and {found.lack}.")
    return render_paragraph(
        f"The search checked {looked}. {proved}: its {found.objective} is {format_figure(found.value)}."
    )


DETAIL_LOST = "normalised certainty penalty"
"""The metric of which the figure *Detail left* is the rest."""

# The verdict in one sentence, and the figures that somebody looks at first.


def render_verdict(findings: PageFindings) -> Markup:
    """Return the first section."""
    state, sentence = _format_verdict(findings)
    sentence += _name_untold_models(findings) + _count_left_out(findings.summary)
    shown = element(
        "div",
        element("p", state, class_="verdict-state"),
        element("p", sentence, class_="verdict-words"),
        class_=f"verdict verdict-{'holds' if state == 'Proved' else 'open' if state == 'Measured' else 'fails'}",
    )
    return render_section(
        "verdict", "Verdict", shown, _render_warnings(findings), _render_tiles(findings), _render_meaning(findings)
    )


def _format_verdict(findings: PageFindings) -> tuple[str, str]:
    counts, k = findings.counts, findings.k
    if not findings.models:
        nothing = "" if findings.untold else "Nothing was required of this release. "
        return "Measured", (
            f"{nothing}Its smallest class has {_format_smallest_class(findings)}: somebody who knows the "
            "quasi-identifiers of a person cannot tell that person's record from the others in it."
        )
    names = _join_with_and([_name_model(model) for model in findings.models])
    if findings.holds is False:
        failed = _join_with_and([_name_model(model) for model in findings.models if not model.holds])
        return "Does not hold", f"This release does not satisfy {failed}. It should not be published as it is."
    if not counts.classes:
        return "Proved", f"This release satisfies {names}, as every record of it is suppressed: nothing can be learnt."
    who = "each record that is not suppressed" if counts.suppressed else "each record"
    hides = f": {who} looks the same as at least {k - 1} others in every quasi-identifier"
    is_k = any("k-anonymity" in model.name for model in findings.models)
    return "Proved", f"This release satisfies {names}{hides if is_k and k > 1 else ''}."


def _name_untold_models(findings: PageFindings) -> str:
    """Name what was required and is not judged here."""
    if not findings.untold:
        return ""
    names = _join_with_and([_name_model(model) for model in findings.untold])
    compare = "which compares" if len(findings.untold) == 1 else "which compare"
    return f" Also required, but not shown here: {names}, {compare} with a population."


def _count_left_out(summary: Summary | None) -> str:
    """Say how many people are not in the release: whoever reads no further must know that. A public page cannot."""
    if summary is None or not (summary.records_skipped or summary.lines_rejected):
        return ""
    lost = []
    if skipped := summary.records_skipped:
        lack = "is left out, as it lacks" if skipped == 1 else "are left out, as they lack"
        lost.append(f"{format_number(skipped)} of the {format_count(summary.records_read, 'record')} {lack} a value")
    if rejected := summary.lines_rejected:
        lost.append(f"{format_count(rejected, 'line')} could not be read")
    return f" But {', and '.join(lost)}."


def _render_warnings(findings: PageFindings) -> Markup:
    """Return the warnings beside the proof: classes that give a sensitive value away, and other severe findings."""
    said = [findings.certainty(found) for found in findings.certain if found.people]
    return join_parts(
        render_paragraph(" ".join(said), "warning") if said else None,
        *(render_paragraph(f"Not proved: {each}", "warning") for each in findings.not_proved),
        *(render_paragraph(each, "warning") for each in _list_severe_findings(findings)),
    )


def _list_severe_findings(findings: PageFindings) -> list[str]:
    """Return the findings of high severity that the verdict does not say in its own words; a public page has none."""
    is_certain = any(found.people for found in findings.certain)
    said = (
        *advise_on_certain(findings.certain),
        *advise_on_models(findings.models, findings.measured if is_certain else ()),
    )
    known = {one.finding for one in said}
    return [one.finding for one in findings.advice if one.severity == "high" and one.finding not in known]


def _name_model(model: ModelResult | UntoldModel) -> str:
    of = f" of {model.attribute}" if model.attribute else ""
    settings = ", ".join(f"{name} = {value}" for name, value in model.parameters.items() if name != "attribute")
    return f"{model.name}{of}{f' with {settings}' if settings else ''}"


def _join_with_and(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _format_smallest_class(findings: PageFindings) -> str:
    smallest = findings.counts.smallest
    return "no record" if smallest is None else findings.count(smallest)


def _render_tiles(findings: PageFindings) -> Markup:
    counts, original = findings.counts, findings.original
    shown = [
        _render_released_tile(findings),
        _render_tile(
            "Smallest class",
            "none" if counts.smallest is None else findings.number(counts.smallest),
            _format_required_records(findings),
        ),
        _render_tile("Classes", format_number(counts.classes), _format_average_class(findings)),
        _render_tile("Suppressed", findings.number(counts.suppressed), "records that show nothing in these columns"),
    ]
    if original is not None:
        before = format_percent(original.at_risk / original.records)
        shown.append(_render_tile(f"At risk before, below k = {findings.k}", before, "of the original records"))
    if (detail := find_detail_left(findings.losses)) is not None:
        words = "100% is the table as it was, at 0% no cell says anything"
        shown.append(_render_tile("Detail left", format_percent(detail), words))
    return element("div", *shown, class_="tiles" if len(shown) == 4 else "tiles tiles-wide")


def find_detail_left(losses: LossReport | None, column: str | None = None) -> float | None:
    """Return the share of the detail that is left, of a column or of all, by the measure that the application shows."""
    lost = (DETAIL_LOST, column)
    measures = () if losses is None else losses.measures
    return next((1 - measure.value for measure in measures if (measure.name, measure.attribute) == lost), None)


def _render_released_tile(findings: PageFindings) -> Markup:
    counts = findings.counts
    if findings.hides_suppressed:
        return _render_tile(
            "Records in classes", format_number(counts.records - counts.suppressed), "besides those suppressed"
        )
    return _render_tile("Records released", format_number(counts.records), "rows of the release")


def _format_average_class(findings: PageFindings) -> str:
    average = findings.counts.average
    size = "" if average is None else f", {format_number(round(average, 1))} on average"
    return f"groups of records that look the same{size}"


def _format_required_records(findings: PageFindings) -> str:
    asked = any(model.name == "k-anonymity" for model in findings.models)
    return f"records; at least {findings.k} were required" if asked else "records"


def _render_tile(name: str, figure: str, words: str) -> Markup:
    return element(
        "div",
        element("p", name, class_="tile-name"),
        element("p", figure, class_="tile-figure"),
        element("p", words, class_="tile-words"),
        class_="tile",
    )


def _render_meaning(findings: PageFindings) -> Markup:
    told = (
        "A quasi-identifier is a column that others may know about a person, such as age or place. "
        " An equivalence class, or class, is all records that agree in every quasi-identifier: nobody can tell "
        "them apart by these columns."
    )
    judged = (
        "All figures were measured on the finished release, by code that has no part in making it."
        if not findings.unjudged
        else f"The finished release could not be measured again: {findings.unjudged}"
    )
    return join_parts(render_paragraph(told), render_paragraph(judged))
