"""From one text to one value, and settings, which are called and read in one way each; what is wrong says so."""

from __future__ import annotations

import codecs
import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, cast, get_args

from toolbox.config.model import Kind, Portion
from toolbox.errors import BadValueError, SecretValueError, did_you_mean
from toolbox.hierarchy.date_formats import PERIODS, Period, find_period_disorder, find_unknown_directive, is_complete

LARGEST_INTEGER: Final = 2**63 - 1
MOST_THREADS: Final = 512
_MOST_MEMORY: Final = 2**60

# What people write; Python knows many more, and takes them too.
_ENCODINGS: Final = (
    *("utf-8", "utf-16", "ascii", "latin-1", "iso-8859-1", "iso-8859-2", "iso-8859-15", "windows-1250", "windows-1251"),
    *(
        "windows-1252",
        "cp437",
        "cp850",
        "cp1252",
        "macroman",
        "koi8-r",
        "gb18030",
        "big5",
        "shift_jis",
        "euc-jp",
        "euc-kr",
    ),
)

USUAL_PERIODS: Final[tuple[Period, ...]] = ("day", "month", "year", "decade")
"""What dates are generalised to by methods that climb hierarchies, where nothing else is said."""
URL: Final = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]+://")
_YEAR: Final = 366 * 24 * 3600
_INTEGER = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_PORTION = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)\s?(%)?")
_BLANK_OR_COLON = re.compile("[ :]")
_AMOUNT = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*([KMGT])(i?)B", re.IGNORECASE)


LAST_HEADER_LINE: Final = 10_000
"""A header is looked for in so many lines."""


def parse_integer(text: str, *, minimum: int, maximum: int = LARGEST_INTEGER) -> int:
    """Read a whole number between two bounds."""
    remedy = f"Write a whole number of at least {minimum}."
    stripped = text.strip()
    if not _INTEGER.fullmatch(stripped):
        raise BadValueError("is not a whole number", remedy)
    # Nobody has so many records, and the largest number of a machine is no help.
    most = f"Write a whole number from {minimum} to {maximum}."
    if maximum == LARGEST_INTEGER:
        most = f"Write a whole number of at least {minimum}, with {len(str(maximum)) - 1} digits at most."
    # Numbers of thousands of digits would take int() long, or make it raise: none of them is in range.
    digits = stripped.lstrip("+-").lstrip("0") or "0"
    if len(digits) > len(str(LARGEST_INTEGER)):
        raise BadValueError("is too large", most)
    value = -int(digits) if stripped.startswith("-") else int(digits)
    if value < minimum:
        raise BadValueError("is too small", remedy)
    if value > maximum:
        raise BadValueError("is too large", most)
    return value


def parse_whole_number(text: str) -> int:
    """Read any whole number; the caller gives the bounds."""
    if not _INTEGER.fullmatch(text.strip()):
        raise BadValueError("is not a whole number", "Write a whole number, such as 5.")
    return parse_integer(text, minimum=-LARGEST_INTEGER)


def parse_header_line(text: str) -> int:
    """Read the number of the line where a header stands."""
    return parse_integer(text, minimum=1, maximum=LAST_HEADER_LINE)


def parse_real(text: str) -> float:
    """Read a finite number."""
    stripped = text.strip()
    if not _REAL.fullmatch(stripped):
        raise BadValueError("is not a number", "Write a number such as 2 or 0.5.")
    value = float(stripped)
    if not math.isfinite(value):
        raise BadValueError("is too large", "Write a number below 1.8e308.")
    return value


def parse_share(text: str, *, with_zero: bool = False, with_one: bool = False) -> float:
    """Read a share between 0 and 1, as a number or as a percentage; both ends are excluded unless they are allowed."""
    remedy = "Write a number below 1 such as 0.05, or a percentage such as 5%."
    stripped = text.strip()
    number = stripped.removesuffix("%").rstrip()
    if not _REAL.fullmatch(number) or not math.isfinite(float(number)):
        raise BadValueError("is no share", remedy)
    value = float(number) / 100 if stripped.endswith("%") else float(number)
    if value < 0 or (value == 0 and not with_zero):
        raise BadValueError("is too small", remedy)
    if value > 1 or (value == 1 and not with_one):
        raise BadValueError("is too large", remedy)
    return value


def parse_sampling_fraction(text: str) -> float:
    """Read the share of a population that is in a sample; all of it may be."""
    return parse_share(text, with_one=True)


def parse_column_name(text: str) -> str:
    """Read the name of a column."""
    if not text.strip():
        raise BadValueError("is empty", "Write the name of a column.")
    return text


def parse_column_names(text: str) -> tuple[str, ...]:
    """Read the names of different columns, with commas between them.

    Examples
    --------
    >>> parse_column_names("year, region")
    ('year', 'region')
    """
    names = tuple(name.strip() for name in text.split(","))
    if not all(names) or len(set(names)) < len(names):
        raise BadValueError("is no list of different columns", "Write year,region, say.")
    return names


def parse_positive_real(text: str) -> float:
    """Read a finite number above 0."""
    value = parse_real(text)
    if value <= 0:
        raise BadValueError("is not positive", "Write a number above 0.")
    return value


def parse_seconds(text: str) -> float:
    """Read a time to wait: 0 and more, at most a year."""
    value = parse_real(text)
    if not 0 <= value <= _YEAR:
        raise BadValueError("is no time to wait", "Write seconds, such as 30; 0 for not waiting.")
    return value


def parse_positive_or_unset(text: str) -> float | None:
    """Read ``c``: 0 and less stand for none, as they always did."""
    value = parse_real(text)
    return value if value > 0 else None


def parse_proper_fraction(text: str) -> float:
    """Read a number between 0 and 1, both excluded."""
    value = parse_real(text)
    if not 0 < value < 1:
        raise BadValueError("is not between 0 and 1", "Write a number above 0 and below 1, such as 0.2.")
    return value


def parse_word(text: str, known: Sequence[str]) -> str:
    """Read one of a few words in any case, and return it as it is listed."""
    for candidate in known:
        if candidate.lower() == text.strip().lower():
            return candidate
    raise BadValueError("is unknown", f"{did_you_mean(text.strip(), known)} Write one of: {', '.join(known)}.".strip())


def parse_boolean(text: str) -> bool:
    """Read yes or no, in the three ways in which people write them."""
    match text.strip().lower():
        case "true" | "yes" | "1":
            return True
        case "false" | "no" | "0":
            return False
    raise BadValueError("is neither true nor false", "Write true or false, or yes or no.")


def parse_separator(text: str) -> str:
    r"""Read the characters between two fields; a backslash and a ``t`` mean a tab."""
    characters = text.replace("\\t", "\t")
    if not characters:
        raise BadValueError("is empty", "Write the characters between two fields, such as a comma.")
    if any(character in characters for character in '"\r\n\0'):
        raise BadValueError("has a quote or a line break", "Write other characters.")
    return characters


def parse_decimal(text: str) -> str:
    """Read the decimal separator of a number."""
    if text not in (".", ","):
        raise BadValueError("is neither a point nor a comma", "Write . or ,.")
    return text


def parse_thousands(text: str) -> str:
    """Read the character between the thousands of a number; an empty text for none."""
    if len(text) > 1 or text.isalnum() or text in tuple('+-"\r\n\0'):
        raise BadValueError("does not set thousands apart", "Write one character, such as a point, a blank or '.")
    return text


def parse_date_format(text: str, *, with_time: bool) -> str:
    """Read the format of dates or timestamps."""
    remedy = "Write %Y, %m and %d for year, month and day, %H, %M and %S for the time, such as %d.%m.%Y."
    if (unknown := find_unknown_directive(text)) is not None:
        raise BadValueError(f"holds {unknown!r}, which stands for nothing", remedy)
    if not is_complete(text, with_time=with_time):
        raise BadValueError(f"says no {'time of the day' if with_time else 'day'}", remedy)
    return text


def parse_kind(text: str) -> str:
    """Read the kind of a column: one word; for dates, a blank or a colon and their format may follow."""
    first, *form = _BLANK_OR_COLON.split(text.strip(), maxsplit=1)
    known = parse_word(first, get_args(Kind))
    if not form:
        return known
    if known not in ("date", "timestamp"):
        raise BadValueError("has more than one word", f"Write {known}.")
    return f"{known} {parse_date_format(form[0].strip(), with_time=known == 'timestamp')}"


def parse_periods(text: str) -> tuple[Period, ...]:
    """Read the periods to which dates are generalised, the shortest first."""
    return parse_ordered_periods(text.split(","))


def parse_ordered_periods(names: Iterable[str]) -> tuple[Period, ...]:
    """Read the names of periods, each of which lies within the next."""
    listed = [cast("Period", parse_word(name, PERIODS)) for name in names]
    if (wrong := find_period_disorder(listed)) is not None:
        raise BadValueError(*wrong)
    return tuple(listed)


def parse_encoding(text: str) -> str:
    """Read the name of a character encoding, and return the one under which Python lists it."""
    try:
        "".encode(text)  # refuses what is no encoding of text, such as base64; lookup alone would not
        return codecs.lookup(text).name
    except (LookupError, ValueError):
        remedy = f"{did_you_mean(text, _ENCODINGS)} Write utf-8 or latin-1, say."
        raise BadValueError("is an unknown encoding", remedy.strip()) from None


def parse_memory(text: str) -> str:
    """Read an amount of memory, and return it as DuckDB writes it: ``512MB``, ``2GiB``."""
    remedy = "Write a number and a unit, such as 512MB, 2GB or 2GiB."
    size = _parse_bytes(text)
    if not size:
        raise BadValueError("is not an amount of memory", remedy)
    if size > _MOST_MEMORY:
        raise BadValueError("is more than any machine has", remedy)
    match = _AMOUNT.fullmatch(text.strip())
    assert match is not None, "it is a number of bytes"
    return f"{match[1]}{match[2].upper()}{match[3].lower()}B"


def parse_file_size(text: str) -> int:
    """Read the size of a file in bytes: MB are millions, MiB powers of two."""
    size = parse_amount(text)
    if size < 1:
        raise BadValueError("is not the size of a file", "Write a number and a unit, such as 500MB or 2GiB.")
    return size


def parse_amount(text: str) -> int:
    """Return the bytes that a number with a unit stands for; 0 if the text is no such number.

    Examples
    --------
    >>> parse_amount("2GB"), parse_amount("1.5MiB"), parse_amount("much")
    (2000000000, 1572864, 0)
    """
    return int(min(_parse_bytes(text), Decimal(LARGEST_INTEGER)))


def _parse_bytes(text: str) -> Decimal:
    """Read an amount in bytes; 0 if the text is none."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        return Decimal(0)
    unit: int = (1024 if match[3] else 1000) ** ("KMGT".index(match[2].upper()) + 1)
    return Decimal(match[1]) * unit


def parse_portion(text: str) -> Portion:
    """Read a number of lines, or a percentage of all."""
    match = _PORTION.fullmatch(text.strip())
    if match is None or (match[2] is not None and Decimal(match[1]) > 100) or (match[2] is None and "." in match[1]):
        raise BadValueError("is neither a number nor a percentage", "Write a number such as 20, or a share such as 1%.")
    return Portion(Decimal(match[1]), is_percentage=match[2] is not None)


def parse_threshold(text: str) -> int | Portion:
    """Read a whole number of records, or a percentage of all."""
    if not text.strip().endswith("%"):
        return parse_integer(text, minimum=0)
    if not _PORTION.fullmatch(text.strip()) or Decimal(text.strip()[:-1]) > 100:
        raise BadValueError("is no percentage from 0% to 100%", "Write a number such as 20, or a share such as 2%.")
    return parse_portion(text)


def parse_filled_text(text: str) -> str:
    """Read a text that is not blank."""
    if not text.strip() or "\0" in text:
        raise BadValueError("is empty", "Write a name, or leave it out.")
    return text.strip()


def parse_lattice_path(text: str) -> Path:
    """Read the name of a file of all nodes of a lattice: a list or a picture, in the working directory."""
    found = parse_path(text, Path())
    if found.suffix.lower() not in (".json", ".svg"):
        raise BadValueError(
            "is neither a list nor a picture", "End its name with .json for a list, .svg for a picture."
        )
    return found


def parse_path(text: str, folder: Path, *, may_be_object: bool = False) -> Path:
    """Read the name of a file, relative to a folder.

    Parameters
    ----------
    may_be_object : bool
        Whether it may be an object of a store, which begins with ``s3://``, ``gs://`` or ``az://``.
    """
    if not text.strip() or "\0" in text:
        raise BadValueError("names no file", "Write the path of a file.")
    if may_be_object and _is_object_url(text):
        return _parse_object(text.strip())
    if URL.match(text) and not os.path.lexists(text):
        raise BadValueError("is a URL", "Nothing is fetched: download the file, and write its path.")
    return folder / text


def parse_output_path(text: str, folder: Path, *, may_be_folder: bool = False) -> Path:
    """Read the name of a release, relative to a folder."""
    may_be_object = _is_object_url(text)
    if URL.match(text) and not may_be_object and not os.path.lexists(text):
        remedy = "A file is written on this machine: write a path, and copy the file there. Spark writes to such places"
        raise BadValueError("is a URL", f"{remedy}, if its records stay in --engine spark.")
    path = parse_path(text, folder, may_be_object=may_be_object)
    if text.endswith(("/", os.sep)) and text.strip() and not may_be_folder:
        raise BadValueError("names a folder", f"Write the name of a file in it, such as {text}release.csv.")
    return path


# Objects of stores: a path that begins with the scheme, which no file of this machine has.

_OBJECT_STORES: Final = ("s3", "gs", "az")
_OBJECT: Final = re.compile(rf"\s*({'|'.join(_OBJECT_STORES)})://", re.IGNORECASE)
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f\\]")
_LONGEST_NAME: Final = 255
"""Bytes of one name on a path, for most file systems."""


def _is_object_url(text: str) -> bool:
    """Return whether a text begins as the URL of an object does."""
    return _OBJECT.match(text) is not None


def _parse_object(url: str) -> Path:
    """Read the URL of an object, or of all below a prefix; one that may hold a key is not repeated."""
    scheme, _, place = url.partition("://")
    bucket, _, key = place.partition("/")
    if "@" in bucket or ":" in bucket or re.search(r"\?.*=", place):
        where = "Put it into the environment or the profile of the store, where its own programs look."
        raise SecretValueError("holds a password or parameters, which files and lists of processes would show", where)
    if not _BUCKET.fullmatch(bucket):
        raise BadValueError("names no bucket", f"Write {scheme}://BUCKET/NAME.")
    if not is_object_name(key.removesuffix("/")):
        raise BadValueError(
            "is no name of an object that a file could have",
            "Write one without //, without the parts . and .., and without control characters.",
        )
    return Path(f"{scheme.lower()}://{bucket}", key)


def is_object_name(key: str) -> bool:
    """Return whether an object could be a file of this name below a folder, and nowhere else.

    Examples
    --------
    >>> [is_object_name(key) for key in ("people/part-1.csv", "people/../key", "people//a", "")]
    [True, False, False, False]
    """
    parts = key.split("/")
    return not _UNPRINTABLE.search(key) and all(
        part not in ("", ".", "..") and len(part.encode(errors="surrogatepass")) <= _LONGEST_NAME for part in parts
    )


def is_object(path: Path) -> bool:
    """Return whether a path is that of an object, as `parse_path` returns it."""
    first = path.parts[0] if len(path.parts) > 1 else ""
    return first.endswith(":") and first[:-1] in _OBJECT_STORES


def format_object(path: Path) -> str:
    """Return the URL of an object by its path.

    Examples
    --------
    >>> format_object(Path("s3:/bucket/people.csv"))
    's3://bucket/people.csv'
    """
    return f"{path.parts[0]}//{'/'.join(path.parts[1:])}"


# A setting: what it is called everywhere, and how its text is read.

T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """One option that takes a value, or a switch that takes none."""

    name: str
    """As it is written with two dashes."""
    help: str
    metavar: str | None = None
    """What stands for its value; None for a switch."""
    group: str = "run"
    original: str | None = None
    """As the original toolbox writes it, with one dash, where that is another word or the group does not say so."""

    also: str | None = None
    """Another word for it with two dashes, which comes first."""

    @property
    def flags(self) -> list[str]:
        """The spellings that the help shows."""
        is_original = self.group == "original" or self.original is not None
        first = [f"-{self.original or self.name}"] if is_original else [] if self.also is None else [f"--{self.also}"]
        return [*first, f"--{self.name}"]

    @property
    def takes_several(self) -> bool:
        """Whether several values may stand behind it, up to the next option."""
        return self.metavar is not None and self.metavar.endswith(" ..")

    @property
    def field(self) -> str:
        """Name of the attribute that holds its value."""
        return self.name.replace("-", "_")


@dataclass(frozen=True, kw_only=True)
class RunSetting(Option, Generic[T]):
    """One setting of a run."""

    read: Callable[[str], T | None] = str  # type: ignore[assignment]
    """Makes its value of a text, or raises `BadValueError`."""
    default: T | None = None
    """Its value where nothing is said."""
    choices: tuple[str, ...] = ()
    """The words that it takes, if it takes no others."""
    element: str = ""
    """The element of a configuration that says it; empty: none does."""
    more: str = ""
    """What the schema tells beyond the help."""
    held: str = ""
    """The part of a `Config` that has a field for its value, and the name of the field if it is another one, such as
    ``limits`` or ``limits.memory``; empty: that of the element. ``apart``: it is read together with others. ``others``,
    and empty without an element: `Config.others` has it, and `value_of` returns it."""
    is_place: bool = False
    """Whether it names a table, a file or an engine."""

    @property
    def attribute(self) -> str:
        """The attribute of its element: the name in Python, as a configuration writes it."""
        first, *others = self.field.removeprefix(f"{self.element}_").split("_")
        return first + "".join(map(str.capitalize, others))

    @property
    def holder(self) -> str:
        """The part of a `Config` that has a field for its value."""
        return self.held.partition(".")[0] or self.element or "others"

    @property
    def place(self) -> str:
        """The name of that field."""
        return self.held.partition(".")[2] or self.field

    # The ways to make one, by what its text is.

    @staticmethod
    def take_word(name: str, help: str, words: object, group: str, **more: Any) -> RunSetting[Any]:  # noqa: A002
        """Return a setting that takes one of a few words."""
        choices = tuple(words) if isinstance(words, (tuple, list)) else get_args(words)
        read = partial(parse_word, known=choices)
        return RunSetting(name, help, "|".join(choices), group, read=read, choices=choices, **more)

    @staticmethod
    def take_switch(name: str, help: str, group: str, **more: Any) -> RunSetting[bool]:  # noqa: A002
        """Return a setting that an option says without a value."""
        return RunSetting(name, help, None, group, read=parse_boolean, default=False, **more)

    @staticmethod
    def take_path(name: str, help: str, group: str, metavar: str = "FILE", **more: Any) -> RunSetting[Path]:  # noqa: A002
        """Return a setting that names a file or a folder, from the working folder on."""
        return RunSetting(name, help, metavar, group, read=partial(parse_path, folder=Path()), **more)

    @staticmethod
    def take_object(name: str, help: str, group: str, **more: Any) -> RunSetting[Path]:  # noqa: A002
        """Return a setting that names a file, or an object of a store."""
        read = partial(parse_path, folder=Path(), may_be_object=True)
        return RunSetting(name, help, "FILE", group, read=read, **more)

    @staticmethod
    def take_place(name: str, help: str, metavar: str, group: str, **more: Any) -> RunSetting[str]:  # noqa: A002
        """Return a setting that names a table, a file or an engine."""
        return RunSetting(name, help, metavar, group, is_place=True, **more)

    @staticmethod
    def take_column(name: str, help: str, element: str) -> RunSetting[str]:  # noqa: A002
        """Return a setting that names a column."""
        return RunSetting(name, help, "NAME", "columns", element=element, read=parse_column_name, held="others")
