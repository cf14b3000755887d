"""The settings with which the engine is started."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from toolbox.config.given import BadValueError
from toolbox.config.model import Limits
from toolbox.config.values import MOST_THREADS, integer, memory
from toolbox.errors import UsageError, quote

T = TypeVar("T")
Settings = dict[str, str | bool | int | float | list[str]]
_CLOSED: Final = MappingProxyType(
    {
        # No statement reaches for the network: extensions are neither fetched nor loaded.
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_unsigned_extensions": False,
        "allow_persistent_secrets": False,
        # A name that is no table's must not become that of a variable of this process.
        "python_enable_replacements": False,
    }
)


def engine_settings(limits: Limits, folder: Path) -> Settings:
    """Return the settings with which a store starts; its `Gate` changes others later.

    Parameters
    ----------
    limits : Limits
    folder : Path
        Of the store, where the engine spills.

    Raises
    ------
    UsageError
        If a limit is none, which the engine would say in words of its own.
    """
    settings: Settings = {"temp_directory": str(folder / "spill"), "preserve_insertion_order": True, **_CLOSED}
    if limits.memory is not None:
        settings["memory_limit"] = _limit("memory", limits.memory, memory)
    if limits.threads is not None:
        settings["threads"] = _limit("threads", str(limits.threads), partial(integer, minimum=1, maximum=MOST_THREADS))
    return settings


def _limit(name: str, text: str, parse: Callable[[str], T]) -> T:
    try:
        return parse(text)
    except BadValueError as error:
        reason, remedy = error.args
        raise UsageError(f"The limit {name}={quote(text)} {reason}. {remedy}") from None
