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
from toolbox.messages import find_language, mark, say, say_count, show, speak, write_figure
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
_SIGNED = (mark("Made by"), mark("Checked by"), mark("Decided by"))
_DECISION = (mark("Organisation"), mark("Purpose"), mark("Decides on it"))


def render_repetition(findings: PageFindings) -> Markup:
    """Return the section on how to repeat it."""
    summary = findings.summary
    versions = {"toolbox": findings.version} if summary is None else summary.versions
    lines: list[tuple[str, str]] = [(say("Command"), findings.command or "")]
    lines += [(say("Version of %(name)s", name=name), version) for name, version in versions.items()]
    if summary is not None:
        lines.append((say("Seed"), _format_seed(findings)))
        lines += [
            (say("Seconds to %(name)s", name=say(name)), write_figure(f"{seconds:.2f}"))
            for name, seconds in summary.timings.items()
        ]
    return render_section(
        "repeating", say("How to repeat it"), render_facts(lines), _render_configuration(findings.configuration)
    )


def _format_seed(findings: PageFindings) -> str:
    if findings.has_seed:
        return say("set: the configuration has it")
    if findings.order == "shuffled":
        return say("none: random order comes from the operating system")
    return say("none: the order is not random")


def _render_configuration(configuration: str | None) -> Markup | None:
    if configuration is None:
        return None
    cut = len(configuration) > _LONGEST_DOCUMENT
    shown = configuration[:_LONGEST_DOCUMENT]
    note = render_paragraph(say("The first %(count)s characters.", count=_LONGEST_DOCUMENT), "small") if cut else None
    return join_parts(
        element("h3", say("The configuration")),
        element("pre", element("code", _keep_line_ends(shown)), tabindex="0"),
        note,
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
            element("p", say("Date, signature") if name else say("Name, date, signature"), class_="small"),
            class_="signature",
        )
        for role, name in zip(_SIGNED, ("", "", findings.decision[-1] or ""), strict=True)
    ]
    parts = element("dl", *told, class_="facts to-fill-in"), element("div", *lines, class_="signatures")
    return render_section("signatures", say("Decision and signatures"), *parts)


def _render_purpose(findings: PageFindings) -> Markup:
    """Return who releases it and what for, at the head of the page."""
    told = [
        element("span", f"{show(name)}: ", element("bdi", shorten_text(text, _LONGEST_FACT)), ". ")
        for name, text in zip(_DECISION, findings.decision, strict=True)
        if text
    ]
    return element("p", *told) if told else Markup()


# What was found that calls for a change, and what would lower it.

_HEADING = mark("What to do about it")


_SEVERITIES = {"high": mark("high"), "medium": mark("medium"), "low": mark("low")}


def render_advice(findings: PageFindings) -> Markup:
    """Return the section; nothing where nothing was found, or nothing may be told."""
    if not findings.advice:
        return Markup()
    rows = [(one.finding, one.remedy, one.effect or "", _SEVERITIES[one.severity]) for one in findings.advice]
    heads = [say("what was found"), say("what would lower it"), say("effect"), say("severity")]
    shown = render_table(heads, rows)
    said = say("Each line was found on the finished release. If it has a number, the best remedy was counted.")
    return render_section(
        "advice", _HEADING, render_paragraph(said), render_scrolling_table(shown, say("Findings and remedies"))
    )


def _render_attacks(findings: PageFindings) -> Markup:
    """Return the section of what an attacker really learns; nothing where nothing of that was measured."""
    parts = FACES.render(findings)
    return render_section("learned", say("What an attacker really learns"), *parts) if parts else Markup()


# The page: one file of HTML with its style in it, no script, and nothing that is fetched from anywhere.

_KINDS = {
    "internal": mark("Internal report: not for publication. It tells what the original records hold."),
    "public": mark("Public report: it tells nothing that the release does not tell."),
}


_TOLD_OF_VALUES = Faces((SAMPLE, STATISTICS, SENSITIVE))
"""What the document tells of a sample, statistics and classes, as that of `risk` does; nothing of a public page."""


def render_page(findings: PageFindings, language: str | None = None) -> str:
    """Return the whole page.

    Parameters
    ----------
    findings : Findings
    language : str, optional
        Default: the one that is spoken.

    Returns
    -------
    str
        The same for the same findings.
    """
    with speak(language or find_language()):
        return _render_page(findings)


def _render_page(findings: PageFindings) -> str:
    title = say("Release report: %(name)s", name=shorten_text(findings.name, 80))
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
        element("h1", say("Release report:"), " ", element("bdi", shorten_text(findings.name, 80))),
        element(
            "p",
            say("Made on %(date)s with toolbox %(version)s.", date=findings.date, version=findings.version),
            class_="small",
        ),
        _render_purpose(findings),
    )
    body = element("main", head, *sections)
    return render_standalone_page(title, body, build_page_style(show(_KINDS[findings.kind])))


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

_NOT_RELEASED = mark(
    "this is a variant of a session, which is proved and not released. Release it to have all figures."
)


def render_variant_page(summary: Summary, losses: LossReport | None) -> str:
    """Return the internal page of a run of a session; `Variant.to_html` explains it."""
    columns = [
        DeclaredColumn(
            column.name, mark("quasi-identifier, generalised"), "", _format_level(column.level, column.height), None
        )
        for column in summary.quasi_identifiers
    ]
    findings = PageFindings(
        kind="internal",
        name=say("variant of %(method)s", method=summary.method),
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
        return say("level %(level)s of %(height)s", level=level, height=height)
    return "" if height is None else say_count("%(count)s level", "%(count)s levels", height)


# What a release has lost, as a part of the page.

# What a release costs: every loss metric with its range, which way is better, and where most is lost.


def render_losses(findings: PageFindings) -> Markup:
    """Return the section."""
    report = findings.losses
    if report is None:
        words = (
            say(
                "Only a comparison with the original records shows what a release has lost. This page does not use "
                "them."
            )
            if findings.is_public
            else say("The release was not compared with the original records.")
        )
        return render_section("losses", say("What was lost"), render_paragraph(words))
    installed = {metric.name: metric for metric in list_installed_metrics()}
    of_table = ((measure, installed.get(measure.name)) for measure in report.measures if measure.attribute is None)
    rows = [
        (
            say(measure.name),
            format_value(measure),
            say(measure.unit) if measure.unit else "",
            "" if metric is None else say(metric.range),
            say(measure.direction) if measure.direction else "",
            "" if metric is None else say(metric.meaning),
        )
        for measure, metric in sorted(of_table, key=_rank)
    ]
    heads = [say("metric"), say("value"), say("unit"), say("range"), say("better"), say("in words")]
    shown = render_table(heads, rows, figures={1})
    notes = join_parts(element("h3", say("Not measured")), render_list(report.notes, "small")) if report.notes else None
    # A bound is for those who have the original records: this section has no figure on a public page.
    bounds = join_parts(*(render_paragraph(str(bound)) for bound in report.bounds))
    pairs = None if report.pairs is None else _render_pairs(report.pairs)
    words = say(
        "N is the number of records. No metric says whether a release is useful for your question; compare results."
    )
    return render_section(
        "losses",
        say("What was lost"),
        join_parts(
            _draw_column_losses(findings),
            bounds,
            render_paragraph(words),
            render_scrolling_table(shown, say("All loss metrics")),
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
    caption = say(
        "Most is lost in %(column)s: %(share)s of the column (normalised certainty penalty).",
        column=most,
        share=write_figure(f"{share:g}%"),
    )
    title = say("Information lost by column, in percent")
    drawn = draw_bars(rows, key="loss", title=title, unit="%", scale_to=100)
    return Markup(render_figure(drawn, render_table([say("column"), say("lost, %")], rows), caption=caption))


def _render_pairs(changes: PairChanges) -> Markup | None:
    """Return what has become of pairs of columns: a picture of their distances, and all figures as its table."""
    if not changes.pairs:
        return None
    names = [column.name for column in changes.columns]
    places = {name: place for place, name in enumerate(names)}
    shares = {(places[pair.columns[0]], places[pair.columns[1]]): pair.distance for pair in changes.pairs}
    most = changes.pairs[0]
    said = say(
        "Most has changed in %(one)s with %(other)s: %(share)s of the records would have to stand in another cell of "
        "the two-way table, if each is divided evenly among all that it may be.",
        one=most.columns[0],
        other=most.columns[1],
        share=format_percent(most.distance),
    )
    heads: list[str] = [say("columns"), say("distance"), say("exact"), say("measure")]
    heads += [say("before"), say("after"), say("at least"), say("at most")]
    rows = [
        (
            say("%(one)s with %(other)s", one=pair.columns[0], other=pair.columns[1]),
            format_percent(pair.distance),
            "" if pair.exact is None else format_percent(pair.exact),
            pair.measure,
            *("" if figure is None else write_figure(f"{figure:.2f}") for figure in pair.association.figures),
        )
        for pair in changes.pairs
    ]
    drawn = draw_pairs(names, shares, key="pairs", title=say("How much each pair of columns has changed"))
    table = render_table(heads, rows, figures={1, 2, 4, 5, 6, 7})
    figure = render_figure(drawn, table, caption=said, label=say("Pairs of columns, before and after"))
    return join_parts(element("h3", say("Pairs of columns")), Markup(figure))


def _rank(found: tuple[Measure, type[LossMetric] | None]) -> tuple[int, str]:
    measure, metric = found
    return (LossMetric if metric is None else metric).rank, measure.name


# Each quasi-identifier: what became of its values, as a picture with its table.

_SHOWN = 5
_NAME = 60


def render_quasi_identifiers(findings: PageFindings) -> Markup:
    """Return the section with all of them."""
    words = (
        say(
            "Each pair of pictures has one scale. On the right, a record with a generalised value is divided evenly "
            "among all values that it may have: that is what a reader of the release can know."
        )
        if any(picture.before for picture in findings.pictures)
        else say("How often each released value occurs. This page does not show what the columns held before.")
    )
    parts = [
        _render_quasi_identifier(findings, picture, number) for number, picture in enumerate(findings.pictures, start=1)
    ]
    heading = say("What became of each quasi-identifier")
    return render_section("quasi-identifiers", heading, render_paragraph(words), *parts)


def _render_quasi_identifier(findings: PageFindings, picture: ColumnPicture, number: int) -> Markup:
    key = f"qid-{number}"
    drawn = _pair(findings, picture, key) if picture.before else _render_released(findings, picture, key)
    heading = element("h3", element("bdi", shorten_text(picture.name, _NAME)))
    return element("div", heading, drawn, class_="column")


def _format_column_sentence(findings: PageFindings, picture: ColumnPicture) -> str:
    records = findings.counts.records
    said: list[str] = [_format_value_counts(picture)]
    if picture.exact is not None and records:
        share = format_percent(picture.exact / records)
        few = {0: say("No record shows its exact value."), records: say("Every record shows its exact value.")}
        said.append(few.get(picture.exact, say("%(share)s of the records show their exact value.", share=share)))
    if findings.hides_suppressed and picture.not_told > findings.counts.suppressed:
        said.append(
            findings.say_of_records(
                "Apart from the suppressed records, %(records)s shows nothing at all here.",
                "Apart from the suppressed records, %(records)s show nothing at all here.",
                picture.not_told - findings.counts.suppressed,
            )
        )
    elif picture.not_told:
        said.append(
            findings.say_of_records(
                "%(records)s shows nothing at all here.", "%(records)s show nothing at all here.", picture.not_told
            )
        )
    if lost := _find_loss(findings, picture.name):
        said.append(say("The column has lost %(share)s (normalised certainty penalty).", share=format_percent(lost)))
    if picture.released_values == 1 and (picture.original_values or 0) > 1:
        said.append(say("The column shows one value everywhere: you can leave it out."))
    return " ".join(said)


def _format_value_counts(picture: ColumnPicture) -> str:
    if picture.original_values is None:
        return say_count(
            "There is %(count)s value in the release.",
            "There are %(count)s values in the release.",
            picture.released_values,
        )
    return say_count(
        "%(count)s original value became %(released)s in the release.",
        "%(count)s original values became %(released)s in the release.",
        picture.original_values,
        released=picture.released_values,
    )


def _find_loss(findings: PageFindings, name: str) -> float | None:
    left = find_detail_left(findings.losses, name)
    return None if left is None else 1 - left


def _pair(findings: PageFindings, picture: ColumnPicture, key: str) -> Markup:
    name = shorten_text(picture.name, _NAME)
    after = [FindingsBar(bar.name, round(bar.records)) for bar in picture.after]
    drawn = draw_before_after(picture.before, after, key=key, title=name, upright=picture.is_number)
    rows = [(old.name, old.records, new.records) for old, new in zip(picture.before, after, strict=True)]
    heads = [say("value"), say("records before"), say("records after, about")]
    label = say("%(name)s, before and after", name=name)
    shown = render_figure(
        drawn, render_table(heads, rows), caption=_format_column_sentence(findings, picture), label=label
    )
    return join_parts(Markup(shown), _render_most_frequent(picture))


def _render_most_frequent(picture: ColumnPicture) -> Markup:
    named = [
        f"{shorten_text(name or say('missing'), _NAME)} ({format_number(records)})"
        for name, records in picture.most_frequent[:_SHOWN]
    ]
    return render_paragraph(say("Most frequent in the release: %(values)s.", values="; ".join(named)), "small")


def _render_released(findings: PageFindings, picture: ColumnPicture, key: str) -> Markup:
    root = _find_untold_records(findings, picture)
    shown = [bar for bar in picture.most_frequent if not findings.is_hidden_count(bar.records) and bar.records != root]
    name = shorten_text(picture.name, _NAME)
    said = _format_rest(findings, picture, shown)
    label = say("%(name)s, most frequent released values", name=name)
    drawn = draw_bars(shown, key=key, title=label)
    rows = render_table([say("released value"), say("records")], shown)
    return join_parts(
        Markup(render_figure(drawn, rows, caption=_format_column_sentence(findings, picture), label=label)), said
    )


def _format_rest(findings: PageFindings, picture: ColumnPicture, shown: list[FindingsBar]) -> Markup:
    root = _find_untold_records(findings, picture)
    values = picture.released_values - len(shown) - (root > 0)
    records = findings.counts.records - root - round(sum(bar.records for bar in shown))
    if values < 1:
        return Markup()
    said = say_count(
        "Another value is shown by %(records)s.",
        "Another %(count)s values are shown by %(records)s.",
        values,
        records=findings.count_records(records),
    )
    return render_paragraph(said, "small")


def _find_untold_records(findings: PageFindings, picture: ColumnPicture) -> int:
    """Return the records that show the root, if their number and another one would tell how many are suppressed."""
    return picture.not_told if findings.hides_suppressed or findings.is_hidden_count(picture.not_told) else 0
