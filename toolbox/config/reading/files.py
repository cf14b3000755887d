"""The files of a run: what is read, what is written, and that no two of them are the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from toolbox.config import values
from toolbox.config.file_names import (
    PAGES,
    add_suffix_to_stem,
    build_piece_path,
    find_file_kind,
    find_obstacle,
    find_unwritable_kind,
    has_types,
    is_compressed_parquet,
    is_folder,
    is_parquet,
    is_stream,
    list_existing_pieces,
    list_input_files,
    list_written_extensions,
    may_be_piece,
)
from toolbox.config.formats import FORMATS, GEN_VALS, Compatibility, ReleaseFormat
from toolbox.config.model import Config, EngineChoice, Input, Limits, MethodFacts, Order, Output, Remote
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.places import Places
from toolbox.config.reading.requirements import SettingReader
from toolbox.config.settings import list_settings
from toolbox.config.urls import ENGINES, parse_cluster_place
from toolbox.config.xml.document import find_line, read_attribute
from toolbox.config.xml.writing import HIERARCHY
from toolbox.errors import Findings, InputError, RawSetting


@dataclass(frozen=True)
class FileUse:
    """A file of the run, and how a message calls it."""

    role: str
    path: Path
    line: int = 0


class FileReader:
    """Reads the elements ``input`` and ``output`` and the options that name files."""

    def __init__(
        self, root: etree._Element, folder: Path, overrides: Overrides, findings: Findings, places: Places
    ) -> None:
        self._places = places
        self._settings = SettingReader(root, overrides, findings)
        self._input = root.find("input")
        self._output = root.find("output")
        self._root = root
        self._folder = folder
        self._overrides = overrides
        self._findings = findings

    def read_input(self) -> Input | None:
        """Return where the records come from, or None if nothing names it."""
        element = self._input
        said = self._settings.read_held("input", but=("header",))
        self._require_different_marks(said)
        option = self._overrides.given("header")
        # A header that is said in the wrong words is still one, or each name of a column would be a fault as well.
        header = self._settings.read("header") if option is None else self._read_boolean(option)
        make = partial(Input, **said, header=header, guesses_separator=self._settings.find("separator") is None)
        remote = self._places.input
        if remote is not None:
            return make(path=Path(str(remote)), remote=remote)
        names = self._list_names(element, self._overrides.list_given("input"))
        # That of the element belongs to its own files.
        own = None if self._overrides.list_given("input") else read_attribute(element, "table")
        table = self._findings.choose(self._overrides.given("input_table"), own, values.parse_filled_text, None)
        return make(path=names[0], more=tuple(names[1:]), table=table) if names else None

    def read_population(self, source: Input | None) -> Input | None:
        """Return where the population is, or None if nothing names it; what is not said is as in input.

        Parameters
        ----------
        source : Input, optional
            The input.
        """
        element, option = self._root.find("population"), self._overrides.given("population")
        if self._places.engine is not None and source is not None and source.remote is not None:
            return self._read_engine_population(element, option, source, self._places.engine)
        folder = self._folder if option is None else Path()
        path = self._findings.read(
            option or read_attribute(element, "filename"),
            _parse_place(folder),
            None,
        )
        if path is None:
            if element is not None and option is None and read_attribute(element, "filename") is None:
                self._findings.fault(find_line(element), "The population has no filename.", "Write filename='...'.")
            return None
        # What the element says belongs to its own file.
        return self._read_table_beside(None if option is not None else element, path, source)

    def _read_engine_population(
        self, element: etree._Element | None, option: RawSetting | None, source: Input, engine: EngineChoice
    ) -> Input | None:
        """Return a population in the engine: a table of the database, or a folder or a table of a cluster."""
        kind, read, records = ENGINES[engine.name], self._findings.read, source.remote
        assert records is not None, "the caller has looked"
        own = None if option is not None else element
        table, named = read_attribute(own, "table"), option or read_attribute(own, "filename")
        if not kind.reads_folders and option is None and named is not None:
            problem = f"{named} of population means nothing to the engine {kind.name}."
            self._findings.fault(named.line, problem, "Load it as a table of the database, and write table='...'.")
            return None
        if table is None and named is None:
            return None
        if not kind.reads_folders:
            name = read(table or named, values.parse_filled_text, None)
            remote = Remote(url=records.url, table=name)
        else:
            folder = self._folder if option is None else Path()
            place = None if table is not None else read(named, partial(parse_cluster_place, folder=folder), None)
            name = read(table, values.parse_filled_text, None)
            remote = Remote(url=place or "", table=name, format=records.format)
        return replace(source, path=Path(str(remote)), more=(), remote=remote, table=None, guesses_separator=False)

    def read_child_table(self, element: etree._Element, source: Input | None) -> Input | None:
        """Return where a child table is; what its element does not say is as in input."""
        setting = read_attribute(element, "filename")
        path = self._findings.read(setting, _parse_place(self._folder), None)
        return None if path is None else self._read_table_beside(element, path, source)

    def _read_table_beside(self, element: etree._Element | None, path: Path, source: Input | None) -> Input:
        """Return how a table is read that stands beside the input."""
        read, base = self._findings.read, Input(path=path) if source is None else source
        separator = read(read_attribute(element, "separator"), values.parse_separator, None)
        return replace(
            base.copy_for_table(path),
            table=read(read_attribute(element, "table"), values.parse_filled_text, None),
            separator="," if separator is None else separator,
            guesses_separator=separator is None,
            header=read(read_attribute(element, "header"), values.parse_boolean, base.header),
            encoding=read(read_attribute(element, "encoding"), values.parse_encoding, base.encoding),
        )

    def read_earlier(self) -> tuple[Path, ...]:
        """Return the earlier releases beside which a new one is counted."""
        element = self._root.find("earlier")
        return tuple(self._list_names(element, self._overrides.list_given("earlier")))

    def _read_boolean(self, setting: RawSetting) -> bool:
        return self._findings.read(setting, values.parse_boolean, True)

    def _require_different_marks(self, said: Mapping[str, Any]) -> None:
        """Note a character that stands before the decimals of numbers, and between their thousands."""
        setting = self._settings.find("thousands")
        if setting is not None and said["thousands"] == said["decimal"]:
            problem = f"{setting} stands before the decimals as well."
            self._findings.fault(setting.line, problem, "Write another character, or decimal=',' for decimal commas.")

    def _list_names(self, element: etree._Element | None, options: Sequence[RawSetting]) -> list[Path]:
        """List the named files: those of the options, otherwise the attribute and then the elements ``file``."""
        files = [] if element is None else [read_attribute(file, "name") for file in element.iterfind("file")]
        written = self._paths([read_attribute(element, "filename"), *files], self._folder)
        return self._paths(options, Path()) or written

    def _paths(self, settings: Iterable[RawSetting | None], folder: Path) -> list[Path]:
        read = (self._findings.read(name, _parse_place(folder), None) for name in settings)
        return [path for path in read if path is not None]

    def read_output(self, method: MethodFacts | None, compatibility: Compatibility) -> Output:
        """Return where the release goes; in the only format of the method, if it has only one."""
        said, element = self._settings.read_held("output"), self._output
        release_format, split_size = self._format(method, said["format"]), said["split_size"]
        self._refuse_beside(compatibility, splits=split_size is not None, escapes=said["escapes_formulas"])
        self._require_page(said["html"])
        path = self._read_output_path(element)
        kind = None if path is None else find_file_kind(path)
        if split_size is not None and kind is not None and kind.written and not kind.can_be_split:
            problem = f"The output is {kind.words}, which is not split."
            leave_out = f"Leave {self._overrides.called('split_size')} out"
            self._findings.fault(0, problem, f"{leave_out}, or release it as CSV or Parquet.")
        changed = {"format": release_format, "order": self._order(release_format, said["order"], compatibility)}
        return Output(path=path, **{**said, **changed}, remote=self._places.output, replaces=self._places.replaces)

    def _format(self, method: MethodFacts | None, asked: str | None) -> type[ReleaseFormat]:
        """Return the only format of the method, or else the one that is asked for."""
        only = None if method is None else method.only_format
        if method is not None and only is not None and asked not in (None, only):
            self._findings.warn(0, f"The format is {only}, not {asked}: {method.name} has no other.")
        name = only or asked
        return FORMATS[name or GEN_VALS]

    def _order(self, release_format: type[ReleaseFormat], order: Order | None, compatibility: Compatibility) -> Order:
        if not release_format.order_can_be_chosen and order not in (None, "shuffled"):
            note = f"order={order} is ignored: {release_format.name} {release_format.own_order}."
            self._findings.warn(0, note)
        return compatibility.usual_order if order is None else order

    def _refuse_beside(self, compatibility: Compatibility, *, splits: bool, escapes: bool) -> None:
        """Note what the toolbox of 2010 did not do."""
        remedy = "Leave one of the two out."
        if splits and not compatibility.can_split:
            self._findings.fault(0, "The toolbox of 2010, which compatibility asks for, wrote one file.", remedy)
        if escapes and not compatibility.can_escape_formulas:
            problem = "The toolbox of 2010, which compatibility asks for, wrote formulas as they are."
            self._findings.fault(0, problem, remedy)

    def _require_page(self, path: Path | None) -> None:
        """Note a page for people that no browser would open, or of which only the kind is said."""
        given, called = self._overrides.given("html"), self._overrides.called
        if given is None and (kind := self._overrides.given("report_kind")) is not None:
            problem = f"{called('report_kind')} describes a page, and no page is asked for."
            self._findings.fault(kind.line, problem, f"Name its file with {called('html')}.")
        if given is not None and path is not None and path.suffix.lower() not in PAGES:
            problem = f"{called('html')} is {given.text!r}, which no browser opens by its name."
            self._findings.fault(given.line, problem, f"Write a name that ends in {' or '.join(PAGES)}.")

    def read_limits(self) -> Limits:
        """Return what the run may use of the machine."""
        return Limits(**self._settings.read_held("limits"))

    def _read_output_path(self, element: etree._Element | None) -> Path | None:
        if self._places.output is not None:
            return None
        is_folder = self._settings.find("partition_by") is not None
        beside, here = (
            partial(values.parse_output_path, folder=folder, may_be_folder=is_folder)
            for folder in (self._folder, Path())
        )
        written = self._findings.read(read_attribute(element, "filename"), beside, None)
        path = self._findings.read(self._overrides.given("output"), here, None) or written
        if is_folder and path is not None and has_types(path) and not is_parquet(path):
            setting = self._overrides.called("partition_by")
            problem = f"The output, {str(path)!r}, is no folder of Parquet or text, which {setting} makes."
            self._findings.fault(0, problem, "End its name with .parquet or .csv.")
        line = 0 if element is None or self._overrides.output is not None else find_line(element)
        if path is not None and is_compressed_parquet(path):
            problem = f"The output, {str(path)!r}, would be a compressed file with text in it, and not Parquet."
            self._findings.fault(line, problem, "End its name with .parquet.")
        if path is not None and (kind := find_unwritable_kind(path)) is not None:
            problem = f"The output, {str(path)!r}, has the name of {kind}, and no release is written as such."
            *others, last = list_written_extensions()
            remedy = f"End its name with .csv, {', '.join(others)} or {last}."
            self._findings.fault(line, problem, remedy)
        return path


def _parse_place(folder: Path) -> Callable[[str], Path]:
    return partial(values.parse_path, folder=folder, may_be_object=True)


def _note_objects(
    uses: Iterable[FileUse], output: Output, limits: Limits, findings: Findings, called: Callable[[str], str]
) -> None:
    """Note objects of stores where nobody has allowed the network, and what cannot be made of them."""
    objects = [use for use in uses if values.is_object(use.path)]
    if objects and not limits.network:
        use = objects[0]
        problem = f"The {use.role}, {values.format_object(use.path)!r}, is an object of a store."
        remedy = f"Nothing is fetched or stored without {called('allow_network')}. Write that, or name a file."
        findings.fault(use.line, problem, remedy)
    if output.partition_by is not None and (output.split_size is not None or len(output.format.suffixes) > 1):
        setting = called("split_size") if output.split_size is not None else f"the format {output.format.name}"
        problem = f"{called('partition_by')} cannot be combined with {setting}."
        findings.fault(0, problem, "Leave one of the two out.")
    if output.path is not None and values.is_object(output.path) and output.split_size is not None:
        problem = f"{called('split_size')} is about files of this machine, and the output is an object of a store."
        findings.fault(0, problem, "Leave it out: an object has room for 5 TB.")


def check_files(
    read: Sequence[FileUse],
    written: Sequence[FileUse],
    output: Output,
    limits: Limits,
    findings: Findings,
    called: Callable[[str], str],
) -> None:
    """Note each output that would replace another file of the run or no file at all, or whose folder is missing.

    Parameters
    ----------
    output, limits : Output, Limits
        What else is said of it, by which an object of a store may have no place.
    called : callable
        Returns what messages call a setting.
    """
    _note_objects([*read, *written], output, limits, findings, called)
    seen = {_find_file_identity(use.path): use for use in read}
    absent: set[Path] = set()
    for use in written:
        folder = Path(os.path.realpath(use.path.parent))
        other = seen.setdefault(_find_file_identity(use.path), use)
        if other is not use:
            problem = f"The {use.role} is the same file as the {other.role}: {str(use.path)!r}."
            findings.fault(use.line, problem, f"Write another path for the {use.role}.")
        elif values.is_object(use.path):
            continue  # whoever stores it says what is wrong
        elif output.partition_by is not None and use.path == output.path and os.path.lexists(use.path):
            problem = f"The output, {str(use.path)!r}, is there already, and no folder is replaced."
            findings.fault(use.line, problem, "Remove it first, or write another path.")
        elif reason := _find_refusal(use.path):
            findings.fault(use.line, f"The {use.role}, {str(use.path)!r}, {reason[0]}", reason[1])
        elif not is_folder(folder) and folder not in absent:
            absent.add(folder)
            problem = f"The {use.role}, {str(use.path)!r}, lies in a folder that does not exist."
            findings.fault(use.line, problem, "Make the folder first, or write another path.")


def _find_refusal(path: Path) -> tuple[str, str] | None:
    """Return why no file can be written at a path, and what to write instead; None if one can be."""
    if is_stream(path):
        streams = "is a stream. Files come to their names as a whole, which a stream cannot take."
        return streams, "Write the path of a file, and read it when the run is over."
    reason = find_obstacle(path)
    if reason is None:
        return None
    is_link = reason.startswith("a symbolic link")
    remedy = "Write the path of the file itself, or remove the link." if is_link else "Write the path of a file."
    return f"is {reason}.", remedy


def _find_file_identity(path: Path) -> object:
    """Return an identity that all names of one file share, whether they are links or spellings."""
    try:
        status = path.stat()
    except ValueError:  # a null byte, which no file has in its name
        return path
    except OSError:
        return os.path.realpath(path)  # Path.resolve raises where links form a circle
    return status.st_dev, status.st_ino


def read_files(root: etree._Element, config: Config, called: Callable[[str], str]) -> list[FileUse]:
    """List what a run reads.

    Parameters
    ----------
    called : callable
        Returns what messages call a setting.
    """
    uses = [] if config.path is None else [FileUse("configuration", config.path)]
    uses += [] if config.recoding is None else [FileUse("recoding", Path(config.recoding.source))]
    children = [(f"table {name}", child.input) for name, child in config.child_tables.items()]
    earlier = [("earlier release", Input(path=path)) for path in config.earlier]
    for role, table in [*earlier, ("input", config.input), ("population", config.population), *children]:
        if table is not None and table.remote is None:
            uses.append(FileUse(role, table.path))
            with suppress(InputError):  # which the run reports
                uses += [FileUse(role, path) for path in list_input_files(table)]
    # Whatever an option names that is no output, such as the key of pseudonyms.
    named = {name: value for name, value in config.others.items() if isinstance(value, Path)}
    uses += [FileUse(f"file of {called(name)}", path) for name, path in named.items()]
    place, attribute = HIERARCHY
    names = [element.get(attribute) for element in root.iterfind(place)]
    folder = Path() if config.path is None else config.path.parent
    return uses + [FileUse("hierarchy file", folder / name) for name in names if name is not None]


def list_written_files(root: etree._Element, config: Config, overrides: Overrides) -> list[FileUse]:
    """List what a run writes."""
    element, output = root.find("output"), config.output
    line = 0 if element is None or overrides.output is not None else find_line(element)
    held = {"output": output, "limits": config.limits}
    options = {
        setting.field: getattr(held[setting.holder], setting.place)
        for setting in list_settings()
        if setting.metavar == "FILE" and setting.holder in held
    }
    beside = [
        FileUse(f"file of {overrides.called(option)}", path) for option, path in options.items() if path is not None
    ]
    if output.path is None:
        return beside
    uses = [FileUse("output", output.path, line)]
    if output.path.name:
        paths = [add_suffix_to_stem(output.path, suffix) for suffix in output.format.suffixes if suffix]
        uses += [FileUse("output", path, line) for path in paths]
    children = {f"release of table {name}": child.output.path for name, child in config.child_tables.items()}
    uses += [FileUse(role, path, line) for role, path in children.items() if path is not None]
    if output.split_size is not None and output.path.name:
        # The number of output files is not known yet.
        uses += [
            FileUse(f"piece of the {use.role}", piece, line)
            for use in uses
            for piece in {
                build_piece_path(use.path, 1),
                *list_existing_pieces(use.path),
                *(other.path for other in beside if may_be_piece(other.path, use.path)),
            }
        ]
    return uses + beside
