"""Addresses of the internet by network: ``192.0.2.17``, ``192.0.2.0/24``, ``192.0.0.0/16``, ``192.0.0.0/8``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import ClassVar, Final

from toolbox.hierarchy.builders.texts import Naming, TextBuilder

_BITS: Final = (64, 48, 32)
"""Of the networks of IPv6."""
_PLAIN: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


@dataclass(frozen=True, kw_only=True)
class Ip(TextBuilder):
    """Networks of 24, 16 and 8 bits of IPv4, and of 64, 48 and 32 bits of IPv6."""

    name: ClassVar[str] = "ip"

    @property
    def hint(self) -> str:
        return "Correct them: an address is four numbers up to 255 with points between them, or one of IPv6."

    def sorting(self, text: str) -> object:
        plain = text.strip()
        if _PLAIN.fullmatch(plain):
            return (4, *map(int, plain.split(".")))
        address = _address(text)
        return (0,) if address is None else (address.version, int(address))

    def naming(self, counts: Mapping[str, int]) -> Naming:
        return _named


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        # Behind a percent sign stands where an address is known, which is no part of its network.
        return ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None


def _named(text: str) -> tuple[str, ...] | None:
    address = _address(text)
    if address is None:
        return None
    if address.version == 4:
        first, second, third, _ = str(address).split(".")
        return f"{first}.{second}.{third}.0/24", f"{first}.{second}.0.0/16", f"{first}.0.0.0/8"
    return tuple(str(ip_network((address, bits), strict=False)) for bits in _BITS)
