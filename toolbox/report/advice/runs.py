"""Advice on what a run has written: the order of the records, suppressed records."""

from __future__ import annotations

from collections.abc import Iterator

from toolbox.messages import counted, either
from toolbox.report.advice.advice import Advice


def on_order(is_that_of_input: bool) -> Iterator[Advice]:
    """Advise on records that stand in the order of the input."""
    if is_that_of_input:
        yield Advice(
            finding="The records are in the order of the input: anybody who has another release of this table, or a "
            "list in its order, can join the two line by line.",
            severity="medium",
            remedy="order='shuffled' keeps no order.",
        )


def on_few_suppressed(count: int, k: int, *, are_shown: bool) -> Iterator[Advice]:
    """Advise on suppressed records that stand out together, as they are fewer than k."""
    if are_shown and 0 < count < k:
        them = "it" if count == 1 else "them"
        yield Advice(
            finding=f"Only {counted(count, 'suppressed record is', 'suppressed records are')} in the release, fewer "
            f"than k = {k}. Somebody who knows that a person is in the table, and in no class, can point at {them}.",
            severity="medium",
            remedy=f"suppressed='drop' leaves {them} out.",
        )


def on_nothing_left(classes: int, *, in_python: bool) -> Iterator[Advice]:
    """Advise on a release of nothing but suppressed records."""
    if not classes:
        limit = either("suppThreshold", python="suppression_threshold", options="-suppThreshold", in_python=in_python)
        yield Advice(
            finding="All records are suppressed, so that nothing is left to learn.",
            severity="low",
            remedy=f"Lower {limit} or k.",
        )
