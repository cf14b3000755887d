"""The settings of the engine on PostgreSQL: our own, and those of the server that a run may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolbox.errors import SettingError, UsageError, did_you_mean, quote

COMBINATIONS: Final = "combinations"
SERVER_SETTINGS: Final = (
    "work_mem",
    "statement_timeout",
    "lock_timeout",
    "temp_tablespaces",
    "max_parallel_workers_per_gather",
)
"""The settings of the server that a configuration may change, for the transaction of the run."""


def most_combinations(given: str | None) -> int | None:
    """Read the setting of most combinations; None where it is left out."""
    if given is None:
        return None
    if not given.isascii() or not given.isdigit() or int(given) < 1:
        raise SettingError(COMBINATIONS, given, "a whole number, at least 1")
    return int(given)


def server_settings(given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the server.

    Raises
    ------
    UsageError
        If one of them is none that may be changed.
    """
    known = (COMBINATIONS, *SERVER_SETTINGS)
    for name in given:
        if name not in known:
            raise UsageError(
                f"There is no setting {quote(name)} of PostgreSQL here.{did_you_mean(name, known)} "
                f"These are: {', '.join(known)}."
            )
    return dict(given)
