"""Where a release comes from: the data, the columns as they were declared, the method and its settings."""

from __future__ import annotations

from toolbox.charts import table, written
from toolbox.charts.markup import Markup
from toolbox.report.columns import listed
from toolbox.report.html.findings import Findings
from toolbox.report.html.parts import facts, paragraph, precise, scrolling, section
from toolbox.report.summary import Summary

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
