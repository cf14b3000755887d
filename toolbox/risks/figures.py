"""The figures of attackers who match everybody at once, or who solve published statistics, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolbox.messages import mark, say, write_figure


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
        columns = ", ".join(self.known) or say("all quasi-identifiers")
        if not self.insiders:
            return say("knows %(columns)s of everybody", columns=columns)
        told = mark("knows %(columns)s of everybody; %(share)s of them have told their row")
        return say(told, columns=columns, share=write_figure(f"{self.insiders:.2%}"))


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


# What statistics that are published with classes give back.


@dataclass(frozen=True, kw_only=True)
class SolvedStatistics:
    """What the statistics of one column give back."""

    column: str
    kind: Literal["moments", "distribution"]
    """Mean and variance of numbers, or the share of each category."""
    step: float | None
    """Values are taken for multiples of it, from the smallest on; None for categories, and where no step fits."""
    ends_are_values: bool
    """Whether intervals are taken to begin and end with values of their class, as all classes allow."""
    without_ends: int
    """Classes for which that cannot be, where it is told of all intervals: from one on, none is taken to."""
    classes: int
    """Those with statistics; classes with the same labels and other statistics are told apart."""
    solved: int
    """Of these, classes whose values follow: one multiset fits size, interval and statistics, several the interval."""
    undecided: int
    """Classes too large to try all multisets, or that none fits. They are not safe: nothing is known of them."""
    cells: int
    """Records of the release."""
    cells_disclosed: int
    """Records of classes that are solved."""

    @property
    def share_disclosed(self) -> float:
        """The same, as a share of all cells of the column."""
        return self.cells_disclosed / self.cells


@dataclass(frozen=True, kw_only=True)
class StatisticsRisk:
    """What the statistics of all columns give back."""

    columns: tuple[SolvedStatistics, ...]
    """Those of quasi-identifiers that have statistics."""

    @property
    def cells(self) -> int:
        """Cells of these columns."""
        return sum(column.cells for column in self.columns)

    @property
    def cells_disclosed(self) -> int:
        """Of these, cells of classes that are solved."""
        return sum(column.cells_disclosed for column in self.columns)

    @property
    def share_disclosed(self) -> float:
        """The same, as a share."""
        return self.cells_disclosed / self.cells
