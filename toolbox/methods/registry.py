"""The registry of methods: the entry points of the group ``toolbox.methods``, or a class that a user names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from toolbox.config.model import MethodFacts
from toolbox.errors import UsageError, did_you_mean
from toolbox.extensions import Installed, KnownNames, is_reference, load_installed, load_reference, usable
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel

GROUP = "toolbox.methods"


def known_methods() -> Installed[Anonymizer]:
    """Load every installed method; what cannot be used is left out, and listed."""
    return load_installed(GROUP, Anonymizer, "method", _names)  # type: ignore[type-abstract]


def installed_methods() -> Mapping[str, type[Anonymizer]]:
    """Return every method that is installed and can be used, by its name and aliases in lower case."""
    return known_methods().classes


def _names(method: type[Anonymizer]) -> tuple[str, ...]:
    method.facts()
    names = method.name, *method.aliases
    for name in names:
        method.facts(name)
    return names


def find_method(given: str | type[Anonymizer]) -> type[Anonymizer]:
    """Find a method.

    Parameters
    ----------
    given : str or subclass of Anonymizer
        The name of an installed method in any case, ``package.module:Class``, or the class itself.

    Raises
    ------
    UsageError
        If there is none, or a plug-in of that name cannot be used.
    """
    if not isinstance(given, str):
        return usable(given, Anonymizer, f"The method {getattr(given, '__name__', given)!r}")  # type: ignore[type-abstract]
    if is_reference(given):
        return load_reference(given, Anonymizer, "method")  # type: ignore[type-abstract]
    methods, given = installed_methods(), given.strip()
    if given.lower() not in methods:
        known_methods().require_sound(given)
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


class KnownMethods(KnownNames[MethodFacts]):
    """The installed methods by name and aliases in lower case; what is asked for as a reference is imported."""

    def __missing__(self, name: str) -> MethodFacts:
        if not is_reference(name):
            raise KeyError(name)
        return replace(find_method(name).facts(), name=name)


def method_facts() -> KnownMethods:
    """Return the facts of every installed method, and of ``package.module:Class`` if it asks for one."""
    installed = known_methods()
    return KnownMethods({name: method.facts(name) for name, method in installed.classes.items()}, installed)
