"""Addresses of e-mail by domain and top-level domain: ``ada@mail.example.org``, ``*@mail.example.org``, ``*.org``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from toolbox.hierarchy.builders.texts import Naming, TextBuilder

_NAME: Final = re.compile(r'"[^"]*"|[^\s,;"]+')
_DOMAIN: Final = re.compile(r"[^\s@.\[\]<>,;]+(?:\.[^\s@.\[\]<>,;]+)*\.?")


@dataclass(frozen=True, kw_only=True)
class Email(TextBuilder):
    """The domain and the top-level domain."""

    name: ClassVar[str] = "email"

    @property
    def hint(self) -> str:
        return "Correct them: an address is name@domain."

    def sorting(self, text: str) -> object:
        return tuple(reversed(text.rpartition("@")[2].lower().split(".")))

    def naming(self, counts: Mapping[str, int]) -> Naming:
        return _named


def _named(text: str) -> tuple[str, ...] | None:
    name, _, domain = text.strip().rpartition("@")
    if not _NAME.fullmatch(name) or not _DOMAIN.fullmatch(domain):
        return None
    known = domain.lower().rstrip(".")
    return f"*@{known}", f"*.{known.rpartition('.')[2]}"
