"""The flow of `anonymize`: read, rewrite, prove, write, summarise, place; each room is called once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import select

from toolbox.config.model import Config
from toolbox.engines.objects import LocalCopies
from toolbox.errors import UsageError, name_option
from toolbox.flows.arguments.configuration import limit_threads, require_declared
from toolbox.flows.arguments.models import find_judged_attributes, make_method, models_of, require_joinable
from toolbox.flows.arguments.population import find_population
from toolbox.flows.release.children.judged import JudgedChildRun, join_judged, take_apart
from toolbox.flows.release.children.plain import ChildRun, write_children
from toolbox.flows.release.databases import (
    draw_private_records,
    open_engine,
    open_source,
    require_remote_place,
    store_remotely,
)
from toolbox.flows.release.earlier import EarlierReleases
from toolbox.flows.release.pipeline import (
    Outcome,
    compute_configuration_digest,
    find_digest_key,
    make_release,
    measure_kept,
    place_beside,
    report_file,
    require_people,
    start_input_checksum,
    write_configuration_file,
)
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_with_values import JointKAnonymity
from toolbox.release.columns import find_columns_around, make_columns
from toolbox.release.kept_promises import find_formula_columns, require_promises
from toolbox.release.placing import move_together
from toolbox.release.release import (
    CodebookFacts,
    Written,
    count_written_bytes,
    partition_release,
    release_parts,
    write_codebook,
    write_rejects,
    write_release,
)
from toolbox.release.returned import ReleasedPart, fetch_part, sort_by_value, to_arrow
from toolbox.report.runs.summary import Summary, WrittenRelease, summarise_run
from toolbox.risks.unmodified_columns import list_unmodified_columns
from toolbox.steps import Steps, Watcher
from toolbox.store.disk.directory_lock import require_lockable
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.disk.workspace import remove_dead
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.text_file import find_separator
from toolbox.store.load.loading import Loaded, Loader

if TYPE_CHECKING:
    import pyarrow as pa

_Found = TypeVar("_Found")


def run(
    config: Config,
    *,
    table: pa.Table | None = None,
    method: type[Anonymizer] | None = None,
    models: Sequence[PrivacyModel] = (),
    population: Any = None,
    watcher: Watcher | None = None,
    placed: Callable[[], None] = lambda: None,
    child_tables: Mapping[str, pa.Table] = MappingProxyType({}),
) -> Outcome:
    """Read, anonymise, prove, write.

    Parameters
    ----------
    config : Config
    table : pyarrow.Table, optional
        The records, if the configuration names no input.
    method : type of Anonymizer, optional
        The method, where the configuration does not name an installed one.
    models : sequence of PrivacyModel, optional
        What every class must satisfy, instead of what the configuration requires.
    population : path or table, optional
        All people who could be in the table, where the configuration does not name them.
    watcher : Watcher, optional
        Is told each step as it begins and ends, and how far it is.
    placed : callable, optional
        Is called at once when all files are in place; from then on an interrupt comes too late.
    child_tables : mapping of str to pyarrow.Table, optional
        The child tables, where the configuration names no files of them.

    Returns
    -------
    Outcome

    Raises
    ------
    ToolboxError
        Whatever is wrong; then no file has been written and an older release is untouched.
    """
    _require_readable_release(config)
    is_drawn = bool(config.others.keys() & {"epsilon", "delta"})
    if config.engine is not None:
        if is_drawn:
            draw_private_records(config)  # which says that an engine cannot
        from toolbox.flows.release.engine import run_on_engine

        people = find_population(config, population)
        there = open_engine(replace(config, input=config.population)) if people.is_remote else None
        given: dict[str, Any] = {"method": method, "models": models, "people": people, "register": there}
        return run_on_engine(config, open_engine(config), **given, watcher=watcher, placed=placed)
    with LocalCopies(config, reads=table is None) as copies:
        config, drawn = copies.config, None
        if is_drawn:
            config, drawn = draw_private_records(config)
        one = _Run(config, table, method, models, population, Steps(watcher), placed, child_tables, drawn)
        return one.go(copies)


def read_as_run(config: Config, table: pa.Table | None, use: Callable[[Loaded], _Found]) -> _Found:
    """Read the records as a run does, and hand them on; nothing is written.

    Parameters
    ----------
    table : pyarrow.Table, optional
        The records, if the configuration names no input.
    use : callable
        What is to be found out of the records, as long as they are there.

    Raises
    ------
    ToolboxError
        If they cannot be read.
    """
    with LocalCopies(config, reads=table is None) as copies:
        return _Run(copies.config, table, None, (), None, Steps(), lambda: None, {}).read(use)


class _Run:
    """One run, stage after stage: it is read, rewritten and proved, written, summarised, and placed at the end."""

    loaded: Loaded
    anonymization: Anonymization
    written: Written
    released: list[ReleasedPart]
    summary: Summary
    pseudonyms: Mapping[str, str] | None
    measured: Mapping[str, Mapping[str, float]]
    joint: Any
    """What earlier releases tell as well: an `EarlierResult`, or None."""

    def __init__(
        self,
        config: Config,
        table: pa.Table | None,
        method: type[Anonymizer] | None,
        models: Sequence[PrivacyModel],
        population: Any,
        steps: Steps,
        placed: Callable[[], None],
        child_tables: Mapping[str, pa.Table],
        drawn: pa.Table | None = None,
    ) -> None:
        self.drawn = drawn
        self.config = config = config if table is not None else find_separator(config)
        self.table, self.steps, self.placed = table, steps, placed
        self.judges = models_of(config, models)
        self.chosen, self.method = method, make_method(config, self.judges, method)
        self.people = find_population(config, population).require_for_models(self.judges, type(self.method))
        self.earlier = EarlierReleases.find(config, self.judges)
        if self.earlier is not None and self.earlier.repairs:
            # Whether the method can honour it, is told before anything is read.
            make_method(config, self._list_models(self.earlier), method)
        self.digest_key, self.configuration_digest = (
            find_digest_key(config.output),
            compute_configuration_digest(config),
        )
        is_file = config.input is not None and config.input.remote is None and table is None and drawn is None
        self.files = InputFiles(config.input) if config.input is not None and is_file else None
        self.children = [
            (JudgedChildRun if child.quasi_identifiers else ChildRun)(
                name, child if name in child_tables else find_separator(child), child_tables.get(name)
            )
            for name, child in config.child_tables.items()
        ]
        repairs = self.earlier is not None and self.earlier.repairs
        require_joinable(config, type(self.method), self.judges, repairs=repairs)
        require_remote_place(config)

    def go(self, copies: LocalCopies) -> Outcome:
        """Go through all stages.

        Parameters
        ----------
        copies : LocalCopies
            Of the objects that the configuration names.
        """
        self.copies = copies
        others = [child.files or child.given for child in self.children]
        limits = limit_threads(self.config.limits, self.files or self.table, *others)
        with Store(_find_work_place(self.config), limits) as self.store, translate_file_errors(self.store.folder):
            self._read()
            self._rewrite()
            self._write()
            self._summarise()
            self._place()
        children = {
            child.name: Outcome(
                self.summary, child.released, copies.list_objects(child.written.tables), child.layout.has_header
            )
            for child in self.children
        }
        files = copies.list_objects(self.written.tables)
        return Outcome(self.summary, self.released, files, self.loaded.layout.has_header, children)

    def read(self, use: Callable[[Loaded], _Found]) -> _Found:
        """Read the records, and hand them on."""
        limits = limit_threads(self.config.limits, self.files or self.table)
        with Store(_find_work_place(self.config), limits) as self.store, translate_file_errors(self.store.folder):
            self._read(is_look=True)
            return use(self.loaded)

    def _read(self, *, is_look: bool = False) -> None:
        config, store, steps, files = self.config, self.store, self.steps, self.files
        # Not for compressed input: its bytes are consumed long before its records.
        if steps.are_watched and files is not None and (size := files.measure_text_size()) is not None:
            store.tell_share()
            steps.size = size
        with steps.step("read"), files.watch_reading() if files is not None else nullcontext():
            self.people.expect(store)
            for path in () if self.earlier is None else self.earlier.list_files():
                store.gate.expect(path)
            self.source = open_source(config, self.table, files, store, self.people.weights, drawn=self.drawn)
            self.around = find_columns_around(config, self.source)
            loader = Loader(config, self.source, store, find_judged_attributes(self.judges), steps)
            require_declared(config, loader.layout)
            for child in self.children:
                child.open(loader, store)
            # Who only looks sees no pseudonym, and needs no key.
            layouts = [child.layout for child in self.children]
            self.pseudonyms = None if is_look else loader.open_pseudonyms(layouts)
            if self.earlier is not None:
                self.earlier.prepare(loader)
            self.loaded, self.loader = self.people.loaded(loader, store, self.source), loader
            if self.children:
                everybody = loader.list_persons(self.loaded)
                for child in self.children:
                    child.read(everybody, self.loaded)
            self.joined = join_judged(config, loader, self.loaded, self.children)
        # Not before: reading keeps all processors busy, the search does not.
        self.checksum = start_input_checksum(config.output, files, self.digest_key)
        with steps.show_unlisted("look"):
            self.passed = list_unmodified_columns(self.loaded.tables, self.loaded.layout, self.table)

    def _rewrite(self) -> None:
        """Let the method rewrite the combinations, and prove the finished tables."""
        loaded = self.loaded if self.joined is None else replace(self.loaded, tables=self.joined.tables)
        self.anonymization = make_release(loaded, self.method, self.config, self.steps)
        require_people(self.config, self.anonymization)
        if self.joined is not None:
            least = self.method.least_records
            self.anonymization = take_apart(self.joined, self.anonymization, self.children, least)
        self.joint = None
        if self.earlier is not None:
            with self.steps.show_unlisted("compare"):
                self._compare(self.earlier)
        if self.children:
            released = self.loader.find_released(self.anonymization.tables)
            for child in self.children:
                child.keep(released)
        if (identified := self.loaded.tables.identified) is not None:
            # Only the proof compares identifiers with the classes.
            self.store.drop_columns(identified.table, list(identified.columns))
        drops = self.config.output.suppressed == "drop"
        tables = make_columns(self.anonymization.tables, self.loaded.layout, drops=drops)
        self.anonymization = replace(self.anonymization, tables=tables)

    def _compare(self, earlier: EarlierReleases) -> None:
        """Count what earlier releases tell as well, and make values wider where that is asked for and necessary."""
        loaded, linked = self.loaded, self.loaded.linked
        found = earlier.measure(loaded, self.anonymization.tables, refuses=not earlier.repairs)
        classes = found.risk.classes
        if earlier.repairs and classes is not None and classes.below_k:
            kept = self._measure_kept()
            left_out = self._repair(earlier)
            found = earlier.measure(self.loaded, self.anonymization.tables, refuses=True)
            facts = {"below_k": classes.below_k, "left_out_records": left_out[0], "left_out_people": left_out[1]}
            found = replace(found, repair={**facts, "kept_before": kept, "kept": self._measure_kept()})
        elif linked is not None:
            self.store.drop_columns(linked.table, list(linked.columns))
        self.joint = found

    def _list_models(self, earlier: EarlierReleases) -> tuple[PrivacyModel, ...]:
        """Return what every class must satisfy where a release is repaired."""
        return (*self.judges, JointKAnonymity(k=earlier.k, attribute=earlier.name))

    def _measure_kept(self) -> float:
        """Return the share of the information that the release keeps."""
        return measure_kept(self.config, self.method, self.loaded, self.anonymization) or 0.0

    def _repair(self, earlier: EarlierReleases) -> tuple[int, int]:
        """Make the release anew so that nobody is among too few; return the records that are left out, and persons."""
        profiles = earlier.find_profiles(self.loaded)
        persons = self.anonymization.proof.persons
        by_person = persons is not None and persons.suppressed_by == "person"
        left_out, config = earlier.require_allowed(self.loaded, profiles, by_person=by_person)
        if left_out[0]:
            self.loaded = self.loader.load_without(
                profiles.aside, self.loaded, self.people.source(self.store, self.source)
            )
        self.loaded = self.loader.judge_links(self.loaded, earlier.name, profiles.values, profiles.tree)
        self.method = make_method(config, self._list_models(earlier), self.chosen)
        self.anonymization = make_release(self.loaded, self.method, config, self.steps)
        return left_out

    def _write(self) -> None:
        config, store = self.config, self.store
        with self.steps.step("write", lambda: count_written_bytes(store)):
            layout = self.loaded.layout
            is_plain = layout.writes_plain and self.source.is_plain(config.release_separator)
            tables = self.anonymization.tables
            self.parts = release_parts(config, tables, layout, self.source, passes_plain=is_plain)
            self._write_parts()
            if self.children:
                made = (self.parts[0], self.written, self.released)
                write_children(self.children, config, self.loaded, *made)
        if config.limits.store is not None:
            # Of a store that is kept, people look for these names.
            store.publish("AnonRecordTable", select(self.anonymization.tables.anon_record))
            store.publish("EquivalenceTable", select(self.anonymization.tables.equivalence))

    def _write_parts(self) -> None:
        """Write the release to files, or fetch it for a database or for a caller who has given a table; recount it."""
        config, store, table, layout = self.config, self.store, self.table, self.loaded.layout
        self.written, self.released = Written({}), []
        if config.output.remote is not None:
            self.released = [ReleasedPart((), (), to_arrow(store, part), None) for part in self.parts]
        elif table is not None:
            self.released = [fetch_part(store, part, table.num_columns) for part in self.parts]
            if config.output.order == "sorted" and config.output.format.order_can_be_chosen:
                self.released = [sort_by_value(part, table) for part in self.released]
        else:
            self.written = write_release(config, self.parts, store, has_header=layout.has_header, around=self.around)
        self.measured = require_promises(
            config, self.anonymization.tables, layout, self.parts, self.written, self.released
        )
        sorts, named = self.around is None, layout.has_header
        self.written = partition_release(config, self.written, store, sorts=sorts, has_header=named)

    def _summarise(self) -> None:
        """Summarise the run; the findings of the release are passed on, as the report does not import that package."""
        config, written = self.config, self.written
        with self.steps.show_unlisted("checksum"):
            input_digest = self.checksum.result() if self.checksum else None
        if self.files is not None:
            self.files.require_unchanged()
        formulas = find_formula_columns(config, self.anonymization.tables, self.loaded.layout, self.parts)
        facts = WrittenRelease(
            files=tuple(written.files.values()) if config.output.remote is None else (str(config.output.remote),),
            leftovers=written.leftovers,
            digests={
                "input": input_digest,
                "configuration": self.configuration_digest,
                "release": written.checksums,
            },
            formulas=formulas,
            solved=[column for part in self.parts for column in part.solved],
        )
        timings = self.steps.timings()
        self.summary = summarise_run(
            config, self.method, self.loaded, self.anonymization, facts, passed=self.passed, timings=timings
        )
        if self.measured:
            treatments = tuple(
                {**each, "measured": dict(self.measured.get(each["column"], {}))} for each in self.summary.treatments
            )
            self.summary = replace(self.summary, treatments=treatments)
        if self.joint is not None:
            self.summary = replace(self.summary, joint=self.joint)
        if self.pseudonyms is not None:
            self.summary = replace(self.summary, pseudonyms=self.pseudonyms)
        for child in self.children:
            self.summary = _add_child_table(self.summary, child)
        self.summary = _rename_files(self.summary, self.copies.name_objects)

    def _place(self) -> None:
        """Move all files to their names; a release that is a table comes before the files beside it."""
        config, store = self.config, self.store
        with self.steps.show_unlisted("finish"):
            side_files = self._write_side_files()
            ready = self.written.files | side_files | store.finish()
            if config.output.remote is None:
                tables = [self.written, *(each.written for each in self.children)]
                ready |= {finished: final for table in tables for finished, final in table.files.items()}
                split = [path for table in tables for path in table.split]
                with self.copies.store(ready, self.placed) as (here, complete):
                    move_together(here, store.folder, complete, tables=split, timeout=config.limits.lock_timeout)
                return
            store_remotely(config, self.released[0].made)
            self.placed()
            place_beside(ready, config, store)

    def _write_side_files(self) -> dict[Path, Path]:
        """Write the files beside a release: rejected lines, the report, the configuration and the page for people."""
        config, store, files = self.config, self.store, dict[Path, Path]()
        if config.output.rejects is not None:
            files |= write_rejects(self.loaded.account.rejects, store, config.output.rejects)
        facts = CodebookFacts(
            {str(each["column"]): each for each in self.summary.treatments},
            {each.name: (each.level, each.height) for each in self.summary.quasi_identifiers},
            {each.name: each.not_true for each in self.summary.quasi_identifiers if each.not_true},
            has_groups=config.output.format.has_groups,
        )
        described = [
            ("release", self.parts, self.written, facts),
            *(child.describe_columns() for child in self.children),
        ]
        files |= write_codebook(config, described, store)
        if config.output.recoding is not None:
            from toolbox.recodings.saving import write_recoding

            made = (self.loaded.tables, self.anonymization)
            files |= write_recoding(config, self.method, *made, store.folder, self.source.own_headers)
        if config.output.html is not None:
            from toolbox.flows.release.pages import write_run_page

            proved = replace(self.loaded, tables=self.anonymization.tables)
            given = (self.judges, self.written.files, self.summary, self.loaded, proved)
            page, self.summary = write_run_page(config, *given)
            files |= page
        return files | report_file(config, self.summary, store) | write_configuration_file(config, store)


def _add_child_table(summary: Summary, child: ChildRun) -> Summary:
    """Return the summary with one more of the tables that are released together."""
    result = child.describe()
    formulas, passed, treated = result.name_columns()
    return replace(
        summary,
        child_tables=(*summary.child_tables, result),
        release=(*summary.release, *result.release),
        formulas=(*summary.formulas, *formulas),
        passed=(*summary.passed, *passed),
        treatments=(*summary.treatments, *treated),
        sha256={**summary.sha256, "release": {**summary.sha256["release"], **result.checksums}},
    )


def _rename_files(summary: Summary, rename: Callable[[str], str]) -> Summary:
    """Return a summary that calls the files of the release otherwise: those that become objects, as these are called.

    Parameters
    ----------
    rename : callable
        Returns what a file is called.
    """

    def name(files: Iterable[Path | str]) -> tuple[Path | str, ...]:
        return tuple(file if (called := rename(str(file))) == str(file) else called for file in files)

    return replace(
        summary,
        release=name(summary.release),
        sha256={**summary.sha256, "release": {rename(file): sum_ for file, sum_ in summary.sha256["release"].items()}},
        child_tables=tuple(replace(each, release=name(each.release)) for each in summary.child_tables),
    )


def _require_readable_release(config: Config) -> None:
    """Stop where a page is asked for of a release that no judge can read, before any other work.

    Of a release that is made in an engine, counts are read.

    Raises
    ------
    UsageError
    """
    for name, path in (("html", config.output.html), ("codebook", config.output.codebook)):
        is_counted = config.engine is not None and name == "html"
        if path is not None and not is_counted and (config.engine is not None or config.output.path is None):
            raise UsageError(
                f"{name_option(name)} describes a release in files, and this one becomes a table. Leave it out, or "
                "write files."
            )


def _find_work_place(config: Config) -> Path | None:
    """Return the folder for temporary files; remove what interrupted runs have left beside the output."""
    for directory in dict.fromkeys(path.parent for path in config.written_paths):
        require_lockable(directory)
        remove_dead(directory, config.limits.lock_timeout)
    return config.work_folder
