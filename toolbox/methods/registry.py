"""Which methods are installed: the entry points of the group ``toolbox.methods``, ours and other people's."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from toolbox.config.model import MethodFacts
from toolbox.errors import UsageError, did_you_mean
from toolbox.methods.anonymizer import Anonymizer

GROUP = "toolbox.methods"


@cache
def installed_methods() -> dict[str, type[Anonymizer]]:
    """Load every installed method, by its name and aliases in lower case.

    Raises
    ------
    UsageError
        If an entry point leads to no method.
    """
    found: dict[str, type[Anonymizer]] = {}
    for entry in entry_points(group=GROUP):
        try:
            method = entry.load()
        except (ImportError, AttributeError) as error:
            raise UsageError(f"The method {entry.name!r} ({entry.value}) cannot be loaded: {error}.") from error
        if not (isinstance(method, type) and issubclass(method, Anonymizer)):
            raise UsageError(f"The method {entry.name!r} ({entry.value}) is no subclass of Anonymizer.")
        for name in (method.name, *method.aliases):
            found[name.lower()] = method
    return found


def find_method(name: str) -> type[Anonymizer]:
    """Find a method by its name, whatever its case.

    Raises
    ------
    UsageError
        If there is none.
    """
    methods = installed_methods()
    if name.lower() not in methods:
        known = sorted({method.name for method in methods.values()})
        raise UsageError(f"There is no method {name!r}.{did_you_mean(name, known)} Installed: {', '.join(known)}.")
    return methods[name.lower()]


def method_facts() -> dict[str, MethodFacts]:
    """Tell a configuration of every installed method, by name and aliases in lower case."""
    return {name: method.facts() for name, method in installed_methods().items()}
