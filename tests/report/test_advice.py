"""One piece of advice, and the order of several."""

from toolbox.report.advice import Advice, sort_by_severity

LOW = Advice(finding="All is suppressed.", severity="low", remedy="Lower k.")
HIGH = Advice(finding="3 records are alone.", severity="high", remedy="Leave zip out.", effect="No record is then.")


def test_what_matters_most_comes_first_and_nothing_twice() -> None:
    assert sort_by_severity([LOW, HIGH, LOW]) == (HIGH, LOW)


def test_it_is_sentences_and_a_document() -> None:
    assert LOW.in_words() == "All is suppressed. Lower k."
    assert HIGH.document() == {
        "finding": "3 records are alone.",
        "severity": "high",
        "remedy": "Leave zip out.",
        "effect": "No record is then.",
    }
