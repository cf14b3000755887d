"""What a key file makes: the domain of a release, the token of each value, and the days by which dates are moved."""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from sqlalchemy import BigInteger, FromClause, String, case, cast, extract, func, literal, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import InputError, OutputError, UsageError, name_option
from toolbox.queries.dialect import (
    Query,
    cast_as,
    compute_keyed_digest,
    count_microseconds,
    matches,
    move_days,
    parse_iso_moment,
    write_moment,
)
from toolbox.treatments.treatment import PERSON_DRAW, PERSON_KEY, Treatment, TreatmentSetting

_SAME_DOMAIN: Final = "same-domain-as"
"""The setting that names the report of an earlier release."""
_HEAD: Final = "toolbox pseudonym key 1"
_LONGEST_FILE: Final = 200
"""Bytes that are read of a key file, which is shorter."""
_BLOCK: Final = 64
"""Bytes of a block of SHA-256, to which HMAC fills a key up."""
_LENGTH: Final = 32
"""Hexadecimal digits of a token: 128 bits, so that two of a billion values share one with a chance of 2^-69."""
PROBE: Final = "a value, ä and 1"
"""A text of which the token is made twice, before any other."""
_ORDERED: Final = 1000
"""Most values whose order is compared with that of their tokens."""
_MANY: Final = 32
"""Fewest different values of which an order by chance would be a miracle."""

# The key file, and what one release makes of the key.


def make_key_file(path: Path) -> str:
    """Write a new key that only its owner may read; return its fingerprint.

    Raises
    ------
    OutputError
        If there is something of that name already, or it cannot be written.
    """
    key = secrets.token_bytes(32)
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except FileExistsError:
        raise OutputError(
            f"{path} exists, and a key is never replaced: whoever has its releases could not continue them. "
            "Name another file."
        ) from None
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}. Name a file in a folder that exists.") from None
    is_whole = False
    try:
        os.fchmod(number, 0o600)
        data = f"{_HEAD}\n{key.hex()}\n".encode("ascii")
        if os.write(number, data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        # A key that is lost after its first release cannot be made again.
        os.fsync(number)
        is_whole = True
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}. No key was made.") from None
    finally:
        os.close(number)
        if not is_whole:
            path.unlink()
    return _compute_fingerprint(key)


def _read_key(path: Path) -> bytes:
    """Read a key that `make_key_file` has written. No message shows what the file holds.

    Raises
    ------
    InputError
    """
    try:
        # Nothing that waits or never ends is opened; what is looked at is what is read.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            mode, data = os.fstat(file.fileno()).st_mode, file.read(_LONGEST_FILE) or b""
    except (OSError, ValueError) as error:
        raise InputError(
            f"The key file {path} cannot be read: {getattr(error, 'strerror', None) or error}. "
            f"Make one: toolbox key new {path}",
            setting="key",
        ) from None
    if not stat.S_ISREG(mode):
        raise InputError(f"{path} is no file. Make a key file: toolbox key new FILE", setting="key")
    found = re.fullmatch(rf"{_HEAD}\n([0-9a-f]{{64}})\n?", data.decode("ascii", errors="replace"))
    if found is None:
        raise InputError(f"{path} is no key file. Make one: toolbox key new FILE", setting="key")
    if os.name == "posix" and mode & 0o077:
        raise InputError(f"The key file {path} may be read by others. Write chmod 600 {path}", setting="key")
    return bytes.fromhex(found[1])


def _compute_fingerprint(key: bytes) -> str:
    return hmac.new(key, b"fingerprint of toolbox", hashlib.sha256).hexdigest()[:16]


@dataclass(frozen=True)
class PseudonymDomain:
    """Where equal values have equal tokens: a key, and a domain of it, which is no secret.

    Examples
    --------
    >>> PseudonymDomain("0a1b", "00ff", b"secret")
    PseudonymDomain(fingerprint='0a1b', domain='00ff')
    """

    fingerprint: str
    """Tells keys apart, and nothing about them."""
    domain: str
    """Drawn for each release, unless that of an earlier one is asked for."""
    _subkey: bytes = field(repr=False)
    """That of this domain; whoever has it learns nothing of the key and of other domains."""

    @classmethod
    def open(cls, path: Path, same_as: Path | None = None) -> Self:
        """Read a key, and draw a domain or take that of an earlier release.

        Parameters
        ----------
        path : Path
            The key file.
        same_as : Path, optional
            The report of the earlier release, as JSON.

        Raises
        ------
        InputError
            If a file cannot be read.
        UsageError
            If the earlier release has another key, or no pseudonyms.
        """
        key = _read_key(path)
        fingerprint, domain = _compute_fingerprint(key), secrets.token_hex(16)
        if same_as is not None:
            earlier, domain = _read_domain(same_as)
            if earlier != fingerprint:
                raise UsageError(
                    f"The pseudonyms of {same_as} are of the key {earlier}, and {path} is the key {fingerprint}. "
                    f"Name its key file, or leave out {name_option(_SAME_DOMAIN)}.",
                    setting=_SAME_DOMAIN,
                )
        return cls(fingerprint, domain, hmac.new(key, bytes.fromhex(domain), hashlib.sha256).digest())

    def list_pads(self) -> dict[str, bytes]:
        """Return the two blocks with which HMAC begins, by the names under which SQL finds them."""
        block = self._subkey.ljust(_BLOCK, b"\0")
        return {name: bytes(byte ^ mask for byte in block) for name, mask in (("inner", 0x36), ("outer", 0x5C))}

    def make_token(self, text: str) -> str:
        """Return the token of a text, which no SQL has made."""
        return hmac.new(self._subkey, text.encode(), hashlib.sha256).hexdigest()[:_LENGTH]

    def document(self) -> dict[str, str]:
        """Return what a report says: by it a later release finds the domain again."""
        return {"key": self.fingerprint, "domain": self.domain}


def _read_domain(report: Path) -> tuple[str, str]:
    """Return the fingerprint of the key and the domain that a report names."""
    if report.exists() and not report.is_file():
        raise InputError(f"{report} is no file. Name the JSON report of a release.", setting=_SAME_DOMAIN)
    try:
        document = json.loads(report.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"{report} cannot be read: {error.strerror}. Name the JSON report of a release.", setting=_SAME_DOMAIN
        ) from None
    except (ValueError, RecursionError):
        raise InputError(
            f"{report} is no JSON. Name the report that --report has written.", setting=_SAME_DOMAIN
        ) from None
    said = document.get("pseudonyms") if isinstance(document, dict) else None
    key, domain = (said.get("key"), said.get("domain")) if isinstance(said, dict) else (None, None)
    if not (isinstance(key, str) and isinstance(domain, str) and re.fullmatch("[0-9a-f]{32}", domain)):
        raise UsageError(
            f"{report} names no domain of pseudonyms. Name the report of a release that has some.", setting=_SAME_DOMAIN
        )
    return key, domain


# The treatment.


@dataclass(frozen=True)
class Pseudonym(Treatment):
    """Every value becomes a token that nobody without the key can make or guess; equal values have equal tokens.

    Examples
    --------
    >>> Pseudonym().joins_rows
    True
    """

    name: ClassVar[str] = "pseudonym"
    words: ClassVar[str] = "A token for each value, by a key"
    promise: ClassVar[str] = (
        "each value has one token and each token one value, of one length, none is a value, and they keep no order"
    )
    hides_identity: ClassVar[bool] = True
    joins_rows: ClassVar[bool] = True
    needs_key: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    untrue: ClassVar[str] = "A token tells nothing but which values are equal."

    @property
    def writes_no_formulas(self) -> bool:
        return True

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.substr(compute_keyed_digest(cast(value, String)), 1, _LENGTH)

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return matches(text, f"[0-9a-f]{{{_LENGTH}}}")

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also count tokens that are too many or too few, tokens that are values, and an order that is kept."""
        forward = super().count_broken(read, shown).scalar_subquery()
        values = select(cast(read.c.value, String).label("text")).where(~self.is_missing(read.c.value)).distinct()
        known = values.subquery()
        tokens = select(shown.c.text).where(~self.is_missing(shown.c.text)).distinct().subquery()
        counts = [select(func.count()).select_from(table).scalar_subquery() for table in (known, tokens)]
        same = select(func.count()).select_from(known.join(tokens, known.c.text == tokens.c.text)).scalar_subquery()
        order = self._count_ordered(known).scalar_subquery()
        return select(cast(forward + func.abs(counts[0] - counts[1]) + same + order, BigInteger))

    def _count_ordered(self, known: FromClause) -> Query:
        """Count the values if their tokens go up, or down, from each to the next one; otherwise 0."""
        some = select(known.c.text).limit(_ORDERED).subquery()
        made = select(some.c.text, self.treat(some.c.text).label("token")).subquery()
        following = func.lead(made.c.token).over(order_by=made.c.text)
        pairs = select(made.c.token, following.label("following")).subquery()
        goes_up = func.coalesce(func.sum(case((pairs.c.following > pairs.c.token, 1), else_=0)), 0)
        count = func.count(pairs.c.token)
        is_ordered = (count >= _MANY) & ((goes_up == 0) | (goes_up == count - 1))
        return select(case((is_ordered, count), else_=0))


# Dates that are moved by the key.

_MOST_DAYS: Final = 36_500
"""Most days by which a date is moved: a century."""
_DAY: Final = 86_400_000_000
"""Microseconds of a day."""
_ISO_DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_FIRST_YEAR: Final = 1900
"""The first year of dates that are plausible of people."""


def _read_days(text: str) -> int:
    """Read the largest number of days by which dates are moved."""
    if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= _MOST_DAYS:
        raise ValueError(text)
    return int(text)


@dataclass(frozen=True)
class Shift(Treatment):
    """All dates of a person are moved by one number of days, which the key file makes and nobody else knows.

    Examples
    --------
    >>> from toolbox.treatments.treatment import parse_treatment
    >>> parse_treatment("shift:days=30")
    Shift(days=30, format='')
    """

    name: ClassVar[str] = "shift"
    words: ClassVar[str] = "All dates of a person moved by one secret number of days"
    promise: ClassVar[str] = "all dates of a person are moved by one number of days within the range, and not by 0"
    keeps_type: ClassVar[bool] = True
    writes_plain: ClassVar[bool] = True
    needs_persons: ClassVar[bool] = True
    requires_person: ClassVar[bool] = True
    needs_key: ClassVar[bool] = True
    is_true: ClassVar[bool] = False
    untrue: ClassVar[str] = "No date is the one of its record; the days between two dates of one person are."
    measures: ClassVar[str] = "dates_outside_the_plausible"
    remedy: ClassVar[str] = "Write how dates are written, as in shift:30:%d.%m.%Y, or choose redact or drop."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("days", _read_days, f"a whole number of days from 1 to {_MOST_DAYS}, such as 30"),
        TreatmentSetting.of_date_format(),
    )
    days: int
    format: str = ""

    by_record: ClassVar[bool] = True

    @property
    def beside(self) -> tuple[str, ...]:
        return (PERSON_DRAW,)

    @property
    def writes_no_formulas(self) -> bool:
        return not self.format

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        raise AssertionError("a date is moved by its person")

    def prepare(self, records: FromClause, value: str) -> FromClause:
        """Draw the days and move the date, each in a select of its own: the engine works out anew what is nested."""
        moment = self.find_moment(records.c[value], self.format).label(self._moment)
        drawn = select(*records.c, moment, self._draw_days(records).label(self._days)).subquery()
        moved = move_days(drawn.c[self._moment], drawn.c[self._days]).label(self._moved)
        return select(*drawn.c, moved).subquery()

    def treat_in(self, record: FromClause, value: ColumnElement[Any]) -> ColumnElement[Any]:
        text = cast(value, String)
        if self._moved in record.c:
            moved: ColumnElement[Any] = record.c[self._moved]
        else:
            moved = move_days(self.find_moment(value, self.format), self._draw_days(record))
        is_date = extract("year", moved).between(1, 9999)
        if self.format:
            return cast_as(case((is_date, write_moment(moved, self.format))), value)
        # Whole days leave the clock as it was written.
        is_iso = matches(func.substr(text, 1, 10), _ISO_DAY)
        shown = func.concat(func.substr(cast(moved, String), 1, 10), func.substr(text, 11))
        return cast_as(case((is_iso & is_date, shown)), value)

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also count the cells of persons whose dates are moved by several numbers of days, by 0, or too far."""
        others, moves = super().count_broken(read, shown), self._measure_moves(read).subquery()
        low, high = moves.c.low, moves.c.high
        wrong = (low != high) | (low == 0) | (func.abs(low) > self.days * _DAY) | (low % _DAY != 0)
        of_persons = select(func.coalesce(func.sum(moves.c.size), 0)).where(wrong)
        return select(cast(others.scalar_subquery() + of_persons.scalar_subquery(), BigInteger))

    def measure(self, read: FromClause) -> Query:
        """Count the dates of the release before 1900 or after today."""
        found = self._read_moved(read)
        last = func.concat(literal(date.today().isoformat()), " 23:59:59")
        outside = (extract("year", found.c.again) < _FIRST_YEAR) | (found.c.again > parse_iso_moment(last, zoned=False))
        return select(func.coalesce(func.sum(found.c.size), 0)).where(outside, ~self.is_missing(found.c.value))

    def _measure_moves(self, read: FromClause) -> Query:
        found = self._read_moved(read)
        move = count_microseconds(found.c.again) - count_microseconds(found.c[self._moment])
        figures = (func.min(move).label("low"), func.max(move).label("high"), func.sum(found.c.size).label("size"))
        return select(*figures).where(~self.is_missing(found.c.value)).group_by(found.c[PERSON_KEY])

    def _read_moved(self, read: FromClause) -> FromClause:
        """Return what was read with the date that a reader of the release finds, ``again``."""
        moved = self.prepare(read, "value")
        shown = select(*moved.c, self.treat_in(moved, moved.c.value).label("shown")).subquery()
        return select(*shown.c, self.find_moment(shown.c.shown, self.format).label("again")).subquery()

    @property
    def _moment(self) -> str:
        return f"moment_{self.facts.place}"

    @property
    def _days(self) -> str:
        return f"days_{self.facts.place}"

    @property
    def _moved(self) -> str:
        return f"moved_{self.facts.place}"

    def _draw_days(self, record: FromClause) -> ColumnElement[int]:
        """Return a number of days from -n to n, without 0, by the digest of the person."""
        drawn = cast(func.floor(record.c[PERSON_DRAW] * (2 * self.days)), BigInteger) - self.days
        return case((drawn >= 0, drawn + 1), else_=drawn)
