"""Columns, privacy models and hierarchies that options declare, written into the document of a configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Final

from lxml import etree

from toolbox.config import values
from toolbox.config.reading.recoding import HOW, OF_INPUT, OF_RELEASE, OF_RUN, SavedRecoding
from toolbox.config.reading.requirements import CLASSICAL
from toolbox.config.settings import SETTINGS, list_settings
from toolbox.config.xml.document import Made, find_line, parse_document
from toolbox.config.xml.writing import COLUMN_SECTIONS, UNWRITABLE, drop, ensure_section, rewrite_path
from toolbox.errors import BadValueError, Findings, RawSetting, did_you_mean, quote
from toolbox.hierarchy.builders.builder import BuilderError
from toolbox.hierarchy.builders.words import BUILDERS, parse_builder_words
from toolbox.messages import choose_setting_name

# What ``--model`` says: the attributes of a privacy model in a configuration.

_TOKEN: Final = re.compile(r'"(?:[^"]|"")*"|[^":]+|[":]')
_EXAMPLE: Final = "Write the model and its parameters: 'entropy l-diversity:l=3:attribute=illness'."


def parse_model_words(text: str) -> dict[str, str]:
    """Return the attributes of ``<model>``; a value that holds a colon stands in double quotes.

    Examples
    --------
    >>> parse_model_words("entropy l-diversity:l=3:attribute=illness")
    {'name': 'entropy l-diversity', 'l': '3', 'attribute': 'illness'}
    >>> parse_model_words('k-map:k=5:attribute="a:b"')
    {'name': 'k-map', 'k': '5', 'attribute': 'a:b'}

    Raises
    ------
    BadValueError
    """
    parts = _split_parts(text)
    name = parts[0].strip()
    if not name or "=" in name:
        raise BadValueError("does not begin with the name of a model", _EXAMPLE)
    words = {"name": name}
    for part in parts[1:]:
        key, equals, value = part.partition("=")
        if not (equals and key.strip()):
            raise BadValueError(f"has {part!r} where a parameter goes", _EXAMPLE)
        if key.strip() in words:
            raise BadValueError(f"says {key.strip()} twice", "Keep one of the two.")
        words[key.strip()] = value
    return words


def format_model_words(words: Mapping[str, str]) -> str:
    """Write the attributes of ``<model>`` as ``--model`` does; `parse_model_words` reads them.

    Examples
    --------
    >>> format_model_words({"name": "k-map", "k": "5", "attribute": "a:b"})
    'k-map:k=5:attribute="a:b"'
    """
    said = (f"{name}={_quote_value(value)}" for name, value in words.items() if name != "name")
    return ":".join([words["name"], *said])


def _quote_value(value: str) -> str:
    return '"' + value.replace('"', '""') + '"' if ":" in value or '"' in value else value


def _split_parts(text: str) -> list[str]:
    """Cut a text at its colons, except those in quotes."""
    parts = [""]
    for token in _TOKEN.findall(text):
        if token == ":":
            parts.append("")
        elif token == '"':
            raise BadValueError("has a quote that does not close", _EXAMPLE)
        else:
            parts[-1] += token[1:-1].replace('""', '"') if token.startswith('"') else token
    return parts


# What ``--hierarchy NAME=...`` says: the attributes of the hierarchy in a configuration.

_OF_FILES: Final = "header|other"
_BEHIND_FILE: Final = re.compile(rf"(?P<file>.+?)(?P<options>(?::(?:{_OF_FILES})=[^:]*)*)", re.DOTALL)


def parse_hierarchy_words(text: str) -> dict[str, str]:
    """Return the attributes of ``<vgh>`` for the words behind ``--hierarchy NAME=``.

    Examples
    --------
    >>> parse_hierarchy_words("intervals:5,10,20:top=90")
    {'build': 'intervals', 'width': '5,10,20', 'top': '90'}
    >>> parse_hierarchy_words("postcodes.csv:header=yes")
    {'file': 'postcodes.csv', 'header': 'yes'}

    Raises
    ------
    BadValueError
        If it is neither a builder nor a file.
    """
    try:
        built = parse_builder_words(text)
    except BuilderError as error:
        found, remedies = zip(*error.wrong, strict=True)
        raise BadValueError(f"is wrong: {' '.join(found).rstrip('.')}", " ".join(remedies)) from None
    if built is not None:
        return built
    match = _BEHIND_FILE.fullmatch(text)
    if match is None or not text.strip():
        raise BadValueError("names no hierarchy", "Write a file, or a builder such as intervals:5,10 or prefix:3,1.")
    hint = did_you_mean(text.partition(":")[0], BUILDERS.names)
    if hint and "." not in text and not Path(text).exists():
        raise BadValueError(
            "is no builder and no file", f"{hint.strip()} The builders are {', '.join(BUILDERS.names)}."
        )
    options = dict(part.split("=", 1) for part in match["options"].split(":")[1:])
    return {"file": match["file"], **options}


# What ``--table NAME=...`` says: the attributes of ``<table>``, which has rows of the same persons.

_OF_TABLES: Final = ("key", "orphans")


def parse_table_words(text: str, words: Sequence[str] = _OF_TABLES) -> dict[str, str]:
    """Return the attributes of ``<table>`` for the words behind ``--table NAME=``.

    Parameters
    ----------
    words : sequence of str
        What may follow the file.

    Examples
    --------
    >>> parse_table_words("visits.csv:key=patient:orphans=drop")
    {'filename': 'visits.csv', 'key': 'patient', 'orphans': 'drop'}

    Raises
    ------
    BadValueError
        If it names no file.
    """
    parts = text.split(":")
    count = len(list(takewhile(lambda part: part.partition("=")[0] in words and "=" in part, reversed(parts[1:]))))
    file = ":".join(parts[: len(parts) - count])
    if not file.strip():
        raise BadValueError("names no table", "Write a file, and its key: visits=visits.csv:key=patient.")
    return {"filename": file, **dict(part.split("=", 1) for part in parts[len(parts) - count :])}


# Columns and privacy models that options declare, written into the document of a configuration.

_ROLES: Final = (("person", "--person"), ("id", "--id"), ("qid", "--qi"), ("sens", "--sensitive"))
_RELEASED: Final = "released"
_POSITION: Final = re.compile(r"(?:column )?([0-9]{1,9})")
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Declarations:
    """What options say of columns and of privacy models, as texts; paths are relative to the working directory."""

    person: Sequence[str] = ()
    identifiers: Sequence[str] = ()
    quasi_identifiers: Sequence[str] = ()
    sensitive: Sequence[str] = ()
    hierarchies: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """A file, or a builder with its values."""
    kinds: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    priorities: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    weights: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    ordered: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Categories in the order that means something."""
    treatments: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Such as ``round:1000``; a column that nothing else declares is released."""
    tables: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Child tables by their names: a file, with its key. Their columns are called ``visits.ward``."""
    models: Sequence[str] = ()
    """Such as ``entropy l-diversity:l=3:attribute=illness``."""

    def __bool__(self) -> bool:
        return any(vars(self).values())


NO_DECLARATIONS: Final = Declarations()


@dataclass
class Declarer:
    """Writes the declarations of options into a document; faults go to the findings, in the words of the options."""

    root: etree._Element
    folder: Path
    """Where the relative paths of the document start."""
    has_names: bool
    """Whether the input names its columns; otherwise a column is named by its position."""
    findings: Findings
    _made: dict[etree._Element, dict[str, str]] = field(default_factory=dict, init=False)
    _columns: dict[str, tuple[str, etree._Element]] = field(default_factory=dict, init=False)
    """The role and the element of each column, by its name or its position."""

    def declare(self, declarations: Declarations, k: str | None) -> Made:
        """Write everything.

        Parameters
        ----------
        k : str, optional
            The smallest class that an option asks for; beside models that have no k it is one more.

        Returns
        -------
        mapping of element to attributes
            What was made of options, for `mark_option_elements`.
        """
        self._write_tables(declarations.tables)
        self._columns = dict(self._declared())
        self._write_roles(declarations)
        # No fault of a detail where the column itself has one.
        self._write_details("hierarchy", declarations.hierarchies, self._hierarchy)
        self._write_details("kind", declarations.kinds, self._kind)
        rank = partial(values.parse_integer, minimum=1)
        self._write_details("priority", declarations.priorities, partial(self._rank, "priority", rank))
        self._write_details("weight", declarations.weights, partial(self._rank, "weight", values.parse_positive_real))
        self._write_details("ordered", declarations.ordered, self._write_order)
        self._write_treatments(declarations.treatments)
        self._models(declarations.models, k)
        return self._made

    def insert_recoding(self, recoding: SavedRecoding, setting: RawSetting) -> None:
        """Add what a recoding declares to a configuration that applies it; what is said there, or by options, wins.

        Parameters
        ----------
        setting : RawSetting
            Where the recoding is named.
        """
        own = Findings()
        declared = parse_document(recoding.configuration.encode(), own)
        if declared is not None and declared.tag != "config":
            own.fault(0, "Its root element is no <config>.", HOW)
        for fault in own.faults:
            self.findings.fault(setting.line, f"{setting}: its configuration is damaged. {fault.found}", HOW)
        if declared is None or own.faults or self._refuse_reach(declared, setting):
            return
        for section in (*COLUMN_SECTIONS, "privacy"):
            if (found := self.root.find(section)) is not None:
                problem = f"<{section}> stands beside {setting}, which says what the columns are."
                remedy = choose_setting_name(f"Remove <{section}>, or recoding=.", options="Leave one of the two out.")
                self.findings.fault(find_line(found), problem, remedy)
                self.root.remove(found)
        for element in list(declared):
            if not isinstance(element.tag, str):
                continue
            for part in element.iter():
                part.sourceline = 0  # type: ignore[assignment]  # a line of another file
            if element.tag in (*COLUMN_SECTIONS, "privacy"):
                self.root.append(element)
            elif element.tag in _MORE:
                _add_attributes(ensure_section(self.root, str(element.tag)), element, _MORE[str(element.tag)])
        _add_attributes(self.root, declared, None)

    def _refuse_reach(self, declared: etree._Element, setting: RawSetting) -> bool:
        """Note what a recoding must not say: whoever sends one reads nothing here, and undoes nothing, as by a seed."""
        elements = [element for element in declared.iter() if isinstance(element.tag, str)]
        told = [f"names a file in <{element.tag}>" for element in elements if "file" in element.attrib]
        own = {one.attribute for one in list_settings("config", with_places=True) if one.field not in _OF_ROOT}
        told += [
            f"says {name}= of <config>, which belongs to the run" for name in map(str, declared.attrib) if name in own
        ]
        for found in told:
            self.findings.fault(setting.line, f"{setting} {found}.", HOW)
        return bool(told)

    def _declared(self) -> Iterator[tuple[str, tuple[str, etree._Element]]]:
        """Yield the columns of the document."""
        tables = {f"{name}.": table for name, table in self._tables.items()}
        for prefix, table in {"": self.root, **tables}.items():
            for role in (*dict(_ROLES), _RELEASED):
                for att in table.iterfind(f"{role}/att"):
                    key = att.get("name") if self.has_names else att.get("index")
                    if key is not None:
                        yield f"{prefix}{key}", (role, att)

    @property
    def _tables(self) -> dict[str, etree._Element]:
        """The child tables by their names."""
        return {table.get("name", ""): table for table in self.root.iterfind("tables/table")}

    def _write_tables(self, tables: Mapping[str, str]) -> None:
        """Write the child tables, before their columns."""
        known = self._tables
        for name, text in tables.items():
            said = f"--table {name}"
            attributes = self.findings.read(RawSetting(said, text), parse_table_words, None)
            if attributes is None or not self._is_writable(said, name, text):
                continue
            if name in known:
                problem = f"{said} names a table that line {find_line(known[name])} declares."
                self.findings.fault(0, problem, "Remove it there, or leave out the option.")
                continue
            attributes["filename"] = rewrite_path(attributes["filename"], Path(), self.folder)
            section = ensure_section(self.root, "tables")
            table = etree.SubElement(section, "table", {"name": name, **attributes})
            self._made[table] = dict.fromkeys(("", "name", *attributes), said)

    def _split(self, key: str) -> tuple[etree._Element, str]:
        """Return the element in which a column is declared, and its name there: ``visits.ward`` is in a child table."""
        table, dot, name = key.partition(".")
        found = self._tables.get(table) if dot and name else None
        return (self.root, key) if found is None else (found, name)

    def _write_roles(self, declarations: Declarations) -> None:
        named = (declarations.person, declarations.identifiers, declarations.quasi_identifiers, declarations.sensitive)
        for (role, option), names in zip(_ROLES, named, strict=True):
            for name in names:
                self._column(role, option, name)

    def _column(self, role: str, option: str, name: str) -> None:
        key = self._key(option, name)
        if key is None or not self._is_writable(option, name):
            return
        if key in self._columns and {role, self._columns[key][0]} != {"person", "id"}:
            self._refuse_second(role, option, name, *self._columns[key])
            return
        self._add_column(role, key)

    def _add_column(self, role: str, key: str) -> None:
        table, own = self._split(key)
        att = etree.SubElement(ensure_section(table, role), "att", {"name" if self.has_names else "index": own})
        self._columns[key] = role, att
        self._made[att] = {}

    def _refuse_second(self, role: str, option: str, name: str, other: str, att: etree._Element) -> None:
        """Note a column that is declared twice; what the file says in the same place may be said again."""
        if att not in self._made:
            if other != role:
                problem = f"{option} names {quote(name)}, which line {find_line(att)} declares in <{other}>."
                self.findings.fault(0, problem, "Remove it there, or leave out the option.")
        elif other == role:
            self.findings.fault(0, f"{option} names {quote(name)} twice.", "Write it once.")
        else:
            problem = f"{option} names {quote(name)}, and {dict(_ROLES)[other]} does so too."
            self.findings.fault(0, problem, "Keep one of the two.")

    def _key(self, option: str, name: str) -> str | None:
        """Return how a column is found: by its name, or by its position."""
        if self.has_names:
            return name
        _, own = self._split(name)
        match = _POSITION.fullmatch(own)
        if match is None:
            problem = f"{option} names {quote(name)}, and the input has no header with names."
            self.findings.fault(0, problem, "Write the position of the column, from 0, or leave out --header no.")
            return None
        return f"{name.removesuffix(own)}{int(match[1])}"

    def _is_writable(self, option: str, *texts: str) -> bool:
        """Return whether XML can hold texts; note where it cannot."""
        for text in texts:
            if found := UNWRITABLE.search(text):
                problem = f"{option} {quote(text)} holds the character U+{ord(found[0]):04X}."
                self.findings.fault(0, problem, "No configuration can hold it. Rename the column or the file.")
                return False
        return True

    def _write_details(
        self, option: str, given: Mapping[str, str] | Mapping[str, Sequence[str]], write: Callable[..., None]
    ) -> None:
        """Write one kind of detail of columns."""
        for name, value in given.items():
            said = f"--{option} {name}"
            key = self._key(f"--{option}", name)
            texts = [value] if isinstance(value, str) else value
            if key is None or not self._is_writable(said, *texts):
                continue
            role, att = self._columns.get(key, (None, None))
            if att is None:
                hint = did_you_mean(key, list(self._columns))
                problem = f"--{option} names {quote(name)}, which is no declared column.{hint}"
                self.findings.fault(0, problem, "Name it in --qi or --sensitive as well.")
            elif role in ("id", "person"):
                problem = f"--{option} names {quote(name)}, an identifier, which is dropped."
                self.findings.fault(0, problem, "Leave it out.")
            elif role == "sens" and option in ("priority", "weight"):
                problem = f"--{option} names {quote(name)}, and only quasi-identifiers have one."
                self.findings.fault(0, problem, "Leave it out, or name the column in --qi instead.")
            else:
                write(said, att, value)

    def _write_treatments(self, treatments: Mapping[str, str]) -> None:
        """Write what is done to columns; one that is not declared yet is released."""
        for name, text in treatments.items():
            said = f"--treat {name}"
            key = self._key("--treat", name)
            if key is None or not self._is_writable(said, name, text):
                continue
            if key not in self._columns:
                self._add_column(_RELEASED, key)
            self._set(self._columns[key][1], said, "treat", text)

    def _hierarchy(self, said: str, att: etree._Element, text: str) -> None:
        attributes = self.findings.read(RawSetting(said, text), parse_hierarchy_words, None)
        if attributes is None:
            return
        for old in att.findall("vgh"):
            att.remove(old)
        drop(att, "hierarchy")
        if set(attributes) == {"build", "periods"} and attributes["build"] == "dates":
            self._set(att, said, "hierarchy", attributes["periods"])
            return
        if "file" in attributes:
            attributes["file"] = rewrite_path(attributes["file"], Path(), self.folder)
        vgh = etree.SubElement(att, "vgh", attributes)
        self._made[vgh] = {"": said, **{name: said if name == "file" else f"{said}, {name}" for name in attributes}}

    def _kind(self, said: str, att: etree._Element, text: str) -> None:
        kind = self.findings.read(RawSetting(said, text), values.parse_kind, None)
        if kind is not None:
            name, _, form = kind.partition(" ")
            drop(att, "format")
            self._set(att, said, "type", name)
            if form:
                self._set(att, said, "format", form)

    def _rank(self, name: str, read: Callable[[str], object], said: str, att: etree._Element, text: str) -> None:
        if self.findings.read(RawSetting(said, text), read, None) is not None:
            self._set(att, said, name, text.strip())

    def _write_order(self, said: str, att: etree._Element, categories: Sequence[str]) -> None:
        if len(set(categories)) < len(categories) or len(categories) < 2:
            what = "has one twice" if len(categories) > 1 else "is no order of categories"
            self.findings.fault(0, f"{said} {what}.", "Write each category once, such as size=low,mid,high.")
            return
        for old in att.findall("map"):
            att.remove(old)
        mapping = etree.Element("map", {"ordered": "true"})
        for code, category in enumerate(categories):
            etree.SubElement(mapping, "entry", {"cat": category, "int": str(code)})
        att.insert(0, mapping)

    def _set(self, att: etree._Element, said: str, name: str, text: str) -> None:
        att.set(name, text)
        self._made.setdefault(att, {})[name] = said

    def _models(self, texts: Sequence[str], k: str | None) -> None:
        if not texts:
            return
        written = [name for name in CLASSICAL if name in self.root.attrib]
        if written and self.root.find("privacy") is None:
            stated = " and ".join(f"{name}=" for name in written)
            problem = f"--model cannot be combined with {stated} of <config>, in line {find_line(self.root)}."
            self.findings.fault(0, problem, "Write what it says as a <model> of <privacy>, or leave out --model.")
            return
        for text in texts:
            self._model(text)
        listed = ensure_section(self.root, "privacy")
        if k is not None and k.strip().isdigit() and not any(map(_has_class_size, listed.iterfind("model"))):
            model = etree.Element("model", {"name": "k-anonymity", "k": k})
            self._made[model] = {"k": "-k"}
            listed.insert(0, model)

    def _model(self, text: str) -> None:
        if not self._is_writable("--model", text):
            return
        words = self.findings.read(RawSetting("--model", text), parse_model_words, None)
        if words is None:
            return
        if "attribute" in words and not self.has_names and _POSITION.fullmatch(words["attribute"]):
            words["attribute"] = f"column {self._key('--model', words['attribute'])}"
        model = etree.SubElement(ensure_section(self.root, "privacy"), "model", words)
        self._made[model] = {
            name: "--model" if name == "name" else f"--model {words['name']}, {name}" for name in words
        }


def _has_class_size(model: etree._Element) -> bool:
    """Return whether the k of a model is what -k says: records of a class, and not people of a population."""
    return "k" in model.attrib and model.get("name", "").strip().lower() != "k-map"


_MORE: Final[Mapping[str, Sequence[str]]] = {"input": OF_INPUT, "output": OF_RELEASE}
"""What a recoding may say of the input and of the output: no file and no table."""
_OF_ROOT: Final = ("method", *OF_RUN)
"""The settings of ``<config>`` that it may say, beside those of the method."""


def _add_attributes(element: etree._Element, said: etree._Element, settings: Sequence[str] | None) -> None:
    """Add attributes that an element does not say itself; the case of their names does not matter.

    Parameters
    ----------
    settings : sequence of str, optional
        Those that are added; None: all.
    """
    known = {str(name).lower() for name in element.attrib}
    allowed = None if settings is None else {SETTINGS[name].attribute for name in settings}
    for name, text in said.attrib.items():
        if str(name).lower() not in known and (allowed is None or name in allowed):
            element.set(name, text)
