"""The page: one file of HTML with its style in it, no script, and nothing that is fetched from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from toolbox.charts import (
    draw_bars,
    draw_before_after,
    draw_pairs,
    format_number,
    format_percent,
    read_style,
    render_figure,
    render_table,
)
from toolbox.charts.markup import Markup, element, shorten_text
from toolbox.charts.rows import (
    join_parts,
    render_facts,
    render_list,
    render_paragraph,
    render_scrolling_table,
    render_section,
    render_standalone_page,
)
from toolbox.loss.metric import LossMetric, Measure, list_installed_metrics
from toolbox.loss.pairs import PairChanges
from toolbox.messages import format_count
from toolbox.report.html.findings import (
    ColumnPicture,
    Counts,
    DeclaredColumn,
    FindingsBar,
    PageFindings,
    format_today,
    make_repeatable,
)
from toolbox.report.html.guidance import document_guidance, render_guidance
from toolbox.report.html.making import (
    DETAIL_LOST,
    find_detail_left,
    render_columns,
    render_data,
    render_method,
    render_verdict,
)
from toolbox.report.html.protection import render_limits, render_models, render_risks
from toolbox.report.judges.face import Faces
from toolbox.report.judges.inferences import SAMPLE, SENSITIVE, STATISTICS
from toolbox.report.judges.measure import LossReport
from toolbox.report.judges.risk import FACES
from toolbox.report.runs.summary import Summary

# How a release is made again, and the lines where people sign.

_LONGEST_DOCUMENT = 20_000
_LONGEST_FACT = 500
_SIGNED = ("Made by", "Checked by", "Decided by")
_DECISION = ("Organisation", "Purpose", "Decides on it")


def render_repetition(findings: PageFindings) -> Markup:
    """Return the section on how to repeat it."""
    summary = findings.summary
    versions = {"toolbox": findings.version} if summary is None else summary.versions
    lines = [("Command", findings.command or "")]
    lines += [(f"Version of {name}", version) for name, version in versions.items()]
    if summary is not None:
        lines.append(("Seed", _format_seed(findings)))
        lines += [(f"Seconds to {name}", f"{seconds:.2f}") for name, seconds in summary.timings.items()]
    return render_section(
        "repeating", "How to repeat it", render_facts(lines), _render_configuration(findings.configuration)
    )


def _format_seed(findings: PageFindings) -> str:
    if findings.has_seed:
        return "set: the configuration has it"
    is_random = findings.order == "shuffled"
    return f"none: {'random order comes from the operating system' if is_random else 'the order is not random'}"


def _render_configuration(configuration: str | None) -> Markup | None:
    if configuration is None:
        return None
    cut = len(configuration) > _LONGEST_DOCUMENT
    shown = configuration[:_LONGEST_DOCUMENT]
    note = render_paragraph(f"The first {format_number(_LONGEST_DOCUMENT)} characters.", "small") if cut else None
    return join_parts(
        element("h3", "The configuration"), element("pre", element("code", _keep_line_ends(shown)), tabindex="0"), note
    )


def _keep_line_ends(text: str) -> Markup:
    """Keep the ends of lines, which markup of one line does not."""
    return Markup("\n".join(element("span", shorten_text(line, 1000)) for line in text.splitlines()))


def render_signatures(findings: PageFindings) -> Markup:
    """Return who decides on the release and what for, or the place to write it, and the lines for signatures."""
    told = [
        element("div", element("dt", name), element("dd", shorten_text(text or "", _LONGEST_FACT)))
        for name, text in zip(_DECISION, findings.decision, strict=True)
    ]
    lines = [
        element(
            "div",
            element("p", role, *([": ", element("bdi", shorten_text(name, _LONGEST_FACT))] if name else [])),
            element("p", "Date, signature" if name else "Name, date, signature", class_="small"),
            class_="signature",
        )
        for role, name in zip(_SIGNED, ("", "", findings.decision[-1] or ""), strict=True)
    ]
    parts = element("dl", *told, class_="facts to-fill-in"), element("div", *lines, class_="signatures")
    return render_section("signatures", "Decision and signatures", *parts)


def _render_purpose(findings: PageFindings) -> Markup:
    """Return who releases it and what for, at the head of the page."""
    told = [
        element("span", f"{name}: ", element("bdi", shorten_text(text, _LONGEST_FACT)), ". ")
        for name, text in zip(_DECISION, findings.decision, strict=True)
        if text
    ]
    return element("p", *told) if told else Markup()


# What was found that calls for a change, and what would lower it.

_HEADING = "What to do about it"


def render_advice(findings: PageFindings) -> Markup:
    """Return the section; nothing where nothing was found, or nothing may be told."""
    if not findings.advice:
        return Markup()
    rows = [(one.finding, one.remedy, one.effect or "", one.severity) for one in findings.advice]
    shown = render_table(["what was found", "what would lower it", "effect", "severity"], rows)
    said = "Each line was found on the finished release. If it has a number, the best remedy was counted."
    return render_section(
        "advice", _HEADING, render_paragraph(said), render_scrolling_table(shown, "Findings and remedies")
    )


def _render_attacks(findings: PageFindings) -> Markup:
    """Return the section of what an attacker really learns; nothing where nothing of that was measured."""
    parts = FACES.render(findings)
    return render_section("learned", "What an attacker really learns", *parts) if parts else Markup()


# The page: one file of HTML with its style in it, no script, and nothing that is fetched from anywhere.

_KINDS = {
    "internal": "Internal report: not for publication. It tells what the original records hold.",
    "public": "Public report: it tells nothing that the release does not tell.",
}


_TOLD_OF_VALUES = Faces((SAMPLE, STATISTICS, SENSITIVE))
"""What the document tells of a sample, statistics and classes, as that of `risk` does; nothing of a public page."""


def render_page(findings: PageFindings) -> str:
    """Return the whole page.

    Parameters
    ----------
    findings : Findings

    Returns
    -------
    str
        The same for the same findings.
    """
    title = f"Release report: {shorten_text(findings.name, 80)}"
    sections = (
        render_verdict(findings),
        render_advice(findings),
        render_data(findings),
        render_columns(findings),
        render_method(findings),
        render_models(findings),
        render_quasi_identifiers(findings) if findings.pictures else Markup(),
        render_losses(findings),
        render_risks(findings),
        _render_attacks(findings),
        render_guidance(findings),
        render_limits(findings),
        render_repetition(findings),
        render_signatures(findings),
    )
    head = element(
        "header",
        element("p", _KINDS[findings.kind], class_="kind"),
        element("h1", "Release report: ", element("bdi", shorten_text(findings.name, 80))),
        element("p", f"Made on {findings.date} with toolbox {findings.version}.", class_="small"),
        _render_purpose(findings),
    )
    body = element("main", head, *sections)
    return render_standalone_page(title, body, build_page_style(_KINDS[findings.kind]))


def document_page(findings: PageFindings) -> dict[str, Any]:
    """Return the JSON document of the command ``report``, without the name of its page; its names are stable."""
    return {
        "kind": findings.kind,
        "holds": findings.holds,
        "not_judged": [model.name for model in findings.untold],
        "advice": [one.document() for one in findings.advice],
        **_TOLD_OF_VALUES.document(findings),
        "guidance": document_guidance(findings),
    }


@cache
def build_page_style(kind: str) -> str:
    """Return the style sheet, which writes on each printed page which kind it is."""
    own = files("toolbox.report.html").joinpath("page.css").read_text(encoding="utf-8")
    return read_style() + own.replace("KIND", kind)


# The page of a variant: proved and measured as far as a session does it, and not released.

_NOT_RELEASED = "this is a variant of a session, which is proved and not released. Release it to have all figures."


def render_variant_page(summary: Summary, losses: LossReport | None) -> str:
    """Return the internal page of a run of a session; `Variant.to_html` explains it."""
    columns = [
        DeclaredColumn(
            column.name, "quasi-identifier, generalised", "", _format_level(column.level, column.height), None
        )
        for column in summary.quasi_identifiers
    ]
    findings = PageFindings(
        kind="internal",
        name=f"variant of {summary.method}",
        date=format_today(),
        k=summary.k,
        counts=Counts.of(summary),
        models=summary.proof.models,
        columns=tuple(columns),
        version=summary.versions["toolbox"],
        losses=losses,
        notes=summary.notes,
        unjudged=_NOT_RELEASED,
        method=summary.method,
        summary=make_repeatable(summary),
    )
    return render_page(findings)


def _format_level(level: int | None, height: int | None) -> str:
    if level is not None and height is not None:
        return f"level {level} of {height}"
    return "" if height is None else f"{height} levels"


# What a release has lost, as a part of the page.

# What a release costs: every loss metric with its range, which way is better, and where most is lost.


def render_losses(findings: PageFindings) -> Markup:
    """Return the section."""
    report = findings.losses
    if report is None:
        words = (
            "Only a comparison with the original records shows what a release has lost. This page does not use them."
            if findings.is_public
            else "The release was not compared with the original records."
        )
        return render_section("losses", "What was lost", render_paragraph(words))
    installed = {metric.name: metric for metric in list_installed_metrics()}
    of_table = ((measure, installed.get(measure.name)) for measure in report.measures if measure.attribute is None)
    rows = [
        (
            measure.name,
            format_value(measure),
            measure.unit,
            "" if metric is None else metric.range,
            measure.direction,
            "" if metric is None else metric.meaning,
        )
        for measure, metric in sorted(of_table, key=_rank)
    ]
    shown = render_table(["metric", "value", "unit", "range", "better", "in words"], rows, figures={1})
    notes = join_parts(element("h3", "Not measured"), render_list(report.notes, "small")) if report.notes else None
    # A bound is for those who have the original records: this section has no figure on a public page.
    bounds = join_parts(*(render_paragraph(str(bound)) for bound in report.bounds))
    pairs = None if report.pairs is None else _render_pairs(report.pairs)
    words = "N is the number of records. No metric says whether a release is useful for your question; compare results."
    return render_section(
        "losses",
        "What was lost",
        join_parts(
            _draw_column_losses(findings),
            bounds,
            render_paragraph(words),
            render_scrolling_table(shown, "All loss metrics"),
            pairs,
            notes,
        ),
    )


def format_value(measure: Measure) -> str:
    """Write a value with its unit in mind: a share in percent."""
    return (
        format_percent(measure.value)
        if measure.unit == "share" and 0 <= measure.value <= 1
        else format_number(measure.value)
    )


def _draw_column_losses(findings: PageFindings) -> Markup | None:
    assert findings.losses is not None
    found = [(m.attribute, 100 * m.value) for m in findings.losses.measures if m.name == DETAIL_LOST and m.attribute]
    if not found:
        return None
    ordered = sorted(found, key=lambda row: -row[1])
    rows = [(name, round(share, 1)) for name, share in ordered]
    most, share = rows[0]
    caption = f"Most is lost in {most}: {format_number(share)}% of the column (normalised certainty penalty)."
    drawn = draw_bars(rows, key="loss", title="Information lost by column, in percent", unit="%", scale_to=100)
    return Markup(render_figure(drawn, render_table(["column", "lost, %"], rows), caption=caption))


def _render_pairs(changes: PairChanges) -> Markup | None:
    """Return what has become of pairs of columns: a picture of their distances, and all figures as its table."""
    if not changes.pairs:
        return None
    names = [column.name for column in changes.columns]
    places = {name: place for place, name in enumerate(names)}
    shares = {(places[pair.columns[0]], places[pair.columns[1]]): pair.distance for pair in changes.pairs}
    most = changes.pairs[0]
    said = (
        f"Most has changed in {most.columns[0]} with {most.columns[1]}: {format_percent(most.distance)} of the records "
        "would have to stand in another cell of the two-way table, if each is divided evenly among all that it may be."
    )
    heads = ["columns", "distance", "exact", "measure", "before", "after", "at least", "at most"]
    rows = [
        (
            " with ".join(pair.columns),
            format_percent(pair.distance),
            format_percent(pair.exact),
            pair.measure,
            *("" if figure is None else f"{figure:.2f}" for figure in pair.association.figures),
        )
        for pair in changes.pairs
    ]
    drawn = draw_pairs(names, shares, key="pairs", title="How much each pair of columns has changed")
    table = render_table(heads, rows, figures={1, 2, 4, 5, 6, 7})
    figure = render_figure(drawn, table, caption=said, label="Pairs of columns, before and after")
    return join_parts(element("h3", "Pairs of columns"), Markup(figure))


def _rank(found: tuple[Measure, type[LossMetric] | None]) -> tuple[int, str]:
    measure, metric = found
    return (LossMetric if metric is None else metric).rank, measure.name


# Each quasi-identifier: what became of its values, as a picture with its table.

_SHOWN = 5
_NAME = 60


def render_quasi_identifiers(findings: PageFindings) -> Markup:
    """Return the section with all of them."""
    words = (
        "Each pair of pictures has one scale. On the right, a record with a generalised value is divided "
        "evenly among all values that it may have: that is what a reader of the release can know."
        if findings.original is not None
        else "How often each released value occurs. This page does not show what the columns held before."
    )
    parts = [
        _render_quasi_identifier(findings, picture, number) for number, picture in enumerate(findings.pictures, start=1)
    ]
    return render_section("quasi-identifiers", "What became of each quasi-identifier", render_paragraph(words), *parts)


def _render_quasi_identifier(findings: PageFindings, picture: ColumnPicture, number: int) -> Markup:
    key = f"qid-{number}"
    drawn = _pair(findings, picture, key) if picture.before else _render_released(findings, picture, key)
    heading = element("h3", element("bdi", shorten_text(picture.name, _NAME)))
    return element("div", heading, drawn, class_="column")


def _format_column_sentence(findings: PageFindings, picture: ColumnPicture) -> str:
    records, said = findings.counts.records, []
    if picture.original_values is not None:
        values = format_count(picture.original_values, "original value became", "original values became")
        said.append(f"{values} {format_number(picture.released_values)} in the release.")
    else:
        said.append(f"{_format_value_count(picture.released_values)} in the release.")
    if picture.exact is not None and records:
        share = format_percent(picture.exact / records)
        few = {0: "No record shows its exact value.", records: "Every record shows its exact value."}
        said.append(few.get(picture.exact, f"{share} of the records show their exact value."))
    if findings.hides_suppressed and picture.not_told > findings.counts.suppressed:
        besides = format_count(picture.not_told - findings.counts.suppressed, "record shows", "records show")
        said.append(f"Apart from the suppressed records, {besides} nothing at all here.")
    elif picture.not_told:
        said.append(f"{findings.count(picture.not_told, 'record shows', 'records show')} nothing at all here.")
    if lost := _find_loss(findings, picture.name):
        said.append(f"The column has lost {format_percent(lost)} (normalised certainty penalty).")
    if picture.released_values == 1 and (picture.original_values or 0) > 1:
        said.append("The column shows one value everywhere: you can leave it out.")
    return " ".join(said)


def _format_value_count(count: int) -> str:
    return "There is 1 value" if count == 1 else f"There are {format_number(count)} values"


def _find_loss(findings: PageFindings, name: str) -> float | None:
    left = find_detail_left(findings.losses, name)
    return None if left is None else 1 - left


def _pair(findings: PageFindings, picture: ColumnPicture, key: str) -> Markup:
    name = shorten_text(picture.name, _NAME)
    after = [FindingsBar(bar.name, round(bar.records)) for bar in picture.after]
    drawn = draw_before_after(picture.before, after, key=key, title=name, upright=picture.is_number)
    rows = [(old.name, old.records, new.records) for old, new in zip(picture.before, after, strict=True)]
    heads = ["value", "records before", "records after, about"]
    label = f"{name}, before and after"
    shown = render_figure(
        drawn, render_table(heads, rows), caption=_format_column_sentence(findings, picture), label=label
    )
    return join_parts(Markup(shown), _render_most_frequent(picture))


def _render_most_frequent(picture: ColumnPicture) -> Markup:
    named = [
        f"{shorten_text(name or 'missing', _NAME)} ({format_number(records)})"
        for name, records in picture.most_frequent[:_SHOWN]
    ]
    return render_paragraph(f"Most frequent in the release: {'; '.join(named)}.", "small")


def _render_released(findings: PageFindings, picture: ColumnPicture, key: str) -> Markup:
    root = _find_untold_records(findings, picture)
    shown = [bar for bar in picture.most_frequent if not findings.is_hidden_count(bar.records) and bar.records != root]
    name = shorten_text(picture.name, _NAME)
    said = _format_rest(findings, picture, shown)
    label = f"{name}, most frequent released values"
    drawn, rows = draw_bars(shown, key=key, title=label), render_table(["released value", "records"], shown)
    return join_parts(
        Markup(render_figure(drawn, rows, caption=_format_column_sentence(findings, picture), label=label)), said
    )


def _format_rest(findings: PageFindings, picture: ColumnPicture, shown: list[FindingsBar]) -> Markup:
    root = _find_untold_records(findings, picture)
    values = picture.released_values - len(shown) - (root > 0)
    records = findings.counts.records - root - round(sum(bar.records for bar in shown))
    if values < 1:
        return Markup()
    others = "Another value is" if values == 1 else f"Another {format_number(values)} values are"
    return render_paragraph(f"{others} shown by {findings.count(records)}.", "small")


def _find_untold_records(findings: PageFindings, picture: ColumnPicture) -> int:
    """Return the records that show the root, if their number and another one would tell how many are suppressed."""
    return picture.not_told if findings.hides_suppressed or findings.is_hidden_count(picture.not_told) else 0
