"""The lines that the engine could not cut into values: how many, where they stand, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from sqlalchemy import Table, and_, column, func, or_, select, table

from toolbox.store.compressed import open_binary
from toolbox.store.source import FIRST_PLACES, Place, Rejects
from toolbox.store.statements import files_of_rejects
from toolbox.store.store import Store
from toolbox.store.text_file import SourceFile, open_quote, too_long, wrong_encoding

_CHUNK = 1 << 20
_TOO_LONG = "LINE SIZE OVER MAXIMUM"
_WRONG_ENCODING = "INVALID ENCODING"


class RejectedLines:
    """What one reading of some files rejects; the texts of the lines stay in the store.

    Parameters
    ----------
    store : Store
    files : sequence of SourceFile
    """

    def __init__(self, store: Store, files: Sequence[SourceFile]) -> None:
        self._store = store
        self.files = tuple(files)
        self.name = store.fresh("rejects")
        """The table that the engine makes of them."""

    def count(self) -> int:
        """Count the lines, after the reading."""
        return self._store.count(self._lines())

    def rejects(self) -> Rejects:
        """Tell what the reading has rejected.

        Raises
        ------
        InputError
            If a line is a sign that more than a line is lost.
        """
        if not self._store.scalar(select(func.count()).select_from(table(self.name))):
            return Rejects()
        lines = self._lines()
        self._refuse_lost_text(lines)
        in_order = lines.c.file, lines.c.position
        first = select(*in_order, lines.c.beginning).order_by(*in_order).limit(FIRST_PLACES)
        texts = select(func.trim(lines.c.text, "\r\n").label("line")).order_by(*in_order)
        return Rejects(self._store.count(lines), tuple(self._places(self._store.rows(first))), texts)

    def _lines(self) -> Table:
        """Make the table of the lines: ``file, position, text, beginning, kind``, each line once.

        The engine lists a line once for every value that it lacks, and may put line ends before its text: the
        beginning.
        """
        keys = "scan_id", "file_id"
        paths = [str(file.text.path) for file in self.files]
        numbers = self._store.create_constant("files", {"path": (str, paths), "file": (int, range(len(paths)))})
        errors = table(self.name, *map(column, (*keys, "line_byte_position", "error_type", "csv_line")))
        files = table(files_of_rejects(self.name), *map(column, (*keys, "file_path")))
        same = and_(*(errors.c[key] == files.c[key] for key in keys), files.c.file_path == numbers.c.path)
        place = numbers.c.file, errors.c.line_byte_position.label("position")
        text = func.any_value(errors.c.csv_line)
        what = func.any_value(errors.c.error_type).label("kind")
        blank = func.length(text) - func.length(func.ltrim(text, "\r\n"))
        beginning = func.substr(text, 1, blank).label("beginning")
        rows = select(*place, text.label("text"), beginning, what).where(same).group_by(*place)
        lines = self._store.create("rejected", rows)
        self._store.drop(numbers)
        return lines

    def _refuse_lost_text(self, lines: Table) -> None:
        """Stop where a line is a sign that much more than a line is lost."""
        text, kind = lines.c.text, lines.c.kind
        quotes = func.length(text) - func.length(func.replace(text, '"', ""))
        has_odd_quotes = and_(kind == "UNQUOTED VALUE", quotes % 2 == 1)
        signs = select(lines.c.file, lines.c.position, lines.c.beginning, kind).where(
            or_(kind.in_((_WRONG_ENCODING, _TOO_LONG)), has_odd_quotes)
        )
        for number, position, beginning, what in self._store.rows(signs.order_by("file", "position").limit(1)):
            path = self.files[number].given.path
            if what == _WRONG_ENCODING:
                raise wrong_encoding(self.files[number].given)
            (place,) = self._places([(number, position, beginning)])
            if what == _TOO_LONG:
                raise too_long(path, place.number)
            raise open_quote(path, place.number, "never closes")

    def _places(self, found: Sequence[tuple[int, int, str]]) -> list[Place]:
        """Turn files, byte positions and the beginnings of lines, in their order, into places."""
        places: list[Place] = []
        for number, lines in groupby(found, key=lambda line: line[0]):
            file = self.files[number]
            numbers = _line_numbers(file, [(position, beginning) for _, position, beginning in lines])
            places += [Place(line, file.given.path if len(self.files) > 1 else None) for line in numbers]
        return places


def _line_numbers(file: SourceFile, found: Sequence[tuple[int, str]]) -> list[int]:
    """Turn byte positions in one file, from 1 and ascending, into numbers of lines.

    The engine's own line numbers do not count line ends within quotes. Its positions are those of the line ends that
    stand before a rejected line.
    """
    numbers: list[int] = []
    line, read = 1, 0
    line_end = b"\r" if file.line_end == "\r" else b"\n"
    with open_binary(file.text.path, file.given.path) as source:
        for position, beginning in found:
            while read < position - 1 and (chunk := source.read(min(_CHUNK, position - 1 - read))):
                line += chunk.count(line_end)
                read += len(chunk)
            numbers.append(line + beginning.count(line_end.decode()))
    return numbers
