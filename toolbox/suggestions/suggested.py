"""The guess for each column of a table, seen together with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import Final

from toolbox.suggestions.builders import Generalisation, generalisation_of
from toolbox.suggestions.drawn import Drawn
from toolbox.suggestions.leaks import combined, gives_away, records_alone
from toolbox.suggestions.profile import Profile, Profiles
from toolbox.suggestions.roles import FEW_VALUES, Role, Sureness, guessed_role

MOST_UNSURE: Final = 8
"""Quasi-identifiers that are only guessed at: each makes the others coarser."""
MOST_KNOWN: Final = 24
"""Quasi-identifiers of a configuration that nobody has looked at yet."""
MOST_SINGLED_OUT: Final = 0.01
"""Share of the records that may be alone by all quasi-identifiers and all columns released as they are on a likelihood.

A generalised release tells no more people apart than its raw values, so that this bounds every release.
"""
_MOST_PAIRS: Final = 100_000
_LEFT_OUT: Final = (
    "answers or measurements, perhaps, but it makes too many records unique together with others: "
    "if nobody knows it, move it to sens"
)


@dataclass(frozen=True, kw_only=True)
class Suggested:
    """What is suggested for a column."""

    profile: Profile
    role: Role
    why: str
    sureness: Sureness
    generalisation: Generalisation
    """How it is generalised, if it is a quasi-identifier."""
    alone_with: tuple[float, float] | None = None
    """Of a sensitive attribute: records that are alone by the quasi-identifiers as they are, and with it as well."""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.profile.name

    @property
    def is_released(self) -> bool:
        """Whether a release shows it as it is."""
        return self.role in ("sensitive", "as it is")

    def changed(self, role: Role, why: str, sureness: Sureness) -> Suggested:
        """Return the same column with another role."""
        return replace(self, role=role, why=why, sureness=sureness)


def suggested_columns(drawn: Drawn, profiles: Profiles) -> tuple[Suggested, ...]:
    """Guess what becomes of each column of a table.

    Parameters
    ----------
    drawn : Drawn
        Its sample.
    profiles : Profiles
        Its columns.
    """
    columns = [_suggested(profile) for profile in profiles.columns]
    return tuple(_singling_out_few(drawn, _within_bounds(_without_leaks(drawn, _with_one_known(columns)))))


def _suggested(profile: Profile) -> Suggested:
    role, why, sureness = guessed_role(profile)
    return Suggested(profile=profile, role=role, why=why, sureness=sureness, generalisation=generalisation_of(profile))


def _with_one_known(columns: Sequence[Suggested]) -> list[Suggested]:
    """Make one column a quasi-identifier if none looks like one, because a configuration needs one.

    It is the one with most values among those that would be released, or else among the numbers that would be dropped.
    """
    if any(column.role == "quasi-identifier" for column in columns):
        return list(columns)
    released = [column for column in columns if column.is_released]
    numbers = [column for column in columns if column.profile.kind == "number" and column.sureness != "sure"]
    if not (candidates := released or numbers):
        return list(columns)
    chosen = max(candidates, key=lambda column: column.profile.different)
    why = "nothing looks as if others knew it, so that this is a place to begin: it has most values"
    return [column.changed("quasi-identifier", why, "unsure") if column is chosen else column for column in columns]


def _without_leaks(drawn: Drawn, columns: Sequence[Suggested]) -> list[Suggested]:
    """Make a quasi-identifier of each released column that gives one away: nearly each of its values goes with one."""
    known = [column for column in columns if column.role == "quasi-identifier"]
    released = [column for column in columns if column.is_released and column.profile.different > 1]
    if len(known) * len(released) > _MOST_PAIRS:
        return list(columns)
    codes = {one.profile.position: drawn.codes(one.profile.position) for one in (*known, *released)}
    given = {}
    for column in released:
        own = codes[column.profile.position]
        for other in known:
            if gives_away(own, codes[other.profile.position]):
                given[column.profile.position] = other.name
                break
    return [
        column.changed("quasi-identifier", f"its values give {given[column.profile.position]} away", "likely")
        if column.profile.position in given
        else column
        for column in columns
    ]


def _within_bounds(columns: Sequence[Suggested]) -> list[Suggested]:
    """Drop quasi-identifiers that are too many: those of which least is known, and that tell most apart, first."""
    order = {"sure": 0, "likely": 1, "unsure": 2}
    known = [column for column in columns if column.role == "quasi-identifier"]
    ranked = sorted(known, key=lambda column: (order[column.sureness], not column.profile.meanings, *_scarcity(column)))
    unsure = [column for column in ranked if column.sureness == "unsure"]
    kept = {column.profile.position for column in ranked[:MOST_KNOWN]}
    kept -= {column.profile.position for column in unsure[MOST_UNSURE:]}
    why = "more quasi-identifiers would make all of them coarse; move it to qid if the release needs it"
    return [
        column.changed("identifier", why, "unsure")
        if column.role == "quasi-identifier" and column.profile.position not in kept
        else column
        for column in columns
    ]


def _scarcity(column: Suggested) -> tuple[bool, float]:
    """Return what comes last among quasi-identifiers: answers of a few values, and what tells most apart."""
    return column.profile.different <= FEW_VALUES, column.profile.share_alone


def _singling_out_few(drawn: Drawn, columns: Sequence[Suggested]) -> list[Suggested]:
    """Leave out what would be released on a likelihood, unless it makes hardly anybody unique; count it for the others.

    What is sure to be sensitive stays: that nobody knows it is what the word means, and its evidence says what else
    would follow. All other columns are taken together, those with fewest values first.
    """
    groups = None
    for column in columns:
        if column.role == "quasi-identifier":
            groups = combined(groups, drawn.codes(column.profile.position))
    alone = 0 if groups is None else records_alone(groups)
    known = groups
    changed = {}
    for column in sorted(columns, key=lambda column: column.profile.different):
        if not column.is_released or column.role == "as it is":
            continue
        codes = drawn.codes(column.profile.position)
        if column.sureness == "sure":
            both = alone / drawn.rows, records_alone(combined(known, codes)) / drawn.rows
            changed[column.profile.position] = replace(column, alone_with=both)
            continue
        more = combined(groups, codes)
        if records_alone(more) <= floor(MOST_SINGLED_OUT * drawn.rows):
            groups = more
        else:
            changed[column.profile.position] = column.changed("identifier", _LEFT_OUT, "unsure")
    return [changed.get(column.profile.position, column) for column in columns]
