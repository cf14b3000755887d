"""The quasi-identifiers of a report: how often each value occurs, before and as a reader of the release sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from sqlalchemy import Double, FromClause, Integer, case, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.charts.rows import find_bin_edges, name_bins
from toolbox.config.model import Column, Config
from toolbox.flows.arguments.tables import read_header
from toolbox.flows.judge.judge import Judged, Wanted
from toolbox.flows.judge.question import Question
from toolbox.messages import mark, say
from toolbox.published.tables import ROOT, Cells, Comparison, Domain, Release
from toolbox.queries.dialect import Query, Table, find_first_by, find_last_by
from toolbox.queries.scales import PLAIN
from toolbox.report.html.findings import ColumnPicture, FindingsBar, Original, PageFindings
from toolbox.risks.risk import count_certain_values, count_class_sizes
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables
from toolbox.treatments.treatment import Treatment, parse_treatment

_MOST_LABELS = 12
_MOST_CATEGORIES = 8
_BINS = 20
_MISSING = mark("missing")
_NOT_TOLD = mark("not told")


def list_column_measures(question: Question, k: int, *, has_original: bool) -> dict[str, Wanted]:
    """Return what is measured of columns: a picture of each, certain values, and who was at risk before."""

    def measure_original(judged: Judged) -> Original:
        beside = judged.by_person or judged.beside
        assert beside is not None, "it is wanted where the original records are read"
        return count_original_risk(judged.store, beside.people.combinations, k)

    pictures = Wanted(lambda judged: make_column_pictures(judged.shown, question.roots, judged.beside))
    certain = Wanted(lambda judged: count_certain_values(judged.shown))
    return {"pictures": pictures, "certain": certain} | ({"original": Wanted(measure_original)} if has_original else {})


def make_column_pictures(
    release: Release, roots: Mapping[str, Sequence[str]], beside: Comparison | None
) -> tuple[ColumnPicture, ...]:
    """Return a picture of each quasi-identifier.

    Parameters
    ----------
    roots : mapping of quasi-identifier to texts
        What the root of its hierarchy may be called.
    beside : Comparison, optional
        The release beside its original records.
    """
    store, columns = release.store, list(zip(release.quasi_identifiers, release.cells, strict=True))
    counts = store.each(_count_texts(cells, (ROOT, *roots.get(name, ()))) for name, cells in columns)
    frequent = store.fetch_rows_of_each(_list_most_frequent(cells) for _, cells in columns)
    pictures = [
        ColumnPicture(
            name=name,
            is_number=False,
            released_values=int(values),
            most_frequent=tuple(FindingsBar(text, int(records)) for text, records in bars),
            not_told=int(not_told),
        )
        for name, (values, not_told), bars in zip(release.quasi_identifiers, counts, frequent, strict=True)
    ]
    return tuple(pictures if beside is None else _add_originals(pictures, release, beside))


def _count_texts(cells: Table, roots: Sequence[str]) -> Query:
    """Count the distinct texts of a column, and the records that show a root."""
    hidden = func.coalesce(func.sum(cells.c.records).filter(cells.c.text.in_(roots)), 0)
    return select(func.count(), hidden).select_from(cells)


def _list_most_frequent(cells: Table) -> Query:
    ordered = select(cells.c.text, cells.c.records).order_by(cells.c.records.desc(), cells.c.text)
    return ordered.limit(_MOST_LABELS)


def count_original_risk(store: Store, combinations: Table, k: int) -> Original:
    """Count who would be at risk if the original records were released as they are.

    Parameters
    ----------
    combinations : Table
        With the ``size`` of each.
    """
    size = combinations.c.size
    small, alone = (func.coalesce(func.sum(size).filter(test), 0) for test in (size < k, size == 1))
    records, classes, at_risk, single = map(int, store.row(select(func.sum(size), func.count(), small, alone)))
    return Original(records, classes, at_risk, single, count_class_sizes(store, combinations))


def tell_uncompared(findings: PageFindings, loaded: Tables) -> PageFindings:
    """Say that a release was not compared with its original records, and who of them was at risk.

    Parameters
    ----------
    findings : PageFindings
    loaded : Tables
        The original records as the run has read them.
    """
    combinations = loaded.combinations
    note = say(
        "The original records have %(count)s different combinations. With so many, a run does not compare its release "
        "with them: what was lost, what each column held before and how many records could be those of each person are "
        "not on this page. Measured afterwards, they take minutes: %(command)s.",
        count=loaded.store.count(combinations),
        command="toolbox report --original FILE",
    )
    # Where the run counts persons, these sizes do, but the page counts what its release tells apart.
    counted = loaded.persons is None
    original = count_original_risk(loaded.store, combinations, findings.k) if counted else None
    return replace(findings, notes=(*findings.notes, note), original=original)


def tell_counted(findings: PageFindings, *, has_values: bool) -> PageFindings:
    """Say that a page is made of counts, and what these do not tell.

    Parameters
    ----------
    has_values : bool
        Whether all sensitive values were counted.
    """
    note = say(
        "The records stay in the engine. This page is made of counts: of the release as it was written, and of the "
        "input. It says nothing of sampling weights, households and a population."
    )
    uncounted = say(
        "The classes hold too many different sensitive values to be counted for this page. It tells models of "
        "sensitive attributes as the run has proved them, and nothing else of these values."
    )
    return replace(findings, notes=(*findings.notes, note, *(() if has_values else (uncounted,))))


def _add_originals(pictures: Sequence[ColumnPicture], release: Release, beside: Comparison) -> Iterator[ColumnPicture]:
    """Add what the original records had; each question is asked of all columns at once."""
    store = release.store
    columns = zip(release.cells, beside.cells, beside.people.domains, strict=True)
    spreads = [_Spread(cells, read, domain) for cells, read, domain in columns]
    shown = [_Shown(*map(int, row)) for row in store.each(spread.shown() for spread in spreads)]
    held = [_Held(*row) for row in store.each(spread.held() for spread in spreads)]
    bins = [spread.bins(its) for spread, its in zip(spreads, held, strict=True)]
    ordered = (select(each.c.bin, each.c.low, each.c.high, each.c.records).order_by(each.c.bin) for each in bins)
    before = store.fetch_rows_of_each(ordered)
    after = store.fetch_rows_of_each(spread.after(each) for spread, each in zip(spreads, bins, strict=True))
    for picture, spread, *found in zip(pictures, spreads, shown, held, before, after, strict=True):
        bars_before, bars_after = spread.bars(*found)
        yield replace(
            picture,
            is_number=spread.domain.kind == "number",
            original_values=found[1].values,
            exact=found[0].exact,
            before=bars_before,
            after=bars_after,
        )


_Bin: TypeAlias = tuple[int, str | None, str | None, int]
"""``bin, low, high, records``."""


class _Shown(NamedTuple):
    """How many records of a release show what."""

    exact: int
    """One value."""
    told: int
    """Anything but the root."""
    hidden: int


class _Held(NamedTuple):
    """The values of a column that people have."""

    values: int
    records: int
    low: float | None
    high: float | None
    fractions: int
    """Numbers that are not whole."""


@dataclass(frozen=True)
class _Spread:
    """One column: the bars of its values, and the released records spread over all values that theirs cover."""

    cells: Table
    read: Cells
    domain: Domain

    def shown(self) -> Query:
        """Count the records as `_Shown` does."""
        meanings, records = self.read.meanings, self.cells.c.records
        is_root = meanings.c.form == "root"
        tests = (meanings.c["values"] == 1) & ~is_root, ~is_root, is_root
        return select(*(func.coalesce(func.sum(records).filter(test), 0) for test in tests)).select_from(self._told())

    def held(self) -> Query:
        """Count the values as `_Held` does."""
        values = self.domain.values
        number, occurs = values.c.number, values.c.records > 0
        return select(
            func.count().filter(occurs),
            func.sum(values.c.records),
            func.min(number).filter(occurs),
            func.max(number).filter(occurs),
            func.count().filter(occurs, number != func.floor(number)),
        )

    def bins(self, held: _Held) -> FromClause:
        """Select what the bars stand for: ``bin, first, last, records, low, high``."""
        edges = self._find_bin_edges(held)
        return (self._find_bins(edges) if edges else self._largest()).subquery()

    def bars(
        self, shown: _Shown, held: _Held, before: Sequence[_Bin], after: Sequence[tuple[int, float]]
    ) -> tuple[tuple[FindingsBar, ...], tuple[FindingsBar, ...]]:
        """Return the same bars before and after, from what was found in the bins."""
        edges, then = self._find_bin_edges(held), {int(bin_): float(records) for bin_, records in after}
        named = [(int(bin_), self._name(low, high), int(records)) for bin_, low, high, records in before]
        if edges and self.domain.scale is PLAIN:
            named = self._add_empty_bins(named, name_bins(edges, whole=not held.fractions))
        first = [FindingsBar(name, records) for _, name, records in named]
        second = [FindingsBar(name, then.get(bin_, 0.0)) for bin_, name, _ in named]
        if self.domain.kind == "category":
            self._complete(first, second, shown, held)
        return tuple(first), tuple(FindingsBar(name, round(records, 1)) for name, records in second)

    @staticmethod
    def _complete(before: list[FindingsBar], after: list[FindingsBar], shown: _Shown, held: _Held) -> None:
        """Add the bars of all other categories, and of the records that show the root.

        Among numbers in their order these would have no place, and make all other bars low.
        """
        if (values := held.values - len(before)) > 0:
            others = say("others (%(count)s)", count=values)
            before.append(FindingsBar(others, int(held.records) - sum(bar.records for bar in before)))
            after.append(FindingsBar(others, max(0.0, shown.told - sum(bar.records for bar in after))))
        if shown.hidden:
            before.append(FindingsBar(_NOT_TOLD, 0))
            after.append(FindingsBar(_NOT_TOLD, shown.hidden))

    def _find_bin_edges(self, held: _Held) -> list[float]:
        """Return the edges of bins for numbers; none for categories, and where nobody has a number."""
        if self.domain.kind != "number" or held.low is None or held.high is None:
            return []
        return find_bin_edges(float(held.low), float(held.high), whole=not held.fractions, bins=_BINS)

    def _find_bins(self, edges: Sequence[float]) -> Query:
        """Select the bins of a number: ``bin, first, last, records, low, high``; a missing value stands behind them."""
        number, count = self.domain.values.c.number, len(edges) - 1
        beyond = ((number < edge, place) for place, edge in enumerate(edges[1:-1]))
        return self._grouped(cast(case((number.is_(None), count), *beyond, else_=count - 1), Integer))

    def _largest(self) -> Query:
        """Select the most frequent values, each a bin of its own, the largest first."""
        values = self.domain.values
        place = func.row_number().over(order_by=(values.c.records.desc(), values.c.value_id)).label("place")
        ranked = select(values.c.value_id, place).where(values.c.records > 0).subquery()
        joined = select(values, ranked.c.place).join(ranked, ranked.c.value_id == values.c.value_id).subquery()
        return self._grouped(joined.c.place, joined, joined.c.place <= _MOST_CATEGORIES)

    def _grouped(
        self, bin_: ColumnElement[int], rows: FromClause | None = None, test: ColumnElement[bool] | None = None
    ) -> Query:
        source = self.domain.values if rows is None else rows
        value_id, label = source.c.value_id, source.c.label
        columns = [
            bin_.label("bin"),
            func.min(value_id).label("first"),
            func.max(value_id).label("last"),
            func.sum(source.c.records).label("records"),
            find_first_by(label, value_id).label("low"),
            find_last_by(label, value_id).label("high"),
        ]
        grouped = select(*columns).select_from(source).group_by(bin_)
        return grouped if test is None else grouped.where(test)

    def after(self, bins: FromClause) -> Query:
        """Spread the records of each released value evenly over the values that it covers."""
        spans, meanings, cells = self.read.spans, self.read.meanings, self.cells
        both = func.least(spans.c.last, bins.c.last) - func.greatest(spans.c.first, bins.c.first) + 1
        share = cast(cells.c.records, Double) * both / func.nullif(meanings.c["values"], 0)
        joined = self._told().join(spans, spans.c.cell_id == cells.c.cell_id)
        joined = joined.join(bins, (spans.c.last >= bins.c.first) & (spans.c.first <= bins.c.last))
        rows = select(bins.c.bin, func.coalesce(func.sum(share), 0)).select_from(joined)
        return rows.where(meanings.c.form != "root").group_by(bins.c.bin)

    def _told(self) -> FromClause:
        return self.cells.join(self.read.meanings, self.read.meanings.c.cell_id == self.cells.c.cell_id)

    @staticmethod
    def _name(low: str | None, high: str | None) -> str:
        if low is None or high is None:
            return low or high or _MISSING
        return low if low == high else say("%(low)s to %(high)s", low=low, high=high)

    @staticmethod
    def _add_empty_bins(named: list[tuple[int, str, int]], names: Sequence[str]) -> list[tuple[int, str, int]]:
        """Name bins by their edges, and put those in between that nobody has a value of."""
        held = {bin_: records for bin_, _, records in named}
        bins = [(place, name, held.get(place, 0)) for place, name in enumerate(names)]
        return bins + [row for row in named if row[0] >= len(names)]


def find_released_columns(config: Config) -> dict[Column, Treatment]:
    """Return the columns of which a configuration says how they are released, besides those that are judged."""
    treatments = {column: parse_treatment(text) for column, text in config.treated}
    return {column: treatment for column, treatment in treatments.items() if treatment.releases}


def find_undeclared_columns(question: Question, paths: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the columns of a release that nobody declared, as far as its header tells."""
    judged = (str(attribute.column) for attribute in (*question.quasi_identifiers, *question.sensitive))
    released = map(str, find_released_columns(question.config))
    declared = {name.casefold() for name in (*judged, *released, *question.person, *question.sample.columns)}
    separator = None if question.by_name else question.config.release_separator
    names = read_header(paths, separator=separator)
    return tuple(name for name in names if name.casefold() not in declared)
