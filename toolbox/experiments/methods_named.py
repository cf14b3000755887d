"""The methods that a plan names, with their settings."""

from __future__ import annotations

from dataclasses import fields

from toolbox.config.given import BadValueError
from toolbox.errors import SettingError, UsageError
from toolbox.flows.methods_compared import compared_methods
from toolbox.methods.registry import find_method


def require_method(named: str) -> None:
    """Stop where a text is no method with its settings, ``Mondrian:cut=classic``.

    Raises
    ------
    UsageError
    """
    (chosen,) = compared_methods([named])
    method = find_method(chosen.method)
    facts, usual = method.facts(), {field.name: field.default for field in fields(method)}
    for name, text in chosen.settings.items():
        words, check = facts.settings[name], facts.checks.get(name)
        if words and text not in (*words, usual[name]):
            raise SettingError(name, text, "one of " + ", ".join(words))
        try:
            if check is not None and text:
                check(text)
        except BadValueError as error:
            reason, remedy = error.args
            raise UsageError(f"{name} is {text!r}, which {reason}. {remedy}") from None
