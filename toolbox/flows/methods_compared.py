"""The methods that are compared, each with the settings that its name brings along: ``Mondrian:dimension=distinct``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toolbox.errors import UsageError, did_you_mean
from toolbox.flows.arguments import listed
from toolbox.methods.anonymizer import Anonymizer
from toolbox.methods.registry import find_method, installed_methods


@dataclass(frozen=True)
class ComparedMethod:
    """One method, as it was named."""

    method: str | type[Anonymizer]
    """Without its settings."""
    settings: Mapping[str, str] = field(default_factory=dict, compare=False)
    called: str = ""
    """What the report calls it."""


def compared_methods(named: Sequence[str | type[Anonymizer]]) -> list[ComparedMethod]:
    """Return the methods to compare, each once; where none is named, all that are installed and release no groups.

    Raises
    ------
    UsageError
        If there is no such method, or it has no such setting.

    Examples
    --------
    >>> (method,) = compared_methods(["Mondrian:dimension=distinct:cut=classic"])
    >>> method.method, dict(method.settings)
    ('Mondrian', {'dimension': 'distinct', 'cut': 'classic'})
    """
    installed = {method.name for method in installed_methods().values() if method.only_format is None}
    return list(dict.fromkeys(map(_compared, listed("methods", named) or sorted(installed))))


def _compared(named: str | type[Anonymizer]) -> ComparedMethod:
    if not isinstance(named, str):
        return ComparedMethod(named, called=find_method(named).name)
    # A class at hand, package.module:Class, has a colon as well.
    parts = named.strip().split(":")
    name = ":".join(part for part in parts if "=" not in part)
    method = find_method(name)
    known = list(method.facts().settings)
    settings = {}
    for part in parts:
        if "=" in part:
            setting, _, value = part.partition("=")
            if setting.strip().lower() not in known:
                has = f"It has: {', '.join(known)}." if known else "It has none."
                problem = f"{method.name} has no setting {setting.strip()!r}.{did_you_mean(setting, known)}"
                raise UsageError(f"{problem} {has}")
            settings[setting.strip().lower()] = value.strip()
    called = ":".join(
        [method.name if ":" not in name else name, *(f"{key}={value}" for key, value in settings.items())]
    )
    return ComparedMethod(name, settings, called)
