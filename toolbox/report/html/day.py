"""The day of a report: today, or the one that somebody sets who wants the same page for the same input."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

from toolbox.report.summary import Summary

_EPOCH = "SOURCE_DATE_EPOCH"


def today() -> str:
    """Return the day as people write it."""
    day = datetime.fromtimestamp(int(os.environ[_EPOCH]), UTC) if _is_set() else datetime.now(UTC)
    return f"{day.day} {day:%B %Y}"


def repeatable(summary: Summary) -> Summary:
    """Return a summary without its seconds where the day is set, as they differ from run to run."""
    return replace(summary, timings={}) if _is_set() else summary


def _is_set() -> bool:
    return os.environ.get(_EPOCH, "").isdecimal()
