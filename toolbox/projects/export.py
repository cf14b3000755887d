"""A project in other words: as a program in Python, and as a command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolbox.config.editing.edited import EditedColumn, EditedDocument, list_declared_columns, list_required_models
from toolbox.config.editing.saving import list_differences
from toolbox.config.model import Config
from toolbox.config.reading.declarations import Declarations
from toolbox.config.reading.overrides import Overrides
from toolbox.config.reading.reader import read_config
from toolbox.config.settings import list_settings
from toolbox.config.xml.structure import ROOT_ATTRIBUTES
from toolbox.errors import ConfigurationError
from toolbox.methods.anonymizer import collect_method_facts
from toolbox.privacy.registry import collect_model_facts

_PLAIN_NAME: Final = re.compile(r'[^,="]*')
"""A name that needs no quotes of its own in an option."""
_NAMED: Final = {"id": "--id", "qid": "--qi", "sens": "--sensitive"}


def write_python_program(path: Path, key: str | None = None) -> str:
    """Return a program that runs a configuration, to be started in its folder, with a key file if it needs one."""
    told = "" if key is None else f", key={key!r}"
    return f"""import toolbox

config = toolbox.load_config({path.name!r}{told})
result = toolbox.anonymize(config)
print(result.summary)
"""


def write_command_line(document: EditedDocument, path: Path, config: Config, key: str | None = None) -> str:
    """Return a command line that makes the same release, to be started in the folder of the configuration.

    Parameters
    ----------
    config : Config
        What the document says.
    key : str, optional
        The key file that the run needs.

    Returns
    -------
    str
        By options, if these say all of it; or else by the configuration.
    """
    keyed = [] if key is None else ["--key", key]
    by_file = shlex.join(["toolbox", "-config", path.name, *keyed])
    if config.engine or config.output.remote or config.input is None or config.input.remote:
        return by_file
    columns = list_declared_columns(document)
    if not all(_can_be_said(column, config) for column in columns):
        return by_file
    if not _say_same(_Options(document, columns, path.parent.absolute()), config):
        return by_file
    return shlex.join(["toolbox", "anonymize", *_Options(document, columns, Path()).words(), *keyed])


def _can_be_said(column: EditedColumn, config: Config) -> bool:
    """Return whether options say the same of a column, and find no more than the configuration says."""
    name = column.said("name")
    if name is None or column.said("index") is not None or not _PLAIN_NAME.fullmatch(name):
        return False
    # Where a configuration says nothing, text holds numbers; where options say nothing, they look what it holds.
    kinds = {str(one.column): one.kind for one in (*config.quasi_identifiers, *config.sensitive)}
    return column.section == "id" or kinds.get(name) is not None or column.section == "sens"


@dataclass(frozen=True)
class _Options:
    """The options that say what a document says."""

    document: EditedDocument
    columns: Sequence[EditedColumn]
    folder: Path
    """Before the names of files."""

    def declarations(self) -> Declarations:
        names = {section: [_name(one) for one in self.columns if one.section == section] for section in _NAMED}
        known = {_name(one): one for one in self.columns if one.section != "id"}
        return Declarations(
            identifiers=names["id"],
            quasi_identifiers=names["qid"],
            sensitive=names["sens"],
            hierarchies={name: words for name, one in known.items() if (words := self._hierarchy(one)) is not None},
            kinds=_join_column_attributes(known, "type", "format"),
            priorities=_join_column_attributes(known, "priority"),
            weights=_join_column_attributes(known, "weight"),
            models=[_format_model(attributes) for attributes in list_required_models(self.document) or ()],
        )

    def overrides(self) -> Overrides:
        said = {name: self.document.said("" if name == "config" else name) for name in ("config", "input", "output")}
        root, source, release = said.values()
        texts: dict[str, Any] = {
            **{one.field: said[one.element].get(one.attribute) for one in list_settings() if one.element in said},
            "method": root.get("method"),
            "header": source.get("header", "false"),
            "input_table": source.get("table"),
            "undeclared": root.get("undeclared", "pass"),
        }
        return Overrides(
            **{option: text for option, text in texts.items() if text is not None},
            input=tuple(str(self.folder / name) for name in self.document.files()),
            output=str(self.folder / release["filename"]) if "filename" in release else None,
            settings={name: text for name, text in root.items() if name not in ROOT_ATTRIBUTES},
        )

    def words(self) -> list[str]:
        """Return the words of the command line behind its command."""
        declared, overrides = self.declarations(), self.overrides()
        words = list(overrides.input or ())
        listed = (declared.identifiers, declared.quasi_identifiers, declared.sensitive)
        for option, names in zip(_NAMED.values(), listed, strict=True):
            words += [option, ",".join(names)] if names else []
        details = {
            "--kind": declared.kinds,
            "--hierarchy": declared.hierarchies,
            "--priority": declared.priorities,
            "--weight": declared.weights,
            "--set": overrides.settings,
        }
        for option, pairs in details.items():
            words += [word for name, text in pairs.items() for word in (option, f"{name}={text}")]
        words += [word for model in declared.models for word in ("--model", model)]
        for setting in list_settings(with_places=True):
            given = None if setting.field == "input" else overrides.given(setting.field)
            words += [] if given is None else [given.name, *([] if setting.metavar is None else [given.text])]
        return words

    def _hierarchy(self, column: EditedColumn) -> str | None:
        if (file := column.hierarchy_file) is None:
            return column.hierarchy_words
        name = str(self.folder / file[0])
        return name if file[1] is None else f"{name}:header={'yes' if file[1] else 'no'}"


def _name(column: EditedColumn) -> str:
    return str(column.said("name"))


def _join_column_attributes(columns: Mapping[str, EditedColumn], *attributes: str) -> dict[str, str]:
    said = {name: [one.said(attribute) for attribute in attributes] for name, one in columns.items()}
    return {name: " ".join(text for text in texts if text) for name, texts in said.items() if texts[0]}


def _format_model(attributes: Mapping[str, str]) -> str:
    """Return a model as ``--model`` says it."""
    words = (f"{key}={_quote_text(text)}" for key, text in attributes.items() if key != "name")
    return ":".join([attributes.get("name", ""), *words])


def _quote_text(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if ":" in text or '"' in text else text


def _say_same(options: _Options, config: Config) -> bool:
    """Return whether options say what a configuration says."""
    try:
        read = read_config(
            None,
            overrides=options.overrides(),
            declarations=options.declarations(),
            methods=collect_method_facts(),
            models=collect_model_facts(),
        )
    except ConfigurationError:
        return False
    return not list_differences(read, config)
