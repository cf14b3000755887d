"""The least that any k-anonymous recoding must lose: prices for records that prove it, and the check of the proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import BigInteger, Double, Integer, String, cast, func, literal, null, select, union_all

from toolbox.errors import UsageError
from toolbox.loss.cells import CellMetric
from toolbox.loss.metric import Direction, LossMetric
from toolbox.published.tables import Cells, Comparison, Domain
from toolbox.queries.dialect import Query

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Reals = NDArray[np.float64]

# What cells cost at every level of the hierarchies, as the metric itself says it.


class PricedLevels(NamedTuple):
    """A quasi-identifier: the interval of each combination at each level, and what a record pays there."""

    codes: list[Numbers]
    """At each level (from 0 to that of the root) the number of the interval of each combination."""
    costs: list[Reals]
    """At each level what a record of each combination pays: its share of the loss of the whole table."""


class PricedTable(NamedTuple):
    """The combinations of a table, and what they pay at every lattice node."""

    columns: list[PricedLevels]
    sizes: Numbers
    """Records of each combination."""


def require_bounded_metric(metric: LossMetric) -> CellMetric:
    """Return a metric that is a sum over cells.

    Raises
    ------
    UsageError
        If it is none.
    """
    if isinstance(metric, CellMetric):
        return metric
    raise UsageError(
        f"{metric.name} is no sum over cells, so that nothing is proved of it. Choose lm, granularity, ncp or "
        "precision."
    )


def price_levels(comparison: Comparison, metric: CellMetric) -> PricedTable:
    """Let a metric charge every node of every hierarchy; the release in the comparison does not matter.

    Raises
    ------
    UsageError
        If a wider cell may cost less than a narrower one, as in no metric of ours.
    """
    people, store = comparison.people, comparison.store
    shown = _show_nodes(comparison)
    shares = [metric.share(domain) for domain in people.domains]
    rows = store.to_arrays(select(people.combinations).order_by(people.combinations.c.combination_id))
    columns = []
    for index, (domain, share) in enumerate(zip(people.domains, shares, strict=True)):
        levels = _price_values(shown, metric, index, domain, share / (sum(shares) or 1.0))
        values = rows[people.value_names[index]]
        columns.append(PricedLevels(*([level[values] for level in each] for each in levels)))
    return PricedTable(columns, rows["size"].astype("int64"))


def _price_values(shown: Comparison, metric: CellMetric, index: int, domain: Domain, share: float) -> PricedLevels:
    """Return the cell of each value at each level, and its cost."""
    import numpy as np

    store, nodes = shown.store, domain.nodes
    charged = metric.costs(shown, index).subquery()
    by_cell = store.to_arrays(select(charged.c.cell_id, cast(charged.c.cost, Double).label("cost")))
    cost = np.zeros(int(by_cell["cell_id"].max()) + 1)
    cost[by_cell["cell_id"]] = by_cell["cost"] * share
    columns = (nodes.c.node_id, nodes.c.level, nodes.c.first, nodes.c.last)
    # Of leaves that share a bound the first has it, and is written last.
    found = store.to_arrays(select(*columns).where(nodes.c.last >= nodes.c.first).order_by(nodes.c.node_id.desc()))
    codes = [np.arange(domain.size)]
    for level in range(1, domain.height + 1):
        at = found["level"] == level
        first, width = found["first"][at].astype(np.int64), (found["last"] - found["first"])[at].astype(np.int64) + 1
        places = np.arange(width.sum()) + np.repeat(first - np.cumsum(width) + width, width)
        code = codes[-1].copy()
        code[places] = np.repeat(domain.size + found["node_id"][at].astype(np.int64), width)
        codes.append(code)
    costs = [cost[code] for code in codes]
    if any((above < below - 1e-12).any() for below, above in pairwise(costs)):
        raise UsageError(f"{metric.name} of {domain.name}: a wider value costs less, so that nothing is proved of it.")
    return PricedLevels(codes, costs)


def _show_nodes(comparison: Comparison) -> Comparison:
    """Return a comparison with a release that shows each value and each node once; its classes mean nothing."""
    store, cells, meanings = comparison.store, [], []
    for domain in comparison.people.domains:
        meant = store.create("meanings", _mean_nodes(domain))
        meanings.append(Cells(meanings=meant, spans=store.create("spans", _span_nodes(domain))))
        nobody = cast(literal(0), BigInteger).label("records")
        cells.append(store.create("cells", select(meant.c.cell_id, cast(null(), String).label("text"), nobody)))
    return replace(comparison, release=replace(comparison.release, cells=tuple(cells)), cells=tuple(meanings))


def _mean_nodes(domain: Domain) -> Query:
    """Say what each value and each node stands for, as `Cells.meanings` does; the cells of nodes follow the values."""
    values, nodes = domain.values, domain.nodes
    start, end = values.alias(), values.alias()
    number = cast(values.c.number, Double) if domain.kind == "number" else cast(null(), Double)
    alone: list[Any] = [literal("value"), cast(literal(0), Integer), number, number]
    each = select(
        cast(values.c.value_id, BigInteger).label("cell_id"),
        *(part.label(name) for part, name in zip(alone, ("form", "level", "low", "high"), strict=True)),
        cast(literal(1), BigInteger).label("values"),
        values.c.records.label("people"),
    )
    # Of nodes with the same values a release is held to show the lowest.
    lowest = func.min(nodes.c.level).over(partition_by=[nodes.c.first, nodes.c.last])
    ends = (
        cast(literal(end), Double) if end is not None else cast(null(), Double) for end in (domain.low, domain.high)
    )
    low, high = (func.coalesce(node, end) for node, end in zip((nodes.c.low, nodes.c.high), ends, strict=True))
    ranges = (
        select(
            cast(nodes.c.node_id + domain.size, BigInteger).label("cell_id"),
            lowest.label("level"),
            low.label("low"),
            high.label("high"),
            cast(nodes.c.last - nodes.c.first + 1, BigInteger).label("values"),
            (end.c.before + end.c.records - start.c.before).label("people"),
        )
        .join_from(nodes, start, start.c.value_id == nodes.c.first)
        .join(end, end.c.value_id == nodes.c.last)
        .where(nodes.c.last >= nodes.c.first)
        .subquery()
        .c
    )
    sums = (cast(func.sum(amount), BigInteger) for amount in (ranges["values"], ranges.people))
    wider = select(ranges.cell_id, literal("node"), func.max(ranges.level), ranges.low, ranges.high, *sums)
    return select(union_all(each, wider.group_by(ranges.cell_id, ranges.low, ranges.high)).subquery())


def _span_nodes(domain: Domain) -> Query:
    """List the range of values of each of them, as `Cells.spans` does."""
    values, nodes = domain.values, domain.nodes
    names = ("cell_id", "first", "last")
    cell, value = cast(values.c.value_id, BigInteger), values.c.value_id
    each = select(*(part.label(name) for part, name in zip((cell, value, value), names, strict=True)))
    wider = select(cast(nodes.c.node_id + domain.size, BigInteger), nodes.c.first, nodes.c.last)
    return select(union_all(each, wider.where(nodes.c.last >= nodes.c.first)).subquery())


# What is proved: no release of this kind loses less.


@dataclass(frozen=True, kw_only=True)
class LossBound:
    """What every k-anonymous recoding with these hierarchies loses at least, by a metric that is a sum over cells."""

    metric: str
    value: float
    """What the metric says at best of such a release: at least, or at most where higher is better."""
    direction: Direction
    k: int
    columns: int
    """Columns that count in it: all, unless the time was over before."""
    rounds: int
    """How often all prices were raised."""
    released: float | None = None
    """What the metric says of the release that it is beside."""
    beyond: str = ""
    """Why the release at hand is not of this kind, so that it may lose less; empty if it is."""
    certificate: pa.Table = field(repr=False, compare=False)
    """The proof: the values of each combination, its ``records`` and the ``price`` of each."""

    def __str__(self) -> str:
        """Return it as a sentence."""
        own, lost = self.lost
        least = f"no release of this kind loses less than {lost:.4f} ({self.metric}, k={self.k})"
        if own is None:
            return f"{least[0].upper()}{least[1:]}."
        return f"Lost {own:.4f}; {least}." if not self.beyond else f"Lost {own:.4f}, but {self.beyond}; {least}."

    @property
    def lost(self) -> tuple[float | None, float]:
        """What the release at hand has lost, if that was measured, and the least that any loses; nothing is 0."""
        is_kept = self.direction == "higher"
        own = None if self.released is None else 1 - self.released if is_kept else self.released
        return own, 1 - self.value if is_kept else self.value

    def write_certificate(self) -> str:
        """Return the proof as text: a line for each combination, with the price of each of its records."""
        import pyarrow as pa
        from pyarrow import csv

        written = pa.BufferOutputStream()
        csv.write_csv(self.certificate, written)
        return bytes(written.getvalue()).decode()

    def document(self) -> dict[str, Any]:
        """Return the entry of the JSON document."""
        names = ("metric", "k", "value", "direction", "released", "columns", "rounds", "beyond")
        return {name: getattr(self, name) for name in names}


def prove_bound(
    comparison: Comparison,
    metric: LossMetric,
    k: int,
    seconds: float,
    report: Callable[[str], None] = lambda words: None,
) -> LossBound:
    """Find the least that a k-anonymous recoding of the people must lose; the release does not matter.

    The proof is checked before it is returned.

    Parameters
    ----------
    seconds : float
        Most time of the search, without the check.
    report : callable
        Is told how far it is.

    Raises
    ------
    UsageError
        If the metric is no sum over cells.
    """
    charged = require_bounded_metric(metric)
    table = price_levels(comparison, charged)
    prices, used, rounds = PriceSearch(table, k).search(seconds, report)
    columns = order_columns(table)[:used]
    report("check of the proof")
    if columns and find_excess(columns, table.sizes, k, prices) > 0:
        raise AssertionError("The prices do not prove the bound. This is a fault of the toolbox; please report it.")
    cost = float(prices @ table.sizes) / max(comparison.people.records, 1)
    return LossBound(
        metric=metric.name,
        value=1 - cost if metric.direction == "higher" else cost,
        direction=metric.direction,
        k=k,
        columns=used,
        rounds=rounds,
        certificate=_list_prices(comparison, prices),
    )


def _list_prices(comparison: Comparison, prices: Reals) -> pa.Table:
    """List the combinations with the price of each of their records."""
    import numpy as np

    people, store = comparison.people, comparison.store
    priced = store.from_arrays("prices", {"place": np.arange(len(prices)), "price": prices})
    combinations = people.combinations
    joined = combinations.join(priced, priced.c.place == combinations.c.combination_id)
    labels = []
    for domain, name in zip(people.domains, people.value_names, strict=True):
        values = domain.values.alias()
        joined = joined.join(values, values.c.value_id == combinations.c[name])
        labels.append(values.c.label.label(domain.name))
    named = (combinations.c.size.label("records"), priced.c.price)
    return store.arrow(select(*labels, *named).select_from(joined).order_by(combinations.c.combination_id))


def explain_beyond(comparison: Comparison, k: int) -> str:
    """Return why a release is no k-anonymous recoding with the hierarchies; empty if it is one."""
    release, store = comparison.release, comparison.store
    names = release.quasi_identifiers
    if comparison.untrue:
        return f"{', '.join(comparison.untrue)} has other values than the records"
    if comparison.ambiguous:
        return f"{', '.join(comparison.ambiguous)} has texts that name several things"
    if wild := [name for name, count in zip(names, comparison.without_level, strict=True) if count]:
        have = "has" if len(wild) == 1 else "have"
        return f"{', '.join(wild)} {have} values that are in no hierarchy, such as ranges of a class"
    if release.records > comparison.people.records:
        return "it has more records than the original"
    smallest = store.scalar(select(func.min(release.classes.c.size)).where(~release.classes.c.suppressed))
    return f"its smallest class has {smallest:,} of k={k} records" if smallest is not None and smallest < k else ""


# The search: prices are raised wherever every group still has room.
#
# Let the k highest prices in each group of records that agree at a lattice node add up to at most k times what a record
# pays there, and no price be higher than what a suppressed record pays. A class of a k-anonymous release is a part of
# such a group with at least k records. The average of its prices is at most that of the k highest, so that it pays at
# least its prices. So does a suppressed record. Hence the prices of all records add up to at most the loss of every
# k-anonymous recoding: they are a solution of the dual of the linear program that covers the records by classes.

_GAIN = 5e-4
"""The share of the bound that a round must gain, so that there is another."""
_SAFE = 1e-9
"""The share of the prices that is given up, so that rounding does no harm."""
_EXACT = 1e-12
_AT_ONCE = 50000
"""Rows of groups that are looked at together: the fewer, the earlier one group spares another; the more, the fewer
calls."""


class _OutOfTimeError(Exception):
    """Raised where a round is not finished in time; what it found is worth nothing."""


@dataclass(frozen=True)
class PriceSearch:
    """Raises the prices of combinations, from nothing.

    The first round ends at the price of the cheapest node at which the records of a combination are in a group of at
    least k: as a class needs k records, no release loses less.

    Parameters
    ----------
    table : PricedTable
    k : int
        Fewest records of a class.
    """

    table: PricedTable
    k: int

    def search(self, seconds: float, report: Callable[[str], None] = lambda words: None) -> tuple[Reals, int, int]:
        """Return a price for each combination, how many columns it counts, and the number of rounds with all of them.

        Columns come in one after the other, because what is proved of fewer columns holds for all. So there are prices
        whenever the time is over. Only when all are in, prices are raised further: they would rise unevenly otherwise.

        Parameters
        ----------
        seconds : float
            Most time of the search.
        report : callable
            Is told how far the search is.
        """
        import numpy as np

        until = time.monotonic() + seconds
        columns, nothing = order_columns(self.table), np.zeros(len(self.table.sizes))
        prices, used, rounds = nothing, 0, 0
        with suppress(_OutOfTimeError):
            while used < len(columns):
                report(f"column {used + 1} of {len(columns)}")
                prices = _Round(self.table.sizes, self.k, columns[: used + 1], nothing, until).run()
                used += 1
            gained, rounds = 1.0, 1
            while gained > _GAIN:
                report(f"round {rounds + 1}")
                raised = _Round(self.table.sizes, self.k, columns, prices, until).run()
                total = self._sum(raised)
                gained = 1 - self._sum(prices) / total if total else 0.0
                prices, rounds = raised, rounds + 1
        return prices * (1 - _SAFE), used, rounds

    def _sum(self, prices: Reals) -> float:
        return float(prices @ self.table.sizes)


def order_columns(table: PricedTable) -> list[PricedLevels]:
    """Return the columns in the order in which a search takes them in: those with most values first."""
    return sorted(table.columns, key=lambda column: -len(set(column.codes[0].tolist())))


class _Round:
    """One round: how far each price may rise if all rise at once.

    In a group each price may rise to the k-th highest one, which changes no sum of k prices, and then by the k-th part
    of the room that is left. The nodes are visited column by column. A group is left as soon as it has fewer than k
    records, as its parts have fewer still, and as soon as no part of it can forbid what is allowed so far, as costs
    only grow from column to column.
    """

    def __init__(self, sizes: Numbers, k: int, columns: Sequence[PricedLevels], prices: Reals, until: float) -> None:
        self._sizes, self._k, self._columns, self._prices, self._until = sizes, k, columns, prices, until
        # What a suppressed record pays, whatever its class.
        self._allowed: Reals = sum((column.costs[-1] for column in columns), start=0.0 * prices)

    def run(self) -> Reals:
        """Return the raised prices.

        Raises
        ------
        _OutOfTimeError
            If it takes too long.
        """
        import numpy as np

        highest_first = np.argsort(-self._prices, kind="stable")
        nothing = np.zeros(len(highest_first))
        self._descend(0, highest_first, nothing.astype(np.int64), nothing)
        return np.maximum(self._prices, self._allowed)

    def _descend(self, depth: int, rows: Numbers, groups: Numbers, paid: Reals) -> None:
        """Visit all levels of a column, below one choice of levels of the columns before it.

        Parameters
        ----------
        rows : array
            The combinations that are still looked at: group after group, the highest price first.
        groups : array
            The group of each.
        paid : array
            What a record pays in the columns before.
        """
        import numpy as np

        if time.monotonic() > self._until:
            raise _OutOfTimeError
        column, is_last = self._columns[depth], depth == len(self._columns) - 1
        several = max(1, _AT_ONCE // len(rows))
        for lowest in range(0, len(column.codes), several):
            parts = _split(column, range(lowest, min(lowest + several, len(column.codes))), rows, groups, paid)
            prices, sizes = self._prices[parts.rows], self._sizes[parts.rows]
            until = np.cumsum(sizes)
            before = until - sizes
            before -= before[parts.starts][parts.of_row]
            taken = np.clip(self._k - before, 0, sizes)
            room = parts.paid - (np.add.reduceat(taken * prices, parts.starts) / self._k)[parts.of_row]
            enough = np.add.reduceat(sizes, parts.starts) >= self._k
            if is_last:
                # The last of the k highest: those below it may rise to it.
                least = np.minimum.reduceat(np.where(taken > 0, prices, np.inf), parts.starts)
                counts = enough[parts.of_row]
                allowed = np.maximum(prices, least[parts.of_row]) + room
                np.minimum.at(self._allowed, parts.rows[counts], allowed[counts])
                continue
            forbids = prices + room < self._allowed[parts.rows] - _EXACT
            stays = enough & np.logical_or.reduceat(forbids, parts.starts)
            for piece in parts.cut(stays):
                self._descend(depth + 1, *piece)


class _Parts(NamedTuple):
    """Groups of rows, split by what they show in one more column, at some of its levels."""

    rows: Numbers
    """Part after part; within each they keep their order."""
    of_row: Numbers
    """The part of each."""
    starts: Numbers
    """Where each part begins."""
    paid: Reals
    """What a record of each row pays in the columns so far."""

    def cut(self, stays: NDArray[np.bool_]) -> Iterator[tuple[Numbers, Numbers, Reals]]:
        """Yield the rows, parts and costs of some parts, a few of them at a time."""
        import numpy as np

        kept = np.flatnonzero(stays[self.of_row])
        part = (np.cumsum(stays) - 1)[self.of_row[kept]]
        begins = np.flatnonzero(np.diff(part, prepend=-1))
        # A part is in the piece in which its first row is.
        firsts = begins[np.flatnonzero(np.diff(begins // _AT_ONCE, prepend=-1))]
        for piece in np.split(np.arange(len(kept)), firsts[1:]):
            if len(piece):
                chosen = kept[piece]
                yield self.rows[chosen], part[piece] - part[piece[0]], self.paid[chosen]


def _split(column: PricedLevels, levels: range, rows: Numbers, groups: Numbers, paid: Reals) -> _Parts:
    import numpy as np

    codes = np.stack([column.codes[level][rows] for level in levels])
    pays = np.stack([paid + column.costs[level][rows] for level in levels])
    above = np.arange(len(levels))[:, None] * (int(groups[-1]) + 1) + groups
    keys = (above * (int(codes.max()) + 1) + codes).ravel()
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    begins = np.concatenate([[True], keys[1:] != keys[:-1]])
    return _Parts(rows[order % len(rows)], np.cumsum(begins) - 1, np.flatnonzero(begins), pays.ravel()[order])


# The check of the proof. It shares nothing with the search, and is short, so that anybody can read that it is right.


def find_excess(columns: Sequence[PricedLevels], sizes: Numbers, k: int, prices: Reals) -> float:
    """Return by how much prices are too high at most: they prove the bound if it is nothing, or less.

    Of each group of at least k records at each lattice node, the k highest prices may add up to k times what a record
    pays there; and no price may be higher than what a suppressed record pays. A group is left early if it has fewer
    than k records, or no price above what is paid already.
    """
    import numpy as np

    excess = [float((prices - np.sum([column.costs[-1] for column in columns], axis=0)).max())]

    def visit(level_of: int, rows: Numbers, group: Numbers, paid: Reals) -> None:
        if level_of == len(columns):
            order = np.lexsort((-prices[rows], group))
            ordered, price, size = group[order], prices[rows][order], sizes[rows][order]
            earlier = np.cumsum(size) - size
            earlier -= earlier[np.searchsorted(ordered, ordered)]
            highest = np.bincount(ordered, np.minimum(size, np.maximum(k - earlier, 0)) * (price - paid[order]))
            excess.append(float(highest.max()))
            return
        for code, cost in zip(*columns[level_of], strict=True):
            pays = paid + cost[rows]
            key = np.unique(group * (code.max() + 1) + code[rows], return_inverse=True)[1]
            stays = (np.bincount(key, sizes[rows]) >= k) & (np.bincount(key, prices[rows] > pays) > 0)
            if stays.any():
                visit(level_of + 1, rows[stays[key]], key[stays[key]], pays[stays[key]])

    visit(0, np.arange(len(sizes)), np.zeros(len(sizes), np.int64), np.zeros(len(sizes)))
    return max(excess)
