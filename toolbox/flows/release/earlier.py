"""Earlier releases beside a run: what all tell together of each person is counted before anything is released."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import FromClause, Select, String, TableClause, and_, cast, func, select, union
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Column, Config, Input
from toolbox.config.settings import EARLIER_KEY, EARLIER_REPAIR, value_of
from toolbox.errors import InputError, UnknownColumnError, UnsatisfiableError, UsageError
from toolbox.flows.arguments.checks import TABLE, make_text_input
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.tables import JudgedTables, TableSource, check_judged_table
from toolbox.messages import choose_setting_name, format_count
from toolbox.privacy.people import count_people_required
from toolbox.published.tables import Release, find_nobody
from toolbox.queries.labels import build_class_labels
from toolbox.report.judges.attackers import EarlierResult
from toolbox.risks.joint import JointClasses, JointLabels, JointRisk, compare_linked_values, link_persons
from toolbox.store.input.files import InputFiles
from toolbox.store.load.loading import LINK, Loaded, Loader
from toolbox.store.tables import Tables

_FEWEST: Final = 2
"""Persons who should be alike where no model says how many."""


@dataclass(frozen=True, kw_only=True)
class EarlierTables:
    """What a call of Python says of earlier releases."""

    tables: Any
    """A path or a table, or a list of them."""
    key: str | None = None
    repairs: bool = False


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
        if value_of(config, EARLIER_REPAIR):
            raise UsageError("--earlier-repair is not possible yet. Leave it out.")
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
                "--earlier FILE --key none."
            )
        return cls(config, config.earlier, count_people_required(models) or _FEWEST)

    @property
    def name(self) -> str:
        """What messages call them."""
        names = [table.name if isinstance(table, Path) else "an earlier table" for table in self.tables]
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

    def measure(self, loaded: Loaded, made: Tables) -> EarlierResult:
        """Count what the finished release and the earlier ones tell together.

        Parameters
        ----------
        made : Tables
            Finished, and proved.

        Raises
        ------
        ToolboxError
            If an earlier release cannot be read, or is about other people.
        """
        store, question = made.store, self._ask(loaded)
        earlier = [JudgedTables(question, store, self._open(table, question)).by_person for table in self.tables]
        before = [each for each in earlier if each is not None]
        now = self._describe(loaded, made, [str(each.column) for each in question.sensitive])
        linked = link_persons(now, before)
        assert loaded.linked is not None
        store.drop_columns(loaded.linked.table, [LINK])
        classes = JointClasses.count(store, linked, self.k)
        if classes.below_k:
            self._refuse(classes, now, linked)
        risk = JointRisk(
            link=" + ".join(question.person),
            k=self.k,
            classes=classes,
            consistency=None,
            values=compare_linked_values(now, before, linked),
            by_person=True,
            earlier=tuple(each.name for each in before),
            labels=_count_labels(now, before),
        )
        return EarlierResult(risk)

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
        seen = store.create("seen", _number_seen_classes(made, is_told_apart=is_told_apart))
        columns = dict(zip(sensitive, loaded.layout.sensitive, strict=True))
        records, keys = linked.table, made.keys
        if keys is None:
            record, who = made.anon_record, linked.records
            joined = who.join(record, record.c.record_id == who.c.record_id)
            own, person, class_id = record, who.c[LINK], record.c.equivalence_id
        else:
            joined = records.join(keys, keys.c.key == records.c.key)
            own, person, class_id = records, records.c[LINK], keys.c.equivalence_id
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
            (_count_without(now, linked, place, self.k), name) for place, name in enumerate(now.quasi_identifiers, 1)
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


def _number_seen_classes(made: Tables, *, is_told_apart: bool) -> Select[Any]:
    """Give a number to the classes that a reader tells apart: ``equivalence_id, class_id, suppressed, label_1 ..``."""
    labels = build_class_labels(made.equivalence, [each.intervals for each in made.quasi_identifiers]).subquery()
    texts = [column for column in labels.c if column.name.startswith("label_")]
    own = labels.c.equivalence_id
    first = own if is_told_apart else func.min(own).over(partition_by=[labels.c.suppressed, *texts])
    return select(own, first.label("class_id"), labels.c.suppressed, *texts)


def _count_without(now: Release, linked: TableClause, place: int, k: int) -> int:
    """Count the persons who are among fewer than k if a column were not shown."""
    classes, store = now.classes, now.store
    others = [each for each in classes.c if each.name.startswith("label_") and each.name != f"label_{place}"]
    wider = func.min(classes.c.equivalence_id).over(partition_by=[classes.c.suppressed, *others]).label("wider")
    merged = select(classes.c.equivalence_id, wider).subquery()
    rest = [column for column in linked.c if column.name != "class_id"]
    rows = select(merged.c.wider.label("class_id"), *rest).distinct()
    table = store.create("merged", rows.join_from(linked, merged, merged.c.equivalence_id == linked.c.class_id))
    below_k = JointClasses.count(store, table, k).below_k
    store.drop(table)
    return below_k


def _count_labels(now: Release, earlier: Sequence[Release]) -> JointLabels:
    """Count the classes whose labels an earlier release has, too, and the different persons of all under one label."""
    store, classes = now.store, now.classes
    places = range(1, 1 + len(now.quasi_identifiers))
    own, nobody = now.persons, find_nobody()
    assert own is not None, "it was made with its persons"
    members, agreeing = [select(own.c.equivalence_id, own.c.person)], []
    for each in earlier:
        before: FromClause = each.classes
        for cells, name in zip(each.cells, each.cell_names, strict=True):
            before = before.join(cells, cells.c.cell_id == each.classes.c[name])
        texts = zip(places, each.cells, strict=True)
        same = and_(*(classes.c[f"label_{place}"] == cells.c.text for place, cells in texts))
        rows = select(classes.c.equivalence_id, each.classes.c.equivalence_id.label("earlier_id"))
        alike = rows.select_from(before.join(classes, same)).where(~classes.c.suppressed).subquery()
        agreeing.append(select(alike.c.equivalence_id))
        held = each.persons
        assert held is not None, "it was read with its persons"
        people = select(alike.c.equivalence_id, held.c.person)
        members.append(people.join_from(alike, held, held.c.equivalence_id == alike.c.earlier_id))
    everybody = union(*members).subquery()
    is_shown = classes.c.equivalence_id == everybody.c.equivalence_id
    size = func.count().label("size")
    sizes = select(size).join_from(everybody, classes, is_shown)
    sizes = sizes.where(~classes.c.suppressed, everybody.c.person != nobody).group_by(everybody.c.equivalence_id)
    smallest = store.scalar(select(func.min(sizes.subquery().c.size)))
    count = store.scalar(select(func.count()).select_from(classes).where(~classes.c.suppressed))
    shared = store.scalar(select(func.count()).select_from(union(*agreeing).subquery()))
    return JointLabels(classes=int(count), agreeing=int(shared), smallest=int(smallest or 0))
