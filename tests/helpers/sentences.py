"""The sentences of the catalogue, found in what somebody reads of a page."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import languages

_VALUE = re.compile(r"%\(\w+\)s")
_TAG = re.compile(r"<[^>]*>")


def find_sentences(shown: str) -> list[str]:
    """Return the English sentences of at least three words that a text has, whatever their values are."""
    # Most are found to be missing by their first words, which is quick.
    there = (text for text, parts in _list_sentences() if all(part in shown for part in parts))
    return [text for text in there if _match(text).search(shown)]


@cache
def _list_sentences() -> list[tuple[str, list[str]]]:
    messages = languages.list_messages()
    each = [text for message in messages for text in ([message] if isinstance(message, str) else message)]
    return [(text, _split(text)) for text in each if _is_sentence(text)]


def _is_sentence(text: str) -> bool:
    return len(re.findall("[A-Za-z]{2,}", _TAG.sub("", _VALUE.sub("", text)))) >= 3


def _split(text: str) -> list[str]:
    """Return what stands between the values of a sentence."""
    return _VALUE.split(" ".join(_TAG.sub(" ", text).replace("%%", "%").split()))


def _match(text: str) -> re.Pattern[str]:
    return re.compile(".{1,60}?".join(map(re.escape, _split(text))))
