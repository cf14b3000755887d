"""Numbers that carry their own check: whether a text is one, by its shape and its check digits.

Sources: IBAN, ISO 13616 (remainder of 97); payment cards, ISO/IEC 7812-1 (Luhn); AHV/AVS, EAN-13 with the prefix 756
(Swiss Central Compensation Office); Austrian Sozialversicherungsnummer, weights 3 7 9 and 5 8 4 2 1 6, remainder
of 11; German steuerliche Identifikationsnummer, ISO/IEC 7064 MOD 11,10; DNI and NIE, remainder of 23 (Real
Decreto 1553/2005); codice fiscale, D.M. 23.12.1976; numéro d'inscription au répertoire, 97 less the remainder of 97
(INSEE); NHS number, weights 10 to 2, remainder of 11 (NHS Data Dictionary); social security numbers of the United
States have a shape, and areas that are never given (SSA).
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_CARD: Final = re.compile(r"[3-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}")
_AHV: Final = re.compile(r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}")
_SVNR: Final = re.compile(r"[1-9][0-9]{3}[ /-]?[0-9]{6}")
_STEUER_ID: Final = re.compile(r"[1-9][0-9] ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}")
_DNI: Final = re.compile(r"[0-9XYZ][0-9]{7}[ -]?[A-Z]")
_FISCALE: Final = re.compile(r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]")
_NIR: Final = re.compile(r"[12][0-9]{4}(?:[0-9]{2}|2[AB])[0-9]{6}[0-9]{2}")
_NHS: Final = re.compile(r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}")
_SSN: Final = re.compile(r"(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}")
_DNI_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_FISCALE_ODD: Final = dict(
    zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", (
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21,
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
    ), strict=True)
)  # fmt: skip


def is_iban(text: str) -> bool:
    """Return whether a text, without blanks, is an account with the right checksum.

    Examples
    --------
    >>> is_iban("AT611904300234573201"), is_iban("AT611904300234573202")
    (True, False)
    """
    if _IBAN.fullmatch(text) is None:
        return False
    digits = "".join(str(int(character, 36)) for character in text[4:] + text[:4])
    return int(digits) % 97 == 1


def is_card(text: str) -> bool:
    """Return whether a text is the number of a payment card: 13 to 19 digits with the check digit of Luhn."""
    if _CARD.fullmatch(text) is None:
        return False
    digits = _digits(text)
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_ahv(text: str) -> bool:
    """Return whether a text is a Swiss insurance number."""
    if _AHV.fullmatch(text) is None:
        return False
    *front, check = _digits(text)
    return (sum(front[::2]) + 3 * sum(front[1::2]) + check) % 10 == 0


def is_svnr(text: str) -> bool:
    """Return whether a text is an Austrian insurance number; the last six digits are a birthday, or stand for one."""
    if _SVNR.fullmatch(text) is None:
        return False
    digits = _digits(text)
    weighted = zip(digits, (3, 7, 9, 0, 5, 8, 4, 2, 1, 6), strict=True)
    day, month = 10 * digits[4] + digits[5], 10 * digits[6] + digits[7]
    return sum(digit * weight for digit, weight in weighted) % 11 == digits[3] and 1 <= day <= 31 and 1 <= month <= 15


def is_steuer_id(text: str) -> bool:
    """Return whether a text is a German tax number: of its first ten digits one occurs two or three times."""
    if _STEUER_ID.fullmatch(text) is None:
        return False
    *front, check = _digits(text)
    rest = 10
    for digit in front:
        rest = ((digit + rest) % 10 or 10) * 2 % 11
    repeated = [count for count in Counter(front).values() if count > 1]
    return (11 - rest) % 10 == check and len(repeated) == 1 and repeated[0] <= 3


def is_dni(text: str) -> bool:
    """Return whether a text is a Spanish identity number, of citizens or of foreigners."""
    if _DNI.fullmatch(text) is None:
        return False
    number = text[:8].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(number) % 23] == text[-1]


def is_codice_fiscale(text: str) -> bool:
    """Return whether a text is an Italian tax code."""
    if _FISCALE.fullmatch(text) is None:
        return False
    total = sum(_FISCALE_ODD[letter] for letter in text[:15:2])
    total += sum(int(letter) if letter.isdigit() else ord(letter) - ord("A") for letter in text[1:15:2])
    return chr(ord("A") + total % 26) == text[15]


def is_nir(text: str) -> bool:
    """Return whether a text, without blanks, is a French insurance number with its key."""
    if _NIR.fullmatch(text) is None:
        return False
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return 97 - int(number) % 97 == int(text[13:])


def is_nhs(text: str) -> bool:
    """Return whether a text is a number of the British health service."""
    if _NHS.fullmatch(text) is None:
        return False
    *front, check = _digits(text)
    expected = 11 - sum(digit * weight for digit, weight in zip(front, range(10, 1, -1), strict=True)) % 11
    return expected != 10 and expected % 11 == check and any(front)


def is_ssn(text: str) -> bool:
    """Return whether a text has the shape of a social security number of the United States; it has no check digit."""
    return _SSN.fullmatch(text) is not None


def is_national(text: str) -> bool:
    """Return whether a text is one of the numbers that a state or an insurance gives to people."""
    plain = text.strip().upper()
    compact = plain.replace(" ", "")
    tests = (is_ahv, is_svnr, is_steuer_id, is_dni, is_nhs, is_ssn)
    return any(test(plain) for test in tests) or is_codice_fiscale(compact) or is_nir(compact)


def _digits(text: str) -> list[int]:
    return [int(character) for character in text if "0" <= character <= "9"]
