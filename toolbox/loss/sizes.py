"""How many records of a release stand in classes, and how many are suppressed."""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

from sqlalchemy import and_, func, select

from toolbox.errors import SettingError
from toolbox.loss.once import once
from toolbox.published.tables import Comparison


class Sizes(NamedTuple):
    """The sizes of the classes of a release, summed up."""

    total: int
    """All records: those of the release, and those that it lacks."""
    lacking: int
    """Records that the release lacks."""
    classes: int
    """Classes without the suppressed records, which form none."""
    grouped: int
    """Records in these classes."""
    squares: int
    """Sum of their squared sizes."""
    small: int
    """Records in those of them with fewer than k records."""
    small_squares: int
    """Sum of the squared sizes of these."""

    @property
    def suppressed(self) -> int:
        """Records that are suppressed or lacking."""
        return self.total - self.grouped


def lacking(comparison: Comparison) -> int:
    """Count the records that a release lacks; each counts as suppressed, as if it had been kept with nothing to see."""
    return max(0, comparison.people.records - comparison.release.records)


@once
def sizes_of(comparison: Comparison, k: int | None = None) -> Sizes:
    """Sum up the sizes of the classes.

    Parameters
    ----------
    comparison : Comparison
    k : int, optional
        Fewest records that a class should have.
    """
    classes = comparison.release.classes
    size = classes.c.size
    grouped, small = ~classes.c.suppressed, and_(~classes.c.suppressed, size < (k or 0))
    sums = (
        func.count().filter(grouped),
        *(
            func.coalesce(func.sum(amount).filter(these), 0)
            for these in (grouped, small)
            for amount in (size, size * size)
        ),
    )
    count, *rest = map(int, comparison.store.row(select(*sums).select_from(classes)))
    missing = lacking(comparison)
    return Sizes(comparison.release.records + missing, missing, count, *rest)


def require_k(k: int | None) -> None:
    """Stop where a k is none.

    Raises
    ------
    SettingError
    """
    if k is not None and (not isinstance(k, Integral) or isinstance(k, bool) or k < 1):
        raise SettingError("k", k, "a whole number of at least 1")
