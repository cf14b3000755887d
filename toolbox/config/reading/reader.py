"""From an XML file and the options of the command line to a checked `Config`, or to all that is wrong with them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lxml import etree

from toolbox.config import values
from toolbox.config.file_names import is_table_with_names
from toolbox.config.formats import MODES, OUR_OWN, Compatibility
from toolbox.config.model import Column, Config, Input, MethodFacts, ModelFacts, Output, Requirement
from toolbox.config.reading.attributes import AttributeReader, Sections, check_distinct
from toolbox.config.reading.declarations import NO_DECLARATIONS, Declarations, Declarer
from toolbox.config.reading.files import FileReader, check_files, list_written_files, read_files
from toolbox.config.reading.overrides import ORPHANS, Overrides, make_child_config
from toolbox.config.reading.places import check_remote, read_places
from toolbox.config.reading.recoding import SavedRecoding, read_recoding
from toolbox.config.reading.requirements import (
    ChosenMethod,
    Parameters,
    RequirementReader,
    SettingReader,
    check_root_attributes,
    choose_method,
    explain_unused_parameters,
    find_unused_parameters,
    read_parameters,
)
from toolbox.config.xml.document import (
    find_line,
    is_called,
    mark_option_elements,
    parse_document,
    read_attribute,
    read_document,
)
from toolbox.config.xml.structure import check_schema, check_structure
from toolbox.errors import ConfigurationError, Fault, Findings, RawSetting, quote
from toolbox.messages import choose_setting_name

NO_QUASI_IDENTIFIERS = "Nothing says which columns an attacker may know."
"""The fault of a command line that names none; whoever knows the columns of the input adds to it."""
_COMMAND_LINE = "the command line"
_EXAMPLES = {
    "input": "Name it after the command: toolbox anonymize people.csv.",
    "output": "Write -output release.csv.",
}
_WORDS_OF_2010: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        name: frozenset(attributes.split())
        for name, attributes in {
            "config": "method k l c t",
            "input": "filename separator",
            "output": "filename format",
            "att": "index name",
            "entry": "cat int",
            "vgh": "value",
            "node": "value",
            **dict.fromkeys(("id", "qid", "sens", "map"), ""),
        }.items()
    }
)
"""All elements that the toolbox of 2010 knew, with their attributes."""
_PLACES = {"filename", "url", "table", "query"}
"""The attributes that say where a table is."""


def read_config(
    path: Path | None,
    *,
    text: bytes | None = None,
    recoding: SavedRecoding | None = None,
    overrides: Overrides = Overrides(),
    declarations: Declarations = NO_DECLARATIONS,
    methods: Mapping[str, MethodFacts],
    models: Mapping[str, ModelFacts] = MappingProxyType({}),
    faults: Sequence[Fault] = (),
    is_run: bool = True,
) -> Config:
    """Read a configuration.

    Parameters
    ----------
    path : Path, optional
        The XML file. What it names is found relative to its folder. None: the options say everything.
    text : bytes, optional
        What the file holds, if it is not there yet.
    recoding : SavedRecoding, optional
        A recoding that says what the columns are, where neither the file nor an option names one.
    declarations : Declarations, optional
        Columns and privacy models that options declare; they are added to those of the file.
    overrides : Overrides, optional
        What the command line says; it wins. Paths in it are relative to the working directory.
    methods : mapping of str to MethodFacts
        The methods by their names and aliases, in lower case.
    models : mapping of str to ModelFacts, optional
        The privacy models that ``<privacy>`` may list, by their names in lower case.
    faults : sequence of Fault, optional
        What is wrong already, so that it is told with all else.
    is_run : bool
        Whether it must name what is read and what is written; otherwise it only declares columns, and
        nothing is written where its output would be.

    Returns
    -------
    Config

    Raises
    ------
    ConfigurationError
        With all faults of the file, of the options and of the hierarchy files, by line.
    """
    findings = Findings()
    findings.faults += faults
    root = _read_root(path, text, findings)
    if root is not None and recoding is None:
        recoding = _add_recoding(root, path, overrides, declarations, findings)
    elif root is not None and recoding is not None:
        Declarer(root, Path(), True, findings).insert_recoding(recoding, RawSetting("recoding", recoding.source))
    config = _read_parts(path, root, overrides, declarations, (methods, models), findings)
    config = replace(config, recoding=recoding)
    if is_run:
        parts = etree.Element("config") if root is None else root
        uses = read_files(parts, config, overrides.called)
        written = list_written_files(parts, config, overrides)
        check_files(uses, written, config.output, config.limits, findings, overrides.called)
    if root is not None:
        named = {"input": bool(overrides.input), "output": overrides.output is not None}
        _require_parts(config, root, findings, named, is_run=is_run)
        if root.find("qid") is None and not declarations.quasi_identifiers and not _names_recoding(root, overrides):
            problem = choose_setting_name("<config> has no <qid>.", options=NO_QUASI_IDENTIFIERS)
            remedy = "Add <qid> with an <att> for each column that an attacker may know."
            findings.fault(
                find_line(root), problem, choose_setting_name(remedy, options="Write --qi born,postcode,sex, say.")
            )
    if root is not None and not findings.faults:
        check_schema(root, findings)
    if findings.faults:
        raise ConfigurationError(config.source, findings.faults)
    return config


def list_files_of_run(config: Config) -> list[Path]:
    """List the files that a run of a configuration reads, the configuration and its hierarchy files among them."""
    root = None if config.path is None else read_document(config.path, Findings())
    parts = etree.Element("config") if root is None else root
    return [use.path for use in read_files(parts, config, str) if isinstance(use.path, Path)]


def _read_root(path: Path | None, text: bytes | None, findings: Findings) -> etree._Element | None:
    if path is None:
        return etree.Element("config")
    root = read_document(path, findings) if text is None else parse_document(text, findings)
    return root if root is not None and is_called(root, "config", findings) else None


def _names_recoding(root: etree._Element, overrides: Overrides) -> bool:
    return overrides.recoding is not None or "recoding" in root.attrib


def _add_recoding(
    root: etree._Element, path: Path | None, overrides: Overrides, declarations: Declarations, findings: Findings
) -> SavedRecoding | None:
    """Read the recoding that the options or the document name, and add what it declares to the document."""
    option = overrides.given("recoding")
    setting = option or read_attribute(root, "recoding")
    folder = Path() if path is None or option is not None else path.parent
    found = findings.read(setting, partial(values.parse_path, folder=folder), None)
    if setting is None or found is None:
        return None
    if declarations:
        problem = f"{setting} says what the columns are and what protects them, and other options do so, too."
        findings.fault(setting.line, problem, "Leave these out, or leave out --recoding.")
    try:
        recoding = read_recoding(found)
    except ConfigurationError as error:
        findings.faults += [replace(fault, file=setting.text) for fault in error.faults]
        return None
    Declarer(root, folder, True, findings).insert_recoding(recoding, setting)
    return recoding


def _read_parts(
    path: Path | None,
    document: etree._Element | None,
    overrides: Overrides,
    declarations: Declarations,
    installed: tuple[Mapping[str, MethodFacts], Mapping[str, ModelFacts]],
    findings: Findings,
) -> Config:
    """Read all parts. Without a document, the options alone are checked; after a fault, the result is of no use."""
    root = etree.Element("config") if document is None else document
    method = _read_checked_method(document, overrides, installed[0], findings)
    settings = SettingReader(root, overrides, findings)
    compatibility = OUR_OWN if (mode := settings.read("compatibility")) is None else MODES[mode]
    folder = Path() if path is None else path.parent
    places = read_places(root, folder, overrides, findings)
    files = FileReader(root, folder, overrides, findings, places)
    source, output, limits = files.read_input(), files.read_output(method.facts, compatibility), files.read_limits()
    population = files.read_population(source)
    check_remote(places, output, limits, method.facts, compatibility, findings, overrides.called)
    named = document is None or has_names(source)  # one that cannot be read might have named the columns
    with mark_option_elements(Declarer(root, folder, named, findings).declare(declarations, overrides.k)):
        sections = AttributeReader(folder, named, method.facts, findings).read_sections(root)
        _check_columns(sections, population, compatibility, findings)
        parameters = read_parameters(root, method, overrides, findings)
        requires = (sections, parameters, overrides, compatibility, findings)
        required = _read_requirements(document, method.facts, installed[1], *requires)
        left_out = _list_left_out(root, method.facts, parameters, overrides)
        children = _ChildReader(folder, named, files, sections, method.facts, findings).read(root, source, output)
    config = Config(
        source=_COMMAND_LINE if path is None else str(path),
        path=path,
        method=parameters.method,
        settings=parameters.settings,
        k=_find_smallest_class(required, installed[1], parameters.original.k),
        requirements=required,
        parameters_left_out=left_out,
        **parameters.held,
        others=MappingProxyType(settings.read_others()),
        compatibility=compatibility,
        engine=places.engine,
        input=source,
        population=population,
        earlier=files.read_earlier(),
        output=output,
        limits=limits,
        **vars(sections),
        periods=values.USUAL_PERIODS if method.facts is not None and method.facts.climbs else (),
        is_of_2010=document is not None and overrides.order is None and _is_of_2010(document),
        warnings=findings.warnings(),
    )
    return _add_child_tables(config, children)


def _read_checked_method(
    document: etree._Element | None, overrides: Overrides, methods: Mapping[str, MethodFacts], findings: Findings
) -> ChosenMethod:
    """Find the method, and check the attributes of the root, some of which are its settings, and the elements."""
    method = choose_method(document, overrides, methods, findings)
    if document is not None:
        check_root_attributes(document, method, methods, findings)
        check_structure(document, findings)
    return method


def _list_left_out(
    root: etree._Element, facts: MethodFacts | None, parameters: Parameters, overrides: Overrides
) -> tuple[str, ...]:
    unused = find_unused_parameters(root, facts, parameters.original, overrides)
    return () if facts is None else explain_unused_parameters(facts, unused)


def _is_of_2010(root: etree._Element) -> bool:
    """Return whether a document says nothing that the toolbox of 2010 did not know: as if written for it."""
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    return all(
        element.tag in _WORDS_OF_2010 and set(map(str, element.attrib)) <= _WORDS_OF_2010[element.tag]
        for element in elements
    )


def _read_requirements(
    document: etree._Element | None,
    facts: MethodFacts | None,
    models: Mapping[str, ModelFacts],
    sections: Sections,
    parameters: Parameters,
    overrides: Overrides,
    compatibility: Compatibility,
    findings: Findings,
) -> tuple[Requirement, ...]:
    """Read what is required of classes; nothing where there is no document or no method."""
    if facts is None or document is None:
        return ()
    reader = RequirementReader(facts, models, sections.sensitive, findings, compatibility.leaves_parameters_out)
    return reader.read(document, parameters.original, overrides)


def has_names(source: Input | None) -> bool:
    """Return whether an input names its columns; where nothing is known of it, they are taken to have names."""
    return source is None or source.remote is not None or is_table_with_names(source)


def _check_columns(
    sections: Sections, population: Input | None, compatibility: Compatibility, findings: Findings
) -> None:
    """Note columns that are declared twice, and what the toolbox of 2010 did not know where it is asked for."""
    check_distinct(sections.columns(), findings)
    if compatibility.knows_dates:
        return
    for column in sections.person:
        problem = f"{column} tells persons apart, which the toolbox of 2010 did not know."
        findings.fault(column.line, problem, "Leave one of the two out.")
    if population is not None:
        findings.fault(0, "The toolbox of 2010, which compatibility asks for, knew no population.", "Leave it out.")
    for attribute in (*sections.quasi_identifiers, *sections.sensitive):
        if attribute.kind in ("date", "timestamp"):
            column = attribute.column
            problem = f"{column} is a {attribute.kind}, which the toolbox of 2010 did not know."
            findings.fault(column.line, problem, "Leave one of the two out.")


def _find_smallest_class(requirements: Sequence[Requirement], models: Mapping[str, ModelFacts], default: int) -> int:
    """Return the largest k that is the size of a class."""
    sized = [
        requirement.parameters["k"]
        for requirement in requirements
        if (facts := models.get(requirement.model.lower())) is not None and facts.k_is_class_size
        if "k" in requirement.parameters
    ]
    return max(map(int, sized), default=default)


def _require_parts(
    config: Config, root: etree._Element, findings: Findings, named: Mapping[str, bool], *, is_run: bool
) -> None:
    """Note required parts that neither the file nor the options name."""
    is_written = config.output.path is not None or config.output.remote is not None
    for name, missing in (("input", config.input is None), ("output", not is_written)):
        element = root.find(name)
        # A name that is there and wrong has its fault already.
        if (
            is_run
            and missing
            and not named[name]
            and (element is None or not (_PLACES & set(element.attrib) or element.find("file") is not None))
        ):
            line = find_line(root if element is None else element)
            remedy = choose_setting_name(
                f"Write <{name} filename='...'/>, or give the option -{name}.",
                options=_EXAMPLES[name],
            )
            findings.fault(line, f"Nothing names the {name}.", remedy)


# Child tables: with rows of the same persons, released with the main table or not at all.

_TABLE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def _add_child_tables(config: Config, children: Mapping[str, Mapping[str, Any]]) -> Config:
    made = {name: make_child_config(config, name, **child) for name, child in children.items()}
    return replace(config, child_tables=MappingProxyType(made))


@dataclass(frozen=True)
class _ChildReader:
    """Reads the child tables of a document."""

    folder: Path
    has_names: bool
    files: FileReader
    main: Sections
    method: MethodFacts | None
    findings: Findings

    def read(self, root: etree._Element, source: Input | None, output: Output) -> dict[str, dict[str, Any]]:
        """Return what each child table says, by its name; after a fault the result is of no use."""
        elements = root.findall("tables/table")
        if elements and self._refuse(elements[0], root, source, output):
            return {}
        found: dict[str, dict[str, Any]] = {}
        paths = {} if source is None else {os.path.realpath(path): "the input" for path in source.names}
        for element in elements:
            name, line = element.get("name", ""), find_line(element)
            if not _TABLE_NAME.fullmatch(name):
                problem = f"{quote(name)} is no name of a table: files and columns are called after it."
                self.findings.fault(line, problem, "Write letters and digits, such as visits.")
            elif name.lower() in map(str.lower, found):
                self.findings.fault(line, f"Two tables are called {quote(name)}.", "Give each a name of its own.")
            else:
                found[name] = self._read_table(element, source)
                if (of_table := found[name]["source"]) is not None:
                    before = paths.setdefault(os.path.realpath(of_table.path), f"table {name}")
                    if before != f"table {name}":
                        problem = f"The table {name} is the same file as {before}: {str(of_table.path)!r}."
                        self.findings.fault(line, problem, "Name its own file.")
        return found

    def _refuse(self, element: etree._Element, root: etree._Element, source: Input | None, output: Output) -> bool:
        """Note what cannot be together with child tables; return whether anything is wrong."""
        if not self.main.person:
            problem = "Another table has rows of the same persons, and no column tells who they are."
            declare = choose_setting_name("<person><att name='patient'/></person>", options="--person patient")
            self.findings.fault(find_line(element), problem, f"Declare it: {declare}, say.")
        elif len(self.main.person) > 1:
            problem = "Another table is joined by one key, and several columns tell persons apart."
            self.findings.fault(find_line(element), problem, "Make one column of them first.")
        is_remote = root.find("engine") is not None or output.remote is not None
        if is_remote or (source is not None and source.remote is not None):
            problem = "Several tables are released together as files of this machine only."
            self.findings.fault(find_line(element), problem, "Leave out the engine or the database, or the table.")
        elif output.format.has_groups or output.format.has_statistics:
            problem = f"The format {output.format.name} is of one table, and several are released together."
            self.findings.fault(find_line(element), problem, "Write genVals, or leave out the table.")
        else:
            return len(self.main.person) != 1
        return True

    def _read_table(self, element: etree._Element, source: Input | None) -> dict[str, Any]:
        name = element.get("name", "")
        sections = AttributeReader(self.folder, self.has_names, self.method, self.findings).read_sections(element)
        person = self.main.person[0]
        default = str(person.index if person.name is None or not self.has_names else person.name)
        key = element.get("key", default)
        if not self.has_names and not key.isdigit():
            problem = f"The key of the table {name} is {quote(key)}, and the input has no header with names."
            self.findings.fault(find_line(element), problem, "Write the position of its column, from 0.")
            key = "0"
        column = Column(index=None, name=key) if self.has_names else Column(index=int(key), name=None)
        check_distinct([*sections.columns(), ("key", column)], self.findings)
        orphans = self.findings.read(
            read_attribute(element, "orphans"), partial(values.parse_word, known=ORPHANS), ORPHANS[0]
        )
        return {
            "key": column,
            "source": self.files.read_child_table(element, source),
            "identifiers": sections.identifiers,
            "quasi_identifiers": sections.quasi_identifiers,
            "sensitive": sections.sensitive,
            "treated": sections.treated,
            "orphans": orphans,
        }
