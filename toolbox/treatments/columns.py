"""Treatments that look at a whole column, or at several: their values are made before the release is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sqlalchemy import (
    BigInteger,
    Double,
    FromClause,
    String,
    case,
    cast,
    column,
    func,
    literal,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.dialect import Query, cast_as, count_microseconds, parse_iso_moment
from toolbox.queries.scales import write_plainly
from toolbox.treatments.treatment import PERSON_KEY, Treatment, TreatmentSetting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CHUNK: Final = 512
"""Values whose sums are made together: of more, sums of squares would lose what tells close values apart."""
_BLOCK: Final = 10_000
"""Most points that are compared with each other; more are halved at a median first."""
_FAR: Final = 8
"""Standard deviations that no draw is away from what is expected."""
_MOST: Final = 1000
"""Largest k of groups."""
_NEAR: Final = 1e-9
"""How far a mean may be from that of another summation, beside the largest value."""


def _read_k(text: str) -> int:
    """Read the fewest values of a group."""
    if not (text.isascii() and text.isdigit()) or not 2 <= int(text[:5]) <= _MOST:
        raise ValueError(text)
    return int(text)


def _read_group(text: str) -> str:
    """Read the name of the columns that are treated together."""
    if not text.strip():
        raise ValueError(text)
    return text.strip()


class ColumnTreatment(Treatment):
    """A treatment that makes the numbers of a column from all of them; the store keeps them beside the records."""

    by_record: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = True
    takes_places: ClassVar[bool] = False
    """Whether a value is that of another record, so that what is made of a column are the places of these."""

    @property
    def made(self) -> str:
        """The column of the records with what was made of this one."""
        return f"made_{self.facts.place}"

    @property
    def made_with(self) -> str:
        """The column of the records with the number of the group in which it was made."""
        return f"group_{self.facts.place}"

    @property
    def together(self) -> object:
        """What is equal of columns that are made together."""
        return self.facts.place

    @property
    def fewest(self) -> int:
        """The fewest values of which anything can be made."""
        return 1

    def make(self, columns: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        """Return what becomes of the numbers of columns that are made together, and the group of each record."""
        raise NotImplementedError

    @property
    def beside(self) -> tuple[str, ...]:
        return "record_id", self.made, self.made_with

    def find_number(self, value: ColumnElement[Any]) -> ColumnElement[float]:
        """Return the number of a value; null if it is none, or not finite."""
        return self.facts.figures.value(cast(value, String))

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return value

    def treat_record(self, value: ColumnElement[Any], record: FromClause) -> ColumnElement[Any]:
        made = column(self.made, Double, _selectable=record) if self.made not in record.c else record.c[self.made]
        if self.facts.is_typed:
            return case((self.is_missing(value), None), else_=made)
        text = self.facts.figures.text(made, write_plainly)
        return case((self.is_missing(value), cast(value, String)), else_=text)

    def normalise(self, text: ColumnElement[str]) -> ColumnElement[str]:
        return func.coalesce(cast(self.find_number(text), String), text)

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return self.find_number(text).is_not(None)


@dataclass(frozen=True)
class Microaggregate(ColumnTreatment):
    """Numbers become the mean of a group of k to 2k - 1 values that are close together.

    One column alone is divided so that the sum of squares within the groups is the least of all. Columns with the same
    name of a group are divided together, by MDAV on their standardised values.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("microaggregate:k=3"), parse_treatment("microaggregate:5:money").group
    (Microaggregate(k=3, group=''), 'money')
    """

    name: ClassVar[str] = "microaggregate"
    words: ClassVar[str] = "The mean of a group of at least k close values"
    promise: ClassVar[str] = "each value is the mean of a group of k to 2k - 1 values that were read"
    is_true: ClassVar[bool] = False
    untrue: ClassVar[str] = "No value is the one of its record: each is the mean of a group."
    remedy: ClassVar[str] = "It takes finite numbers. Choose another treatment, such as redact or drop."
    measures: ClassVar[str] = "sse_sst"
    needs_persons: ClassVar[bool] = True
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("k", _read_k, f"the fewest values of a group, a whole number from 2 to {_MOST}"),
        TreatmentSetting("group", _read_group, "a name for the columns that are grouped together", is_needed=False),
    )
    k: int
    group: str = ""

    @property
    def together(self) -> object:
        return (self.k, self.group) if self.group else self.facts.place

    @property
    def fewest(self) -> int:
        return self.k

    def make(self, columns: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        import numpy as np

        groups = group_records(columns, self.k)
        sizes = np.bincount(groups)
        return [(np.bincount(groups, each) / sizes)[groups] for each in columns], groups

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also count the records of groups that have too few or too many, or whose values are not their mean."""
        others, groups = super().count_broken(read, shown), self._measure_groups(read).subquery()
        wrong = or_(
            ~groups.c.size.between(self.k, 2 * self.k - 1),
            groups.c.persons < groups.c.size,
            groups.c.lowest != groups.c.highest,
            func.abs(groups.c.mean - groups.c.lowest) > _NEAR * groups.c.largest,
        )
        of_groups = select(func.coalesce(func.sum(groups.c.size), 0)).where(wrong)
        return select(cast(others.scalar_subquery() + of_groups.scalar_subquery(), BigInteger))

    def _measure_groups(self, read: FromClause) -> Query:
        number, made = self.find_number(read.c.value), read.c[self.made]
        persons = func.count(read.c[PERSON_KEY].distinct()) if self.facts.persons else func.count()
        figures = {
            "size": func.count(),
            "persons": persons,
            "mean": func.avg(number),
            "lowest": func.min(made),
            "highest": func.max(made),
            "largest": func.max(func.abs(number)),
        }
        columns = (figure.label(name) for name, figure in figures.items())
        present = ~self.is_missing(read.c.value)
        return select(*columns).where(present).group_by(read.c[self.made_with])

    def measure(self, read: FromClause) -> Query:
        """Return SSE/SST: the share of the variance that is lost within the groups."""
        number, made = self.find_number(read.c.value), read.c[self.made]
        present = ~self.is_missing(read.c.value)
        mean = select(func.avg(number)).where(present).scalar_subquery()
        lost, total = (func.sum((number - each) * (number - each)) for each in (made, mean))
        return select(case((total > 0, lost / total), else_=0.0)).where(present)

    def list_causes(self, read: FromClause) -> Iterator[tuple[Query, str, str]]:
        # What cannot be treated was told before anything was made.
        return iter(())


# Values that are those of other records.


def _read_share(text: str) -> float:
    """Read a number above 0 and below 1."""
    share = float(text)
    if not 0 < share < 1:
        raise ValueError(text)
    return share


def _read_percent(text: str) -> float:
    """Read a number above 0 and up to 100."""
    percent = float(text)
    if not 0 < percent <= 100:
        raise ValueError(text)
    return percent


class _FromOthers(ColumnTreatment):
    """What treatments have in common whose values are those of other records."""

    takes_places: ClassVar[bool] = True
    makes_numbers: ClassVar[bool] = False
    keeps_type: ClassVar[bool] = True
    is_true: ClassVar[bool] = False

    def treat_record(self, value: ColumnElement[Any], record: FromClause) -> ColumnElement[Any]:
        made = cast_as(cast(record.c[self.made], String), value)
        return case((self.is_missing(value), value), else_=made)

    def normalise(self, text: ColumnElement[str]) -> ColumnElement[str]:
        return func.coalesce(cast(self.facts.figures.value(text), String), text)

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return true()

    def open_generator(self) -> np.random.Generator:
        """Return what draws: with the seed of a run always the same, for each column its own."""
        import numpy as np

        digest = sha256(f"{self.name} {self.facts.place} {self.facts.secret}".encode()).digest()
        return np.random.default_rng(int.from_bytes(digest, "big"))


@dataclass(frozen=True)
class Swap(_FromOthers):
    """Values change places with values of near ranks: every value stays in the column, at another record.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("swap:5")
    Swap(percent=5.0)
    """

    name: ClassVar[str] = "swap"
    words: ClassVar[str] = "Values change places with values of near ranks"
    promise: ClassVar[str] = (
        "the values are those that were read, and each is within its window of ranks; of an odd number one keeps its "
        "place"
    )
    untrue: ClassVar[str] = "No value is known to be that of its record; together they are the values that were read."
    remedy: ClassVar[str] = "It takes numbers, and dates such as 2024-02-29. Choose another one, such as pram or drop."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("percent", _read_percent, "how far ranks may change, in percent of the records, such as 5"),
    )
    percent: float

    def find_number(self, value: ColumnElement[Any]) -> ColumnElement[float]:
        moment = parse_iso_moment(cast(value, String), zoned=False)
        return func.coalesce(super().find_number(value), cast(count_microseconds(moment), Double))

    def make(self, columns: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        import numpy as np

        (values,), draw = columns, self.open_generator()
        count = len(values)
        width = max(int(count * self.percent / 100), 2)
        ranks = np.empty(count, np.int64)
        ranks[np.lexsort((draw.random(count), values))] = np.arange(count)
        # Windows begin at random, so that no rank is always at an end.
        windows = (ranks + int(draw.integers(width))) // width
        order = np.lexsort((draw.random(count), windows))
        begins = np.searchsorted(windows[order], windows[order])
        partners = np.arange(count) + np.where((np.arange(count) - begins) % 2 == 0, 1, -1)
        is_alone = (partners >= count) | (windows[order[np.minimum(partners, count - 1)]] != windows[order])
        places = np.empty(count, np.int64)
        places[order] = order[np.where(is_alone, np.arange(count), np.minimum(partners, count - 1))]
        return [places], windows

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also compare all values with what was read, and the ends of each window of ranks before and after."""
        others = super().count_broken(read, shown).scalar_subquery()
        known = ~self.is_missing(read.c.value)
        before, after = (
            select(cast(value, String).label("text"), literal(sign).label("sign")).where(known)
            for value, sign in ((read.c.value, 1), (read.c[self.made], -1))
        )
        both = union_all(before, after).subquery()
        differing = select(func.abs(func.sum(both.c.sign)).label("cells")).group_by(both.c.text).subquery()
        same = select(func.coalesce(func.sum(differing.c.cells), 0)).scalar_subquery()
        ends = [
            end(self.find_number(value)) for value in (read.c.value, read.c[self.made]) for end in (func.min, func.max)
        ]
        labelled = (each.label(f"end_{place}") for place, each in enumerate(ends))
        windows = select(func.count().label("size"), *labelled).where(~self.is_missing(read.c.value))
        found = windows.group_by(read.c[self.made_with]).subquery()
        wrong = (found.c.end_0 != found.c.end_2) | (found.c.end_1 != found.c.end_3)
        moved = select(func.coalesce(func.sum(found.c.size), 0)).where(wrong).scalar_subquery()
        return select(cast(others + same + moved, BigInteger))


@dataclass(frozen=True)
class Pram(_FromOthers):
    """Values stay with a chance, and otherwise are drawn anew from all values of the column (post-randomisation).

    The matrix of chances keeps the expected frequency of every value: it is invariant.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("pram:0.8").stays
    0.8
    """

    name: ClassVar[str] = "pram"
    words: ClassVar[str] = "Values stay with a chance, or are drawn anew from the column"
    promise: ClassVar[str] = "each value is one of the column, and as many have changed as the chances say"
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("stays", _read_share, "the chance that a value is not drawn anew, such as 0.8"),
    )
    stays: float

    def __post_init__(self) -> None:
        anew = f"{1 - self.stays:.6g}"
        object.__setattr__(
            self,
            "untrue",
            f"A value stays with the chance {self.stays:g} + {anew} s, and becomes another one with {anew} s; "
            "s is the share of the value it becomes.",
        )

    def find_number(self, value: ColumnElement[Any]) -> ColumnElement[float]:
        return case((value.is_not(None), cast(literal(0), Double)))

    def make(self, columns: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
        import numpy as np

        count, draw = len(columns[0]), self.open_generator()
        is_drawn = draw.random(count) >= self.stays
        places = np.where(is_drawn, draw.integers(count, size=count), np.arange(count))
        return [places], is_drawn.astype(np.int64)

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also count what was not in the column; and all cells, if too many or too few have changed."""
        others, known = super().count_broken(read, shown).scalar_subquery(), ~self.is_missing(read.c.value)
        before, after = cast(read.c.value, String), cast(read.c[self.made], String)
        new = select(func.coalesce(func.sum(shown.c.size), 0)).where(
            ~self.is_missing(shown.c.text),
            self.normalise(shown.c.text).not_in(select(self.normalise(before)).where(known)),
        )
        sizes = select(func.count().label("size")).where(known).group_by(before).subquery()
        squares, total = (
            select(
                func.sum(cast(sizes.c.size, Double) * sizes.c.size).label("squares"),
                func.sum(sizes.c.size).label("total"),
            )
            .subquery()
            .c
        )
        changed = select(func.count()).where(known, before != after).scalar_subquery()
        chance = (1 - self.stays) * (1 - squares / total / total)
        # The sources of two records are independent: eight standard deviations are no chance.
        is_far = func.abs(changed - total * chance) > _FAR * func.sqrt(total * chance * (1 - chance)) + 1
        wrong = select(case((is_far, total), else_=0)).scalar_subquery()
        return select(cast(others + new.scalar_subquery() + func.coalesce(wrong, 0), BigInteger))


# Groups of values that are close together, each of k to 2k - 1: on arrays, as SQL has no such search. Equal values of
# several records may be given once, with their number, and then stay in one group.


def group_records(columns: Sequence[NDArray[Any]], k: int, sizes: NDArray[Any] | None = None) -> NDArray[Any]:
    """Group records by one column as well as possible, and by several by MDAV; see `group_values`, `group_points`."""
    return group_values(columns[0], k, sizes) if len(columns) == 1 else group_points(columns, k, sizes)


def group_values(values: NDArray[Any], k: int, sizes: NDArray[Any] | None = None) -> NDArray[Any]:
    """Find the groups of at least k records of one column with the least sum of squares of all partitions.

    Such a partition has runs of the sorted values, of k to 2k - 1 each. It is a shortest path from the first value to
    the last, on which each group is a step (Hansen and Mukherjee 2003).

    Parameters
    ----------
    values : array of float
        Of at least k records.
    k : int
    sizes : array of int, optional
        The records of each value, which stay together; by default one.

    Returns
    -------
    array of int
        The group of each value.
    """
    import numpy as np

    order = np.argsort(values, kind="stable")
    count, ranked = len(values), values[order]
    weights = np.ones(count, np.int64) if sizes is None else sizes[order]
    until = np.concatenate(([0], np.cumsum(weights)))
    # From where the shortest group begins that ends before each place; what is k records longer could be two.
    latest = np.searchsorted(until, until - k, side="right") - 1
    best, begin = np.full(count + 1, np.inf), np.zeros(count + 1, np.int64)
    best[0] = 0.0
    chunk = max(_CHUNK // k, 4) * k
    for first in range(1, count + 1, chunk):
        beyond = min(first + chunk, count + 1)
        starts, costs = _compute_costs(ranked, weights, until, latest[first:beyond], first, k)
        end = first
        while end < beyond:
            # No group that ends here begins at another of these ends.
            stop = min(int(np.searchsorted(latest, end)), beyond)
            here, rows = slice(end - first, stop - first), np.arange(stop - end)
            paths = best[starts[here]] + costs[here]
            chosen = paths.argmin(axis=1)
            best[end:stop], begin[end:stop] = paths[rows, chosen], starts[here][rows, chosen]
            end = stop
    numbers = np.zeros(count, np.int64)
    end, begins = count, begin.tolist()
    while end:
        end = begins[end]
        numbers[end] = 1
    groups = np.empty(count, np.int64)
    groups[order] = np.cumsum(numbers) - 1
    return groups


def _compute_costs(
    ranked: NDArray[Any], weights: NDArray[Any], until: NDArray[Any], latest: NDArray[Any], first: int, k: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return where groups may begin that end before each place from the first, and the sum of squares of each."""
    import numpy as np

    ends = np.arange(first, first + len(latest))[:, None]
    starts = latest[:, None] - np.arange(k)
    possible = starts >= 0
    starts = np.maximum(starts, 0)
    possible &= until[latest][:, None] - until[starts] < k
    low = max(int(latest[0]) - k + 1, 0)
    part, weight = ranked[low : first + len(latest) - 1], weights[low : first + len(latest) - 1]
    part = part - part[len(part) // 2]
    sums, squares = (np.concatenate(([0.0], np.cumsum(weight * each))) for each in (part, part * part))
    total, records = sums[ends - low] - sums[starts - low], np.maximum(until[ends] - until[starts], 1)
    costs = np.maximum(squares[ends - low] - squares[starts - low] - total * total / records, 0.0)
    return starts, np.where(possible, costs, np.inf)


def group_points(columns: Sequence[NDArray[Any]], k: int, sizes: NDArray[Any] | None = None) -> NDArray[Any]:
    """Find the groups of several columns by MDAV: around the point that is farthest from the mean, and its opposite.

    The columns are standardised (Domingo-Ferrer and Mateo-Sanz 2002). More points than can be compared are halved at
    the median of the column that varies most, as often as needed.

    Parameters
    ----------
    columns : sequence of arrays of float
        Of one length, and of at least k records.
    k : int
    sizes : array of int, optional
        The records of each point, which stay together; by default one. A point of k records or more is a group; fewer
        than k records that are left go to the group whose mean is nearest.

    Returns
    -------
    array of int
        The group of each point.
    """
    import numpy as np

    points = np.column_stack(columns)
    weights = np.ones(len(points), np.int64) if sizes is None else sizes
    points = points - np.average(points, axis=0, weights=weights)
    spread = np.sqrt(np.average(points * points, axis=0, weights=weights))
    points /= np.where(spread > 0, spread, 1.0)
    groups, is_whole = np.full(len(points), -1, np.int64), weights >= k
    made = int(is_whole.sum())
    groups[is_whole] = np.arange(made)
    waiting = [np.flatnonzero(~is_whole)]
    while waiting:
        block = waiting.pop()
        if len(block) > max(_BLOCK, 4 * k):
            widest = points[block].var(axis=0).argmax()
            half = np.argsort(points[block, widest], kind="stable")
            waiting += [block[half[len(half) // 2 :]], block[half[: len(half) // 2]]]
            continue
        for members in _make_groups(points[block], weights[block], k):
            groups[block[members]] = made
            made += 1
    left = np.flatnonzero(groups < 0)
    if len(left):
        placed = groups >= 0
        records = np.bincount(groups[placed], weights[placed])
        totals = [np.bincount(groups[placed], weights[placed] * column[placed]) for column in points.T]
        means = np.column_stack(totals) / records[:, None]
        groups[left] = [_measure(means, point).argmin() for point in points[left]]
    return groups


def _make_groups(points: NDArray[Any], weights: NDArray[Any], k: int) -> list[NDArray[Any]]:
    """Group points that each have fewer than k records; fewer than k records may be left over."""
    import numpy as np

    groups, left = list[Any](), np.arange(len(points))

    def take_nearest(left: NDArray[Any], distances: NDArray[Any]) -> NDArray[Any]:
        nearest = np.argpartition(distances, min(k, len(left)) - 1)[:k]
        nearest = nearest[np.argsort(distances[nearest], kind="stable")]
        nearest = nearest[: np.searchsorted(np.cumsum(weights[left[nearest]]), k) + 1]
        groups.append(left[nearest])
        is_left = np.ones(len(left), bool)
        is_left[nearest] = False
        return is_left

    while (records := weights[left].sum()) >= 2 * k:
        others = points[left]
        farthest = others[_measure(others, np.average(others, axis=0, weights=weights[left])).argmax()]
        distances = _measure(others, farthest)
        opposite = others[distances.argmax()]
        is_left = take_nearest(left, distances)
        left, others = left[is_left], others[is_left]
        if records >= 3 * k and weights[left].sum() >= 2 * k:
            left = left[take_nearest(left, _measure(others, opposite))]
    if records >= k:
        groups.append(left)
    return groups


def _measure(points: NDArray[Any], point: NDArray[Any]) -> NDArray[Any]:
    """Return the squared distance of each point from one."""
    import numpy as np

    away = points - point
    return np.einsum("ij,ij->i", away, away)  # type: ignore[no-any-return]
