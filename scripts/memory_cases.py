"""The inputs that need the most memory for their size, each with the configuration and the limit of its run.

Every input is drawn from a seed and written as it is drawn, so that no more than a chunk of it is ever held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.random import Generator

_CHUNK = 50_000
_SEED = 1
_FIELD_BYTES = 7_000_000

Chunks = Iterator[bytes]


@dataclass(frozen=True, kw_only=True)
class Case:
    """An input, and how it is anonymised."""

    name: str
    description: str
    records: int
    memory_limit: str
    method: str
    text: Callable[[int, Generator], Chunks]
    """Writes this many records, in chunks, with a header."""
    quasi_identifiers: str
    """Elements of the configuration."""
    requirements: str = "<privacy><model name='k-anonymity' k='5'/></privacy>"
    remedy: str = "--memory-limit"
    """What a run must name that stops without a release."""
    options: tuple[str, ...] = ()

    @property
    def _format(self) -> str:
        return "anatomy" if self.method == "Anatomy" else "genVals"

    def scaled(self, share: float) -> Case:
        """Return the case with a share of its records, and at least a few."""
        return replace(self, records=max(6, round(share * self.records)))

    def write(self, folder: Path) -> Path:
        """Write the input and the configuration into a folder; return the configuration."""
        with (folder / "input.csv").open("wb") as file:
            file.writelines(self.text(self.records, np.random.default_rng(_SEED)))
        path = folder / "config.xml"
        path.write_text(
            f"<config method='{self.method}'><input filename='input.csv' header='true'/>"
            f"<output filename='release.csv' format='{'anatomy' if self.method == 'Anatomy' else 'genVals'}'/>"
            f"<qid>{self.quasi_identifiers}</qid>{self.requirements}</config>",
            encoding="utf-8",
        )
        return path


def _lines(columns: list[list[str]]) -> bytes:
    return "".join(f"{line}\n" for line in map(",".join, zip(*columns, strict=True))).encode()


def _header(names: list[str]) -> bytes:
    return (",".join(names) + "\n").encode()


def _chunks(records: int, size: int = _CHUNK) -> Iterator[tuple[int, int]]:
    """Yield the first record of each chunk, and how many it has."""
    return ((start, min(size, records - start)) for start in range(0, records, size))


_NUMBERS = [f"n{number}" for number in range(10)]
_WORDS = [f"w{number}" for number in range(10)]
_WORD_VALUES = [2 + 4 * number for number in range(10)]


def _combinations(records: int, rng: Generator) -> Chunks:
    """Ten numbers below 100 and ten words of 2 to 38: nearly every record is a combination of its own."""
    yield _header([*_NUMBERS, *_WORDS])
    numbers = [f"{index}" for index in range(100)]
    for _, size in _chunks(records):
        columns = [[numbers[code] for code in rng.integers(0, 100, size).tolist()] for _ in _NUMBERS]
        for name, values in zip(_WORDS, _WORD_VALUES, strict=True):
            words = [f"{name}_{index:02}" for index in range(values)]
            columns.append([words[code] for code in rng.integers(0, len(words), size).tolist()])
        yield _lines(columns)


def _sensitive(records: int, rng: Generator) -> Chunks:
    """Two quasi-identifiers, and a sensitive value that no two records share."""
    yield _header(["age", "city", "account"])
    for start, size in _chunks(records):
        ages = [f"{age}" for age in rng.integers(18, 90, size).tolist()]
        cities = [f"city {city}" for city in rng.integers(0, 200, size).tolist()]
        yield _lines([ages, cities, [f"account {index:09}" for index in range(start, start + size)]])


def _columns(records: int, rng: Generator, *, width: int = 5000) -> Chunks:
    """Numbers in as many columns as make the width."""
    yield _header(["age", *(f"x{index}" for index in range(width - 1))])
    for _, size in _chunks(records, 100):
        yield from (_header(list(map(str, row))) for row in rng.integers(18, 90, (size, width)).tolist())


def _fields(records: int, rng: Generator, *, length: int = _FIELD_BYTES) -> Chunks:
    """Write a quasi-identifier beside a field of 7 MB."""
    yield b"age,document\n"
    for age in rng.integers(18, 25, records).tolist():
        yield b"%d," % age
        yield bytes(rng.integers(ord("a"), ord("z") + 1, length, dtype=np.uint8))
        yield b"\n"


def _ragged(records: int, rng: Generator) -> Chunks:
    """Lines of which all but one in five have a value too many."""
    yield b"age,city,rest\n"
    for start, size in _chunks(records):
        ages, cities = rng.integers(18, 90, size).tolist(), rng.integers(0, 200, size).tolist()
        rows = zip(range(start, start + size), ages, cities, strict=True)
        yield "".join(f"{a},city {c},r{n}{',too many' if n % 5 else ''}\n" for n, a, c in rows).encode()


def _spellings(records: int, rng: Generator, *, ends: tuple[str, str] = (".0", ".00")) -> Chunks:
    """Every number twice, with two ends."""
    yield b"income,city\n"
    for start, size in _chunks(records // 2):
        cities = rng.integers(0, 5, 2 * size).tolist()
        texts = chain.from_iterable((f"{n}{end}" for end in ends) for n in range(start, start + size))
        yield "".join(f"{text},city {city}\n" for text, city in zip(texts, cities, strict=True)).encode()


def _number(name: str) -> str:
    """Declare a number below 100, with tens above it."""
    tens = "".join(f"<node value='[{low}:{low + 10})'/>" for low in range(0, 100, 10))
    return f"<att name='{name}'><vgh value='[0:100)'>{tens}</vgh></att>"


def _word(name: str, values: int) -> str:
    """Declare the words of a column, with one root above them."""
    entries = "".join(f"<entry cat='{name}_{index:02}' int='{index}'/>" for index in range(values))
    return f"<att name='{name}'><map>{entries}</map><vgh value='[0:{values - 1}]' label='*'/></att>"


_AGE, _CITY, _INCOME = "<att name='age'/>", "<att name='city' type='category'/>", "<att name='income'/>"

_COMBINATIONS = Case(
    name="combinations",
    description="20 quasi-identifiers, 3 M combinations",
    records=3_000_000,
    memory_limit="2GB",
    method="Mondrian",
    text=_combinations,
    quasi_identifiers="".join([*map(_number, _NUMBERS), *map(_word, _WORDS, _WORD_VALUES)]),
)
_SENSITIVE = Case(
    name="sensitive",
    description="10 M distinct sensitive values, 3-diverse",
    records=10_000_000,
    memory_limit="2GB",
    method="Mondrian",
    text=_sensitive,
    quasi_identifiers=_AGE + _CITY,
    requirements="<sens><att name='account' type='category'/></sens>"
    "<privacy><model name='distinct l-diversity' l='3' attribute='account'/></privacy>",
)
_RAGGED = Case(
    name="ragged",
    description="1 M ragged lines among 1.25 M",
    records=1_250_000,
    memory_limit="100MB",
    method="Mondrian",
    text=_ragged,
    quasi_identifiers=_AGE + _CITY,
    remedy="--max-rejects",
)
_SPELLINGS = Case(
    name="spellings",
    description="700 thousand numbers, each in two spellings",
    records=1_400_000,
    memory_limit="1GB",
    method="Mondrian",
    text=_spellings,
    quasi_identifiers=_INCOME + _CITY,
)
_OTHER_METHODS = ("Datafly", "LocalRecoding", "Singletons")
CASES = (
    _COMBINATIONS,
    *(replace(_COMBINATIONS, name=f"combinations-{method.lower()}", method=method) for method in _OTHER_METHODS),
    _SENSITIVE,
    replace(_SENSITIVE, name="sensitive-anatomy", method="Anatomy"),
    Case(
        name="columns",
        description="5,000 columns",
        records=20_000,
        memory_limit="1GB",
        method="Mondrian",
        text=_columns,
        quasi_identifiers="<att name='age'/><att name='x0'/>",
    ),
    Case(
        name="columns-few",
        description="5,000 columns, few records, 2 threads",
        records=3_000,
        memory_limit="2GB",
        method="Mondrian",
        text=_columns,
        quasi_identifiers="<att name='age'/><att name='x0'/>",
        options=("--threads", "2"),
    ),
    Case(
        name="fields",
        description="30 fields of 7 MB",
        records=30,
        memory_limit="1GB",
        method="Mondrian",
        text=_fields,
        quasi_identifiers=_AGE,
    ),
    _RAGGED,
    replace(_RAGGED, name="ragged-accepted", options=("--max-rejects", "100%")),
    _SPELLINGS,
    replace(_SPELLINGS, name="spellings-powers", text=partial(_spellings, ends=("e2", "00.0"))),
    replace(
        _SPELLINGS,
        name="spellings-refused",
        description="700 thousand pairs of numbers that a double cannot tell apart",
        text=partial(_spellings, ends=(".12345678901234567891", ".12345678901234567892")),
        remedy="type='category'",
    ),
    replace(
        _SPELLINGS,
        name="spellings-sensitive",
        quasi_identifiers=_CITY,
        requirements=f"<sens>{_INCOME}</sens><privacy><model name='t-closeness' t='0.5' attribute='income'/></privacy>",
    ),
)
