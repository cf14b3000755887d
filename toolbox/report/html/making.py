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
from toolbox.messages import mark, retell, say, say_count, show
from toolbox.privacy.results import ModelResult
from toolbox.report.advice import advise_on_certain, advise_on_models
from toolbox.report.columns import format_columns
from toolbox.report.html.findings import PageFindings, UntoldModel
from toolbox.report.judges.measure import LossReport
from toolbox.report.runs.summary import Summary

# Where a release comes from: the data, the columns as they were declared, the method and its settings.

_ORDERS = {
    "shuffled": mark("random: the order tells nothing"),
    "sorted": mark("by the released values: the order tells nothing"),
    "input": mark("the order of the input: anybody who has a list in this order can join the two line by line"),
}


def render_data(findings: PageFindings) -> Markup:
    """Return the section on what was read and what was written."""
    summary = findings.summary
    lines = [*findings.data, *(() if summary is None else _read(summary))]
    lines.append(_format_released(findings))
    lines += [(say("SHA-256 of %(name)s", name=name), digest) for name, digest in findings.checksums.items()]
    return render_section("data", say("Data"), render_facts(lines))


def _format_released(findings: PageFindings) -> tuple[str, str]:
    counts = findings.counts
    if findings.hides_suppressed:
        return say("Records in classes"), format_number(counts.records - counts.suppressed)
    return say("Records released"), format_number(counts.records)


def _read(summary: Summary) -> list[tuple[str, str]]:
    digest = summary.sha256.get("input")
    return [
        (say("Records read"), format_number(summary.records_read)),
        (say("Left out, as a declared value is missing"), format_number(summary.records_skipped)),
        (say("Lines that could not be read"), format_number(summary.lines_rejected)),
        (say("SHA-256 of the input"), digest if isinstance(digest, str) else say("not asked for")),
    ]


def render_columns(findings: PageFindings) -> Markup:
    """Return the section on the columns and their roles."""
    rows = [
        (
            column.name,
            say(column.role),
            say(column.kind),
            column.hierarchy,
            "" if column.priority is None else str(column.priority),
        )
        for column in findings.columns
    ]
    heads = [say("column"), say("role"), say("kind"), say("hierarchy"), say("priority")]
    words = say(
        "The proof is only about the quasi-identifiers. An identifier names a person by itself and is not in the "
        "release. A sensitive attribute is one that nobody should learn about a person."
    )
    return render_section(
        "columns",
        say("Columns"),
        render_paragraph(words),
        render_scrolling_table(render_table(heads, rows), say("The declared columns")),
        _render_undeclared(findings),
        _render_treated(findings.summary),
    )


def _render_treated(summary: Summary | None) -> Markup | None:
    """Return what was done to each column that is not released as it was read, and what is not true any more."""
    if summary is None or not (summary.treatments or any(each.not_true for each in summary.quasi_identifiers)):
        return None
    untrue = say("Generalised: a value stands for all that it covers.")
    rows: list[tuple[str, str, str, str]] = [
        (
            each.name,
            say("Grouped"),
            say("each value is between the lowest and the highest of its group"),
            each.not_true,
        )
        if each.not_true
        else (each.name, say("Generalised"), say("each value covers the one that was read"), untrue)
        for each in summary.quasi_identifiers
    ]
    rows += [
        (
            str(each["column"]),
            say(each["does"]),
            say(each["promise"]),
            say(each["not_true"]) if each["not_true"] else say("all is true"),
        )
        for each in summary.treatments
    ]
    heads = [say("column"), say("what was done"), say("counted again"), say("what is not true any more")]
    words = say(
        "What was done to each column. Each promise was counted again on the finished release, before it was placed."
    )
    table = render_scrolling_table(render_table(heads, rows), say("What was done to each column"))
    return join_parts(render_paragraph(words), table)


def _render_undeclared(findings: PageFindings) -> Markup | None:
    names = findings.undeclared
    if not names:
        return None
    said = say_count(
        "Nobody declared this column, and it is released unchanged: %(columns)s. The proof says nothing about that.",
        "Nobody declared these columns, and they are released unchanged: %(columns)s. The proof says nothing about "
        "that.",
        len(names),
        columns=format_columns(names),
    )
    return render_paragraph(said, "warning")


def render_method(findings: PageFindings) -> Markup:
    """Return the section on how the release was made."""
    if findings.method is None:
        return render_section(
            "method",
            say("Method"),
            render_paragraph(say("Nobody told this page by which program the release was made.")),
        )
    summary = findings.summary
    lines: list[tuple[str, str]] = [(say("Method"), findings.method)]
    if summary is not None:
        lines += [(say("Setting %(name)s", name=name), value) for name, value in summary.settings.items()]
        lines.append((say("Suppressed records"), _format_suppressed(summary)))
        if (persons := summary.proof.persons) is not None and persons.suppressed:
            said = say(
                "%(wholly)s with all of their records, %(partly)s with some of them",
                wholly=persons.suppressed_wholly,
                partly=persons.suppressed_partly,
            )
            lines.append((say("Suppressed persons"), said))
    lines.append((say("Order of the records"), _ORDERS.get(findings.order or "", "")))
    return render_section("method", say("Method"), render_facts(lines), _render_search(summary))


def _format_suppressed(summary: Summary) -> str:
    if not summary.proof.records_suppressed:
        return say("none")
    if summary.suppressed == "keep":
        return say("%(count)s; they stay in the release and show nothing", count=summary.proof.records_suppressed)
    return say("%(count)s; they are left out", count=summary.proof.records_suppressed)


def _render_search(summary: Summary | None) -> Markup | None:
    if summary is None or (found := summary.searched) is None:
        return None
    ways = {"checked": found.checked, "ways": found.nodes}
    if found.value is None:
        words = mark("The search checked %(checked)s of %(ways)s ways to generalise whole columns, and %(lack)s.")
        return render_paragraph(say(words, **ways, lack=found.lack))
    if found.is_proved:
        words = mark(
            "The search checked %(checked)s of %(ways)s ways to generalise whole columns. No other way costs less: its "
            "%(measure)s is %(value)s."
        )
    else:
        words = mark(
            "The search checked %(checked)s of %(ways)s ways to generalise whole columns. It is not proved that no "
            "other way costs less: its %(measure)s is %(value)s."
        )
    return render_paragraph(say(words, **ways, measure=found.objective, value=format_figure(found.value)))


DETAIL_LOST = "normalised certainty penalty"
"""The metric of which the figure *Detail left* is the rest."""

# The verdict in one sentence, and the figures that somebody looks at first.


def render_verdict(findings: PageFindings) -> Markup:
    """Return the first section."""
    state, sentence = _format_verdict(findings)
    estimated = _name_estimates(findings) if state == "holds" else ""
    said = [sentence, estimated, _name_untold_models(findings), _count_left_out(findings.summary)]
    shown = element(
        "div",
        element("p", _name_state(state, findings), class_="verdict-state"),
        element("p", " ".join(show(each) for each in said if each), class_="verdict-words"),
        class_=f"verdict verdict-{state}",
    )
    return render_section(
        "verdict", say("Verdict"), shown, _render_warnings(findings), _render_tiles(findings), _render_meaning(findings)
    )


_STATES = {"holds": mark("Proved"), "open": mark("Measured"), "fails": mark("Does not hold")}


def _name_state(state: str, findings: PageFindings) -> str:
    is_estimated = state == "holds" and all(model.is_estimated for model in findings.models)
    return say("Estimated") if is_estimated else say(_STATES[state])


def _format_verdict(findings: PageFindings) -> tuple[str, str]:
    counts, k = findings.counts, findings.k
    if not findings.models:
        words = say(
            "Its smallest class has %(records)s: somebody who knows the quasi-identifiers of a person cannot tell that "
            "person's record from the others in it.",
            records=_format_smallest_class(findings),
        )
        nothing = say("Nothing was required of this release.")
        return "open", words if findings.untold else f"{nothing} {words}"
    names = _join_with_and([_name_model(model) for model in findings.models])
    if findings.holds is False:
        failed = _join_with_and([_name_model(model) for model in findings.models if not model.holds])
        words = say("This release does not satisfy %(models)s. It should not be published as it is.", models=failed)
        return "fails", words
    if not counts.classes:
        return "holds", say(
            "This release satisfies %(models)s, as every record of it is suppressed: no quasi-identifier tells one "
            "record from another. All other columns show what they show: a value that all records have is known of "
            "everybody.",
            models=names,
        )
    if k < 2 or not any("k-anonymity" in model.name for model in findings.models):
        return "holds", say("This release satisfies %(models)s.", models=names)
    if _count_fewest_people(findings) is not None:
        words = mark(
            "This release satisfies %(models)s: each record looks the same as those of at least %(others)s other "
            "people in every quasi-identifier, unless it is suppressed."
        )
    elif counts.suppressed:
        words = mark(
            "This release satisfies %(models)s: each record that is not suppressed looks the same as at least "
            "%(others)s others in every quasi-identifier."
        )
    else:
        words = mark(
            "This release satisfies %(models)s: each record looks the same as at least %(others)s others in every "
            "quasi-identifier."
        )
    return "holds", say(words, models=names, others=k - 1)


def _count_fewest_people(findings: PageFindings) -> int | None:
    """Return how many people the smallest class has, where the proof has counted people in each class."""
    proof = None if findings.summary is None else findings.summary.proof
    if proof is None or proof.persons is None or proof.persons.judged_by == "profile":
        return None
    return proof.smallest_class


def _name_estimates(findings: PageFindings) -> str:
    """Name what holds by an estimate, which is no proof; it follows from what is required, so everybody may know."""
    estimated = [model for model in findings.models if model.is_estimated]
    if not estimated:
        return ""
    return say(
        "The people of the population are estimated for %(models)s: that is no proof.",
        models=_join_with_and([model.name for model in estimated]),
    )


def _name_untold_models(findings: PageFindings) -> str:
    """Name what was required and is not judged here."""
    if not findings.untold:
        return ""
    names = _join_with_and([_name_model(model) for model in findings.untold])
    return say_count(
        "Also required, but not shown here: %(models)s, which compares with a population.",
        "Also required, but not shown here: %(models)s, which compare with a population.",
        len(findings.untold),
        models=names,
    )


def _count_left_out(summary: Summary | None) -> str:
    """Say how many people are not in the release: whoever reads no further must know that. A public page cannot."""
    if summary is None or not (summary.records_skipped or summary.lines_rejected):
        return ""
    skipped, rejected = summary.records_skipped, summary.lines_rejected
    lines = say_count("%(count)s line could not be read", "%(count)s lines could not be read", rejected)
    if not skipped:
        return say("But %(lines)s.", lines=lines)
    records = say_count(
        "%(count)s of the %(all)s is left out, as it lacks a value",
        "%(count)s of the %(all)s are left out, as they lack a value",
        skipped,
        all=say_count("%(count)s record", "%(count)s records", summary.records_read),
    )
    if not rejected:
        return say("But %(records)s.", records=records)
    return say("But %(records)s, and %(lines)s.", records=records, lines=lines)


def _render_warnings(findings: PageFindings) -> Markup:
    """Return the warnings beside the proof: classes that give a sensitive value away, and other severe findings."""
    said = [findings.certainty(found) for found in findings.certain if found.people]
    return join_parts(
        render_paragraph(" ".join(map(show, said)), "warning") if said else None,
        *(render_paragraph(say("Not proved: %(what)s", what=each), "warning") for each in findings.not_proved),
        *(render_paragraph(each, "warning") for each in _list_severe_findings(findings)),
    )


def _list_severe_findings(findings: PageFindings) -> list[str]:
    """Return the findings of high severity that the verdict does not say in its own words; a public page has none."""
    is_certain = any(found.people for found in findings.certain)
    said = (
        *advise_on_certain(findings.certain),
        *advise_on_models(findings.models, findings.measured if is_certain else ()),
    )
    # They were found in English, by the run, and are said again in the language of the page.
    known = {retell(show(one.finding)) for one in said}
    severe = [one.finding for one in findings.advice if one.severity == "high"]
    return [finding for finding in severe if retell(show(finding)) not in known]


def _name_model(model: ModelResult | UntoldModel) -> str:
    name = (
        say("%(model)s of %(attribute)s", model=model.name, attribute=model.attribute)
        if model.attribute
        else model.name
    )
    settings = ", ".join(f"{name} = {value}" for name, value in model.parameters.items() if name != "attribute")
    return say("%(model)s with %(settings)s", model=name, settings=settings) if settings else name


def _join_with_and(texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return say("%(others)s and %(last)s", others=", ".join(texts[:-1]), last=texts[-1])


def _format_smallest_class(findings: PageFindings) -> str:
    smallest = findings.counts.smallest
    return say("no record") if smallest is None else findings.count_records(smallest)


def _render_tiles(findings: PageFindings) -> Markup:
    counts, original = findings.counts, findings.original
    people = _count_fewest_people(findings)
    smallest = counts.smallest if people is None else people
    shown = [
        _render_released_tile(findings),
        _render_tile(
            say("Smallest class"),
            say("none") if smallest is None else findings.number(smallest),
            _format_required_records(findings),
        ),
        _render_tile(say("Classes"), format_number(counts.classes), _format_average_class(findings)),
        _render_tile(
            say("Suppressed"),
            findings.number(counts.suppressed),
            say("records that show nothing in these columns"),
        ),
    ]
    if original is not None:
        before = format_percent(original.at_risk / original.records)
        shown.append(
            _render_tile(say("At risk before, below k = %(k)s", k=findings.k), before, say("of the original records"))
        )
    if (detail := find_detail_left(findings.losses)) is not None:
        words = say("100 % is the table as it was, at 0 % no cell says anything")
        shown.append(_render_tile(say("Detail left"), format_percent(detail), words))
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
            say("Records in classes"),
            format_number(counts.records - counts.suppressed),
            say("besides those suppressed"),
        )
    return _render_tile(say("Records released"), format_number(counts.records), say("rows of the release"))


def _format_average_class(findings: PageFindings) -> str:
    average = findings.counts.average
    if average is None:
        return say("groups of records that look the same")
    size = format_number(round(average, 1))
    return say("groups of records that look the same, %(size)s on average", size=size)


def _format_required_records(findings: PageFindings) -> str:
    asked = any(model.name == "k-anonymity" for model in findings.models)
    if asked and _count_fewest_people(findings) is not None:
        return say("people; at least %(k)s were required", k=findings.k)
    return say("records; at least %(k)s were required", k=findings.k) if asked else say("records")


def _render_tile(name: str, figure: str, words: str) -> Markup:
    return element(
        "div",
        element("p", name, class_="tile-name"),
        element("p", figure, class_="tile-figure"),
        element("p", words, class_="tile-words"),
        class_="tile",
    )


def _render_meaning(findings: PageFindings) -> Markup:
    told = say(
        "A quasi-identifier is a column that others may know about a person, such as age or place. "
        "An equivalence class, or class, is all records that agree in every quasi-identifier: nobody can tell "
        "them apart by these columns."
    )
    if findings.unjudged:
        judged = say("The finished release could not be measured again: %(reason)s", reason=findings.unjudged)
    elif findings.was_read:
        judged = say("All figures were measured on the finished release, by code that has no part in making it.")
    else:
        judged = say(
            "All figures were measured in the tables that were proved and of which the release was written, by code "
            "that has no part in making it. The files themselves were not read again."
        )
    return join_parts(render_paragraph(told), render_paragraph(judged))
