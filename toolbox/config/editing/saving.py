"""The configuration that does what a file and options have said, and whether two say the same."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from lxml import etree

from toolbox.config.model import Config, MethodFacts, ModelFacts, find_model_facts
from toolbox.config.reading.declarations import NO_DECLARATIONS, Declarations, Declarer
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.reader import has_names
from toolbox.config.reading.requirements import CLASSICAL, is_meant, list_original_parameters
from toolbox.config.settings import SETTINGS, list_settings
from toolbox.config.urls import is_database, names_folder_engine
from toolbox.config.xml.document import read_document
from toolbox.config.xml.structure import ROOT_ATTRIBUTES
from toolbox.config.xml.writing import (
    UNWRITABLE,
    drop,
    ensure_section,
    format_cluster_place,
    format_configuration,
    make_comment,
    rewrite_path,
    rewrite_relative_paths,
)
from toolbox.errors import ConfigurationError, Fault, Findings

# The configuration that does what a file and options have said: the file, with the options written into it.

OF_ONE_RUN: Final = tuple(
    name for name, setting in SETTINGS.items() if not setting.element and not setting.is_place and name != "save_config"
)
"""Options that no configuration holds: what they say belongs to a run, or to a machine."""
_EXPLAINED: Final[Mapping[str, str]] = {
    "person": "Who the records are about: different values are different persons, whom classes count; dropped.",
    "id": "Identifiers: each of them names a person by itself; they are dropped.",
    "qid": "Quasi-identifiers: a stranger may know them; they are generalised.",
    "sens": "Sensitive: nobody should learn them about a person; they are released as they are.",
    "released": "Other columns of the release, each treated as its att says.",
    "privacy": "What all records that look alike must satisfy.",
}
_WRITTEN: Final = "Written by toolbox with -save-config"
_LEFT_OUT: Final = "Not in it, as no configuration says so"
_EMPTY_LINE: Final = "\n\n"
_DEFAULTS: Final[Mapping[str, str]] = {"k": "10", "l": "10", "t": "0.2"}


@dataclass
class Saving:
    """Writes options into a document; nothing of it is wrong, as a reader has found no fault."""

    config: Config
    """What the file and the options say together."""
    target: Path
    """Where the text is to be written."""
    overrides: Overrides
    models: Mapping[str, ModelFacts]
    """The privacy models by their names in lower case."""
    declarations: Declarations = NO_DECLARATIONS
    facts: MethodFacts | None = None
    """Of the method of the run."""
    _is_ours: bool = field(default=False, init=False)
    """Whether the file was written here before."""

    def text(self) -> bytes:
        """Return the text of the configuration.

        Raises
        ------
        ConfigurationError
            If an option holds what XML cannot, such as a control character.
        """
        self._folder = self.target.parent
        findings = Findings()
        root = self._root(findings)
        Declarer(root, self._folder, has_names(self.config.input), findings).declare(
            self.declarations, self.overrides.k
        )
        try:
            self._engine(root)
            self._input(root)
            self._write_population(root)
            self._write_earlier(root)
            self._output(root)
            self._write_parameters(root)
        except ValueError:  # with which lxml refuses a text
            findings.faults.append(self._find_unwritable())
        if findings.faults:
            raise ConfigurationError(str(self.target), findings.faults)
        if self.config.path is None:
            _explain(root)
        if remark := self._build_remark():
            root.addprevious(make_comment(remark))
        return format_configuration(root)

    def _root(self, findings: Findings) -> etree._Element:
        if self.config.path is None:
            return etree.Element("config")
        root = read_document(self.config.path, findings, keeps_comments=True)
        if root is None:
            raise ConfigurationError(str(self.config.path), findings.faults)
        rewrite_relative_paths(root, self.config.path.parent, self._folder)
        for old in [*root.itersiblings(preceding=True)]:
            # What was said of the old file is said anew.
            if str(old.text or "").strip().startswith((_WRITTEN, _LEFT_OUT)):
                self._is_ours |= str(old.text).strip().startswith(_WRITTEN)
                # It has no parent that could remove it.
                etree.Element("aside").append(old)
        return root

    def _write_parameters(self, root: etree._Element) -> None:
        """Write the method with its settings, and what must be satisfied."""
        self._write_method(root)
        for setting in list_settings("config"):
            value, name = getattr(self.overrides, setting.field), setting.attribute
            if value is not None and name not in CLASSICAL:
                for other in [other for other in root.attrib if str(other).lower() == name.lower()]:
                    del root.attrib[other]
                root.set(name, value)
        models = root.findall("privacy/model")
        for name in CLASSICAL:
            value = getattr(self.overrides, name)
            if value is None:
                continue
            if not models:
                root.set(name, value)
            for model in models:
                known = find_model_facts(self.models, model.get("name", ""), [str(each) for each in model.attrib])
                if name in model.attrib and known is not None and is_meant(name, known):
                    model.set(name, value)
        if self.config.path is None and self.config.recoding is None and not models and self.facts is not None:
            for name in list_original_parameters(self.facts):
                if name in _DEFAULTS and name not in root.attrib:
                    root.set(name, _DEFAULTS[name])

    def _write_method(self, root: etree._Element) -> None:
        method, recoding = self.overrides.method, self.overrides.recoding
        if recoding is not None:
            root.set("recoding", rewrite_path(recoding, Path(), self._folder))
        if not self.is_installed:
            # Such a file would decide which code is run.
            return
        if method is not None or self.config.path is None:
            root.set("method", (method or self.config.method).strip())
            known = () if self.facts is None else tuple(self.facts.settings)
            for name in map(str, root.attrib):
                if name.lower() not in map(str.lower, (*ROOT_ATTRIBUTES, *known)) and not name.startswith("{"):
                    del root.attrib[name]
        for name, value in self.overrides.settings.items():
            root.set(name, value)

    @property
    def is_installed(self) -> bool:
        """Whether a configuration can name the method."""
        return ":" not in (self.overrides.method or "")

    def _input(self, root: etree._Element) -> None:
        overrides, names = self.overrides, [given.text for given in self.overrides.list_given("input")]
        given = [*names, overrides.input_table, overrides.input_query, *self._said("input")]
        if not any(text is not None for text in given):
            return
        element = ensure_section(root, "input")
        if names:
            for file in element.findall("file"):
                element.remove(file)
            drop(element, "filename")
            self._place(root, element, names)
        if overrides.input_table is not None:
            drop(element, "query", *(["filename"] if self._has_folders(root) else []))
            element.set("table", overrides.input_table)
        if overrides.input_query is not None:
            drop(element, "table")
            element.set("query", overrides.input_query)
        self._write(element)

    def _place(self, root: etree._Element, element: etree._Element, names: Sequence[str]) -> None:
        """Write where the records are, or where the release goes."""
        has_folders = self._has_folders(root)
        if not has_folders and is_database(names[0]):
            element.set("url", names[0])
            return
        drop(element, "url", "table", "query")
        way = format_cluster_place if has_folders else partial(rewrite_path, new=self._folder)
        paths = [way(name, Path()) for name in names]
        if len(paths) == 1:
            element.set("filename", paths[0])
        else:
            for path in paths:
                etree.SubElement(element, "file", {"name": path})

    def _write_population(self, root: etree._Element) -> None:
        if self.overrides.population is not None:
            element = ensure_section(root, "population")
            element.attrib.clear()
            named = self.overrides.population
            known = self.config.population
            if known is not None and known.remote is not None:
                is_folder = self._has_folders(root)
                element.set(*(("filename", format_cluster_place(named, Path())) if is_folder else ("table", named)))
            else:
                element.set("filename", rewrite_path(named, Path(), self._folder))

    def _write_earlier(self, root: etree._Element) -> None:
        names = [given.text for given in self.overrides.list_given("earlier")]
        if not any(text is not None for text in (*names, *self._said("earlier"))):
            return
        element = ensure_section(root, "earlier")
        if names:
            for file in element.findall("file"):
                element.remove(file)
            drop(element, "filename")
            self._place(root, element, names)
        self._write(element)

    def _output(self, root: etree._Element) -> None:
        overrides = self.overrides
        if not any(text is not None for text in (overrides.output, overrides.output_table, *self._said("output"))):
            return
        element = ensure_section(root, "output")
        if overrides.output is not None:
            drop(element, "filename")
            self._place(root, element, [overrides.output])
        if overrides.output_table is not None:
            element.set("table", overrides.output_table)
        self._write(element)

    def _engine(self, root: etree._Element) -> None:
        overrides, settings = self.overrides, self.overrides.engine_settings
        if overrides.engine is None and root.find("engine") is None:
            self._write_database(root)
            return
        if overrides.engine is None and overrides.engine_url is None and not settings:
            return
        element = ensure_section(root, "engine")
        if overrides.engine is not None:
            element.set("name", overrides.engine)
            drop(element, "url")
        if overrides.engine_url is not None:
            element.set("url", overrides.engine_url)
        for name, value in settings.items():
            for old in [old for old in element.findall("set") if old.get("name", "").strip() == name.strip()]:
                element.remove(old)
            etree.SubElement(element, "set", {"name": name, "value": value})

    def _write_database(self, root: etree._Element) -> None:
        """Write the URL of a database that is no engine to the tables that name none."""
        url, overrides = self.overrides.engine_url, self.overrides
        if url is None:
            return
        asked = {"input": (overrides.input_table, overrides.input_query), "output": (overrides.output_table,)}
        for name, options in asked.items():
            element = root.find(name)
            stated = element is not None and {"table", "query"} & set(element.attrib)
            if (any(options) or stated) and (element is None or "url" not in element.attrib):
                ensure_section(root, name).set("url", url)

    def _said(self, element: str) -> list[str | None]:
        return [getattr(self.overrides, setting.field) for setting in list_settings(element)]

    def _write(self, element: etree._Element) -> None:
        for setting in list_settings(str(element.tag)):
            value, name = getattr(self.overrides, setting.field), setting.attribute
            if value is not None:
                element.set(name, value.replace("\t", "\\t") if name == "separator" else value)

    @staticmethod
    def _has_folders(root: etree._Element) -> bool:
        engine = root.find("engine")
        return engine is not None and names_folder_engine(engine.get("name", ""))

    def _build_remark(self) -> str:
        """Return what a comment says of the file; nothing where the file of old says it."""
        own = [f"{_WRITTEN}. Run it: toolbox -config {shlex.quote(self.target.name)}"]
        if self.config.undeclared == "fail":
            own.append("undeclared='fail': a column that is not named below stops the run.")
        left_out = [f"-{name.replace('_', '-')}" for name in OF_ONE_RUN if getattr(self.overrides, name) is not None]
        if not self.is_installed:
            left_out = [
                f"-method {self.overrides.method}",
                *(f"-{name}" for name in self.overrides.settings),
                *left_out,
            ]
        also = [f"{_LEFT_OUT}: {', '.join(left_out)}"] if left_out else []
        return "\n     ".join([*(own if self.config.path is None or self._is_ours else []), *also])

    def _find_unwritable(self) -> Fault:
        """Return the fault of the option that lxml has refused."""
        remedy = "Leave out --save-config, or write another text."
        for name in Overrides.__dataclass_fields__:
            given = getattr(self.overrides, name)
            parts = [*given, *given.values()] if isinstance(given, Mapping) else given or ()
            for text in [given] if isinstance(given, str) else parts:
                if found := UNWRITABLE.search(text):
                    problem = f"--{name.replace('_', '-')} holds the character U+{ord(found[0]):04X}, which XML cannot."
                    return Fault(0, problem, remedy)
        return Fault(0, "An option holds a character that XML cannot.", remedy)


def _explain(root: etree._Element) -> None:
    """Write a comment above each list: what it holds."""
    for element in list(root):
        if (said := _EXPLAINED.get(str(element.tag))) is not None:
            before = element.getprevious()
            element.addprevious(make_comment(said))
            if before is not None:
                before.tail = _EMPTY_LINE


def require_replaceable(target: Path) -> None:
    """Stop where a file that is no configuration would be replaced by one.

    Raises
    ------
    ConfigurationError
    """
    if not target.exists():
        return
    root = read_document(target, Findings())
    if root is None or root.tag != "config":
        problem = f"{str(target)!r} is there, and no configuration."
        raise ConfigurationError("--save-config", [Fault(0, problem, "Write another name: it would be replaced.")])


# Whether two configurations say the same of a run, wherever they say it.

_OF_THE_FILE: Final = {
    "line",
    "file",
    "source",
    "warnings",
    "configuration",
    "rejects",
    "report",
    "html",
    "codebook",
    "command",
    "lattice",
    "recoding",
}
"""Where something is written, as what a file holds is compared itself, and what one run does beside its release."""


def list_differences(one: Config, other: Config) -> list[str]:
    """Return the names of the fields in which two configurations differ; not those of a single run.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from toolbox.config.model import Output
    >>> one = Config(source="a.xml", path=None, input=None, output=Output(path=None), quasi_identifiers=())
    >>> list_differences(one, replace(one, source="b.xml", k=5))
    ['k']
    """
    left_out = {"limits", "path", *_OF_THE_FILE}
    names = [field.name for field in fields(Config) if field.compare and field.name not in left_out]
    one, other = (
        replace(config, others={name: value for name, value in config.others.items() if name not in OF_ONE_RUN})
        for config in (one, other)
    )
    return [
        name for name in names if _strip_line_numbers(getattr(one, name)) != _strip_line_numbers(getattr(other, name))
    ]


def _strip_line_numbers(value: Any) -> Any:
    """Return a value with all its parts, without their line numbers."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = {
            field.name: _strip_line_numbers(getattr(value, field.name))
            for field in fields(value)
            if field.compare and field.name not in _OF_THE_FILE
        }
        return type(value).__name__, parts
    if isinstance(value, Mapping):
        return {key: _strip_line_numbers(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strip_line_numbers(part) for part in value]
    return os.path.realpath(value) if isinstance(value, Path) else value
