"""What is installed: methods and privacy models, ours and other people's."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from toolbox.methods.registry import installed_methods
from toolbox.privacy.registry import installed_models


def installed_document() -> dict[str, Any]:
    """Return the JSON document of the command ``methods``; its names are stable."""
    methods = {method.name: method for method in installed_methods().values()}
    return {
        "toolbox_version": version("anonymisation-toolbox"),
        "methods": [
            {
                "name": name,
                "aliases": list(method.aliases),
                "summary": _first_line(method.__doc__),
                "reference": method.reference,
                "full_domain": method.full_domain,
                "settings": {setting: list(words) for setting, words in method.facts().settings.items()},
            }
            for name, method in sorted(methods.items())
        ],
        "privacy_models": [
            {"name": model.name, "summary": _first_line(model.__doc__), "monotone": model.monotone}
            for model in installed_models()
        ],
        "metrics": [],
    }


def _first_line(text: str | None) -> str:
    return (text or "").strip().split("\n")[0]


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def print_installed(document: dict[str, Any], console: Console | None = None) -> None:
    """Show the document as tables on standard output."""
    console = console or Console(highlight=False)
    table = _table("method", "what it does", "settings", "published")
    for method in document["methods"]:
        settings = "; ".join(f"{name}: {' | '.join(words)}" for name, words in method["settings"].items())
        table.add_row(*map(escape, (method["name"], method["summary"], settings, method["reference"])))
    console.print(table)
    models = _table("privacy model", "what every class must satisfy")
    for model in document["privacy_models"]:
        models.add_row(escape(model["name"]), escape(model["summary"]))
    console.print(models)
