"""Shares and numbers from which something is said of a column, for the notes of runs and for suggestions alike."""

from __future__ import annotations

from typing import Final

EMAILS: Final = 0.002
"""Within prose, too: some addresses among many remarks are found."""
WEB_ADDRESSES: Final = 0.01
TELEPHONE_NUMBERS: Final = 0.5
WITHIN_TEXTS: Final = 0.002
"""Telephone numbers with a country code, and accounts with their checksum, wherever they stand in a text."""
WORDS_OF_PROSE: Final = 5
"""Words of a text from which it is one."""
NEARLY_UNIQUE: Final = 0.9
"""Share of different values among all, from which a column is called nearly unique."""
FEWEST: Final = 10
"""Records below which nothing is said that chance could say, too."""
MOST_ARE: Final = 0.5
"""Share of dates from which a column is one of dates."""
PROSE: Final = 0.2
"""Share of prose from which a column of different texts is one of free text."""
IBANS: Final = 0.1
YEARS_OF_BIRTH: Final = 30
"""Years that dates of birth span, without the earliest and the latest of them; most other dates span fewer."""
DETERMINES: Final = 0.95
"""Share of the records of a column's values that have one value of the quasi-identifier."""
CONSTANT: Final = 0.9
"""Share of its most frequent value from which a quasi-identifier is as good as known."""
