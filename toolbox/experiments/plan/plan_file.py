"""A plan as people write it: a TOML file, an XML file, or Python objects."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox.config.given import Findings
from toolbox.errors import ConfigurationError, Fault, UsageError
from toolbox.experiments.plan.sections import TOML, PlanNotation, Section
from toolbox.hierarchy.builders.builder import Builder
from toolbox.hierarchy.builders.words import format_builder_words

if TYPE_CHECKING:
    from toolbox.config.xml.plan_document import PlanDocument


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


@dataclass(frozen=True, kw_only=True)
class WrittenPlan:
    """The words of a plan, and how they were written."""

    source: str
    """What messages call it."""
    name: str
    """What the study is called, if the plan does not say it."""
    words: Mapping[str, Any]
    folder: Path = Path()
    notation: PlanNotation = TOML
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
            notation=PlanNotation(document.lines, NAMES_IN_XML),
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
