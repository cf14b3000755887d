"""What the address of a page asks for: numbers within bounds, and one of some words, else what is usual."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import SplitResult, urlencode, urlsplit

from starlette.requests import Request


def parse_whole_number(request: Request, name: str, usual: int, least: int, most: int | None = None) -> int:
    """Return a whole number of the address; one that is too small or too large is the nearest that is not."""
    text = request.query_params.get(name, "").strip()
    try:
        number = int(text)
    except ValueError:
        return usual
    return max(least, number if most is None else min(number, most))


def parse_small_number(text: str) -> int | None:
    """Return the number that a text of digits is; None if it is anything else, or has more digits than any of ours.

    Examples
    --------
    >>> parse_small_number("12"), parse_small_number("-1"), parse_small_number("\u00b2"), parse_small_number("9" * 5000)
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def choose_word(request: Request, name: str, words: Sequence[str]) -> str:
    """Return one of some words, the first if the address says none of them."""
    said = request.query_params.get(name, "")
    return said if said in words else words[0]


def build_address(path: str, **parameters: object) -> str:
    """Return the address of a page; parameters without a value are left out.

    Examples
    --------
    >>> build_address("/risk", k=5, column="a&b", sort="", by=["x", "y"])
    '/risk?k=5&column=a%26b&by=x&by=y'
    """
    said = {name: value for name, value in parameters.items() if value not in (None, "", [])}
    return f"{path}?{urlencode(said, doseq=True)}" if said else path


def parse_address(said: str) -> SplitResult:
    """Return the parts of an address that a browser has sent; of one that is none, empty ones.

    Examples
    --------
    >>> parse_address("http://127.0.0.1/columns?first=5").path, parse_address("http://[").path
    ('/columns', '')
    """
    try:
        return urlsplit(said)
    except ValueError:
        return urlsplit("")
