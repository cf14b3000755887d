"""The part of a project that is about the release: the method, what every class must satisfy, the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.config import values
from toolbox.config.editing import edited as edited_models
from toolbox.config.editing.edited import EditedDocument
from toolbox.config.formats import GEN_VALS, list_formats
from toolbox.config.model import DEFAULT_K, DEFAULT_L, DEFAULT_T, MethodFacts
from toolbox.config.reading.requirements import (
    DEFAULT_METHOD,
    READERS,
    OriginalParameters,
    choose_original_requirement,
)
from toolbox.config.xml.structure import ROOT_ATTRIBUTES
from toolbox.errors import BadValueError, Findings, RawSetting, UsageError, did_you_mean, quote
from toolbox.extensions import refuse_references
from toolbox.hierarchy.hierarchy import format_number
from toolbox.methods.anonymizer import collect_method_facts, find_method
from toolbox.privacy.registry import collect_model_facts
from toolbox.projects.settings import INPUT, OUTPUT, ROOT, make_relative_path, name_settings
from toolbox.projects.state import ProjectState

# What a project requires of every class, as people write it in Python.


def list_models(document: EditedDocument, method: str) -> list[dict[str, Any]]:
    """Return the privacy models of a document; its parameters of 2010 mean those that go with the method."""
    listed = edited_models.list_required_models(document)
    if listed is None:
        return _list_original_models(document, method)
    known = collect_model_facts()
    found = []
    for attributes in listed:
        name = attributes.pop("name", "").strip()
        facts = known.get(name.lower())
        types = {} if facts is None else facts.parameters
        found.append(
            {
                "type": name if facts is None else facts.name,
                **{key: _parse_parameter(text, types.get(key, str)) for key, text in attributes.items()},
            }
        )
    return found


def set_models(document: EditedDocument, models: Sequence[Mapping[str, Any]], method: str) -> None:
    """Write privacy models.

    Raises
    ------
    UsageError
        If one has no type, or a text that XML cannot hold.
    """
    written = []
    for model in models:
        if not str(model.get("type") or "").strip():
            raise UsageError('A model has no type. Write {"type": "k-anonymity", "k": 5}.')
        parameters = {
            key: _format_parameter(value) for key, value in model.items() if key != "type" and value is not None
        }
        written.append({"name": str(model["type"]), **parameters})
    facts = _find_method_facts(method)
    edited_models.set_models(document, written, is_k_usual=facts is not None and facts.parameter == "k")


def _list_original_models(document: EditedDocument, method: str) -> list[dict[str, Any]]:
    facts, said, read = _find_method_facts(method), document.said(), Findings().read

    def given(name: str) -> RawSetting | None:
        return RawSetting(name, said[name]) if name in said else None

    parameters = OriginalParameters(
        k=read(given("k"), partial(values.parse_integer, minimum=1), DEFAULT_K),
        l=read(given("l"), values.parse_positive_real, DEFAULT_L),
        c=read(given("c"), values.parse_positive_or_unset, None),
        t=read(given("t"), values.parse_proper_fraction, DEFAULT_T),
    )
    if facts is None:
        return [{"type": "k-anonymity", "k": parameters.k}]
    requirement = choose_original_requirement(facts, parameters, None)
    return [{"type": requirement.model, **requirement.parameters}]


def _find_method_facts(method: str) -> MethodFacts | None:
    facts: MethodFacts | None = collect_method_facts().get(method.strip().lower())
    return facts


def _parse_parameter(text: str, kind: type) -> Any:
    """Return a parameter as what it is; a text that is none stays, and is told when the configuration is read."""
    try:
        return READERS[kind](text)
    except BadValueError:
        return text


def _format_parameter(value: object) -> str:
    return format_number(value) if isinstance(value, float) else str(value)


# The part of a project that is about the release: the records, the method, what it must reach, and where it goes.


class EditedRelease(ProjectState):
    """The table, the method and the release of a project; see `toolbox.Project`."""

    # The table

    @property
    def source(self) -> tuple[Path, ...]:
        """The files, folders or patterns in which the records are; none for a table of a database."""
        return tuple(self.path.parent / name for name in self._document.files())

    @property
    def input(self) -> Mapping[str, str]:
        """What the configuration says of how the records are read, by the names of `set_input`."""
        return name_settings(INPUT, self._document.said("input"))

    def set_input(self, *, files: str | Path | Sequence[str | Path] | None = None, **settings: Any) -> None:
        """Say where the records are, and how they are read.

        Parameters
        ----------
        files : path or sequence of paths, optional
        **settings
            ``separator, header, header_line, encoding, decimal, thousands, missing, on_missing, max_rejects, table``;
            None takes one back.

        Raises
        ------
        UsageError
            If there is no such setting.
        """
        attributes = INPUT.written(settings)
        if files is not None:
            named = [files] if isinstance(files, (str, Path)) else files
            self._document.set_files([make_relative_path(Path(file), self.path.parent) for file in named])
        self._document.set("input", attributes)

    @property
    def population(self) -> Path | None:
        """The file, folder or pattern with the people of a population; None where the configuration names none."""
        name = self._document.said("population").get("filename")
        return None if name is None else self.path.parent / name

    def set_population(self, file: str | Path | None) -> None:
        """Name the file, folder or pattern with all people who could be in the table; None: nobody knows them.

        It is read as the table is, but for its separator, which is found.
        """
        if file is None:
            self._document.remove("population")
        elif self.population is None or Path(file).absolute() != self.population.absolute():
            other = dict.fromkeys(self._document.said("population"))
            self._document.set("population", {**other, "filename": make_relative_path(Path(file), self.path.parent)})

    # The method, and what it must reach

    @property
    def method(self) -> str:
        """The name of the method."""
        return self._document.said().get("method", DEFAULT_METHOD)

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the method, as they are written."""
        common = {name.lower() for name in ROOT_ATTRIBUTES}
        return {name: text for name, text in self._document.said().items() if name.lower() not in common}

    def set_method(self, name: str, **settings: str | None) -> None:
        """Choose the method; the settings of another one go, and what is required stays.

        Parameters
        ----------
        **settings
            Its own settings; None takes one back.

        Raises
        ------
        UsageError
            If there is no such method or setting.
        """
        # What is written here is read by a run, which takes no other names from a file.
        with refuse_references("Write an installed name; a configuration has no others."):
            models, known = self.models, find_method(name).facts().settings
        for setting in settings:
            if setting not in known:
                has = f"It has: {', '.join(known)}." if known else "It has none."
                raise UsageError(f"{name} has no setting {quote(setting)}.{did_you_mean(setting, list(known))} {has}")
        foreign = dict.fromkeys(setting for setting in self.settings if setting not in known)
        self._document.set("", {**foreign, "method": name, **settings})
        self.set_models(models)

    @property
    def models(self) -> list[dict[str, Any]]:
        """What every class must satisfy: of each privacy model its ``type`` and its parameters."""
        return list_models(self._document, self.method)

    def set_models(self, models: Sequence[Mapping[str, Any]]) -> None:
        """Say what every class must satisfy.

        Parameters
        ----------
        models : sequence of mapping
            Such as ``{"type": "entropy l-diversity", "l": 3, "attribute": "illness"}``.

        Raises
        ------
        UsageError
            If a model has no type.
        """
        set_models(self._document, models, self.method)

    @property
    def suppression(self) -> str | None:
        """Most records that may be suppressed, or their share, ``2%``; None: k."""
        return self.option("suppression")

    def set_suppression(self, threshold: int | str | None) -> None:
        """Say how many records may be suppressed."""
        self.set_option("suppression", threshold)

    def option(self, name: str) -> str | None:
        """Return what the configuration says: ``suppressed``, ``undeclared``, ``rows_are_people``, ``seed``, ..."""
        return name_settings(ROOT, self._document.said()).get(ROOT.known(name))

    def set_option(self, name: str, value: object) -> None:
        """Say what becomes of suppressed records or undeclared columns, or another of these; None takes it back."""
        self._document.set("", ROOT.written({name: value}))

    # The release

    @property
    def output(self) -> Mapping[str, str]:
        """What the configuration says of the release, by the names of `set_output`."""
        return name_settings(OUTPUT, self._document.said("output"))

    @property
    def formats(self) -> Mapping[str, str]:
        """All formats that a release can have, in the order in which people choose, each with what it is in words."""
        return {name: one.words for name, one in list_formats().items()}

    @property
    def format(self) -> str:
        """The format of the release."""
        return self.output.get("format", GEN_VALS)

    def set_output(self, *, filename: str | Path | None = None, **settings: Any) -> None:
        """Say where the release goes, and how it is written.

        Parameters
        ----------
        filename : path, optional
        **settings
            ``format, separator, order, statistics, split_size, partition_by, escape_formulas, organisation, purpose,
            decided_by, input_digest``; None takes one back.

        Raises
        ------
        UsageError
            If there is no such setting.
        """
        attributes = OUTPUT.written(settings)
        if filename is not None:
            attributes["filename"] = make_relative_path(Path(filename), self.path.parent)
        self._document.set("output", attributes)
