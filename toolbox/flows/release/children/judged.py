"""Child tables with quasi-identifiers of their own: searched, proved and suppressed together with the main table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import FromClause, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Config
from toolbox.errors import InputError
from toolbox.flows.release.children.plain import ChildRun
from toolbox.methods.anonymizer import Anonymization
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.proof.proof import prove, prove_together, restore_tables
from toolbox.queries.dialect import count_where
from toolbox.report.columns import (
    ChildTableResult,
    measure_information,
)
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Source
from toolbox.store.load.beside import ChildRows, JoinedTables, ReleasedRows, refuse_orphans
from toolbox.store.load.combinations import PERSON, PersonReader
from toolbox.store.load.loading import Loaded, Loader
from toolbox.store.load.problems import ask_what_becomes
from toolbox.store.tables import Tables


class JudgedChildRun(ChildRun):
    """A child table of which somebody may know columns: its records are judged with those of the main table."""

    initial: Tables
    finished: Tables

    def _find_columns(self, loader: Loader, store: Store) -> None:
        self._loader = _ChildLoader(self.config, self.source, store, loader)
        self.layout = self._loader.layout

    def _read(self, everybody: FromClause, loaded: Loaded) -> None:
        self.loaded, orphans, lacking = self._loader.load_among(self.name, everybody, loaded)
        self.initial, rows = self.loaded.tables, self.loaded.tables.identified
        assert rows is not None, "persons are declared"
        read, rejected = self.loaded.records_read, self.loaded.account.rejects.count
        self.rows = ChildRows(self.initial.store, rows.table, read, orphans, rejected, lacking)

    def keep(self, released: FromClause) -> None:
        """Keep the rows of persons who are released: those of the others are suppressed in the finished tables."""
        tables, identified = self.finished, self.initial.identified
        assert identified is not None, "persons are declared"
        record, classes, who = tables.anon_record, tables.equivalence, identified.records
        is_shown = (classes.c.equivalence_id == record.c.equivalence_id) & ~classes.c.suppressed
        joined = record.join(classes, is_shown).join(who, who.c.record_id == record.c.record_id)
        counts = func.count(), func.count(who.c[PERSON].distinct())
        count, persons = map(int, tables.store.row(select(*counts).select_from(joined)))
        tables.store.drop_columns(identified.table, [PERSON])
        self._make_columns(ReleasedRows(self.rows, tables, count, persons, tables.store.count(released)))

    def describe(self) -> ChildTableResult:
        """Say what became of the table, and how far its quasi-identifiers were generalised."""
        kept, notes = measure_information(self.kept.tables), self.loaded.notes
        columns = self._measure_columns()
        return replace(super().describe(), quasi_identifiers=columns, information=kept, notes=notes)


class _ChildLoader(Loader):
    """Reads a child table as a main table is read, without the rows of persons who are not there."""

    _among: FromClause | None = None

    def __init__(self, config: Config, source: Source, store: Store, main: Loader) -> None:
        super().__init__(config, source, store)
        assert main.persons is not None, "persons are declared"
        self.persons: PersonReader = replace(main.persons, columns=self._layout.find_persons(config), joined=False)
        self._may_learn = main._may_learn

    def load_among(self, name: str, everybody: FromClause, loaded: Loaded) -> tuple[Loaded, int, int]:
        """Read the rows of persons of the main table; return how many have no person there, and how many lack a value.

        Parameters
        ----------
        name : str
            Of the table.
        everybody : FromClause
            ``person``, all persons of the main table.
        loaded : Loaded
            The main table: rows of persons who were left out of it are left out, too.

        Raises
        ------
        InputError
        UsageError
        """
        identified, store, nobody = loaded.tables.identified, self._store, self.persons.nobody
        assert identified is not None, "persons are declared"
        kept = select(identified.table.c[PERSON].label("person")).where(identified.table.c[PERSON] != nobody)
        self._among = among = store.create("among", kept.distinct())
        rows = select(self.persons.code(self._source.relation(), self._missing).label("person")).subquery()
        is_lacking, is_known = rows.c.person == nobody, rows.c.person.in_(select(everybody.c.person))
        tests = is_lacking, ~is_lacking & ~is_known, ~rows.c.person.in_(select(among.c.person))
        found = store.row(select(func.count(), *map(count_where, tests)).select_from(rows))
        read, lacking, unknown, strange = (int(count or 0) for count in found)
        refuse_orphans(self._source, self._config, name, lacking, unknown)
        if read == strange:
            raise InputError(f"{self._source.name}: no record is of a person of the main table. Is the key right?")
        made = self.load()
        skipped = made.records_skipped - strange
        if self._missing.needs_choice(read, skipped):
            ask_what_becomes(self._source.name, read, skipped, self._count_missing(rows))
        store.drop(among)
        return made, lacking + unknown, skipped

    def _has_other_missing(self, relation: FromClause) -> ColumnElement[bool]:
        lacks = super()._has_other_missing(relation)
        if self._among is None:
            return lacks
        return lacks | ~self.persons.code(relation, self._missing).in_(select(self._among.c.person))

    def _refuse_missing(self, skipped: int) -> None:
        if any(self._count_missing(self._source.relation()).values()):
            super()._refuse_missing(skipped)


def join_judged(config: Config, loader: Loader, loaded: Loaded, children: Sequence[ChildRun]) -> JoinedTables | None:
    """Join the tables whose records are judged together; None if only the main table has quasi-identifiers."""
    judged = {f"{child.name}.": child.initial for child in children if isinstance(child, JudgedChildRun)}
    if not judged:
        return None
    assert loader.persons is not None, "persons are declared"
    persons = replace(loader.persons, joined=config.attacker != "rows")
    return JoinedTables.join({"": loaded.tables, **judged}, persons)


def take_apart(joined: JoinedTables, made: Anonymization, children: Sequence[ChildRun], k: int) -> Anonymization:
    """Give each table what was made of it, and prove the finished tables once more, by themselves and together.

    Parameters
    ----------
    k : int
        Fewest persons who must be alike.

    Returns
    -------
    Anonymization
        Of the main table, with the proof of all.

    Raises
    ------
    ProofError
    """
    finished = []
    for initial, final in zip(joined.parts, joined.take_apart(made.tables), strict=True):
        own = prove(initial, final, (KAnonymity(k=k),))
        finished.append((restore_tables(initial, final, own), own))
    if made.proof.judges_profiles:
        prove_together([final for final, _ in finished], k)
    judged = [child for child in children if isinstance(child, JudgedChildRun)]
    for child, (final, _) in zip(judged, finished[1:], strict=True):
        child.finished = final
    main, own = finished[0]
    proof = replace(made.proof, records=own.records, records_suppressed=own.records_suppressed)
    return Anonymization(main, proof)
