"""The registry of methods: the entry points of the group ``toolbox.methods``, or a class that a user names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from toolbox.config.model import MethodFacts
from toolbox.errors import UsageError, did_you_mean
from toolbox.extensions import by_name, is_reference, load_installed, load_reference, usable
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel

GROUP = "toolbox.methods"


@cache
def installed_methods() -> dict[str, type[Anonymizer]]:
    """Load every installed method, by its name and aliases in lower case.

    Raises
    ------
    UsageError
        If an entry point leads to no method, or two methods share a name.
    """
    loaded = load_installed(GROUP, Anonymizer, "method")  # type: ignore[type-abstract]
    return by_name(((entry, method, (method.name, *method.aliases)) for entry, method in loaded), "method")


def find_method(given: str | type[Anonymizer]) -> type[Anonymizer]:
    """Find a method.

    Parameters
    ----------
    given : str or subclass of Anonymizer
        The name of an installed method in any case, ``package.module:Class``, or the class itself.

    Raises
    ------
    UsageError
        If there is none.
    """
    if not isinstance(given, str):
        return usable(given, Anonymizer, f"The method {getattr(given, '__name__', given)!r}")  # type: ignore[type-abstract]
    if is_reference(given):
        return load_reference(given, Anonymizer, "method")  # type: ignore[type-abstract]
    methods, given = installed_methods(), given.strip()
    if given.lower() not in methods:
        known = sorted({method.name for method in methods.values()})
        raise UsageError(f"There is no method {given!r}.{did_you_mean(given, known)} Installed: {', '.join(known)}.")
    return methods[given.lower()]


def require_support(method: type[Anonymizer], models: Iterable[PrivacyModel]) -> None:
    """Stop where a method cannot compare classes with a population, and a model asks for it.

    Raises
    ------
    UsageError
        With the methods that can.
    """
    for model in models:
        if model.needs_population and not method.supports(model):
            able = sorted({other.name for other in installed_methods().values() if other.supports(model)})
            raise UsageError(f"{method.name} cannot honour {model}. Those that can: {', '.join(able)}.")


class KnownMethods(dict[str, MethodFacts]):
    """The installed methods by name and aliases in lower case; what is asked for as a reference is imported."""

    def __missing__(self, name: str) -> MethodFacts:
        if not is_reference(name):
            raise KeyError(name)
        return replace(find_method(name).facts(), name=name)


def method_facts() -> KnownMethods:
    """Return the facts of every installed method, and of ``package.module:Class`` if it asks for one."""
    return KnownMethods({name: method.facts(name) for name, method in installed_methods().items()})
