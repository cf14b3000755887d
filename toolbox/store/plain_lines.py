"""Counting the lines of a long text that needs no more: it has no quotes, no carriage returns and no blank lines.

It takes half of the time that `toolbox.store.counting` takes, which understands all texts, and several processors. The
module needs numpy.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np

from toolbox.store.lines import BYTE_ORDER_MARK
from toolbox.store.text_file import Survey

_BLOCK = 1 << 18
"""Bytes that are looked at at once; a processor keeps them beside it. Less than the longest line that is read."""
_THREADS = 4
_LF = b"\n"[0]


def count_plain_lines(path: Path) -> Survey | None:
    """Count the records of a text whose records are its lines.

    Parameters
    ----------
    path : Path
        Not compressed.

    Returns
    -------
    Survey
        None if the text is not so plain, or if it has a line longer than a block.
    """
    size = path.stat().st_size
    with path.open("rb") as text:
        if text.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK:
            return None
        text.seek(size - 1)
        is_ended = text.read(1) == b"\n"
    bounds = [size * index // _THREADS for index in range(_THREADS + 1)]
    with ThreadPoolExecutor(_THREADS) as threads:
        counts = list(threads.map(lambda part: _line_ends(path, *part), pairwise(bounds)))
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        return None
    ends = sum(count for count, _ in known)
    is_plain = not any(has_sign for _, has_sign in known)
    return Survey(ends + (not is_ended), 0, {"\n": ends} if ends else {}, is_plain)


def _line_ends(path: Path, first: int, beyond: int) -> tuple[int, bool] | None:
    """Count the line ends of a part, and tell whether it has a ``#``; None where it is not plain."""
    # Before each block stands the last byte of the one before; a line end before the first byte of all makes a blank
    # first line one.
    block = bytearray(_BLOCK + 1)
    codes = np.frombuffer(block, np.uint8)
    count, has_sign, left = 0, False, beyond - first
    with path.open("rb", buffering=0) as text:
        block[0] = _LF
        if first:
            text.seek(first - 1)
            block[:1] = text.read(1)
        while left:
            length = text.readinto(memoryview(block)[1 : 1 + min(_BLOCK, left)])
            if not length:
                return None
            left -= length
            ends = codes[: length + 1] == _LF
            found = int(np.count_nonzero(ends[1:]))
            # A part may end within a line.
            if (not found and left) or np.any(ends[1:] & ends[:-1]) or _has_any(block, length, b'"', b"\r"):
                return None
            has_sign |= _has_any(block, length, b"#")
            count += found
            block[0] = block[length]
    return count, has_sign


def _has_any(block: bytearray, length: int, *signs: bytes) -> bool:
    return any(block.find(sign, 1, length + 1) >= 0 for sign in signs)
