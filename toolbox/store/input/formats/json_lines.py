"""JSON lines as a table: one object in each line, whose names are columns.

A name that a line lacks has no value there, and neither has null. Lists and objects become texts of JSON.
"""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final

from toolbox.config.model import Input
from toolbox.errors import InputError, quote
from toolbox.store.engine.statements import CHARACTERS_PER_LINE
from toolbox.store.input.formats.first_bytes import open_binary
from toolbox.store.input.formats.table import BATCH, FileTable
from toolbox.store.input.text_file import PLAIN, make_encoding_error, make_length_error

MOST_NAMES: Final = 10_000
"""More names than that are values that stand in the place of names."""


class JsonLines(FileTable):
    """A file of JSON lines.

    Parameters
    ----------
    path : Path
    encoding : str
    known : sequence of str
        Names of the files before it, whose columns come first.

    Raises
    ------
    InputError
        While reading, if a line is no object, or names something twice.
    """

    place = "line"

    def __init__(self, path: Path, encoding: str, known: Sequence[str]) -> None:
        super().__init__()
        self._path, self._encoding = path, encoding
        self.names = list(known)
        self._places = {name: place for place, name in enumerate(known)}
        self._decoder = json.JSONDecoder(object_pairs_hook=_require_distinct_names)

    def batches(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield the objects of some lines."""
        plain = codecs.lookup(self._encoding).name in PLAIN
        records = 0
        try:
            with open_binary(self._path) as binary:
                text = io.TextIOWrapper(binary, encoding="utf-8-sig" if plain else self._encoding, newline="\n")
                numbered = enumerate(iter(partial(text.readline, CHARACTERS_PER_LINE), ""), start=1)
                while lines := list(islice(numbered, BATCH)):
                    objects = []
                    for number, line in lines:
                        if not line.strip():
                            self.blank += 1
                            self.skip(records + 1, self.blank)
                            continue
                        objects.append(self._parse_object(number, line))
                        records += 1
                    columns = [[entry.get(name) for entry in objects] for name in self.names]
                    yield len(objects), columns
        except UnicodeError as error:
            raise make_encoding_error(Input(path=self._path, encoding=self._encoding)) from error

    def _parse_object(self, number: int, line: str) -> dict[str, Any]:
        if len(line) == CHARACTERS_PER_LINE:
            raise make_length_error(self._path, number)
        try:
            entry = self._decoder.decode(line)
        except (ValueError, RecursionError) as error:
            name = error.args[0] if isinstance(error, _TwiceError) else None
            problem = "holds no JSON, or breaks off" if name is None else f"has the name {quote(name)} twice"
            raise InputError(f"{self._path}, line {number}: {problem}. Each line is one complete object.") from None
        if not isinstance(entry, dict):
            problem = f"{self._path}, line {number}: is no object"
            raise InputError(f'{problem}. Each line is one, with names: {{"age": 35, "town": "Graz"}}.')
        for name, value in entry.items():
            if name not in self._places:
                self._add(name, number)
            if isinstance(value, (dict, list)):
                entry[name] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return entry

    def _add(self, name: str, number: int) -> None:
        if len(self.names) == MOST_NAMES:
            problem = f"{self._path}, line {number}: the lines have more than {MOST_NAMES:,} different names"
            raise InputError(f"{problem}. Are these values? Give all lines the same names.")
        self._places[name] = len(self.names)
        self.names.append(name)


class _TwiceError(ValueError):
    """An object has a name twice."""


def _require_distinct_names(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        seen = set[str]()
        raise _TwiceError(next(name for name, _ in pairs if name in seen or seen.add(name)))  # type: ignore[func-returns-value]
    return entry
