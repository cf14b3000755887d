"""Tables that are no files of this machine: of a database, or in a folder that a cluster reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lxml import etree

from toolbox.config import urls, values
from toolbox.config.file_names import find_file_kind, is_folder
from toolbox.config.formats import OUR_OWN, Compatibility
from toolbox.config.model import EngineChoice, Limits, MethodFacts, Output, Remote
from toolbox.config.reading.overrides import Overrides
from toolbox.config.xml.document import find_line, read_attribute
from toolbox.errors import Findings, RawSetting

# Tables that are no files of this machine: of a database by its URL, or in a folder that a cluster reads.

_USUAL_ADDRESS = "'postgresql://HOST/DATABASE'"
"""Of a database, where no engine is named."""


@dataclass(frozen=True)
class Places:
    """Where the records are and where the release goes, if that is no file."""

    input: Remote | None = None
    output: Remote | None = None
    engine: EngineChoice | None = None
    """What does the work; None: this machine."""
    replaces: bool = False
    """Whether a table that is there may be replaced."""

    @property
    def engine_name(self) -> str | None:
        """The name of the engine."""
        return None if self.engine is None else self.engine.name


def read_places(root: etree._Element, folder: Path, overrides: Overrides, findings: Findings) -> Places:
    """Read what a configuration and the options say of databases and clusters.

    Parameters
    ----------
    folder : Path
        Where relative paths of the configuration start.
    """
    return _PlaceReader(root, folder, overrides, findings).read()


class _PlaceReader:
    def __init__(self, root: etree._Element, folder: Path, overrides: Overrides, findings: Findings) -> None:
        self._elements = {role: root.find(role) for role in ("input", "output")}
        self._engine = root.find("engine")
        self._folder = folder
        self._overrides = overrides
        self._findings = findings

    def read(self) -> Places:
        choose, option = self._findings.choose, self._overrides.given
        known = partial(values.parse_word, known=urls.ENGINES.names)
        name = choose(option("engine"), self._find_engine_attribute("name"), known, None)
        kind = None if name is None else urls.ENGINES[name]
        address = urls.parse_database_url if kind is None else kind.parse_url
        url = choose(option("engine_url"), self._find_engine_attribute("url"), address, None)
        replaces = choose(
            option("replace"), read_attribute(self._elements["output"], "replace"), values.parse_boolean, False
        )
        if kind is not None and kind.reads_folders:
            source, release = (self._read_remote_folder(role, kind) for role in ("input", "output"))
        else:
            read = partial(self._read_remote_table, usual=url, kind=kind)
            source, release = read("input"), read("output")
        self._require_use(kind, replaces=replaces, is_remote=release is not None)
        return Places(source, release, self._chosen(kind, url, source, release), replaces)

    def _find_engine_attribute(self, name: str) -> RawSetting | None:
        # An engine that an option names is not that of the element.
        return None if name == "url" and self._overrides.engine is not None else read_attribute(self._engine, name)

    def _has_address(self) -> bool:
        return self._overrides.engine_url is not None or self._find_engine_attribute("url") is not None

    def _chosen(
        self, kind: type[urls.EngineKind] | None, url: str | None, source: Remote | None, release: Remote | None
    ) -> EngineChoice | None:
        """Return the engine that is named, or the database that both tables are in."""
        settings = self._settings(kind)
        if kind is not None and kind.needs_address and not self._has_address():
            remedy = f"Write url={kind.address}, or --engine-url."
            self._findings.fault(self._line(self._engine), f"The engine {kind.name} has no address.", remedy)
        if source is None or release is None or (kind is not None and kind.reads_folders):
            return None if kind is None else EngineChoice(name=kind.name, url=url or "", settings=settings)
        is_one = urls.is_same_database(source.url, release.url) and urls.is_same_database(url or source.url, source.url)
        if kind is None:
            # Of two databases, or one that is no engine, the records are read here.
            kind = urls.ENGINES.find(lambda engine: engine.does_unnamed(source.url)) if is_one else None
            if kind is None:
                return None
        if not is_one and source.url and release.url:
            problem = f"The engine {kind.name}, the input and the output are not one database."
            self._findings.fault(0, problem, "Write one url for them, or leave out the engine.")
        return EngineChoice(name=kind.name, url=source.url, settings=settings)

    def _settings(self, kind: type[urls.EngineKind] | None) -> Mapping[str, str]:
        settings: dict[str, str] = {}
        for element in [] if self._engine is None else self._engine.iterfind("set"):
            name = self._findings.read(read_attribute(element, "name"), values.parse_filled_text, None)
            if name is None:
                continue
            self._refuse_secret(name, find_line(element), kind)
            if name in settings:
                self._findings.fault(find_line(element), f"The setting {name} is given twice.", "Keep one of them.")
            settings[name] = element.get("value", "")
        for name, value in self._overrides.engine_settings.items():
            self._refuse_secret(name, 0, kind)
            settings[name] = value
        if self._overrides.engine_settings and self._engine is None and self._overrides.engine is None:
            called = self._overrides.called
            self._findings.fault(
                0, f"{called('engine_settings')} needs an engine.", f"Name it with {called('engine')}, such as spark."
            )
        return settings

    def _refuse_secret(self, name: str, line: int, kind: type[urls.EngineKind] | None) -> None:
        if urls.is_secret_setting(name):
            place = (
                "where the driver looks" if kind is None else kind.secrets or f"where the driver of {kind.title} looks"
            )
            self._findings.fault(line, f"The setting {name} is a password.", f"Put it {place}.")

    def _read_remote_table(self, role: str, *, usual: str | None, kind: type[urls.EngineKind] | None) -> Remote | None:
        """Read a table of a database."""
        element, options = self._elements[role], self._named(role)
        asked = [given for given in options if urls.is_database(given.text)]
        if asked and len(options) > 1:
            self._findings.fault(0, "-input names a database and more.", "Name one database, or files alone.")
        name, select = (
            self._find_role_option(role, "table"),
            self._find_role_option(role, "query") if role == "input" else None,
        )
        in_file = role == "input" and not asked and self._is_in_file(options)
        if in_file or (options and not asked):
            for given in (select,) if in_file else (name, select):
                if given is not None:
                    self._findings.fault(0, f"{given} cannot be combined with a file.", "Leave one of the two out.")
            return None
        address = urls.parse_database_url if kind is None else kind.parse_url
        own = self._findings.read(asked[0] if asked else read_attribute(element, "url"), address, None)
        is_named = bool(asked) or read_attribute(element, "url") is not None
        table, query = self._choose_table_records(role, name, select)
        if not (is_named or table or query):
            return None
        url = own if is_named else usual
        if not is_named and usual is None and not self._has_address():
            remedy = f"Write url={_USUAL_ADDRESS if kind is None else kind.address}."
            self._findings.fault(self._line(element), f"Nothing names the database of the {role}.", remedy)
        self._require_one(role, element, (table, query))
        self._refuse_files(role, is_option=bool(asked))
        # Also after a fault, so that nobody takes it for a file.
        return Remote(url=url or "", table=table, query=query)

    def _choose_table_records(
        self, role: str, name: RawSetting | None, select: RawSetting | None
    ) -> tuple[str | None, str | None]:
        """Return the table and the query; of an option for one of them, the other one of the file has no place."""
        element, read = self._elements[role], self._findings.read
        table = name or (None if select else read_attribute(element, "table"))
        query = select or (None if name or role == "output" else read_attribute(element, "query"))
        return read(table, values.parse_filled_text, None), read(query, values.parse_filled_text, None)

    def _is_in_file(self, options: Sequence[RawSetting]) -> bool:
        """Return whether the table that is named is one of the sheets or tables that a file holds."""
        element = self._elements["input"]
        if not options and (read_attribute(element, "url") is not None or self._has_address()):
            return False
        files = [] if element is None else [read_attribute(file, "name") for file in element.iterfind("file")]
        named = options or [given for given in (read_attribute(element, "filename"), *files) if given is not None]
        paths = [(Path() if options else self._folder) / given.text for given in named if "\0" not in given.text]
        return bool(paths) and all(find_file_kind(path).has_tables or is_folder(path) for path in paths)

    def _require_one(self, role: str, element: etree._Element | None, given: tuple[str | None, str | None]) -> None:
        """Note a database without a table, or with a table and a query."""
        stated = [one for one in given if one]
        if len(stated) == 1:
            return
        problem = f"The {role} is a database, and {'both table and query are' if stated else 'no table is'} named."
        written = "table='...' or query='...'" if role == "input" else "table='...'"
        self._findings.fault(self._line(element), problem, f"Write {written} beside its url, or --{role}-table.")

    def _refuse_files(self, role: str, *, is_option: bool) -> None:
        """Note files beside a table, unless an option says that the table is meant."""
        element = self._elements[role]
        files = [] if element is None else [read_attribute(file, "name") for file in element.iterfind("file")]
        for given in (read_attribute(element, "filename"), *files):
            if given is not None and not is_option:
                problem = f"The {role} is a table, and {given} cannot be combined with it."
                self._findings.fault(given.line, problem, "Leave one of the two out.")

    def _read_remote_folder(self, role: str, kind: type[urls.EngineKind]) -> Remote | None:
        """Read a folder that a cluster reads or writes, or a table of its catalogue."""
        element, options, read = self._elements[role], self._named(role), self._findings.read
        if len(options) > 1 or (element is not None and element.find("file") is not None and not options):
            problem = "Several files are named, and a cluster reads one folder."
            self._findings.fault(self._line(element), problem, "Name the folder.")
        self._refuse_database(role, kind)
        name, form = self._find_role_option(role, "table"), None
        given = options[0] if options else None if name else read_attribute(element, "filename")
        place = read(given, partial(urls.parse_cluster_place, folder=Path() if options else self._folder), None)
        asked = name or (None if options else read_attribute(element, "table"))
        table = read(asked, values.parse_filled_text, None)
        if asked is not None and role == "output":
            problem = f"{asked} is named, and {kind.title} writes a folder."
            self._findings.fault(asked.line, problem, "Write filename='...', or -output.")
        elif asked is not None and given is not None:
            problem = f"The input is a table, and {given} cannot be combined with it."
            self._findings.fault(given.line, problem, "Leave one of the two out.")
        if role == "input":
            known = partial(values.parse_word, known=kind.formats)
            form = self._findings.choose(
                self._find_role_option(role, "format"), read_attribute(element, "format"), known, None
            )
        return None if given is None and asked is None else Remote(url=place or "", table=table, format=form)

    def _refuse_database(self, role: str, kind: type[urls.EngineKind]) -> None:
        for name in ("url", "query"):
            if (given := read_attribute(self._elements[role], name)) is not None:
                problem = f"{name} of {role} means nothing to the engine {kind.name}."
                self._findings.fault(given.line, problem, "Name a folder by filename='...', or leave out the engine.")

    def _find_role_option(self, role: str, name: str) -> RawSetting | None:
        return self._overrides.given(f"{role}_{name}")

    def _named(self, role: str) -> list[RawSetting]:
        """List what the options name."""
        if role == "input":
            return self._overrides.list_given("input")
        given = self._overrides.given("output")
        return [] if given is None else [given]

    @staticmethod
    def _line(element: etree._Element | None) -> int:
        return 0 if element is None else find_line(element)

    def _require_use(self, kind: type[urls.EngineKind] | None, *, replaces: bool, is_remote: bool) -> None:
        """Note what says something of a table where there is none."""
        if replaces and not is_remote:
            remedy = "Leave it out: a file is replaced as a whole."
            self._findings.fault(0, "replace cannot be combined with an output that is a file.", remedy)
        form = self._find_role_option("input", "format") or read_attribute(self._elements["input"], "format")
        if form is not None and (kind is None or not kind.reads_folders):
            readers = " and ".join(engine.name for engine in urls.list_engines() if engine.reads_folders)
            problem = f"{form} of input means something to the engine {readers} only."
            self._findings.fault(form.line, problem, "Leave it out: the extension of a file tells its format.")


# What cannot be asked of a release that is no file, and of records that stay where they are.


def check_remote(
    places: Places,
    output: Output,
    limits: Limits,
    method: MethodFacts | None,
    compatibility: Compatibility,
    findings: Findings,
    called: Callable[[str], str],
) -> None:
    """Note what a table of a database cannot be, and what cannot be done without the records."""
    if places.engine is not None:
        problems = [*_find_engine_faults(places, output, limits, method, compatibility, called)]
    elif places.output is not None:
        problems = [*_find_table_faults(output, compatibility, called)]
    else:
        return
    for problem, remedy in problems:
        findings.fault(0, problem, remedy)


def _find_engine_faults(
    places: Places,
    output: Output,
    limits: Limits,
    method: MethodFacts | None,
    compatibility: Compatibility,
    called: Callable[[str], str],
) -> Iterator[tuple[str, str]]:
    leave_out = "Leave it out, or read the records here: name another output."
    if places.input is None or places.output is None:
        role = "input" if places.input is None else "output"
        yield (
            f"The {role} is not in the engine {places.engine_name}.",
            "Records stay there: name a place of the engine.",
        )
    if output.format.needs_records:
        name = method.name if method is not None and method.only_format is not None else output.format.name
        problem = f"{name} {output.format.needs_records}, which no engine does."
        yield problem, "Choose another method and format."
    if compatibility is not OUR_OWN:
        yield "compatibility asks for the files of 2010, which no engine writes.", leave_out
    elif output.order in ("input", "sorted"):
        yield f"order={output.order} is asked for, and an engine keeps no order of records.", "Leave it out."
    asked = {
        "rejects": output.rejects is not None,
        "store": limits.store is not None,
        "split_size": output.split_size is not None,
        "partition_by": output.partition_by is not None,
        "escape_formulas": output.escapes_formulas,
        "input_digest": output.input_digest != "none",
    }
    for option, is_asked in asked.items():
        if is_asked:
            yield (
                f"{called(option)} is about files, and the records stay in the engine {places.engine_name}.",
                leave_out,
            )


def _find_table_faults(
    output: Output, compatibility: Compatibility, called: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    if compatibility is not OUR_OWN:
        yield "compatibility asks for the files of 2010, and the output is a table.", "Name a file as the output."
    if (count := len(output.format.suffixes)) > 1:
        problem = f"{output.format.name} makes {'two' if count == 2 else count} tables, and the output names one."
        yield problem, "Name a file as the output."
    for name, value in (("split_size", output.split_size), ("partition_by", output.partition_by)):
        if value is not None:
            yield f"{called(name)} is about files, and the output is a table of a database.", "Leave it out."
    if output.escapes_formulas:
        yield f"{called('escape_formulas')} is about text, and the output is a table of a database.", "Leave it out."
