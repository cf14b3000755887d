"""The proof behind the write: what was written is counted again, and this count alone is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Protocol

from sqlalchemy import (
    BigInteger,
    FromClause,
    Integer,
    String,
    and_,
    cast,
    false,
    func,
    literal,
    null,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Kind
from toolbox.errors import ProofError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.proof.proof import Proof, count_covered_people
from toolbox.privacy.results import judge_classes, require_all
from toolbox.queries.dialect import Query, Table, number_or_null
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

_TURN = 2**64
"""After how many a checksum begins anew: two that differ by whole turns are the same."""


class JudgedValues(NamedTuple):
    """The values of a sensitive attribute, as `toolbox.store.tables.SensitiveTables` describes them."""

    kind: Kind
    codes: FromClause
    overall: FromClause
    tree: FromClause | None


class _MappedClasses(Protocol):
    """What becomes of each combination."""

    @property
    def keys(self) -> Table:
        """``key, class_id``, as the keys of the tables."""

    @property
    def classes(self) -> Table:
        """``class_id`` and the shown columns."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns of texts, by which readers tell classes apart."""


@dataclass(frozen=True, kw_only=True)
class Recount:
    """A release that was counted again, beside what it should show. All in one store."""

    store: Store
    shown: tuple[str, ...]
    """The columns of texts by which readers tell classes apart."""
    stated: FromClause
    """The shown columns, ``size, suppressed`` and all `sums`: one row per class."""
    found: FromClause
    """The shown columns, ``size`` and all `sums`, in as many rows as one likes."""
    sums: tuple[str, ...] = ()
    """Columns of checksums that add up; where one grows beyond 64 bits, it begins anew."""
    persons: bool = False
    """Whether persons were counted: then `stated`, `found` and `held` have ``persons``, which add up, as each person is
    in one class, and models judge these. Otherwise each record is one."""
    held: Mapping[str, FromClause] = field(default_factory=lambda: MappingProxyType({}))
    """For each judged attribute the shown columns, ``text, size``, in as many rows as one likes."""
    values: Mapping[str, JudgedValues] = field(default_factory=lambda: MappingProxyType({}))
    """For each judged attribute what its values are."""
    people: FromClause | None = None
    """The people of a population whom each class covers: the shown columns, ``size, outside``. None: nobody asks."""

    def prove(self, models: Sequence[PrivacyModel]) -> Proof:
        """Compare the found classes with the expected ones, and judge the found ones.

        Records that are suppressed form no class, unless a class shows the roots as they do: then no reader can tell
        them apart, and they are judged together.

        Raises
        ------
        ProofError
            If a class is missing, invented or of another size, or has other persons, if a checksum differs, or if a
            model does not hold.
        """
        store = self.store
        compared = store.create("compared", self._compare_counts())
        differing = (compared.c.size_differs, compared.c.persons_differ, compared.c.sum_differs)
        sizes_differ, persons_differ, sums_differ = store.row(
            select(*(func.count().filter(condition) for condition in differing))
        )
        _require(not sizes_differ, "a class is missing, invented or of another size")
        _require(not persons_differ, "a class has more or fewer persons than were counted")
        _require(not sums_differ, "records were exchanged or changed")
        # Whoever counts parts of a table may count nobody.
        sizes = store.create("sizes", select(compared).where(~compared.c.suppressed, compared.c.records > 0))
        results = tuple(judge_classes(store, self._judged(sizes, model.attribute), model) for model in models)
        require_all(results)
        total, records = (
            int(store.scalar(select(func.coalesce(func.sum(table.c.records), 0)))) for table in (compared, sizes)
        )
        count, smallest, people = store.row(select(func.count(), func.min(sizes.c.size), func.sum(sizes.c.size)))
        return Proof(
            records=total,
            records_suppressed=total - records,
            classes=count,
            smallest_class=smallest,
            average_class=int(people) / count if count else None,
            models=results,
        )

    @staticmethod
    def count_people(tables: Tables, mapped: _MappedClasses, models: Sequence[PrivacyModel]) -> FromClause | None:
        """Count the people of a population whom each class covers, as `Recount.people`; None where no model asks."""
        if not any(model.needs_population for model in models):
            return None
        placed, keys, classes = tables.keys, mapped.keys, mapped.classes
        assert placed is not None, "the class of a record follows from its combination"
        same = placed.c.key == keys.c.key
        pairs = select(placed.c.equivalence_id, keys.c.class_id.label("seen_id")).join_from(placed, keys, same)
        covered = count_covered_people(tables, tables.store.create("seen", pairs.distinct()))
        texts, beside = [classes.c[name] for name in mapped.shown], covered.c.equivalence_id == classes.c.class_id
        return select(*texts, covered.c.size, covered.c.outside).join_from(classes, covered, beside).subquery()

    def _compare_counts(self) -> Query:
        """Join found with stated numbers: one row for each combination of texts.

        Both are stacked and grouped, not joined: so null texts are alike, too.
        """
        stated, found = self.stated, self.found
        suppressed = cast(stated.c.suppressed, Integer).label("suppressed")
        amounts = ("size", *(["persons"] if self.persons else []), *self.sums)
        rows = union_all(
            select(*self._shown(stated), *_select_amounts(stated, amounts, "stated"), suppressed),
            select(*self._shown(found), *_select_amounts(found, amounts, "found"), null()),
        ).subquery()
        missing = {name: _sum_of(rows, name, "stated") - _sum_of(rows, name, "found") for name in amounts}
        judged = _sum_of(rows, "persons" if self.persons else "size", "found")
        return select(
            *self._shown(rows),
            cast(func.row_number().over(), Integer).label("equivalence_id"),
            cast(judged, BigInteger).label("size"),
            cast(_sum_of(rows, "size", "found"), BigInteger).label("records"),
            (func.coalesce(func.min(rows.c.suppressed), 0) == 1).label("suppressed"),
            (missing["size"] != 0).label("size_differs"),
            (missing.get("persons", missing["size"]) != 0).label("persons_differ"),
            or_(false(), *(missing[name] % _TURN != 0 for name in self.sums)).label("sum_differs"),
        ).group_by(*self._shown(rows))

    def _shown(self, rows: FromClause) -> list[ColumnElement[str]]:
        return [cast(rows.c[name], String).label(name) for name in self.shown]

    def _judged(self, sizes: Table, attribute: str | None) -> Classes:
        return replace(self._find_values(sizes, attribute), population=self._find_people(sizes))

    def _find_people(self, sizes: Table) -> FromClause | None:
        if (people := self.people) is None:
            return None
        alike = and_(*(cast(people.c[name], String).is_not_distinct_from(sizes.c[name]) for name in self.shown))
        covered = select(sizes.c.equivalence_id, people.c.size, people.c.outside).join_from(sizes, people, alike)
        return self.store.create("people", covered)

    def _find_values(self, sizes: Table, attribute: str | None) -> Classes:
        if attribute is None:
            return Classes(sizes)
        held, values = self.held[attribute], self.values[attribute]
        amount = held.c.persons if self.persons else held.c.size
        texts = select(*self._shown(held), held.c.text, amount.label("size")).subquery()
        alike = and_(*(texts.c[name].is_not_distinct_from(sizes.c[name]) for name in self.shown))
        codes = values.codes
        joined = texts.join(sizes, alike).outerjoin(codes, codes.c.text.is_not_distinct_from(texts.c.text))
        # Two engines may write one number in two ways.
        value = func.coalesce(codes.c.value, number_or_null(texts.c.text)) if values.kind == "number" else codes.c.value
        records = cast(func.sum(texts.c.size), BigInteger).label("records")
        rows = select(sizes.c.equivalence_id, value.label("value"), records).select_from(joined)
        histogram = self.store.create("histogram", rows.group_by(sizes.c.equivalence_id, value))
        unknown = select(func.count()).where(histogram.c.value.is_(None))
        _require(not self.store.scalar(unknown), f"a value of {attribute} is none of those that were counted")
        of_class = histogram.c.equivalence_id
        added = select(of_class, func.sum(histogram.c.records).label("records")).group_by(of_class).subquery()
        beside = sizes.outerjoin(added, added.c.equivalence_id == sizes.c.equivalence_id)
        # A person may have several values.
        is_wrong = added.c.records < sizes.c.size if self.persons else added.c.records != sizes.c.size
        wrong = select(func.count()).select_from(beside).where(func.coalesce(is_wrong, literal(True)))
        _require(not self.store.scalar(wrong), f"the values of {attribute} do not add up to the size of their class")
        shown = Classes(sizes, histogram, values.overall, values.kind, values.tree)
        return replace(shown, counts_persons=self.persons)


def _select_amounts(rows: FromClause, names: Sequence[str], whose: str) -> list[ColumnElement[int]]:
    """Select amounts and checksums of one side, and zeros for the other."""
    return [
        (rows.c[name] if side == whose else literal(0)).label(f"{side}_{name}")
        for side in ("stated", "found")
        for name in names
    ]


def _sum_of(rows: FromClause, name: str, whose: str) -> ColumnElement[int]:
    return func.sum(rows.c[f"{whose}_{name}"])


def _require(fine: bool, what: str) -> None:
    if not fine:
        raise ProofError(f"Proof failed: {what} in the release that was written. Nothing was published.")
