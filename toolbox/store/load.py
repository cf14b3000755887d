"""Reading: from the input to the initial AnonRecordTable and EquivalenceTable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sqlalchemy import FromClause, String, Table, cast, false, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute, Config
from toolbox.errors import InputError
from toolbox.messages import counted, either
from toolbox.queries.dialect import row_place
from toolbox.queries.numbers import Figures
from toolbox.queries.query import Query
from toolbox.steps import Steps
from toolbox.store.combinations import count_texts, injective_salt, number_combinations, text_hash
from toolbox.store.completed import completed
from toolbox.store.connection import SHARE_OF_SCAN
from toolbox.store.domain import TextDomain, read_domain
from toolbox.store.generalisations import quasi_identifier_tables
from toolbox.store.layout import Layout, find_columns
from toolbox.store.missing import MissingValues
from toolbox.store.nature import Clues
from toolbox.store.problems import check_domains, refuse_missing
from toolbox.store.sensitive import SensitiveReader
from toolbox.store.source import Account, Source
from toolbox.store.store import Store
from toolbox.store.tables import QuasiIdentifierTables, SensitiveTables, Tables


@dataclass(frozen=True)
class Loaded:
    """The initial tables, with the notes and counts of the reading."""

    tables: Tables
    layout: Layout
    records_read: int
    """Records that were cut into values, the skipped ones included."""
    records_skipped: int
    """Records that were left out because a declared column has no value."""
    account: Account
    """What is left of the input beside these records."""
    notes: tuple[str, ...] = ()
    """What was found out about columns, and what to write where it is not meant."""


class Loader:
    """Reads one input into one store.

    The input is read twice: the first time to count each distinct combination of quasi-identifier texts, the second
    time to keep the records, each with the number of its combination. Everything between works on the combinations.

    Parameters
    ----------
    judged : mapping of str to bool, optional
        The sensitive attributes that a privacy model judges, by name, and whether it must know if they are numbers.
    steps : Steps, optional
        Is told how far each reading is.
    """

    def __init__(
        self,
        config: Config,
        source: Source,
        store: Store,
        judged: Mapping[str, bool] = MappingProxyType({}),
        steps: Steps | None = None,
    ) -> None:
        self._steps = steps or Steps()
        self._source = source
        self._store = store
        self.layout = self._layout = layout = find_columns(config, source)
        declared = config.input
        self._missing = MissingValues.of(config)
        attributes = completed(config, source, layout.quasi_identifiers)
        self._quasi_identifiers = list(zip(attributes, layout.quasi_identifiers, strict=True))
        self._sensitive = list(zip(config.sensitive, layout.sensitive, strict=True))
        self._judged = judged
        self._figures = Figures(declared.decimal, declared.thousands) if declared else Figures()
        self._notes: list[str] = []
        self._compatibility = config.compatibility

    def load(self) -> Loaded:
        """Read the input.

        Raises
        ------
        ConfigurationError
            If a declared column is not there.
        InputError
            If the input cannot be read, a value is outside its domain, or no record is left.
        """
        counted = self._count()
        unusable = self._unusable(counted)
        size = counted.c.size
        totals = select(func.coalesce(func.sum(size), 0), func.coalesce(func.sum(size).filter(unusable), 0))
        read, skipped = map(int, self._store.row(totals))
        account = self._source.account(read)
        self._steps.records = read
        if skipped and self._missing.policy == "fail":
            refuse_missing(self._store, self._source, self._present_texts())
        if read == skipped:
            raise InputError(_nothing_left(self._source.name, read, account.rejects.count))
        usable = self._store.create("usable", select(counted).where(~unusable)) if skipped else counted
        domains = [self._domain(index, usable, counted) for index, _ in enumerate(self._quasi_identifiers)]
        check_domains(self._store, self._source, domains)
        quasi_identifiers = tuple(
            quasi_identifier_tables(self._store, domain, names_by_code=self._compatibility.names_by_code)
            for domain in domains
        )
        combinations, keys, records = self._keep(
            usable, domains, quasi_identifiers, expected=read - skipped, skips=skipped > 0
        )
        self._store.drop(*{counted, usable}, *(domain.texts for domain in domains))
        sensitive = self._read_sensitive(records, keys)
        tables = self._initial_tables(quasi_identifiers, sensitive, combinations, keys, records)
        return Loaded(tables, self._layout, read, skipped, account, tuple(self._notes))

    def _count(self) -> Table:
        """Count the records of each combination of texts, in a first reading."""
        relation = self._source.relation()
        texts = _texts(relation, self._quasi_identifiers)
        with self._steps.reading("count", self._store.share, until=SHARE_OF_SCAN):
            return self._store.create("counted", count_texts(texts, self._lacks_another(relation)))

    def _lacks_another(self, relation: FromClause) -> ColumnElement[bool]:
        """Test whether a record lacks a value in a column that is no quasi-identifier."""
        sensitive = [(attribute, _text(relation, position)) for attribute, position in self._sensitive]
        declared = {*self._layout.quasi_identifiers, *self._layout.sensitive}
        texts = [_text(relation, position) for position in range(self._source.width) if position not in declared]
        return or_(self._missing.disqualifies(sensitive), self._missing.marked(texts))

    def _counted_texts(self, counted: FromClause) -> list[tuple[Attribute, ColumnElement[str]]]:
        return [
            (attribute, counted.c[f"text_{index}"])
            for index, (attribute, _) in enumerate(self._quasi_identifiers, start=1)
        ]

    def _unusable(self, counted: FromClause) -> ColumnElement[bool]:
        """Test whether the records of a combination are skipped."""
        return or_(counted.c.unusable, self._missing.disqualifies(self._counted_texts(counted)))

    def _domain(self, index: int, usable: Table, counted: Table) -> TextDomain:
        attribute, text = self._counted_texts(usable)[index]
        _, any_text = self._counted_texts(counted)[index]
        texts = select(self._missing.value(attribute, text).label("text")).distinct()
        position = self._quasi_identifiers[index][1]
        kind = self._source.kinds[position] or ("number" if self._compatibility.takes_text_for_numbers else None)
        domain = read_domain(
            self._store,
            attribute,
            position=position,
            clues=Clues(kind, self._source.zones[position], self._figures, "number"),
            texts=texts,
            all_texts=select(any_text.label("text")),
            kept_missing=self._missing.kept,
        )
        self._notes += domain.nature.notes
        return domain

    def _keep(
        self,
        usable: Table,
        domains: Sequence[TextDomain],
        quasi_identifiers: Sequence[QuasiIdentifierTables],
        *,
        expected: int,
        skips: bool,
    ) -> tuple[Table, Table, Table]:
        """Create the table of records with their keys, in a second reading, and number the combinations."""
        texts = self._counted_texts(usable)
        raw = [text for _, text in texts]
        salt = injective_salt(self._store, usable, raw)
        values = [self._missing.value(attribute, text).label(text.name) for attribute, text in texts]
        keyed = select(text_hash(raw, salt).label("key"), usable.c.size, *values)
        combinations, keys = number_combinations(
            self._store, keyed, domains, quasi_identifiers, rewritten=self._missing.rewrites
        )
        with self._steps.reading("keep", self._store.share):
            records = self._store.create("records", self._second_reading(salt, skips=skips), lasting=True)
        # A record with an unknown key would be found by the proof, which looks every key up.
        if self._store.count(records) != expected:
            # The first reading does not decode the columns that pass through; the second one may have refused some.
            self._source.require_encoding()
            raise InputError(f"{self._source.name} changed while it was read. Run again when nothing writes to it.")
        return combinations, keys, records

    def _second_reading(self, salt: int, *, skips: bool) -> Query:
        """Select the records with their keys, without a join, which would lose their order."""
        relation = self._source.relation()
        texts = _texts(relation, self._quasi_identifiers)
        passed = [relation.c[f"c{position}"] for position in self._layout.passed_through]
        kept = select(text_hash(texts, salt).label("key"), *passed)
        if not skips:
            return kept
        values = [(attribute, text) for (attribute, _), text in zip(self._quasi_identifiers, texts, strict=True)]
        return kept.where(~or_(self._lacks_another(relation), self._missing.disqualifies(values)))

    def _present_texts(self) -> list[tuple[Attribute, int, Query]]:
        """List, for each declared column, its texts that are not missing."""
        relation = self._source.relation()
        columns: list[tuple[Attribute, int, Query]] = []
        for attribute, position in [*self._quasi_identifiers, *self._sensitive]:
            text = _text(relation, position)
            present = select(text.label("text")).where(~self._missing.test(attribute, text)).distinct()
            columns.append((attribute, position, present))
        return columns

    def _read_sensitive(self, records: Table, keys: Table) -> Mapping[str, SensitiveTables]:
        reader = SensitiveReader(
            store=self._store,
            source=self._source,
            missing=self._missing,
            judged=self._judged,
            figures=self._figures,
        )
        kinds = self._layout.sensitive_kinds
        declared = [(*column, kind) for column, kind in zip(self._sensitive, kinds, strict=True)]
        tables = reader.read(declared, records, keys)
        self._notes += reader.notes
        return MappingProxyType(tables)

    def _initial_tables(
        self,
        quasi_identifiers: tuple[QuasiIdentifierTables, ...],
        sensitive: Mapping[str, SensitiveTables],
        combinations: Table,
        keys: Table,
        records: Table,
    ) -> Tables:
        """Make every combination a class of its own."""
        intervals = [combinations.c[f"interval_{index}"] for index, _ in enumerate(quasi_identifiers, start=1)]
        classes = select(
            combinations.c.combination_id.label("equivalence_id"),
            combinations.c.size,
            false().label("suppressed"),
            *intervals,
        )
        record_id = row_place(records).label("record_id")
        record = self._store.create_view("record", select(record_id, *records.c))
        return Tables(
            store=self._store,
            quasi_identifiers=quasi_identifiers,
            records=record,
            keys=keys,
            equivalence=self._store.create_view("equivalence", classes),
            combinations=combinations,
            record_count=self._store.count(records),
            sensitive=sensitive,
        )


def _text(relation: FromClause, position: int) -> ColumnElement[str]:
    return cast(relation.c[f"c{position}"], String)


def _texts(relation: FromClause, declared: Sequence[tuple[Attribute, int]]) -> list[ColumnElement[str]]:
    return [_text(relation, position) for _, position in declared]


def _nothing_left(name: str, read: int, rejected: int) -> str:
    if read:
        settings = either("missing= and onMissing= of input", python="on_missing=")
        lack = "its only record lacks" if read == 1 else f"all {read:,} records lack"
        return f"{name}: {lack} a declared value. See {settings}."
    if rejected:
        return f"{name}: none of {counted(rejected, 'line')} fits the first one. Are separator and header right?"
    return f"{name} holds no record. A table needs at least one."
