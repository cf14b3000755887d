"""The tables of `check`."""

from __future__ import annotations

from dataclasses import replace

from helpers.printing import printed, words
from helpers.small_reports import CHECK, MEASURED

from toolbox.report.judges.check import CheckReport


def test_classes_required_models_measured_models_and_notes_follow_each_other() -> None:
    assert printed(CHECK.show_on) == [
        "records 5, 1 suppressed",
        "classes 2, smallest 2, average 2.0 records",
        "required",
        "model required achieved",
        "k-anonymity 2 2 holds",
        "distinct l-diversity of illness 3 2 fails",
        "measured: the strictest that holds",
        "model of",
        "k-anonymity k 2",
        "(alpha,k)-anonymity (k=2) illness alpha 0.5",
        "basic beta-likeness illness beta inf",
        "note 1 record is suppressed: it is in no class.",
        f"note {CHECK.advice[0].in_words()}",
    ]


def test_a_release_without_classes_has_no_figures() -> None:
    suppressed: CheckReport = replace(
        CHECK,
        records=1200,
        suppressed=1200,
        classes=0,
        smallest_class=None,
        average_class=None,
        judged=(),
        measured=(replace(MEASURED[0], achieved=None),),
    )
    assert words(printed(suppressed.show_on)) == words(
        [
            "records 1,200, 1,200 suppressed",
            "classes 0, smallest -, average - records",
            "measured: the strictest that holds",
            "model of",
            "k-anonymity k no class",
            "note 1,200 records are suppressed: they are in no class.",
        ]
    )
