"""Writes what follows from the table of settings: in the schema, on the page of the command line, and in docstrings.

Run it after a change of `toolbox/config/settings.py`: ``python scripts/write_schema.py``. What stands between two marks
is written anew, as are the settings that `Project.set_input` and `Project.set_output` say they take, and the words and
defaults of `toolbox.anonymize`; all else stays. A test compares the files with the table.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape, quoteattr

from toolbox.config import values
from toolbox.config.settings import SETTINGS, list_settings
from toolbox.config.values import RunSetting
from toolbox.projects.settings import INPUT, OUTPUT

TOP: Final = Path(__file__).parents[1]
SCHEMA: Final = TOP / "schemas" / "config.xsd"
PAGE: Final = TOP / "docs" / "command_line.md"
PROJECT: Final = TOP / "toolbox" / "projects" / "edited_release.py"
RELEASE: Final = TOP / "toolbox" / "api" / "release.py"
_TYPES: Final[dict[Callable[[str], Any], str]] = {
    values.parse_boolean: "boolean",
    values.parse_decimal: "decimal",
    values.parse_encoding: "xs:string",
    values.parse_positive_or_unset: "number",
    values.parse_positive_real: "positiveNumber",
    values.parse_proper_fraction: "properFraction",
    values.parse_header_line: "xs:positiveInteger",
    values.parse_separator: "separator",
    values.parse_file_size: "filled",
    values.parse_portion: "filled",
    values.parse_sampling_fraction: "filled",
    values.parse_column_names: "filled",
    values.parse_column_name: "filled",
    values.parse_filled_text: "filled",
    values.parse_thousands: "xs:string",
    values.parse_threshold: "countOrShare",
}
"""The type in the schema of what a function reads. Whoever reads a setting in another way names its type here."""
_ARGUMENTS: Final[dict[Callable[[str], Any], str]] = {
    values.parse_boolean: "bool",
    values.parse_header_line: "int, >= 1",
    values.parse_positive_or_unset: "float, > 0",
    values.parse_positive_real: "float, > 0",
    values.parse_proper_fraction: "float, between 0 and 1",
    values.parse_threshold: "int or str",
}
"""What the docstring of a call says of an argument that a function reads where a text says it."""
_CHOSEN: Final = {"order": "shuffled"}
"""What a call of Python chooses where nothing is said, and the table leaves it to the place."""
_TEXTS: Final = ("method", "missing")
"""Settings that may be any text."""
_WIDTH: Final = 120
_DEEP: Final = " " * 12
_MARKS: Final = re.compile(
    r"(?P<begin>[ ]*<!-- settings: (?P<name>\w+) -->\n).*?(?P<end>[ ]*<!-- /settings -->\n)", re.DOTALL
)
_OPEN: Final = {"output_format": "format", "input_format": "clusterFormat"}
"""The types of settings whose words others add to."""


def write_files() -> dict[Path, str]:
    """Return the text of each file as the table says it."""
    return {
        SCHEMA: _fill(SCHEMA, _list_attributes),
        PAGE: _fill(PAGE, lambda *_: _list_rows()),
        PROJECT: _fill_docstrings(),
        RELEASE: _fill_arguments(),
    }


def _fill_docstrings() -> str:
    """Return the text of the calls of a project with the names of the settings that each takes."""
    text = PROJECT.read_text(encoding="utf-8")
    for call, settings, named in (("set_input", INPUT, ()), ("set_output", OUTPUT, ("filename",))):
        names = ", ".join(name for name in settings.attributes if name not in named)
        told = textwrap.fill(
            f"``{names}``; None takes one back.", _WIDTH, initial_indent=_DEEP, subsequent_indent=_DEEP
        )
        before, start, rest = text.partition(f"    def {call}(")
        said = re.compile(r"(?<=\*\*settings\n) *``[^`]*``;\s+None\s+takes\s+one\s+back\.")
        rest, count = said.subn(told, rest, count=1)
        assert count == 1, f"{call} does not say which settings it takes"
        text = before + start + rest
    return text


def _fill_arguments() -> str:
    """Return the text of the calls that make a release, with what `anonymize` takes for each setting."""
    text = RELEASE.read_text(encoding="utf-8")
    before, start, rest = text.partition("    Parameters\n    ----------\n")
    told, end, after = rest.partition("    Returns\n    -------\n")
    for argument, setting in list_arguments().items():
        if setting.field in _OPEN or setting.is_place:
            continue
        # Several arguments may share a line, such as those that say how a file is read.
        told = re.sub(rf"(?m)^(    {argument} : ).*$", rf"\g<1>{describe_argument(setting)}", told)
    return before + start + told + end + after


def list_arguments() -> dict[str, RunSetting[Any]]:
    """Return the settings by the names of the arguments of Python that say them."""
    return {setting.place if setting.holder == "config" else name: setting for name, setting in SETTINGS.items()}


def describe_argument(setting: RunSetting[Any]) -> str:
    """Return what the docstring of a call says of the values of an argument."""
    default = _CHOSEN.get(setting.field) if setting.default is None else setting.default
    number = isinstance(default, float)
    told = "optional" if default is None else f"default {default:g}" if number else f"default {default!r}"
    if setting.choices:
        return f"{{{', '.join(map(repr, setting.choices))}}}, {told}"
    if isinstance(setting.read, partial) and setting.read.func is values.parse_integer:
        return f"int, >= {setting.read.keywords['minimum']}, {told}"
    return f"{_ARGUMENTS[setting.read]}, {told}" if setting.read in _ARGUMENTS else told


def _fill(path: Path, lines: Callable[[str, str], Iterator[str]]) -> str:
    """Return the text of a file with what stands between its marks written anew."""

    def write(found: re.Match[str]) -> str:
        begin = found["begin"]
        indent = begin[: len(begin) - len(begin.lstrip())]
        return begin + "".join(f"{line}\n" for line in lines(found["name"], indent)) + found["end"]

    return _MARKS.sub(write, path.read_text(encoding="utf-8"))


def _list_attributes(element: str, indent: str) -> Iterator[str]:
    """Yield the lines of the attributes of an element."""
    for setting in list_settings(element, with_places=True):
        kind = "" if setting.choices else f" type={quoteattr(_name_type(setting))}"
        default = "" if setting.default is None else f" default={quoteattr(_format_default(setting.default))}"
        yield f"{indent}<xs:attribute name={quoteattr(setting.attribute)}{kind}{default}>"
        yield f"{indent}  <xs:annotation>"
        yield f"{indent}    <xs:documentation>{escape(_describe(setting))}</xs:documentation>"
        yield f"{indent}  </xs:annotation>"
        if setting.choices:
            yield from (f"{indent}  {line}" for line in _list_choices(setting.choices))
        yield f"{indent}</xs:attribute>"


def _list_choices(choices: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a type that takes some words in any case."""
    letters = ("".join(f"[{letter.lower()}{letter.upper()}]" for letter in word) for word in choices)
    yield "<xs:simpleType>"
    yield '  <xs:restriction base="xs:token">'
    yield f'    <xs:pattern value="{"|".join(letters)}"/>'
    yield "  </xs:restriction>"
    yield "</xs:simpleType>"


def _name_type(setting: RunSetting[Any]) -> str:
    if setting.field in _OPEN:
        return _OPEN[setting.field]
    if setting.field in _TEXTS:
        return "xs:string"
    if setting.metavar == "FILE":
        return "path"
    if isinstance(setting.read, partial) and setting.read.func is values.parse_integer:
        return "xs:positiveInteger" if setting.read.keywords["minimum"] else "xs:nonNegativeInteger"
    return "filled" if setting.is_place else _TYPES[setting.read]


def _format_default(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _describe(setting: RunSetting[Any]) -> str:
    """Return the words of the help, and what the schema tells beyond."""
    return f"{setting.help}. {setting.more}".strip()


def _list_rows() -> Iterator[str]:
    """Yield the rows of a table of attributes whose option has another name than their own words, with hyphens."""
    yield "| element | attribute | option |"
    yield "|---|---|---|"
    for element in ("config", "input", "earlier", "output"):
        for setting in list_settings(element, with_places=True):
            words = re.sub("[A-Z]", lambda capital: f"-{capital[0].lower()}", setting.attribute)
            if not {f"-{words}", f"--{words}"} & set(setting.flags):
                yield f"| `{element}` | `{setting.attribute}` | `{setting.flags[-1]}` |"


if __name__ == "__main__":
    for path, text in write_files().items():
        path.write_text(text, encoding="utf-8")
