"""What is installed: methods, privacy models, loss metrics, builders, ours and other people's, with what they take."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from importlib.metadata import version
from typing import Any, NamedTuple, TypeAlias

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from toolbox.config.file_names import KINDS, FileKind, list_file_kinds
from toolbox.config.formats import FORMATS, list_formats
from toolbox.config.urls import ENGINES, list_engines
from toolbox.hierarchy.builders.builder import Builder
from toolbox.hierarchy.builders.words import BUILDERS
from toolbox.loss.metric import LossMetric, list_installed_metrics, load_known_metrics
from toolbox.methods.anonymizer import Anonymizer, list_installed_methods, load_known_methods
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import list_installed_models, load_known_models
from toolbox.treatments.treatment import TREATMENTS, Treatment, list_treatments

# The parts of a docstring in the style of numpydoc: parameters and references.

_UNDERLINED = re.compile(r"^(\w[\w ]*)\n-{3,}$", flags=re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*?)(?: : (.+))?$")


class ParameterDescription(NamedTuple):
    """One parameter as the docstring describes it."""

    kind: str
    """Such as ``int, >= 1``."""
    meaning: str


def read_summary(documented: type) -> str:
    """Return the first line."""
    return _read_docstring(documented).split("\n")[0]


def parse_parameters(documented: type) -> dict[str, ParameterDescription]:
    """Return what the section Parameters says, by name.

    Examples
    --------
    >>> class Model:
    ...     '''Something.
    ...
    ...     Parameters
    ...     ----------
    ...     low, high : float, > 0
    ...         The bounds,
    ...         both included.
    ...     '''
    >>> parse_parameters(Model)["high"]
    ParameterDescription(kind='float, > 0', meaning='The bounds, both included.')
    """
    described: dict[str, ParameterDescription] = {}
    names: list[str] = []
    for line in parse_section(documented, "Parameters").splitlines():
        if line.startswith(" "):
            for name in names:
                kind, meaning = described[name]
                described[name] = ParameterDescription(kind, f"{meaning} {line.strip()}".strip())
        elif entry := _ENTRY.match(line):
            names = entry[1].split(", ")
            described |= {name: ParameterDescription(entry[2] or "", "") for name in names}
    return described


def parse_section(documented: type, title: str) -> str:
    """Return the text below a title; empty if there is none."""
    parts = _UNDERLINED.split(_read_docstring(documented))
    return dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "").strip("\n")


def _read_docstring(documented: type) -> str:
    # Only the docstring of the class itself: that of a base class describes something else.
    return inspect.cleandoc(documented.__doc__ or "")


# What is installed: methods, privacy models and loss metrics, ours and other people's, with all that can be set.

_Installed: TypeAlias = type[Anonymizer] | type[PrivacyModel] | type[LossMetric]
_WORD = re.compile(r"'([^']*)'")
_TITLES = {
    "methods": "methods",
    "privacy_models": "privacy models",
    "metrics": "loss metrics",
    "hierarchy_builders": "builders of hierarchies",
    "release_formats": "formats of releases",
    "file_kinds": "kinds of files",
    "engines": "engines, in which records stay",
    "treatments": "treatments of other columns",
}
"""Of the lists of the document, as people read them."""


def build_installed_document() -> dict[str, Any]:
    """Return the JSON document of the command ``methods``; its names are stable."""
    methods = {method.name: method for method in list_installed_methods().values()}
    builders = BUILDERS.every()
    return {
        "toolbox_version": version("anonymisation-toolbox"),
        "methods": [_describe_method(methods[name]) for name in sorted(methods)],
        "privacy_models": [_describe_model(model) for model in list_installed_models()],
        "metrics": [_describe_metric(metric) for metric in list_installed_metrics()],
        "hierarchy_builders": [_describe_builder(builder) for builder in builders.classes.values()],
        "release_formats": [{"name": name, "summary": one.words} for name, one in list_formats().items()],
        "file_kinds": [_describe_file_kind(kind) for kind in list_file_kinds()],
        "engines": [{"name": one.name, "summary": one.words} for one in list_engines()],
        "treatments": [_describe_treatment(one) for one in list_treatments()],
        "broken": [
            {"kind": each.what, "name": each.name, "package": each.package or None, "reason": each.reason}
            for known in _list_known()
            for each in known.broken
        ],
    }


def _list_known() -> Iterator[Any]:
    yield from (load_known_methods(), load_known_models(), load_known_metrics())
    yield from (registry.every() for registry in (BUILDERS, FORMATS, KINDS, ENGINES, TREATMENTS))


def _describe_file_kind(kind: type[FileKind]) -> dict[str, Any]:
    written = f"; written as {', '.join(kind.written)}" if kind.written else ""
    needs = f"; needs {kind.needs}" if kind.needs else ""
    summary = f"{kind.words}: {', '.join(kind.extensions)}{written}{needs}"
    return {
        "name": kind.name,
        "summary": summary[0].upper() + summary[1:],
        "extensions": list(kind.extensions),
        "written": list(kind.written),
    }


def _describe_treatment(treatment: type[Treatment]) -> dict[str, Any]:
    return {
        "name": treatment.name,
        "summary": treatment.words,
        "promise": treatment.promise,
        "is_true": treatment.is_true,
        "settings": [setting.name for setting in treatment.settings],
    }


def _describe_method(method: type[Anonymizer]) -> dict[str, Any]:
    return {
        "name": method.name,
        "aliases": list(method.aliases),
        "summary": read_summary(method),
        "reference": _find_reference(method),
        "full_domain": method.full_domain,
        "only_format": method.only_format,
        "settings": {name: list(words) for name, words in method.facts().settings.items()},
        "parameters": _list_parameters(method, without="models"),
    }


def _describe_model(model: type[PrivacyModel]) -> dict[str, Any]:
    return {
        "name": model.name,
        "summary": read_summary(model),
        "reference": _find_reference(model),
        "needs_attribute": model.needs_attribute,
        "monotone": model.monotone,
        "suppression_helps": model.suppression_helps,
        "parameters": _list_parameters(model, without="attribute"),
    }


def _describe_metric(metric: type[LossMetric]) -> dict[str, Any]:
    return {
        "name": metric.name,
        "summary": read_summary(metric),
        "reference": _find_reference(metric),
        "unit": metric.unit,
        "range": metric.range,
        "direction": metric.direction,
        "parameters": _list_parameters(metric),
    }


def _describe_builder(builder: type[Builder]) -> dict[str, Any]:
    return {
        "name": builder.name,
        "summary": ": ".join(filter(None, (builder.title, builder.sentence or read_summary(builder)))),
        "takes": builder.takes,
        "settings": list(builder.list_all_settings()),
    }


def _find_reference(documented: _Installed) -> str:
    return documented.reference or " ".join(parse_section(documented, "References").split())


def _list_parameters(documented: _Installed, *, without: str = "") -> list[dict[str, Any]]:
    described = parse_parameters(documented)
    return [
        _describe_parameter(field, described.get(field.name, ParameterDescription("", "")))
        for field in fields(documented)
        if field.name != without
    ]


def _describe_parameter(field: Field[Any], described: ParameterDescription) -> dict[str, Any]:
    """Describe one field of a dataclass; its own meaning takes precedence over the docstring of its class."""
    words = list(field.metadata.get("words") or _WORD.findall(described.kind))
    # Annotations are texts, or types where a module does not put them off.
    annotation = getattr(field.type, "__name__", field.type)
    return {
        "name": field.name,
        "words": words or None,
        "type": "word" if words else described.kind or annotation,
        "default": None if field.default is MISSING else field.default,
        "meaning": field.metadata.get("meaning") or described.meaning,
    }


def print_installed(document: dict[str, Any], console: Console | None = None) -> None:
    """Print the document, by default on standard output."""
    console = console or Console(highlight=False)
    for key, title in _TITLES.items():
        console.print(f"{title}\n", style="bold")
        for entry in document[key]:
            _print_entry(entry, console)
    for entry in document["broken"]:
        package = f" of the package {entry['package']}" if entry["package"] else ""
        console.print(Padding(Text(f"broken: the {entry['kind']} {entry['name']}{package}", style="bold"), (0, 2)))
        console.print(Padding(Text(entry["reason"]), (0, 4)))


def _print_entry(entry: dict[str, Any], console: Console) -> None:
    console.print(Padding(Text(", ".join((entry["name"], *entry.get("aliases", ()))), style="bold"), (0, 2)))
    for line in filter(None, (entry["summary"], entry.get("reference"))):
        console.print(Padding(Text(line), (0, 4)))
    for parameter in entry.get("parameters", ()):
        console.print(Padding(Text(_format_parameter_line(parameter)), (0, 6)))
    console.print()


def _format_parameter_line(parameter: dict[str, Any]) -> str:
    takes = " | ".join(parameter["words"] or [parameter["type"]])
    default = "" if parameter["default"] is None else f" (default {parameter['default']})"
    meaning = parameter["meaning"].replace("``", "")
    return f"{parameter['name']}: {takes}{default}. {meaning}".strip()
