"""The public call `sniff`."""

from __future__ import annotations

from pathlib import Path

from toolbox.config.model import Limits
from toolbox.flows.sniff import sniff_table
from toolbox.messages import asked_in_python
from toolbox.report.sniffed import Sniffed


def sniff(
    path: str | Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    table: str | None = None,
    rows: int = 50,
    limits: Limits | str | None = None,
) -> Sniffed:
    r"""Find out how a table is read, and look at its first records.

    Parameters
    ----------
    path : path
    separator, encoding : str, optional
        Of a text file; guessed if they are not named.
    header : bool, optional
        Whether the first line of a text file names the columns; by default what it looks like.
    table : str, optional
        The sheet or the table to read, where a file holds several.
    rows : int
        How many records to show.
    limits : Limits or str, optional

    Returns
    -------
    Sniffed
        ``.separator``, ``.encoding``, ``.header``, ``.missing``, ``.columns``, ``.kinds``, ``.records``, ``.rows``, and
        ``.unreadable``: the number of each line that is no record, and why.

    Raises
    ------
    InputError
        If the table cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     people = Path(folder, "people.csv")
    ...     characters = people.write_text("name;age\n" + 12 * "Ada;23\n" + "Bo;25;Graz\n", encoding="utf-8")
    ...     found = sniff(people)
    >>> found
    <Sniffed: text, 12 records, 2 columns, 1 line that cannot be read>
    >>> found.separator, found.header, found.rows[0], found.unreadable[0].reason
    (';', True, ('Ada', '23'), 'It has 3 values, and the table has 2 columns.')
    """
    with asked_in_python():
        return sniff_table(
            path, separator=separator, encoding=encoding, header=header, table=table, rows=rows, limits=limits
        )
