"""The tables of `compare`."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

from helpers.printing import printed, words
from helpers.small_reports import COMPARISON
from rich.console import Console

from toolbox.report.runs.compare import ComparedMetric, ComparisonReport

DONE = [
    "Mondrian k=3 0.750 67,949,026 150 5 3 25.0% 50.0% 1.8 s",
    "Datafly [local] k=5 0.500 67,949,026 150 5 3 - - 1.8 s",
    "Datafly [local] k=3 - 67,949,026 150 5 3 25.0% 50.0% 1.8 s",
]


def shown(console: Console, report: ComparisonReport) -> None:
    report.show_on(console)


def test_a_line_is_a_run_and_what_cannot_be_done_says_why() -> None:
    lines = printed(shown, COMPARISON)
    assert lines[:2] == ["records 1,200", "best Mondrian, k=3 (by information kept)"]
    assert [line for line in lines if line in DONE] == DONE
    place = lines.index("1 run that cannot be done")
    assert lines[place + 1 : place + 3] == ["method model why", "Incognito_k k=3 It needs a hierarchy for 'age'."]
    assert lines[-1].startswith("note Nothing was released.")


def test_no_run_is_the_best_by_a_metric_that_none_has() -> None:
    nothing = replace(COMPARISON, runs=COMPARISON.runs[2:])
    assert printed(shown, nothing)[1] == "best unknown: no run has a value of information kept"
    assert nothing.headline() == "1 run, 1 impossible; best: unknown"


def test_the_heads_of_the_columns_are_explained() -> None:
    lines = printed(shown, COMPARISON)
    assert "kept information kept, share: higher is better" in lines
    assert "discernibility records squared: lower is better" in lines
    assert "at risk share of the records that are assigned rightly with a chance above 0.2" in lines


def test_letters_that_two_metrics_share_are_not_used() -> None:
    alike = (
        ComparedMetric("average class size", "records", "lower"),
        ComparedMetric("a class share", "share", "lower"),
    )
    said = words(printed(shown, replace(COMPARISON, metrics=alike)))
    assert "ACS" not in said


def test_eighty_characters_are_enough_for_three_metrics() -> None:
    stream = StringIO()
    usual = (*COMPARISON.metrics[:1], ComparedMetric("normalised certainty penalty", "share", "lower"))
    report = replace(COMPARISON, metrics=(*usual, ComparedMetric("non-uniform entropy", "share", "higher")))
    shown(Console(file=stream, width=80, highlight=False, color_system=None), report)
    lines = [" ".join(line.split()) for line in stream.getvalue().splitlines()]
    assert "Mondrian k=3 0.750 - - 150 5 3 25.0% 50.0% 1.8 s" in lines


def test_what_a_method_cannot_do_for_one_reason_is_one_row() -> None:
    first = COMPARISON.runs[3]
    runs = (*COMPARISON.runs, replace(first, required="k=5"), replace(first, required="k=7", why_not="Too few."))
    lines = printed(shown, replace(COMPARISON, runs=runs))
    place = lines.index("3 runs that cannot be done")
    assert lines[place + 2 : place + 5] == [
        "Incognito_k k=3 It needs a hierarchy for 'age'.",
        "k=5",
        "Incognito_k k=7 Too few.",
    ]


def test_where_nothing_could_be_done_only_the_reasons_are_shown() -> None:
    lines = printed(shown, replace(COMPARISON, runs=COMPARISON.runs[3:], records=None))
    assert lines[0] == "1 run that cannot be done"
    assert len(lines) == 3
