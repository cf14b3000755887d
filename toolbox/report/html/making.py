"""The verdict in one sentence, and where a release comes from: data, columns, method and settings."""

from __future__ import annotations

from toolbox.charts import percent, table, written
from toolbox.charts.markup import Markup, element
from toolbox.privacy.results import ModelResult
from toolbox.report.advice import on_certain, on_models
from toolbox.report.columns import listed
from toolbox.report.html.findings import Findings, UntoldModel
from toolbox.report.html.parts import all_of, facts, paragraph, precise, scrolling, section
from toolbox.report.runs.summary import Summary

# Where a release comes from: the data, the columns as they were declared, the method and its settings.

_ORDERS = {
    "shuffled": "random: the order tells nothing",
    "sorted": "by the released values: the order tells nothing",
    "input": "the order of the input: anybody who has a list in this order can join the two line by line",
}


def data(findings: Findings) -> Markup:
    """Return the section on what was read and what was written."""
    summary = findings.summary
    lines = [*findings.data, *(() if summary is None else _read(summary))]
    lines.append(_released(findings))
    lines += [(f"SHA-256 of {name}", digest) for name, digest in findings.checksums.items()]
    return section("data", "Data", facts(lines))


def _released(findings: Findings) -> tuple[str, str]:
    counts = findings.counts
    if findings.hides_suppressed:
        return "Records in classes", written(counts.records - counts.suppressed)
    return "Records released", written(counts.records)


def _read(summary: Summary) -> list[tuple[str, str]]:
    digest = summary.sha256.get("input")
    return [
        ("Records read", written(summary.records_read)),
        ("Left out, as a declared value is missing", written(summary.records_skipped)),
        ("Lines that could not be read", written(summary.lines_rejected)),
        ("SHA-256 of the input", digest if isinstance(digest, str) else "not asked for"),
    ]


def columns(findings: Findings) -> Markup:
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
    return section(
        "columns",
        "Columns",
        paragraph(words),
        scrolling(table(heads, rows), "The declared columns"),
        _undeclared(findings),
    )


def _undeclared(findings: Findings) -> Markup | None:
    names = findings.undeclared
    if not names:
        return None
    lead = (
        "Nobody declared this column, and it is" if len(names) == 1 else "Nobody declared these columns, and they are"
    )
    return paragraph(f"{lead} released unchanged: {listed(names)}. The proof says nothing about that.", "warning")


def method(findings: Findings) -> Markup:
    """Return the section on how the release was made."""
    if findings.method is None:
        return section("method", "Method", paragraph("Nobody told this page by which program the release was made."))
    summary = findings.summary
    lines = [("Method", findings.method)]
    if summary is not None:
        lines += [(f"Setting {name}", value) for name, value in summary.settings.items()]
        lines.append(("Suppressed records", _suppressed(summary)))
    lines.append(("Order of the records", _ORDERS.get(findings.order or "", "")))
    return section("method", "Method", facts(lines), _searched(summary))


def _suppressed(summary: Summary) -> str:
    if not summary.proof.records_suppressed:
        return "none"
    kept = {"keep": "stay in the release and show nothing", "drop": "are left out"}[summary.suppressed]
    return f"{written(summary.proof.records_suppressed)}; they {kept}"


def _searched(summary: Summary | None) -> Markup | None:
    if summary is None or (found := summary.searched) is None:
        return None
    proved = "No other way costs less" if found.is_proved else "It is not proved that no other way costs less"
    looked = f"{written(found.checked)} of {written(found.nodes)} ways to generalise whole columns"
    if found.value is None:
        return paragraph(f"The search checked {looked}, and {found.lack}.")
    return paragraph(f"The search checked {looked}. {proved}: its {found.objective} is {precise(found.value)}.")


# The verdict in one sentence, and the figures that somebody looks at first.


def verdict(findings: Findings) -> Markup:
    """Return the first section."""
    state, sentence = _sentence(findings)
    sentence += _untold(findings)
    shown = element(
        "div",
        element("p", state, class_="verdict-state"),
        element("p", sentence, class_="verdict-words"),
        class_=f"verdict verdict-{'holds' if state == 'Proved' else 'open' if state == 'Measured' else 'fails'}",
    )
    return section("verdict", "Verdict", shown, _warnings(findings), _tiles(findings), _meaning(findings))


def _sentence(findings: Findings) -> tuple[str, str]:
    counts, k = findings.counts, findings.k
    if not findings.models:
        nothing = "" if findings.untold else "Nothing was required of this release. "
        return "Measured", (
            f"{nothing}Its smallest class has {_smallest(findings)}: somebody who knows the quasi-identifiers of a "
            "person cannot tell that person's record from the others in it."
        )
    names = _and([_named(model) for model in findings.models])
    if findings.holds is False:
        failed = _and([_named(model) for model in findings.models if not model.holds])
        return "Does not hold", f"This release does not satisfy {failed}. It should not be published as it is."
    if not counts.classes:
        return "Proved", f"This release satisfies {names}, as every record of it is suppressed: nothing can be learnt."
    who = "each record that is not suppressed" if counts.suppressed else "each record"
    hides = f": {who} looks the same as at least {k - 1} others in every quasi-identifier"
    is_k = any("k-anonymity" in model.name for model in findings.models)
    return "Proved", f"This release satisfies {names}{hides if is_k and k > 1 else ''}."


def _untold(findings: Findings) -> str:
    """Name what was required and is not judged here."""
    if not findings.untold:
        return ""
    names = _and([_named(model) for model in findings.untold])
    compare = "which compares" if len(findings.untold) == 1 else "which compare"
    return f" Also required, but not shown here: {names}, {compare} with a population."


def _warnings(findings: Findings) -> Markup:
    """Return the warnings beside the proof: classes that give a sensitive value away, and other severe findings."""
    said = [findings.certainty(found) for found in findings.certain if found.people]
    return all_of(
        paragraph(" ".join(said), "warning") if said else None,
        *(paragraph(f"Not proved: {each}", "warning") for each in findings.not_proved),
        *(paragraph(each, "warning") for each in _severe(findings)),
    )


def _severe(findings: Findings) -> list[str]:
    """Return the findings of high severity that the verdict does not say in its own words; a public page has none."""
    is_certain = any(found.people for found in findings.certain)
    said = (*on_certain(findings.certain), *on_models(findings.models, findings.measured if is_certain else ()))
    known = {one.finding for one in said}
    return [one.finding for one in findings.advice if one.severity == "high" and one.finding not in known]


def _named(model: ModelResult | UntoldModel) -> str:
    of = f" of {model.attribute}" if model.attribute else ""
    settings = ", ".join(f"{name} = {value}" for name, value in model.parameters.items() if name != "attribute")
    return f"{model.name}{of}{f' with {settings}' if settings else ''}"


def _and(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _smallest(findings: Findings) -> str:
    smallest = findings.counts.smallest
    return "no record" if smallest is None else findings.count(smallest)


def _tiles(findings: Findings) -> Markup:
    counts, original, summary = findings.counts, findings.original, findings.summary
    shown = [
        _verdict_released(findings),
        _tile(
            "Smallest class", "none" if counts.smallest is None else findings.number(counts.smallest), _least(findings)
        ),
        _tile("Classes", written(counts.classes), _average(findings)),
        _tile("Suppressed", findings.number(counts.suppressed), "records that show nothing in these columns"),
    ]
    if original is not None:
        before = percent(original.at_risk / original.records)
        shown.append(_tile(f"At risk before, below k = {findings.k}", before, "of the original records"))
    if summary is not None and summary.information is not None:
        kept = percent(summary.information.share)
        shown.append(_tile("Information kept", kept, "of what told records apart"))
    return element("div", *shown, class_="tiles" if len(shown) == 4 else "tiles tiles-wide")


def _verdict_released(findings: Findings) -> Markup:
    counts = findings.counts
    if findings.hides_suppressed:
        return _tile("Records in classes", written(counts.records - counts.suppressed), "besides those suppressed")
    return _tile("Records released", written(counts.records), "rows of the release")


def _average(findings: Findings) -> str:
    average = findings.counts.average
    size = "" if average is None else f", {written(round(average, 1))} on average"
    return f"groups of records that look the same{size}"


def _least(findings: Findings) -> str:
    asked = any(model.name == "k-anonymity" for model in findings.models)
    return f"records; at least {findings.k} were required" if asked else "records"


def _tile(name: str, figure: str, words: str) -> Markup:
    return element(
        "div",
        element("p", name, class_="tile-name"),
        element("p", figure, class_="tile-figure"),
        element("p", words, class_="tile-words"),
        class_="tile",
    )


def _meaning(findings: Findings) -> Markup:
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
    return all_of(paragraph(told), paragraph(judged))
