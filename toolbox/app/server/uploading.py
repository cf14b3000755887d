"""A file that a browser sends: written to its folder piece by piece, never held in memory; and forms with small ones.

A form that ends before its last boundary was cut off, perhaps in the middle of a file.
"""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from toolbox.errors import UsageError
from toolbox.messages import mark, say

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

_FIELD: Final = b"file"
_LONGEST_ENDING: Final = 40
_CUT_OFF: Final = mark("The file did not arrive whole. Send it again.")
_ENDING: Final = re.compile(r"(?P<own>\.[a-z0-9_]+)(\.gz|\.zst)?$")
"""All that is used of the name of a file: it says what the file holds."""

# Whoever sent a wrong form is told so on the page; the console of the owner is no place for it.
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)


async def receive_file(request: Request, root: Path) -> Path:
    """Write the file of a form into a new folder, and return its path.

    Raises
    ------
    UsageError
        If there is no file, or more than one, or it is empty, or did not arrive whole, or cannot be written.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise UsageError(say("No file was sent. Choose one first."))
    folder = _make_new_folder(root)
    taking = _Taking(folder)
    try:
        parser = MultipartParser(options[b"boundary"], taking.make_parser_callbacks())
        async for chunk in request.stream():
            parser.write(chunk)
        parser.finalize()
        return taking.finish()
    except BaseException as error:
        taking.discard()
        if isinstance(error, FormParserError):
            raise UsageError(say(_CUT_OFF)) from None
        if isinstance(error, OSError):
            words = mark("The file cannot be written to %(root)s: %(reason)s. Make room there, and send it again.")
            raise UsageError(say(words, root=str(root), reason=error.strerror)) from None
        raise


async def parse_small_form(request: Request, most: int) -> FormData:
    """Return the fields of a form with small files, which whoever asks has to close.

    Raises
    ------
    UsageError
        If it did not arrive whole, or has more than the most files.
    """
    parser = _Whole(request.headers, request.stream(), max_files=most)
    try:
        form = await parser.parse()
    except KeyError:
        raise UsageError(say("No file was sent. Choose one first.")) from None
    except MultiPartException as error:
        words = mark("The file did not arrive: %(reason)s Send it again.")
        raise UsageError(say(words, reason=error.message)) from None
    if not parser.is_whole:
        await form.close()
        raise UsageError(say(_CUT_OFF))
    return form


class _Whole(MultiPartParser):
    """Notes whether the last boundary has come."""

    is_whole = False

    def on_end(self) -> None:
        self.is_whole = True


def discard_upload(path: Path) -> None:
    """Remove what was received, with its folder."""
    path.unlink(missing_ok=True)
    path.parent.rmdir()


def _make_new_folder(root: Path) -> Path:
    number = 1
    while True:
        folder = root / f"table{'' if number == 1 else f'-{number}'}-project"
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            number += 1
        except OSError as error:
            raise UsageError(
                say(
                    "A folder cannot be made in %(root)s: %(reason)s. Make it writable.",
                    root=str(root),
                    reason=error.strerror,
                )
            ) from None
        else:
            return folder


@dataclass
class _Taking:
    """Writes the parts of a form that are the file."""

    folder: Path
    size: int = 0
    is_whole: bool = False
    """Whether the last boundary has come."""
    _files: int = 0
    _header: bytes = b""
    _value: bytes = b""
    _is_file: bool = False
    _ending: str = ".csv"
    _file: BinaryIO | None = field(default=None)

    def make_parser_callbacks(self) -> MultipartCallbacks:
        return {
            "on_part_begin": self._begin,
            "on_header_field": self._append_header_name,
            "on_header_value": self._append_header_value,
            "on_header_end": self._end_header,
            "on_headers_finished": self._begin_content,
            "on_part_data": self._write_part_data,
            "on_end": self._end,
        }

    def finish(self) -> Path:
        """Close the file, and give it its name.

        Raises
        ------
        UsageError
            If it is empty, or did not arrive whole.
        OSError
            If its last bytes cannot be written.
        """
        if not self.is_whole:
            raise UsageError(say(_CUT_OFF))
        if self.size == 0:
            raise UsageError(say("The file that was sent is empty, or none was chosen. Choose a table."))
        self._close()
        path = self.folder / f"table{self._ending}"
        self._unfinished.rename(path)
        return path

    def discard(self) -> None:
        """Remove what was written."""
        with suppress(OSError):  # what is left to be written may find no room, either
            self._close()
        discard_upload(self._unfinished)

    @property
    def _unfinished(self) -> Path:
        return self.folder / ".unfinished"

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _begin(self) -> None:
        self._is_file = False

    def _append_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _append_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        if self._header.lower() == b"content-disposition":
            _, options = parse_options_header(self._value)
            self._is_file = options.get(b"name") == _FIELD
            if self._is_file:
                self._ending = _find_ending(options.get(b"filename", b"")) or self._ending
        self._header = self._value = b""

    def _begin_content(self) -> None:
        self._files += self._is_file
        if self._files > 1:
            raise UsageError(say("Two files were sent. Send one; several files in a folder can be one table."))

    def _end(self) -> None:
        self.is_whole = True

    def _write_part_data(self, data: bytes, start: int, end: int) -> None:
        if not self._is_file:
            return
        if self._file is None:
            opened = os.open(self._unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(opened, "wb")
        self._file.write(data[start:end])
        self.size += end - start


def _find_ending(name: bytes) -> str | None:
    """Return the ending of a name, if files are read that end so."""
    from toolbox import Project

    match = _ENDING.search(name[-_LONGEST_ENDING:].decode("latin-1").lower())
    return match[0] if match and match["own"] in Project.table_extensions() else None
