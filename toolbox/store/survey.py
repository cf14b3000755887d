"""Counting the records of a text file from its bytes: the engine must read as many."""

from __future__ import annotations

from pathlib import Path

from toolbox.store.compressed import compression, open_binary
from toolbox.store.text_file import Survey

_SHORT = 1 << 20
"""Bytes of a text that is counted at once."""


def survey(path: Path, separator: str, called: Path | None = None) -> Survey:
    """Count the records of a file.

    Parameters
    ----------
    path : Path
        Text in UTF-8, also gzip or zstd.
    separator : str
    called : Path, optional
        What messages call it.

    Raises
    ------
    InputError
        If a quote never closes, a record is longer than the engine reads, or a compressed file is damaged.
    """
    with open_binary(path, called) as text:
        content = text.read(_SHORT + 1)
    if len(content) <= _SHORT and not any(special in content for special in (b'"', b"\r", b"\xef\xbb\xbf")):
        return _short_survey(content)
    # Not before: numpy takes longer to load than a small table to anonymise.
    from toolbox.store.counting import count_text
    from toolbox.store.plain_lines import count_plain_lines

    if compression(path) is None and (surveyed := count_plain_lines(path)) is not None:
        return surveyed
    with open_binary(path, called) as text:
        return count_text(text, separator, called or path)


def _short_survey(content: bytes) -> Survey:
    """Count the lines of a text without quotes and carriage returns."""
    *lines, rest = content.split(b"\n")
    blank = lines.count(b"")
    records = len(lines) - blank + bool(rest)
    return Survey(records, blank, {"\n": len(lines)} if lines else {}, is_plain=b"#" not in content)
