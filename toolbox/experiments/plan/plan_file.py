"""A plan as people write it: a TOML file, an XML file, or Python objects."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolbox.config.values import LARGEST_INTEGER
from toolbox.errors import BadValueError, ConfigurationError, Fault, Findings, Place, UsageError, did_you_mean, quote
from toolbox.experiments.plan.plan import restore_written_paths
from toolbox.hierarchy.builders.builder import Builder
from toolbox.hierarchy.builders.words import format_builder_words

if TYPE_CHECKING:
    from toolbox.config.xml.plan_document import PlanDocument

_UNSET = re.compile(r"\$(\w+|\{[^}]*\})")


# A plan of Python objects, as the words of a file: paths as texts, ranges and arrays as lists, hierarchies as rows.


class ForeignObject:
    """An object that no file could hold. Messages tell its type alone, since a table would show its cells."""

    def __init__(self, found: object) -> None:
        self._type = type(found).__name__

    def __str__(self) -> str:
        return f"an object of type {self._type}"

    __repr__ = __str__


def convert_plan(plan: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a plan without objects that a file could not hold.

    Examples
    --------
    >>> convert_plan({"parameters": {"k": range(2, 5)}, "data": [{"table": Path("people.csv"), "label": object()}]})
    {'parameters': {'k': [2, 3, 4]}, 'data': [{'table': 'people.csv', 'label': an object of type object}]}
    """
    return {
        name: _convert_trees(value) if name == "hierarchies" else _convert_value(value) for name, value in plan.items()
    }


def _convert_value(value: Any) -> Any:
    match value:
        case str() | int() | float() | date() | time() | None:
            return value
        case Path():
            return str(value)
        case Mapping():
            return convert_plan(value)
        case list() | tuple() | range():
            return [_convert_value(each) for each in value]
    # Numbers and arrays of numpy, and columns of pandas.
    is_of_numpy = hasattr(value, "dtype") and getattr(value, "ndim", 2) < 2
    return _convert_value(value.tolist()) if is_of_numpy else ForeignObject(value)


def _convert_trees(value: Any) -> Any:
    """Return hierarchies in words; that of a column may be a builder, rows in a table, or a dict."""
    return (
        {name: _convert_tree(tree) for name, tree in value.items()}
        if isinstance(value, Mapping)
        else _convert_value(value)
    )


def _convert_tree(tree: Any) -> Any:
    if isinstance(tree, Builder):
        return format_builder_words(tree.attributes())
    rows = tree.to_numpy() if hasattr(tree, "to_numpy") else tree
    return rows.tolist() if getattr(rows, "ndim", None) == 2 else _convert_value(rows)


# A plan as people write it: a TOML file, an XML file, or the same words as a mapping.

_MOST_BYTES = 10_000_000
_EXAMPLE = "A plan has lines such as k = [2, 5] and [[data]]."
_REMEDY = "Write the name of a plan, a TOML or an XML file."


@dataclass(frozen=True)
class _PlanNotation:
    """TOML, or XML, whose words have lines."""

    lines: Mapping[Place, int] | None = None
    """Of XML, the line of each word; None: it is TOML."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What XML calls the words that it calls otherwise."""

    def choose_wording(self, toml: str, xml: str) -> str:
        """Return what a message says, as the plan is written."""
        return toml if self.lines is None else xml

    def called(self, word: str) -> str:
        """Return what the plan calls a word, or ``table.word``.

        Examples
        --------
        >>> _PlanNotation().called("kinds.age"), _PlanNotation({}, {"kinds": "type="}).called("kinds.age")
        ('kinds.age', "type= of 'age'")
        """
        table, dot, column = word.partition(".")
        if table not in self.names:
            return word
        return f"{self.names[table]} of {quote(column)}" if dot else self.names[table]

    def line(self, place: Place) -> int:
        """Return the line of a word, or of the table where it would stand; 0 if there are no lines.

        Examples
        --------
        >>> _PlanNotation({(): 1, ("data", 0): 7}).line(("data", 0, "label"))
        7
        """
        if not self.lines:
            return 0
        return next(line for end in range(len(place), -1, -1) if (line := self.lines.get(place[:end])) is not None)


_TOML: Final = _PlanNotation()


@dataclass(frozen=True, kw_only=True)
class WrittenPlan:
    """The words of a plan, and how they were written."""

    source: str
    """What messages call it."""
    name: str
    """What the study is called, if the plan does not say it."""
    words: Mapping[str, Any]
    folder: Path = Path()
    notation: _PlanNotation = _TOML
    findings: Findings = field(default_factory=Findings)
    document: PlanDocument | None = None
    """The XML."""

    @classmethod
    def of(cls, source: str | Path | Mapping[str, Any]) -> WrittenPlan:
        """Read the words.

        Raises
        ------
        ConfigurationError
            If a file is neither TOML nor XML.
        UsageError
            If there is no such file, or the words could not stand in one.
        """
        if isinstance(source, Mapping):
            return cls(source="the plan", name="study", words=_require_plain_words(source))
        if not isinstance(source, (str, Path)):
            wanted = "Give the path of a TOML or an XML file, or its words as a mapping."
            raise UsageError(f"A plan is no {type(source).__name__}. {wanted}")
        path = Path(source)
        content = _read_plan_file(path)
        if path.suffix.lower() == ".xml" or content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
            return cls._read_xml_plan(path, content)
        return cls(source=str(path), name=path.stem, words=_parse_toml(path, content), folder=path.parent)

    @classmethod
    def _read_xml_plan(cls, path: Path, content: bytes) -> WrittenPlan:
        # Nothing else needs lxml, which takes long to import.
        from toolbox.config.xml.plan_document import NAMES_IN_XML, PlanDocument

        findings = Findings()
        document = PlanDocument.of(content, findings)
        if document is None:
            raise ConfigurationError(str(path), findings.faults)
        return cls(
            source=str(path),
            name=path.stem,
            words=document.words,
            folder=path.parent,
            notation=_PlanNotation(document.lines, NAMES_IN_XML),
            findings=findings,
            document=document,
        )

    def top(self) -> Section:
        """Return the table that holds all others."""
        return Section(self.words, self.findings, self.folder, self.notation)

    def require_no_fault(self) -> None:
        """Stop where a fault was found, or where XML does not fit its schema.

        Raises
        ------
        ConfigurationError
            With all faults.
        """
        if self.document is not None and not self.findings.faults:
            self.document.check_schema()
        if self.findings.faults:
            raise ConfigurationError(self.source, self.findings.faults)


def _require_plain_words(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words of a mapping; stop where they could not stand in a file, so that results could not either."""
    try:
        words = convert_plan(plan)
        json.dumps(words, default=str, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"The plan cannot be written as text ({error}). Its words are those of a TOML file.") from None
    return words


def _read_plan_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"The plan {str(path)!r} cannot be read ({error.strerror}). {_REMEDY}") from None
    # A path may hold what no path can, such as a zero byte.
    except ValueError as error:
        raise UsageError(f"The plan {str(path)!r} cannot be read ({error}). {_REMEDY}") from None
    if len(content) > _MOST_BYTES:
        raise UsageError(f"The plan {str(path)!r} has more than {_MOST_BYTES:,} bytes. {_REMEDY}")
    return content


def _parse_toml(path: Path, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"The plan {str(path)!r} is no text in UTF-8. {_REMEDY}") from None
    except RecursionError:
        fault = Fault(0, "its lists lie too deep within each other.", _EXAMPLE)
    except ValueError as error:
        fault = Fault(0, f"it is no TOML: {error}.", _EXAMPLE)
    raise ConfigurationError(str(path), [fault])


def is_number(value: object, *, whole: bool = False) -> bool:
    """Return whether a value is a number of Python."""
    return isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)


def _find_first_places(texts: Iterable[tuple[int, str]]) -> dict[str, int]:
    first: dict[str, int] = {}
    for place, text in texts:
        first.setdefault(text, place)
    return first


class Section:
    """One table of a plan.

    Parameters
    ----------
    words : mapping
        As TOML has it.
    findings : Findings
        Gets the faults.
    folder : Path
        To which paths are relative.
    notation : Notation, optional
    place : tuple, optional
        The way to the table; empty for the plan itself.
    """

    def __init__(
        self,
        words: Mapping[str, Any],
        findings: Findings,
        folder: Path,
        notation: _PlanNotation = _TOML,
        place: Place = (),
    ) -> None:
        self._words = words
        self._findings = findings
        self._folder = folder
        self._place = place
        self._asked: list[str] = []
        self.notation = notation
        self.expanded: dict[str, str] = {}
        """Paths that the environment has completed, as the plan has them."""

    def fault(self, found: str, remedy: str, *at: str | int) -> None:
        """Note a fault of this table.

        Parameters
        ----------
        *at : str or int
            The way from here to the word that is wrong.
        """
        where = self._where()
        line = self.notation.line((*self._place, *at))
        self._findings.fault(line, f"{where}: {found}" if where else found, remedy)

    def _where(self) -> str:
        """Return what messages call this table: ``[[data]] 2`` or ``<data>``; nothing for the plan itself."""
        match self._place:
            case (str(name), int(number)):
                return self.notation.choose_wording(f"[[{name}]] {number + 1}", f"<{name}>")
            case (str(name),):
                return self.notation.choose_wording(f"[{name}]", f"<{name}>")
        return ""

    def has(self, name: str) -> bool:
        """Return whether the table says a word."""
        return name in self._words

    def is_text(self, name: str) -> bool:
        """Return whether the table says a word, and a text."""
        return isinstance(self._words.get(name), str)

    def text(self, name: str, *, may_be_blank: bool = False) -> str | None:
        """Read a text."""
        value = self._value(name)
        if value is None or (isinstance(value, str) and (value.strip() or (value and may_be_blank))):
            return value
        self._wrong(name, value, self.notation.choose_wording("a text in quotes", "a text"))
        return None

    def texts(self, name: str) -> tuple[str, ...]:
        """Read a list of texts."""
        return tuple(self.places(name))

    def columns(self, name: str) -> tuple[str, ...]:
        """Read a list of columns, each of which stands there once."""
        places = self.places(name)
        for place, column in enumerate(self._words.get(name, ()) if places else ()):
            if places[column] != place:
                found = f"{self.notation.called(name)} has the column {quote(column)} twice."
                self.fault(found, "Leave one of the two out.", name, place)
        return tuple(places)

    def list_first_places(self, name: str) -> dict[str, int]:
        """Return the texts of a list that was read, each with the place where it stands first."""
        return _find_first_places(enumerate(self._words.get(name, ())))

    def places(self, name: str) -> dict[str, int]:
        """Read a list of texts, each with the place where it stands first."""
        value = self._value(name)
        if value is None:
            return {}
        if isinstance(value, (list, tuple)) and all(isinstance(each, str) and each.strip() for each in value):
            return _find_first_places(enumerate(value))
        if self.notation.lines is None:
            self._wrong(name, value, 'a list of texts, such as ["age", "zip"]')
        else:
            blank = next(place for place, each in enumerate(value) if not each.strip())
            self.wrong(name, value[blank], "Write a name.", blank)
        return {}

    def checked(self, name: str, check: Callable[[str], object]) -> tuple[str, ...]:
        """Read a list of names, each of which somebody checks."""
        places = self.places(name)
        for each, place in places.items():
            try:
                check(each)
            except UsageError as error:
                self.fault(f"{self.notation.called(name)}: {error}", "", name, place)
        return tuple(places)

    def lists(self, name: str, check: Callable[[str], object]) -> list[tuple[str, ...]]:
        """Read a list of lists of texts, each of which somebody checks; a text stands for a list of one."""
        value = self._value(name)
        listed = [] if value is None else value
        if isinstance(listed, (list, tuple)):
            rows = [(each,) if isinstance(each, str) else each for each in listed]
            if all(isinstance(row, (list, tuple)) and all(isinstance(each, str) for each in row) for row in rows):
                places = _find_first_places((place, each) for place, row in enumerate(rows) for each in row)
                for each, place in places.items():
                    try:
                        check(each)
                    except BadValueError as error:
                        reason, remedy = error.args
                        self.fault(f"{self.notation.called(name)}: {quote(each)} {reason}.", remedy, name, place)
                return [tuple(row) for row in rows if row]
        self._wrong(name, value, 'lists of models, such as [["k-anonymity:k=5"]]')
        return []

    def number(
        self, name: str, default: Any, *, least: float, whole: bool = True, most: float = LARGEST_INTEGER
    ) -> Any:
        """Read a number within bounds."""
        value = self._value(name)
        return value if value is not None and self.is_within(name, value, least, most, whole=whole) else default

    def is_within(
        self, name: str, value: Any, least: float, most: float = LARGEST_INTEGER, *, whole: bool = True
    ) -> bool:
        """Return whether a value is a number within bounds; note it where it is none."""
        if is_number(value, whole=whole) and least <= value <= most:
            return True
        bound = f"at least {least:g}" if most == LARGEST_INTEGER else f"from {least:g} to {most:g}"
        self._wrong(name, value, f"a {'whole ' if whole else ''}number, {bound}")
        return False

    def numbers(self, name: str, *, least: float, whole: bool) -> tuple[Any, ...]:
        """Read a list of numbers, or one."""
        value = self._value(name)
        if value is None:
            return ()
        listed = value if isinstance(value, (list, tuple)) else [value]
        if listed and all(is_number(each, whole=whole) and least <= each <= LARGEST_INTEGER for each in listed):
            return tuple(dict.fromkeys(listed))
        example = self.notation.choose_wording("[2, 5]", f"{name}='2,5'")
        given = value if self.notation.lines is None else ",".join(map(str, listed))
        self._wrong(name, given, f"a list of {'whole ' if whole else ''}numbers from {least:g} on, such as {example}")
        return ()

    def word(self, name: str, default: str, known: Sequence[str]) -> str:
        """Read one of some words."""
        value = self._value(name)
        if value is None:
            return default
        if value in known:
            return str(value)
        self._wrong(name, value, "one of " + ", ".join(map(repr, known)))
        return default

    def mapping(self, name: str) -> dict[str, Any]:
        """Read a table within the table, as it is."""
        value = self._value(name)
        if value is None:
            return {}
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            return dict(value)
        self._wrong(name, value, f"a table, such as {name} = {{ age = .. }}")
        return {}

    def tables(self, name: str) -> list[Section]:
        """Read a list of tables."""
        value = self._value(name)
        if value is None:
            return []
        if isinstance(value, (list, tuple)) and all(isinstance(each, Mapping) for each in value):
            return [
                Section(each, self._findings, self._folder, self.notation, (name, number))
                for number, each in enumerate(value)
            ]
        self._wrong(name, value, f"tables, each below a line [[{name}]]")
        return []

    def table(self, name: str) -> Section | None:
        """Read a table within this one."""
        # Asked for also where it is not there: what it is called stands in the list of settings.
        words = self.mapping(name)
        return Section(words, self._findings, self._folder, self.notation, (name,)) if self.has(name) else None

    def resolve_path(self, name: str, text: str) -> Path:
        """Return the path that a text names, relative to the plan; ``$NAME`` is what the environment says."""
        if "\0" in text:
            self.wrong(name, text, "Write a path, which has no zero byte.")
            return self._folder
        expanded = os.path.expandvars(text)
        if unset := _UNSET.search(expanded):
            remedy = f"Write: export {unset[1].strip('{}')}=FOLDER"
            # The paths of a plan name the same folder many times.
            if all(fault.remedy != remedy for fault in self._findings.faults):
                self.fault(
                    f"{self.notation.called(name)} names {unset[0]}, which is not set.", remedy, *name.split(".", 1)
                )
        elif expanded != text:
            # Up to the last part that names a variable: what follows may be a pattern, of which messages name a file.
            named, _, rest = text.rpartition("$")
            written = f"{named}${rest.partition('/')[0]}"
            self.expanded[str(self._join_folder(os.path.expandvars(written)))] = written
        return self._join_folder(expanded)

    def _join_folder(self, text: str) -> Path:
        # Not Path.expanduser, which raises where there is no such user.
        return self._folder / os.path.expanduser(text)  # noqa: PTH111

    def as_written(self, message: str) -> str:
        """Return a message with paths as the plan has them."""
        return restore_written_paths(message, self.expanded.items())

    def wrong(self, name: str, found: object, remedy: str, *at: str | int) -> None:
        """Note that the value of a word is wrong, or of ``table.word``."""
        self.fault(f"{self.notation.called(name)} is {quote(str(found))}.", remedy, *name.split(".", 1), *at)

    def require_no_more(self) -> None:
        """Note the words that nobody asked for."""
        for name in map(str, self._words):
            if name not in self._asked:
                hint = did_you_mean(name, self._asked)
                self.fault(f"there is no setting {quote(name)}.{hint}", f"There are: {', '.join(self._asked)}.")

    def _value(self, name: str) -> Any:
        if name not in self._asked:
            self._asked.append(name)
        return self._words.get(name)

    def _wrong(self, name: str, value: object, wanted: str) -> None:
        self.wrong(name, value, f"Write {wanted}.")
