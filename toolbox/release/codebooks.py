"""What a statistics package says of the columns of an input, handed on to the columns of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from toolbox.release.part import Part
from toolbox.store.readers.file_table import Codebook
from toolbox.store.source import Source


def with_codebooks(parts: Sequence[Part], source: Source) -> list[Part]:
    """Return the parts of a release with what the input says of their columns, if it says anything."""
    if not source.codebooks:
        return list(parts)
    return [replace(part, codebooks=_codebooks(part, source)) for part in parts]


def _codebooks(part: Part, source: Source) -> Mapping[int, Codebook]:
    """Return the codebook of each column of a part: all of it where values pass through, else the name for people."""
    headers = list(source.headers or ())
    passed = part.passed_through or (None,) * len(part.headers)
    books = {}
    for index, (header, position) in enumerate(zip(part.headers, passed, strict=True)):
        if position is not None and position in source.codebooks:
            books[index] = source.codebooks[position]
        elif headers.count(header) == 1 and (book := source.codebooks.get(headers.index(header))) is not None:
            books[index] = Codebook(book.label)
    return books
