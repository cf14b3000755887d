"""What is asked of an attacker who matches everybody at once, and the figures that answer it."""

from __future__ import annotations

from dataclasses import dataclass

LEVELS = (0.5, 0.9)
"""Beliefs above which people are counted."""


@dataclass(frozen=True, kw_only=True)
class ValueBeliefs:
    """How well the value of one sensitive attribute is known of people."""

    attribute: str
    believed_above: tuple[tuple[float, int], ...]
    """A belief, and the people of whom some value is believed more strongly."""
    certain: int
    """People of whom one value is certain, whichever row is theirs."""
    expected_hits: float
    """People whose value is guessed rightly, if the most likely one is guessed of each."""
    share_without_release: float
    """Share of right guesses of who only knows how frequent values are: that of the most frequent one."""


@dataclass(frozen=True, kw_only=True)
class Attack:
    """What the attacker knows besides the release."""

    known: tuple[str, ...] = ()
    """The quasi-identifiers that they know of people; empty for all."""
    insiders: float = 0.0
    """Share of the people who have told which row is theirs."""

    def in_words(self) -> str:
        """Say what the attacker knows.

        Examples
        --------
        >>> Attack(known=("age", "sex"), insiders=0.05).in_words()
        'knows age, sex of everybody; 5.00% of them have told their row'
        """
        knows = ", ".join(self.known) if self.known else "all quasi-identifiers"
        told = f"; {self.insiders:.2%} of them have told their row" if self.insiders else ""
        return f"knows {knows} of everybody{told}"


@dataclass(frozen=True, kw_only=True)
class MatchingBeliefs:
    """What an attacker makes of the rows that remain for each person."""

    matchable_below_k: int
    """People for whom fewer than k rows remain."""
    matchable_with_one: int
    """People for whom one row remains, and who must be in one: it is theirs."""
    fewest: int
    """Rows that remain for the person with the fewest."""
    counts: tuple[tuple[int, int], ...]
    """A number of remaining rows, and the people for whom so many remain; ascending."""
    expected_hits: float
    """People whom the attacker finds, who picks for each a row that is believed in most."""
    believed_above: tuple[tuple[float, int], ...]
    """A belief, and the people of whom some row is believed to be theirs more strongly; 1/k is the first."""
    tenths: tuple[tuple[int, int], ...]
    """People by the belief in that row, in ten steps from 0 to 1: those of at most 1/k, and those above."""
    right_guesses: float | None
    """Share of the people whose row is in fact guessed; None where nobody knows which rows are whose."""
    values: tuple[ValueBeliefs, ...]
    """Of each sensitive attribute."""
    rounds: int
    """Of belief propagation."""
    has_converged: bool


@dataclass(frozen=True, kw_only=True)
class MatchingRisk:
    """The risk from an attacker who matches everybody at once."""

    people: int
    """Whom the attacker knows, without insiders."""
    rows: int
    """Released rows, without those of insiders."""
    k: int
    attack: Attack
    unassigned: int
    """People for whom no row is left, however rows are assigned: the release is not one of these people."""
    beliefs: MatchingBeliefs | None
    """None if somebody is unassigned."""
