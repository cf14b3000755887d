"""What a release costs: every loss metric with its range, which way is better, and where most is lost."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from toolbox.charts import bars, figure, percent, table, written
from toolbox.charts.markup import Markup, element
from toolbox.loss.metric import Measure
from toolbox.loss.registry import installed_metrics
from toolbox.report.html.findings import Findings
from toolbox.report.html.parts import all_of, listed, paragraph, scrolling, section

_PER_COLUMN = "normalised certainty penalty"

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "normalised certainty penalty": "How wide the released values are, as a share of all that a column may hold.",
        "loss metric (LM)": "How many other values a released value could be, as a share of all others.",
        "granularity": "What the loss metric leaves of everything.",
        "precision": "How low in its hierarchy a released value stands, on average.",
        "generalisation intensity": "How low in its hierarchy a released value stands; precision, as ARX calls it.",
        "full-domain precision": "How low each column stands in its hierarchy, if it has one level.",
        "absolute distance": "Levels by which the columns were raised, added up.",
        "relative distance": "Levels by which the columns were raised, each as a share of its height.",
        "conditional entropy": "Bits that a reader lacks to know the original values.",
        "normalised conditional entropy": "Bits that a reader lacks, as a share of all bits.",
        "non-uniform entropy": "How well original values can be guessed from the released ones.",
        "weighted non-uniform entropy": "How well original values can be guessed, with the weights of the columns.",
        "discernibility": "For each record, the number of records that look like it, added up.",
        "discernibility with suppression": "Discernibility; a suppressed record looks like all records.",
        "discernibility (ARX)": "What discernibility leaves, as a share.",
        "average class size": "Records that look the same, on average.",
        "C_avg": "The average class as a multiple of k; 1 is the least that k-anonymity allows.",
        "average class size (ARX)": "What the average class size leaves, as a share.",
        "number of classes": "Groups of records that look the same.",
        "number of combinations": "Different rows of quasi-identifiers, including the suppressed row.",
        "suppressed records": "Records that show nothing in the quasi-identifiers.",
        "share of suppressed records": "Records that show nothing, as a share.",
        "classification metric": "Records whose label is not the most frequent label of their class.",
        "normalised classification metric": "Records with another label than most of their class, as a share.",
        "classification metric with suppression": "Records with another label than most of their class, or suppressed.",
        "normalised classification metric with suppression": "Records with another label or suppressed, as a share.",
    }
)
"""Each metric in one sentence, in the order in which they are shown; all others follow."""


def losses(findings: Findings) -> Markup:
    """Return the section."""
    report = findings.losses
    if report is None:
        words = (
            "Only a comparison with the original records shows what a release has lost. This page does not use them."
            if findings.is_public
            else "The release was not compared with the original records."
        )
        return section("losses", "What was lost", paragraph(words))
    ranges = {metric.name: metric.range for metric in installed_metrics()}
    rows = [
        (
            measure.name,
            value_of(measure),
            measure.unit,
            ranges.get(measure.name, ""),
            measure.direction,
            _WORDS.get(measure.name, ""),
        )
        for measure in sorted(report.measures, key=_place)
        if measure.attribute is None
    ]
    shown = table(["metric", "value", "unit", "range", "better", "in words"], rows, figures={1})
    notes = all_of(element("h3", "Not measured"), listed(report.notes, "small")) if report.notes else None
    words = "N is the number of records. No metric says whether a release is useful for your question; compare results."
    return section(
        "losses",
        "What was lost",
        all_of(_by_column(findings), paragraph(words), scrolling(shown, "All loss metrics"), notes),
    )


def value_of(measure: Measure) -> str:
    """Write a value with its unit in mind: a share in percent."""
    return percent(measure.value) if measure.unit == "share" and 0 <= measure.value <= 1 else written(measure.value)


def _by_column(findings: Findings) -> Markup | None:
    assert findings.losses is not None
    found = [(m.attribute, 100 * m.value) for m in findings.losses.measures if m.name == _PER_COLUMN and m.attribute]
    if not found:
        return None
    ordered = sorted(found, key=lambda row: -row[1])
    rows = [(name, round(share, 1)) for name, share in ordered]
    most, share = rows[0]
    caption = f"Most is lost in {most}: {written(share)}% of the column (normalised certainty penalty)."
    drawn = bars(rows, key="loss", title="Information lost by column, in percent", unit="%", scale_to=100)
    return Markup(figure(drawn, table(["column", "lost, %"], rows), caption=caption))


def _place(measure: Measure) -> tuple[int, str]:
    order = list(_WORDS)
    return order.index(measure.name) if measure.name in order else len(order), measure.name
