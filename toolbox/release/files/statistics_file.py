"""A part of a release as a file of SPSS or Stata, with the labels that the input had.

The library that writes such files wants the whole table in memory. A column whose labels stand in the place of codes
gets its codes back, with their labels; a generalised one is text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import String, cast, select

from toolbox.errors import OutputError, format_debug_hint, quote
from toolbox.messages import format_count
from toolbox.release.files.part import Part, rename_columns
from toolbox.store.engine.store import Store
from toolbox.store.input.formats.table import Codebook, import_library

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class _Program:
    """What a program takes."""

    name: str
    write: str
    """The function of the library."""
    names: re.Pattern[str]
    longest_name: int
    """In bytes of UTF-8."""
    reserved: frozenset[str]
    ignores_case: bool
    longest_text: int
    longest_value_label: int
    longest_label: int
    stamp: re.Pattern[bytes]
    """Where a file says when it was made, which is overwritten: the same release is the same file."""
    no_time: bytes


_SPSS: Final = _Program(
    "SPSS",
    "write_sav",
    re.compile(r"[^\W\d_](?:[\w.@#$]*[\w@#$])?"),
    64,
    frozenset(["ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"]),
    ignores_case=True,
    longest_text=32_767,
    longest_value_label=120,
    longest_label=256,
    stamp=re.compile(rb"(?s)(?<=\A.{92}).{17}"),
    no_time=b"01 Jan 8000:00:00",
)
_STATA_WORDS: Final = [
    "_all",
    "_b",
    "byte",
    "_coef",
    "_cons",
    "double",
    "float",
    "if",
    "in",
    "int",
    "long",
    "_n",
    "_N",
    "_pi",
    "_pred",
    "_rc",
    "_skip",
    "strL",
    "using",
    "with",
]
_STATA: Final = _Program(
    "Stata",
    "write_dta",
    re.compile(r"[^\W\d]\w*"),
    32,
    frozenset(_STATA_WORDS),
    ignores_case=False,
    longest_text=2_000_000_000,
    longest_value_label=32_000,
    longest_label=80,
    stamp=re.compile(rb"(?s)(?<=<timestamp>\x11).{17}"),
    no_time=b"01 Jan 1980 00:00",
)
_PROGRAMS: Final = {".sav": _SPSS, ".dta": _STATA}
_STATISTICS: Final = re.compile(r"_mean:variance$")
_EXACT: Final = 1 << 53
_LARGEST_CODE: Final = 1 << 31
_HEAD: Final = 1 << 12
"""Bytes at the beginning of a file, among which the time stands."""


def write_statistics(store: Store, part: Part, path: Path) -> None:
    """Write a part as a file of SPSS or Stata, rows in their order.

    Raises
    ------
    OutputError
        If the program takes no such name, or no such long text.
    UsageError
        If the library is not installed.
    """
    package, program = import_library("pyreadstat", path), _PROGRAMS[path.suffix.lower()]
    # Ours, and the only ones with a colon that nobody could rename.
    headers = [_STATISTICS.sub("_mean_variance", header) for header in part.headers]
    _require_names(headers, program)
    import pandas as pd

    table = _fetch_records(store, part)
    columns, codes = {}, {}
    for index, (name, values) in enumerate(zip(headers, table.columns, strict=True)):
        known = _find_codes(part.codebooks.get(index), program)
        column = _encode_labels(values, known) if known else None
        if column is None:
            columns[name] = _convert_column(values, name, program)
        else:
            columns[name], codes[name] = column, dict(known)
    books = part.codebooks.items()
    labels = {headers[index]: book.label[: program.longest_label] for index, book in books if book.label}
    try:
        getattr(package, program.write)(
            pd.DataFrame(columns), str(path), column_labels=labels, variable_value_labels=codes
        )
    except (package.ReadstatError, package.PyreadstatError) as error:
        raise OutputError(f"The release cannot be written for {program.name}. {format_debug_hint()}") from error
    _remove_time(path, program)


def _require_names(headers: Sequence[str], program: _Program) -> None:
    """Stop where the program takes no such names; all of them are named."""
    seen = set[str]()
    wrong = []
    for name in headers:
        folded = name.upper() if program.ignores_case else name
        is_known = program.names.fullmatch(name) and len(name.encode()) <= program.longest_name
        if not is_known or folded in program.reserved or folded in seen:
            wrong.append(name)
        seen.add(folded)
    if wrong:
        shown = ", ".join(map(quote, wrong[:20])) + (", .." if len(wrong) > 20 else "")
        columns = format_count(len(wrong), "column has a name", "columns have names")
        raise OutputError(
            f"{columns} that {program.name} does not take: {shown}. A name is a letter, then letters, digits and _, "
            f"at most {program.longest_name} bytes, no word of the program, and no other column's. Rename them in the "
            "input, or release another kind of file."
        )


def _fetch_records(store: Store, part: Part) -> pa.Table:
    """Fetch the records; what the program has no type for is fetched as text."""
    named = rename_columns(part.rows, [f"h{index}" for index, _ in enumerate(part.headers)])
    kinds = [field.type for field in store.arrow(named.limit(0)).schema]
    columns = named.subquery().c
    shown = [
        column.label(f"h{index}") if _is_known(kind) else cast(column, String).label(f"h{index}")
        for index, (column, kind) in enumerate(zip(columns, kinds, strict=True))
    ]
    return store.arrow(select(*shown))


def _is_known(kind: pa.DataType) -> bool:
    import pyarrow as pa

    types = pa.types
    plain = (types.is_boolean, types.is_integer, types.is_float32, types.is_float64, types.is_date)
    is_local = types.is_timestamp(kind) and kind.tz is None and kind.unit != "ns"
    return is_local or any(test(kind) for test in plain) or (types.is_decimal(kind) and kind.precision <= 15)


def _find_codes(book: Codebook | None, program: _Program) -> Mapping[Any, str]:
    """Return the codes of a column and their labels, if the program takes them."""
    codes = {} if book is None else book.codes
    if any(len(label.encode()) > program.longest_value_label for label in codes.values()):
        return {}
    if program is not _STATA:
        return codes
    if any(isinstance(code, str) or code != int(code) or abs(code) >= _LARGEST_CODE for code in codes):
        return {}
    return {int(code): label for code, label in codes.items()}


def _encode_labels(values: pa.ChunkedArray, codes: Mapping[Any, str]) -> Any:
    """Return codes in the place of their labels, as a column of pandas; None if a text is no label."""
    import pandas as pd

    by_label = {label: code for code, label in codes.items()}
    texts = values.to_pandas()
    if not set(texts.dropna().unique()) <= by_label.keys():
        return None
    return pd.Series(texts.map(by_label))


def _convert_column(values: pa.ChunkedArray, name: str, program: _Program) -> Any:
    """Return a column of pandas as the library takes it."""
    import pyarrow as pa
    from pyarrow import compute

    types, kind = pa.types, values.type
    if types.is_integer(kind):
        largest = max(abs(end or 0) for end in compute.min_max(values).as_py().values())
        values = values.cast(pa.string()) if largest > _EXACT else values.cast(pa.float64())
    elif types.is_boolean(kind) or types.is_decimal(kind):
        values = values.cast(pa.float64())
    elif types.is_date(kind):
        return values.to_pandas(date_as_object=True)
    elif types.is_timestamp(kind):
        return _convert_timestamps(values)
    if types.is_string(values.type):
        longest = compute.max(compute.binary_length(values)).as_py() or 0
        if longest > program.longest_text:
            problem = f"The column {quote(name)} has a text of {longest:,} bytes, and {program.name} takes"
            raise OutputError(f"{problem} {program.longest_text:,}. Release it as CSV or Parquet.")
        return values.to_pandas().astype(object)
    return values.to_pandas()


def _convert_timestamps(values: pa.ChunkedArray) -> Any:
    """Return timestamps, or their texts if one is finer than a millisecond."""
    import pandas as pd
    import pyarrow as pa
    from pyarrow import compute

    micros = values.cast(pa.timestamp("us"))
    parts = compute.microsecond(micros)
    if compute.any(compute.not_equal(parts, 0)).as_py():
        return micros.cast(pa.string()).to_pandas().astype(object)
    return pd.Series(micros.to_pylist(), dtype=object)


def _remove_time(path: Path, program: _Program) -> None:
    with path.open("r+b") as file:
        if (found := program.stamp.search(file.read(_HEAD))) is not None:
            file.seek(found.start())
            file.write(program.no_time)
