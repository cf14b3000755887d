"""Earlier releases beside a run: what all tell together of each person is counted before anything is released."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import FromClause, String, TableClause, cast, func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Column, Config, Input
from toolbox.config.settings import EARLIER_KEY, EARLIER_REPAIR, value_of
from toolbox.errors import InputError, ToolboxError, UnknownColumnError, UnsatisfiableError, UsageError
from toolbox.flows.arguments.checks import TABLE, make_text_input
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import JudgedTables, TableSource, check_judged_table
from toolbox.messages import choose_setting_name, find_suppression_setting, format_count
from toolbox.privacy.people import count_people_required
from toolbox.published.tables import Release
from toolbox.report.judges.risk import EarlierResult
from toolbox.risks.coarser import (
    EarlierProfiles,
    count_labels,
    count_without,
    find_earlier_profiles,
    number_seen_classes,
)
from toolbox.risks.joint import JointClasses, JointRisk, compare_linked_values, count_lone_links, link_persons
from toolbox.store.input.files import InputFiles
from toolbox.store.load.loading import Loaded, Loader
from toolbox.store.tables import Tables

_FEWEST: Final = 2
"""Persons who should be alike where no model says how many."""


@dataclass(frozen=True)
class EarlierReleases:
    """The earlier releases that are counted beside the release of a run.

    Parameters
    ----------
    config : Config
        Of the run.
    tables : sequence of path or table
    k : int
        Fewest persons who should be alike in all releases.
    """

    config: Config
    tables: Sequence[Any]
    k: int
    _read: list[Release] = field(default_factory=list, init=False)
    """The earlier releases, once they were read."""

    @property
    def repairs(self) -> bool:
        """Whether values become wider where somebody is among too few."""
        return bool(value_of(self.config, EARLIER_REPAIR))

    @classmethod
    def find(cls, config: Config, models: Sequence[Any]) -> EarlierReleases | None:
        """Return the earlier releases of a run; None where none are named.

        Raises
        ------
        UsageError
            If nothing tells persons apart in all of them, or the release is none that can be compared.
        """
        key = value_of(config, EARLIER_KEY)
        if not config.earlier:
            said = {"--earlier-key": key, "--earlier-repair": value_of(config, EARLIER_REPAIR)}
            for option, is_said in said.items():
                if is_said:
                    name = choose_setting_name(f"{option.removeprefix('--earlier-')}=", options=option)
                    earlier = choose_setting_name("Name their files in <earlier>", options="Also write --with FILE")
                    raise UsageError(f"{name} says something of earlier releases, and none is named. {earlier}.")
            return None
        if value_of(config, EARLIER_REPAIR) and config.limits.store is not None:
            raise UsageError(
                "A repair keeps beside the records who was where in earlier releases, and a store that is kept would "
                f"tell it. Leave out {choose_setting_name('--store', python='the store')}."
            )
        if config.output.format.has_groups:
            raise UsageError("The groups of an anatomy cannot be compared with earlier releases. Leave these out.")
        if config.engine is not None:
            raise UsageError(
                "Earlier releases are compared with records that are read here, and these stay in an engine. Leave "
                "them out, or name an input that is a file."
            )
        if key is None and not config.person:
            named = choose_setting_name(
                "<person>, or key= in <earlier>",
                options="--person NAME, or --earlier-key NAME",
                python="person= or earlier_key=",
            )
            raise UsageError(
                "Nothing tells persons apart in the new release and the earlier ones. Name a column that all of them "
                f"have: {named}. Where no column does, compare the releases afterwards, without a link: toolbox risk "
                "--earlier FILE --key none.",
                setting=EARLIER_KEY.name,
            )
        return cls(config, config.earlier, count_people_required(models) or _FEWEST)

    @property
    def name(self) -> str:
        """What messages call them."""
        names = [table.name if isinstance(table, Path) else "an earlier table" for table in self.tables]
        if len(set(names)) == 1 < len(names):
            return f"{len(names)} earlier tables"
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

    def prepare(self, loader: Loader) -> None:
        """Have what tells persons apart kept with the records; the files must not change until they are read.

        Raises
        ------
        UsageError
            If the new table has no such column.
        """
        loader.link_by(self._find_positions(loader))

    def list_files(self) -> list[Path]:
        """List the files that will be read."""
        files: list[Path] = []
        for table in self.tables:
            if isinstance(table, Path):
                with suppress(InputError):  # which opening them reports
                    files += InputFiles(Input(path=table)).paths
        return files

    def _find_positions(self, read: Loader | Loaded) -> list[int]:
        """Find the columns that tell persons apart in the new table."""
        layout, key = read.layout, value_of(self.config, EARLIER_KEY)
        if key is None:
            return list(layout.find_persons(self.config))
        if layout.names.count(key) != 1:
            raise UnknownColumnError(key, "The new table", layout.names)
        return [layout.names.index(key)]

    def measure(self, loaded: Loaded, made: Tables, *, refuses: bool) -> EarlierResult:
        """Count what the finished release and the earlier ones tell together.

        Parameters
        ----------
        made : Tables
            Finished, and proved.
        refuses : bool
            Whether to stop where somebody is among too few.

        Raises
        ------
        ToolboxError
            If an earlier release cannot be read, or is about other people.
        """
        store, question, before = made.store, self._ask(loaded), self._read_all(loaded, made.store)
        now = self._describe(loaded, made, [str(each.column) for each in question.sensitive])
        linked = link_persons(now, before)
        counted = count_lone_links(store, linked)
        classes = JointClasses.count(store, counted, self.k)
        if classes.below_k and refuses:
            self._refuse(classes, now, linked)
        risk = JointRisk(
            link=" + ".join(question.person),
            k=self.k,
            classes=classes,
            consistency=None,
            values=compare_linked_values(now, before, counted),
            by_person=True,
            earlier=tuple(each.name for each in before),
            labels=count_labels(now, before),
        )
        return EarlierResult(risk)

    def find_profiles(self, loaded: Loaded) -> EarlierProfiles:
        """Find out where the persons of the new table are in the earlier releases."""
        store, linked = loaded.tables.store, loaded.linked
        assert linked is not None, "the loader was told to keep it"
        (link,) = linked.columns
        people = select(linked.table.c[link].label("person"))
        return find_earlier_profiles(store, people, self._read_all(loaded, store), self.k)

    def require_allowed(
        self, loaded: Loaded, profiles: EarlierProfiles, *, by_person: bool
    ) -> tuple[tuple[int, int], Config]:
        """Stop where more would be left out than may be suppressed.

        Parameters
        ----------
        by_person : bool
            Whether persons are suppressed with all of their records, so that the limit counts persons.

        Returns
        -------
        (int, int), Config
            How many records are left out, and of how many persons; and the configuration of a run that may suppress as
            many fewer.

        Raises
        ------
        UnsatisfiableError
        """
        store, linked = loaded.tables.store, loaded.linked
        assert linked is not None, "the loader was told to keep it"
        (link,), aside, identified = linked.columns, profiles.aside, loaded.tables.identified
        is_aside = linked.table.c[link].in_(select(aside.c.person))
        records = int(store.scalar(select(func.count()).select_from(linked.table).where(is_aside)))
        lost, everybody, noun = records, loaded.tables.record_count, "record"
        if by_person:
            assert identified is not None, "persons are known until the release is written"
            (who,) = (identified.table.c[name] for name in identified.columns)
            lost = int(store.scalar(select(func.count(who.distinct())).where(is_aside)))
            everybody, noun = loaded.tables.person_count, "person"
        threshold = self.config.suppression_threshold
        allowed = self.config.k if threshold is None else threshold
        most = allowed if isinstance(allowed, int) else allowed.of(everybody)
        if lost > most:
            people = format_count(store.count(aside), "person", "people")
            raise UnsatisfiableError(
                f"No wider values hide {people} among k = {self.k} together with {self.name}: fewer of those who were "
                f"alike with them are still here. {format_count(lost, noun)} would have to be left out, and "
                f"{most:,} may be suppressed. Raise {find_suppression_setting()} to leave them out."
            )
        return (records, store.count(aside)), replace(self.config, suppression_threshold=most - lost)

    def _read_all(self, loaded: Loaded, store: Any) -> list[Release]:
        """Read the earlier releases, once, with their persons."""
        if not self._read:
            question = self._ask(loaded)
            for table in self.tables:
                try:
                    found = JudgedTables(question, store, self._open(table, question)).by_person
                except ToolboxError as error:
                    error.setting = error.setting or "earlier"
                    if not isinstance(error, UnknownColumnError) or error.args[0] not in question.person:
                        raise
                    key = choose_setting_name("key=", options="--earlier-key NAME", python="earlier_key=")
                    raise UsageError(
                        f"{error} It tells persons apart, and a release mostly drops it. Name a copy of the release "
                        f"that has it, or by {key} another column that all of them have.",
                        setting=EARLIER_KEY.name,
                    ) from None
                assert found is not None, "the question names what tells persons apart"
                self._read.append(found)
        return self._read

    def _ask(self, loaded: Loaded) -> Question:
        """Return the question about an earlier release: the columns of this one, by their names."""
        config, layout = self.config, loaded.layout
        if not layout.has_header:
            raise UsageError("Columns of earlier releases are found by their names, and the input has no header.")
        declared = config.input
        base = declared if declared and (declared.header or declared.path != TABLE) else make_text_input(None, None)
        read = replace(
            base.copy_for_table(Path(TABLE)), separator=config.release_separator, encoding="utf-8", header=True
        )
        quasi = [
            replace(attribute, column=Column(index=None, name=layout.names[position]))
            for attribute, position in zip(config.quasi_identifiers, layout.quasi_identifiers, strict=True)
        ]
        # Their texts are compared, whatever they say.
        sensitive = [
            replace(attribute, column=Column(index=None, name=layout.names[position]), kind="category")
            for attribute, position in zip(config.sensitive, layout.sensitive, strict=True)
        ]
        described = replace(
            config,
            input=read,
            identifiers=(),
            person=(),
            treated=(),
            quasi_identifiers=tuple(quasi),
            sensitive=tuple(sensitive),
        )
        person = tuple(layout.names[position] for position in self._find_positions(loaded))
        return Question(config=described, by_name=True, person=person)

    def _open(self, table: Any, question: Question) -> TableSource:
        return check_judged_table(table, question, *question.person)

    def _describe(self, loaded: Loaded, made: Tables, sensitive: Sequence[str]) -> Release:
        """Return the finished tables as a release, with the persons who are told apart."""
        store, linked = made.store, loaded.linked
        assert linked is not None, "the loader was told to keep it"
        is_told_apart = self.config.output.format.tells_classes_apart
        seen = store.create("seen", number_seen_classes(made, is_told_apart=is_told_apart))
        columns = dict(zip(sensitive, loaded.layout.sensitive, strict=True))
        records, keys, (link,) = linked.table, made.keys, linked.columns
        if keys is None:
            record, who = made.anon_record, linked.records
            joined = who.join(record, record.c.record_id == who.c.record_id)
            own, person, class_id = record, who.c[link], record.c.equivalence_id
        else:
            joined = records.join(keys, keys.c.key == records.c.key)
            own, person, class_id = records, records.c[link], keys.c.equivalence_id
        texts = [
            func.nullif(cast(own.c[f"c{position}"], String), "").label(f"text_{place}")
            for place, position in enumerate(columns.values(), start=1)
        ]
        shown = seen.c.class_id.label("equivalence_id")
        rows = select(shown, *texts, person.label("person")).select_from(
            joined.join(seen, seen.c.equivalence_id == class_id)
        )
        persons = store.create("persons", rows.distinct())
        held = store.create("held", select(persons.c.equivalence_id, *_list_texts(persons)).distinct())
        labels = [column for column in seen.c if column.name.startswith("label_")]
        classes = store.create("classes", select(shown, seen.c.suppressed, *labels).distinct())
        store.drop(seen)
        return Release(
            store=store,
            name="the new release",
            quasi_identifiers=tuple(each.name for each in made.quasi_identifiers),
            cells=(),
            classes=classes,
            held=held,
            sensitive=MappingProxyType({name: f"text_{place}" for place, name in enumerate(columns, start=1)}),
            records=made.record_count,
            persons=persons,
        )

    def _refuse(self, found: JointClasses, now: Release, linked: TableClause) -> None:
        """Stop a run, and say how many people are exposed, and which columns make the difference.

        Raises
        ------
        UnsatisfiableError
        """
        without = [
            (count_without(now, linked, place, self.k), name) for place, name in enumerate(now.quasi_identifiers, 1)
        ]
        helping = [f"{count:,} without {name}" for count, name in sorted(without) if count < found.below_k]
        columns = f" It would be {', '.join(helping)}." if helping else ""
        alone = f", {found.alone:,} of them alone" if found.alone else ""
        people = format_count(found.below_k, "person", "people")
        repair = choose_setting_name(
            "repair='true' in <earlier>", options="--earlier-repair", python="earlier_repair=True"
        )
        raise UnsatisfiableError(
            f"Together with {self.name}, {people} of the {found.records:,} who are also there would be among fewer "
            f"than k = {self.k}{alone}: so few share the classes of all these releases.{columns} Nothing was released. "
            f"{repair} makes values wider until nobody is; or make classes larger, by a larger k or fewer "
            "quasi-identifiers."
        )


def _list_texts(table: FromClause) -> list[ColumnElement[str]]:
    return [column for column in table.c if column.name.startswith("text_")]
