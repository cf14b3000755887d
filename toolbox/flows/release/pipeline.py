"""What the flows of a release share: its outcome, the files beside it, and runs that see only counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from toolbox.charts import LatticeBox, draw_lattice, find_node_naming
from toolbox.config.file_names import keep_for_owner
from toolbox.config.model import Config, Output
from toolbox.errors import OutputError, UsageError, name_option
from toolbox.flows.arguments.models import models_of
from toolbox.messages import choose_setting_name, format_count, print_note, warn
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.release.checksum import BackgroundChecksum, compute_sha256
from toolbox.release.formats.gen_vals import format_statistics_header
from toolbox.release.formats.gen_vals_dist import MappingTables, build_mapping
from toolbox.release.placing import move_together
from toolbox.release.returned import ReleasedPart
from toolbox.report.runs.summary import Summary, WrittenRelease, summarise_run
from toolbox.risks.unmodified_columns import PassedColumn, list_unmodified_columns
from toolbox.steps import Steps
from toolbox.store.disk.journal import derive_key
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.load.loading import Loaded, Loading
from toolbox.store.tables import Searched, Tables, Tagged

# Files beside a release: where it is no file they follow it, and it stands whatever becomes of them.


def report_file(config: Config, summary: Summary, store: Store) -> dict[Path, Path]:
    """Write the report and the nodes of the lattice in the folder of the run, as far as they are asked for.

    Returns
    -------
    dict of Path to Path
        Each file, and the path to which it goes.
    """
    files: dict[Path, Path] = {}
    if config.output.report is not None:
        finished = store.folder / "report.json"
        finished.write_text(json.dumps(summary.document(), indent=2) + "\n", encoding="utf-8")
        keep_for_owner(finished, "report")
        files[finished] = config.output.report
    if config.output.lattice is not None:
        listed = store.folder / f"lattice{config.output.lattice.suffix}"
        text = draw_nodes(summary) if _is_drawn(config) else "".join(write_lattice_lines(summary))
        listed.write_text(text, encoding="utf-8")
        keep_for_owner(listed, "lattice")
        files[listed] = config.output.lattice
    return files


def request_nodes(tables: Tables, config: Config) -> Tables:
    """Return tables that let a method list every node of the lattice, if a file of them is asked for.

    Raises
    ------
    UsageError
        If a picture would have too many nodes.
    """
    if config.output.lattice is None:
        return tables
    if _is_drawn(config):
        require_drawable(_count_nodes(tables), str(config.output.lattice))
    return replace(tables, lists_nodes=True)


def _count_nodes(tables: Tables) -> int:
    return prod(high - low + 1 for low, high in (column.level_range for column in tables.quasi_identifiers))


def _is_drawn(config: Config) -> bool:
    return config.output.lattice is not None and config.output.lattice.suffix.lower() == ".svg"


def write_lattice_lines(summary: Summary) -> Iterator[str]:
    """Yield the lines of a JSON document of every node: levels, tag, counts, and the value of the objective.

    A node that was not checked has a tag that follows from other nodes, and no counts.
    """
    searched = summary.searched
    assert searched is not None, "the method has searched the lattice"
    released = [result.level for result in summary.quasi_identifiers]
    head = {
        "quasi_identifiers": [{"name": each.name, "height": each.height} for each in summary.quasi_identifiers],
        **searched.document(),
        "released": released,
    }
    head["lattice_nodes"] = head.pop("nodes")
    yield json.dumps(head, indent=2)[:-2] + ',\n  "nodes": [\n'
    for number, node in enumerate(searched.tagged):
        row = {
            "levels": list(node.levels),
            "tag": node.tag,
            "checked": node.is_checked,
            "minimal": node.is_minimal,
            "classes": node.classes,
            "classes_released": node.released,
            "suppressed": node.suppressed,
            "value": node.value,
        }
        yield f"    {json.dumps(row)}{',' if number + 1 < len(searched.tagged) else ''}\n"
    yield "  ]\n}\n"


MOST_NODES: Final = 500
"""Nodes of a lattice that a person can read; more are listed only."""
_MOST_LISTED: Final = 50_000
"""Nodes that are listed though nobody asks for a file of them: a second of work, and a few megabytes."""
_LETTERS: Final = 82
"""Of a line above the picture."""


def require_drawable(nodes: int, name: str) -> None:
    """Stop where a picture would have too many nodes, before any search.

    Parameters
    ----------
    nodes : int
        Of the lattice.
    name : str
        The file that is asked for.

    Raises
    ------
    UsageError
    """
    if nodes > MOST_NODES:
        raise UsageError(
            f"{name_option('lattice')} is {name!r}, but the lattice has {nodes:,} nodes, and a picture at most "
            f"{MOST_NODES}. Write a name that ends in .json, for a list, or bound the levels of columns (minLevel, "
            "maxLevel)."
        )


def draw_nodes(summary: Summary) -> str:
    """Draw every node of a lattice that was searched: an SVG document."""
    searched = summary.searched
    assert searched is not None, "the method has searched the lattice"
    released = tuple(result.level or 0 for result in summary.quasi_identifiers)
    boxes = [
        LatticeBox(
            levels=node.levels,
            tag=node.tag,
            is_checked=node.is_checked,
            is_minimal=node.is_minimal,
            is_released=node.levels == released,
            figure="" if node.value is None else f"{node.value:.3g}",
            says=_describe_node(node, summary, searched),
        )
        for node in searched.tagged
    ]
    called = find_node_naming([node.levels for node in searched.tagged])
    heading = _head_picture(summary, searched, called(released))
    return draw_lattice(boxes, key="lattice", title=heading[0], heading=heading, is_file=True)


def _head_picture(summary: Summary, searched: Searched, released: str) -> Sequence[str]:
    """Say above the picture what it shows."""
    quality = "proved to be the best" if searched.is_proved else "the best found, not proved"
    worth = f", with {searched.value:.6g} of {searched.objective}, {quality}" if searched.value is not None else ""
    ranges = zip(searched.tagged[0].levels, searched.tagged[-1].levels, strict=True)
    each = zip(summary.quasi_identifiers, ranges, strict=True)
    lines = (
        f"{summary.method}: {format_count(searched.nodes, 'node')}, {searched.checked:,} checked",
        f"Released: {released}{worth or f'; {searched.lack}'}.",
        f"Levels: {', '.join(f'{result.name} ({low} to {high})' for result, (low, high) in each)}.",
        "Each node has its levels in this order, and the value of the objective where it was computed.",
    )
    return [part for line in lines for part in wrap(line, _LETTERS)]


def _describe_node(node: Tagged, summary: Summary, searched: Searched) -> str:
    """Say in words all that is known of a node; browsers show it where the pointer rests."""
    levels = zip(summary.quasi_identifiers, node.levels, strict=True)
    box = LatticeBox(node.levels, node.tag, node.is_checked, node.is_minimal)
    parts = [", ".join(f"{result.name} {level}" for result, level in levels), box.meaning]
    if node.is_checked:
        assert node.suppressed is not None and node.released is not None, "they were counted"
        parts.append(f"{format_count(node.released, 'class', 'classes')} released")
        parts.append(f"{format_count(node.suppressed, 'record')} suppressed")
    if node.value is not None:
        parts.append(f"{node.value:.6g} of {searched.objective}")
    return "; ".join(parts)


def write_configuration_file(config: Config, store: Store) -> dict[Path, Path]:
    """Write the configuration that is to be saved in the folder of the run; return its file and where it goes."""
    if config.saved is None or config.output.configuration is None:
        return {}
    finished = store.folder / "configuration.xml"
    finished.write_bytes(config.saved)
    keep_for_owner(finished, "configuration")
    return {finished: config.output.configuration}


def place_beside(files: Mapping[Path, Path], config: Config, store: Store) -> None:
    """Move finished files to their names; if they cannot be moved, say so and go on."""
    try:
        move_together(files, store.folder, timeout=config.limits.lock_timeout)
    except OutputError as error:
        print_note(f"the release is complete, but the files beside it could not be written. {error}")


# What all flows share: a method rewrites what was loaded, and the finished tables are proved.


def make_release(
    loaded: Loaded,
    method: Anonymizer,
    config: Config,
    steps: Steps | None = None,
    *,
    say: Callable[[str], None] | None = None,
    nodes: bool = False,
) -> Anonymization:
    """Anonymise what was loaded, and prove it.

    Parameters
    ----------
    say : callable, optional
        Is told what the method is at, instead of the steps.
    nodes : bool
        Whether it tells of every node of the lattice, if it finds the same release then, and there are not too many.

    Raises
    ------
    ToolboxError
        Whatever is wrong; a `ProofError` if the method has made something that does not hold.
    """
    steps = steps or Steps()
    with steps.step(method.name):
        tables = replace(loaded.tables, report=say or steps.say, is_saved=config.output.recoding is not None)
        if nodes and method.can_list_nodes() and _count_nodes(tables) <= _MOST_LISTED:
            tables = replace(tables, lists_nodes=True)
        finished = method.rewrite(request_nodes(tables, config))
    with steps.step("prove"):
        shows = config.output.format.tells_classes_apart
        made = method.prove(loaded.tables, finished, tells_classes_apart=shows)
    _require_whole_persons(config, made)
    return made


def require_people(config: Config, made: Anonymization) -> None:
    """Stop a run without a configuration where its classes have fewer people than records; others say it.

    Raises
    ------
    UsageError
    """
    if config.path is None and made.proof.few_people:
        rows = choose_setting_name("--rows-are-people", python="rows_are_people=True")
        column = made.proof.few_people[0].column
        person = choose_setting_name(f"--person {column}", python=f"person={column!r}")
        left_out = choose_setting_name(
            "--undeclared drop instead of --id", python="undeclared='drop' instead of identifiers="
        )
        raise UsageError(
            f"{made.proof.format_few_people()}. Classes of records would be proved, and they would not protect people. "
            f"{person} counts persons instead. If each record is another person, write {rows}. "
            f"A column that names nobody is left out by {left_out}."
        )


def _require_whole_persons(config: Config, made: Anonymization) -> None:
    """Stop where suppressed records would be shown that a reader can join: how many there are tells whose they are.

    Raises
    ------
    UsageError
    """
    persons = made.proof.persons
    if (
        persons is None
        or not made.proof.judges_profiles
        or config.output.suppressed == "drop"
        or not persons.suppressed
    ):
        return
    dropping = choose_setting_name("suppressed='drop'", options="--suppressed drop")
    none = choose_setting_name("suppThreshold='0'", python="suppression_threshold=0", options="--suppThreshold 0")
    raise UsageError(
        f"{format_count(persons.suppressed, 'person')} would be suppressed, and the release would show how many "
        f"records each of them has. {dropping} leaves these records out; {none} suppresses nobody."
    )


def summarise_unordered(
    config: Config,
    method: Anonymizer,
    loaded: Loaded,
    anonymization: Anonymization,
    steps: Steps,
    written: WrittenRelease | None = None,
    passed: tuple[PassedColumn, ...] = (),
) -> Summary:
    """Summarise a run that puts no records into an order, which a seed could betray."""
    unordered = replace(config, seed=None)
    facts = written or WrittenRelease()
    return summarise_run(unordered, method, loaded, anonymization, facts, passed=passed, timings=steps.timings())


def measure_kept(config: Config, method: Anonymizer, loaded: Loaded, made: Anonymization) -> float | None:
    """Return the share of the information that a release keeps; None where there was none."""
    kept = summarise_unordered(config, method, loaded, made, Steps()).information
    return None if kept is None else kept.share


# What two flows share that never see a record: from counted combinations to what becomes of each.


@dataclass(frozen=True)
class CountedRelease:
    """A release without its records."""

    loaded: Loaded
    anonymization: Anonymization
    mapping: MappingTables
    headers: tuple[str, ...]
    """What a release calls the columns `MappingTables.shown` of its classes."""
    models: tuple[PrivacyModel, ...]
    """What every class satisfies."""

    def summary(
        self,
        config: Config,
        method: Anonymizer,
        steps: Steps,
        *,
        release: tuple[str, ...] = (),
    ) -> Summary:
        """Summarise the run.

        Parameters
        ----------
        release : tuple of str
            The places of the release, if it was written.
        """
        passed = list_unmodified_columns(self.loaded.tables, self.loaded.layout) if release else ()
        written = WrittenRelease(files=release, solved=self.mapping.solved)
        summary = summarise_unordered(config, method, self.loaded, self.anonymization, steps, written, passed)
        return replace(summary, knows_people=bool(config.person) or config.rows_are_people or not config.identifiers)


def prepare_release(loading: Loading, method: Anonymizer, config: Config, steps: Steps) -> CountedRelease:
    """Load combinations, anonymise and prove them, and find out what becomes of each.

    Raises
    ------
    ToolboxError
        Whatever is wrong.
    """
    with steps.step("read"):
        loaded = loading.load(asks=True)
    anonymization = make_release(loaded, method, config, steps)
    mapping = build_mapping(anonymization.tables, config)
    headers = _build_headers(anonymization.tables, has_statistics=config.output.format.has_statistics)
    return CountedRelease(loaded, anonymization, mapping, headers, method.models)


def _build_headers(tables: Tables, *, has_statistics: bool) -> tuple[str, ...]:
    statistics = [format_statistics_header(attribute.name, attribute) for attribute in tables.quasi_identifiers]
    return (*(attribute.name for attribute in tables.quasi_identifiers), *(statistics if has_statistics else ()))


# What a run gives back, and what a Python call remembers of it.


@dataclass(frozen=True)
class Outcome:
    """The result of a run."""

    summary: Summary
    released: list[ReleasedPart]
    """The parts of the release, if it was not written to files."""
    files: tuple[tuple[Path, ...], ...]
    """The files of each part, if it was."""
    has_header: bool
    """Whether delimited text begins with headers."""
    child_tables: Mapping[str, Outcome] = field(default_factory=dict)
    """What became of the tables that were released with this one, by their names."""


@dataclass(frozen=True)
class AskedRelease:
    """What a Python call has asked for, kept beside its result for whoever looks at the release later.

    A pickle has nothing of it, so that nobody who hands a result on hands the original records on.
    """

    config: Config
    models: tuple[PrivacyModel, ...]
    """Those of the caller, instead of those that the configuration requires."""
    source: Callable[[], Any]
    """Returns the original records as a judge reads them: an `Input`, or an Arrow table."""
    population: Any = None
    """The path or the table of the caller with which a model compares the release, instead of the one configured."""

    @property
    def judges(self) -> tuple[PrivacyModel, ...]:
        """What every class must satisfy."""
        return models_of(self.config, self.models)

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return _replace_unpickled, ()


def _replace_unpickled() -> None:
    """Replace a part that a pickle does not hold."""


def warn_of_lost_records(summary: Summary) -> None:
    """Warn about records that are not in the release, except those that the caller wanted to leave out."""
    if count := summary.lines_rejected:
        lines = "1 line is" if count == 1 else f"{count:,} lines are"
        warn(f"{lines} not in the release: they do not fit the others.")
    if count := summary.records_skipped:
        records = "1 record is" if count == 1 else f"{count:,} records are"
        remedy = "on_missing='keep' keeps them, with missing as a category."
        warn(f"{records} not in the release: a declared column has no value. {remedy}")


# The checksum of the input that a summary shows, if the configuration asks for one.


def find_digest_key(output: Output) -> bytes | None:
    """Return the user's key if the checksum needs it; called before anything is read.

    Raises
    ------
    UsageError
        If the user has no key, and none can be kept.
    """
    if output.input_digest != "keyed":
        return None
    key = derive_key("input digest")
    if key is None:
        keyed = choose_setting_name("--input-digest keyed", python="input_digest='keyed'")
        none = choose_setting_name("--input-digest none", python="input_digest='none'")
        raise UsageError(
            f"{keyed} needs a key, and none can be kept: see that ~/.local/state/toolbox, or the folder toolbox in "
            f"$XDG_STATE_HOME, is yours alone. Or write {none}."
        )
    return key


def compute_configuration_digest(config: Config) -> str | None:
    """Return the checksum of the configuration: of the file that was read, or of the one that is saved."""
    if config.path is None:
        return None if config.saved is None else hashlib.sha256(config.saved).hexdigest()
    return compute_sha256(config.path)


def start_input_checksum(output: Output, files: InputFiles | None, key: bytes | None) -> BackgroundChecksum | None:
    """Start to compute the checksum in the background; return None if there are no files or no checksum is wanted."""
    if files is None or output.input_digest == "none":
        return None
    return BackgroundChecksum(files.paths, key)
