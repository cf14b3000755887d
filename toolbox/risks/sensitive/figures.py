"""What the classes of a release tell of one sensitive attribute."""

from __future__ import annotations

from dataclasses import dataclass

LEVELS = (0.5, 0.9)
"""Beliefs above which people are counted."""
FACTORS = (2.0, 10.0)
"""How many times as frequent as in the table a value is, where people are counted."""
GROWTHS = (0.2, 0.5)
"""How much larger than in the table its share is."""
NARROW = (0.05, 0.1)
"""Shares of all records that a narrow interval of numbers holds at most."""


@dataclass(frozen=True, kw_only=True)
class Skewness:
    """How much the shares of values in classes differ from those in the whole table."""

    largest_ratio: float
    """Of the share of any value in any class to its share in the table; 1 if nothing is learned."""
    grown_by_factor: tuple[tuple[float, int], ...]
    """A factor, and the people for whom the belief in some value grows by more."""
    grown_by: tuple[tuple[float, int], ...]
    """A probability, and the people for whom the belief in some value grows by more than that."""


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """How near the values of classes are to each other, where they differ."""

    levels: tuple[tuple[int, int], ...]
    """A level of the hierarchy below its root, and the people whose class has values below one node of it, or of a
    lower level; 0 counts those with one value. Empty without a hierarchy."""
    narrow: tuple[tuple[float, int], ...]
    """A share of all records, and the people whose class has several numbers, in an interval that holds no more than
    these. Empty for categories."""


@dataclass(frozen=True, kw_only=True)
class SensitiveRisk:
    """What an attacker who knows the class of each person learns about one sensitive attribute."""

    attribute: str
    people: int
    """Records in classes; suppressed ones are in none."""
    believed_above: tuple[tuple[float, int], ...]
    """A belief, and the people of whom some value is believed more strongly: the share of the value in their class."""
    certain: int
    """People whose class has one value."""
    largest: float
    """Strongest belief of all."""
    expected_hits: float
    """People whose value is guessed rightly, if the most frequent one of the class is guessed of each."""
    share_without_release: float
    """Share of right guesses of who only knows how frequent values are: that of the most frequent one."""
    skewness: Skewness
    similarity: Similarity | None
    """None for categories without a hierarchy."""

    @property
    def right_guesses(self) -> float:
        """Share of the people whose value is guessed rightly, as expected."""
        return self.expected_hits / self.people
