"""Anatomy: leave all values as they are, but tell only to which small, diverse group a sensitive value belongs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sqlalchemy import BigInteger, Integer, SmallInteger, String, cast, false, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.formats import FormatName
from toolbox.config.model import Parameter
from toolbox.errors import SettingError, UnsatisfiableError, UsageError
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.queries.dialect import Query, Table, find_row_place, list_whole_numbers, shuffle_records, whole_quotient
from toolbox.store.tables import SensitiveTables, Tables


@dataclass(frozen=True, kw_only=True)
class Anatomy(Anonymizer):
    """Groups of l records with l different sensitive values; nothing is generalised.

    Records are ordered by their sensitive value, the most frequent value first and at random within a value, and dealt
    out to n // l groups in turn. As no value has more than n / l records, those of one value go to different groups:
    every group has l different values, drawn from the largest buckets down. The fewer than l residual records, at the
    end of the order, go in the same way to groups that lack their value.

    The loop of the paper takes one record from each of the l largest buckets until fewer than l are left. Dealing needs
    no loop; its groups have the same sizes and diversity, though not always the same values side by side.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Distinct l-diversity with a whole l, of one sensitive attribute.
    seed : int, optional
        Makes the groups reproducible, and guessable; None: the operating system's randomness.

    References
    ----------
    Xiao and Tao (2006). Anatomy: simple and effective privacy preservation. VLDB, 139-150.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 61, 64], "illness": ["flu", "gout", "flu", "cold"]})
    >>> declared = {"quasi_identifiers": ["age"], "sensitive": ["illness"]}
    >>> result = toolbox.anonymize(people, l=2, method="Anatomy", seed=1, order="input", **declared)
    >>> ages, illnesses = result.parts
    >>> ages
      age  group
    0  64      1
    1  23      1
    2  25      2
    3  61      2
    >>> illnesses
       group illness
    0      1     flu
    1      1    cold
    2      2     flu
    3      2    gout
    """

    name: ClassVar[str] = "Anatomy"
    summary: ClassVar[str] = (
        "Leaves all values as they are, and releases two tables: each sensitive value may belong to several people."
    )
    rank: ClassVar[int] = 100
    parameter: ClassVar[Parameter] = "distinct l"
    only_format: ClassVar[FormatName | None] = "anatomy"
    reference: ClassVar[str] = "Xiao and Tao 2006, VLDB 139-150"

    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.models) != 1:
            raise UsageError(f"Anatomy honours one privacy model, distinct l-diversity, not {len(self.models)}.")
        if self._l != self._model.l:
            raise SettingError("l", self._model.l, "a whole number: Anatomy forms groups of l records")

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return isinstance(model, DistinctLDiversity)

    @property
    def _model(self) -> DistinctLDiversity:
        (model,) = self.models
        assert isinstance(model, DistinctLDiversity)
        return model

    @property
    def _l(self) -> int:
        return int(self._model.l)

    def anonymize(self, tables: Tables) -> Tables:
        assert self._model.attribute is not None
        sensitive = tables.sensitive[self._model.attribute]
        self._require_eligible(tables, sensitive)
        store = tables.store
        buckets = store.create("buckets", _rank_buckets(sensitive, store.count(sensitive.overall)))
        dealt = store.create_joined("dealt", self._in_turn(tables, sensitive, buckets), lasting=True)
        count = tables.record_count // self._l
        records = store.create_view("grouped", _deal_records(dealt, count))
        store.drop(buckets)
        roots = [
            literal(attribute.root).label(name)
            for attribute, name in zip(tables.quasi_identifiers, tables.interval_names, strict=True)
        ]
        groups = store.create("groups", select(*_select_groups(tables.record_count, count)), lasting=True)
        # What all groups have in common is not stored for each of millions.
        equivalence = store.create_view("equivalence", select(*groups.c, false().label("suppressed"), *roots))
        return replace(
            tables,
            records=records,
            keys=None,
            equivalence=equivalence,
            by_number=True,
        )

    def _require_eligible(self, tables: Tables, sensitive: SensitiveTables) -> None:
        """Stop where a sensitive value has more records than there are groups."""
        most = tables.store.scalar(select(func.max(sensitive.overall.c.records)))
        if most * self._l > tables.record_count:
            possible = tables.record_count // most
            remedy = f"Lower l to at most {possible}." if possible > 1 else "No l of 2 or more is possible."
            raise UnsatisfiableError(
                f"The table is not eligible for Anatomy with l={self._l}: one value of {sensitive.name} has "
                f"{most:,} of {tables.record_count:,} records, and at most {tables.record_count // self._l:,} may have "
                f"the same. {remedy}"
            )

    def _in_turn(self, tables: Tables, sensitive: SensitiveTables, buckets: Table) -> Query:
        """Return the records in the order in which they are dealt: ``record_id, combination_id, c<position> ..``."""
        record = tables.anon_record
        kept = [column for column in record.c if column.name != "equivalence_id"]
        text = cast(record.c[f"c{sensitive.position}"], String)
        bucketed = record.join(buckets, buckets.c.text.is_not_distinct_from(text))
        return (
            select(*kept).select_from(bucketed).order_by(buckets.c.rank, shuffle_records(record, self.seed, "groups"))
        )


def _deal_records(dealt: Table, groups: int) -> Query:
    """Deal the records out: ``record_id, combination_id, equivalence_id, c<position> ..``."""
    return select(
        cast(find_row_place(dealt) % literal(groups) + 1, _number_type(groups)).label("equivalence_id"), *dealt.c
    )


def _select_groups(records: int, groups: int) -> tuple[ColumnElement[int], ColumnElement[int]]:
    """List the groups and their sizes: ``equivalence_id, size``. The first ones get the residual records."""
    group = list_whole_numbers(1, groups + 1).c.number
    size = whole_quotient(literal(records) - group, literal(groups)) + 1
    return cast(group, _number_type(groups)).label("equivalence_id"), cast(size, BigInteger).label("size")


def _number_type(groups: int) -> type[Integer]:
    """Choose the type of the numbers of groups: records are sorted by it, and few bytes are sorted faster."""
    return Integer if groups < 2**31 else BigInteger


def _rank_buckets(sensitive: SensitiveTables, count: int) -> Query:
    """Return, for each text of the sensitive attribute, the rank of its bucket, the largest bucket first."""
    overall, codes = sensitive.overall, sensitive.codes
    rank = func.row_number().over(order_by=(overall.c.records.desc(), overall.c.value))
    # Records are sorted by it, and by few bytes sooner.
    kind = SmallInteger if count < 2**15 else Integer
    ranked = select(overall.c.value, cast(rank, kind).label("rank")).subquery()
    return select(codes.c.text, ranked.c.rank).join_from(codes, ranked, ranked.c.value == codes.c.value)
