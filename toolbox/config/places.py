"""Tables that are no files of this machine: of a database by its URL, or in a folder that a cluster reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast, get_args
from urllib.parse import SplitResult, urlsplit

from lxml import etree

from toolbox.config import values
from toolbox.config.document import attribute, line_of
from toolbox.config.given import BadValueError, Findings, Given
from toolbox.config.model import EngineChoice, EngineName, Remote
from toolbox.config.overrides import Overrides

_CLUSTER_FORMATS = ("parquet", "csv", "orc")


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
    def engine_name(self) -> EngineName | None:
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
        self._input, self._output, self._engine = root.find("input"), root.find("output"), root.find("engine")
        self._folder = folder
        self._overrides = overrides
        self._findings = findings

    def read(self) -> Places:
        choose, option = self._findings.choose, self._overrides.given
        known = partial(values.word, known=get_args(EngineName))
        name = choose(option("engine"), attribute(self._engine, "name"), known, None)
        url = choose(option("engine_url"), attribute(self._engine, "url"), self._engine_url(name), None)
        replaces = choose(option("replace"), attribute(self._output, "replace"), values.boolean, False)
        if name == "spark":
            places = self._folders()
        else:
            places = self._tables(self._input, "input", url), self._tables(self._output, "output", url)
        self._require_use(name, replaces=replaces, is_remote=places[1] is not None)
        return Places(*places, self._chosen(name, url, *places), replaces)

    def _engine_url(self, name: str | None) -> partial[str]:
        return partial(cluster_url if name == "spark" else database_url)

    def _chosen(
        self, name: str | None, url: str | None, source: Remote | None, release: Remote | None
    ) -> EngineChoice | None:
        """Return the engine that is named, or the database that both tables are in."""
        if name is None and source is not None and release is not None and source.url == release.url:
            name = "postgresql" if _is_postgresql(source.url) else None
        if name is None:
            return None
        usual = source.url if name == "postgresql" and source is not None else ""
        return EngineChoice(name=cast(EngineName, name), url=url or usual, settings=self._settings())

    def _settings(self) -> Mapping[str, str]:
        elements = [] if self._engine is None else self._engine.iterfind("set")
        return {element.get("name", ""): element.get("value", "") for element in elements}

    def _tables(self, element: etree._Element | None, role: str, usual_url: str | None) -> Remote | None:
        """Read a table of a database."""
        read, option = self._findings.read, self._overrides.given
        asked = [given for given in self._file_names(role) if is_url(given.text)]
        own = read(asked[0] if asked else attribute(element, "url"), database_url, None)
        url = own or usual_url
        table = self._findings.choose(option(f"{role}_table"), attribute(element, "table"), values.filled, None)
        query = read(attribute(element, "query"), values.filled, None) if role == "input" else None
        line = 0 if element is None else line_of(element)
        if url is None and (table or query):
            self._findings.fault(line, f"Nothing names the database of the {role}.", "Write url='postgresql://...'.")
            return None
        if url is None or (own is None and not (table or query)):
            return None
        self._require_one(role, line, {"table": table, "query": query})
        return Remote(url=url, table=table, query=query)

    def _require_one(self, role: str, line: int, given: Mapping[str, str | None]) -> None:
        names = [name for name in given if role == "input" or name == "table"]
        stated = [name for name in names if given[name]]
        if len(stated) == 1:
            return
        problem = f"The {role} is a database, and {'both table and query are' if stated else 'no table is'} named."
        written = " or ".join(f"{name}='...'" for name in names)
        self._findings.fault(line, problem, f"Write {written} beside its url, or --{role}-table.")

    def _folders(self) -> tuple[Remote | None, Remote | None]:
        """Read folders that a cluster reads and writes, or tables of its catalogue."""
        found = []
        for role, element in (("input", self._input), ("output", self._output)):
            names = self._file_names(role)
            given = names[0] if names else attribute(element, "filename")
            place = self._findings.read(given, partial(cluster_place, folder=self._place_of(names)), None)
            table = self._findings.choose(
                self._overrides.given(f"{role}_table"), attribute(element, "table"), values.filled, None
            )
            form = None
            if role == "input":
                formats = partial(values.word, known=_CLUSTER_FORMATS)
                form = self._findings.read(attribute(element, "format"), formats, None)
            found.append(Remote(url=place or "", table=table, format=form) if place or table else None)
        return found[0], found[1]

    def _place_of(self, options: list[Given]) -> Path:
        return Path() if options else self._folder

    def _file_names(self, role: str) -> list[Given]:
        """List what the options name."""
        if role == "input":
            return self._overrides.given_inputs()
        given = self._overrides.given("output")
        return [] if given is None else [given]

    def _require_use(self, name: str | None, *, replaces: bool, is_remote: bool) -> None:
        """Note what says something of a table where there is none."""
        if replaces and not is_remote:
            remedy = "Leave it out: a file is replaced as a whole."
            self._findings.fault(0, "replace stands beside an output that is a file.", remedy)
        form = attribute(self._input, "format")
        if form is not None and name != "spark":
            problem = f"{form} of input means something to the engine spark only."
            self._findings.fault(form.line, problem, "Leave it out: the extension of a file tells its format.")


def is_url(text: str) -> bool:
    """Return whether a text begins as a URL does."""
    return values.URL.match(text) is not None


def database_url(text: str) -> str:
    """Read the URL of a database; one that holds a password is refused, and not repeated."""
    parts = _parts(text)
    if not parts.scheme or "://" not in text:
        raise BadValueError("is no URL of a database", "Write postgresql://HOST/DATABASE, say.")
    if parts.password is not None or "password=" in parts.query.lower():
        remedy = "Remove it, and put it where the driver looks: into ~/.pgpass, or a file that PGPASSFILE names."
        raise BadValueError("holds a password, which files and lists of processes would show", remedy)
    return text


def cluster_url(text: str) -> str:
    """Read the address of a cluster, such as ``local[4]``, ``yarn``, ``spark://HOST:7077`` or ``sc://HOST:15002``."""
    if "token=" in text.lower() or _parts(text).password is not None:
        remedy = "Remove it; spark-defaults.conf or the environment of the cluster's client can hold it."
        raise BadValueError("holds a password, which files and lists of processes would show", remedy)
    return text


def cluster_place(text: str, folder: Path) -> str:
    """Read the folder of a table as a cluster names it; a path without a scheme is one of this machine."""
    if not text.strip() or "\0" in text:
        raise BadValueError("names no folder", "Write the path of a folder, or its URI.")
    if is_url(text):
        if _parts(text).password is not None:
            raise BadValueError("holds a password", "Remove it; a credential provider of Hadoop can hold it.")
        return text
    return str((folder / text).absolute())


def _parts(text: str) -> SplitResult:
    try:
        parts = urlsplit(text.strip())
        _ = parts.port  # raises where it is none
    except ValueError:
        raise BadValueError("is no URL", "Write one such as postgresql://HOST:5432/DATABASE.") from None
    return parts


def _is_postgresql(url: str) -> bool:
    return urlsplit(url).scheme.partition("+")[0] in ("postgresql", "postgres")
