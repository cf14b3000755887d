"""The positions of the columns of a release, from a question that declares the columns of the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolbox.config.model import Column, Config
from toolbox.errors import UsageError
from toolbox.flows.question import Question
from toolbox.messages import either
from toolbox.store.layout import Layout


def released_columns(question: Question, original: Layout | None) -> Config:
    """Declare the columns of a release: the original ones without identifiers, by name if they have one.

    Parameters
    ----------
    original : Layout, optional
        Where the columns of the original are, if it can be read.

    Raises
    ------
    UsageError
        If the configuration releases a format whose columns cannot be judged.
    """
    config = question.config
    if question.by_name:
        return config
    if question.is_anatomy:
        return _of_anatomy(config)
    judged_formats = config.compatibility.judged_formats
    if config.output.format not in judged_formats:
        raise UsageError(
            f"The configuration releases {config.output.format}, whose values are not generalised ones. "
            f"Judge a table with {either('--qi NAMES', python='quasi_identifiers=')}, or a release in the format "
            f"{' or '.join(map(str, judged_formats))}."
        )
    columns = _columns(config, original)
    quasi = [
        replace(attribute, column=column) for attribute, column in zip(config.quasi_identifiers, columns, strict=False)
    ]
    sensitive_columns = columns[len(quasi) :]
    sensitive = [
        replace(attribute, column=column) for attribute, column in zip(config.sensitive, sensitive_columns, strict=True)
    ]
    return replace(config, identifiers=(), quasi_identifiers=tuple(quasi), sensitive=tuple(sensitive))


def _of_anatomy(config: Config) -> Config:
    """Declare the columns of the table with the quasi-identifiers, which stand first, as they were declared."""
    placed = [
        replace(attribute, column=replace(attribute.column, index=position))
        for position, attribute in enumerate(config.quasi_identifiers)
    ]
    return replace(config, identifiers=(), quasi_identifiers=tuple(placed), sensitive=())


def _columns(config: Config, original: Layout | None) -> list[Column]:
    """Find the columns of the release: first the quasi-identifiers, then the sensitive ones."""
    declared = [attribute.column for attribute in (*config.quasi_identifiers, *config.sensitive)]
    if original is None:
        positions = [column.index for column in declared]
        gone = [column.index for column in config.identifiers]
    else:
        positions, gone = [*original.quasi_identifiers, *original.sensitive], list(original.identifiers)
    # Behind each quasi-identifier stand its statistics.
    extra = positions[: len(config.quasi_identifiers)] if config.output.format.has_statistics else []
    return [
        replace(column, index=None, name=original.names[position])
        if original is not None and position is not None and _has_name_of_its_own(original, position)
        else _shifted(column, position, gone, extra)
        for column, position in zip(declared, positions, strict=True)
    ]


def _shifted(column: Column, position: int | None, gone: Sequence[int | None], extra: Sequence[int | None]) -> Column:
    """Return the new position of a column without a name: earlier columns may be dropped, or have statistics."""
    if position is None:
        return column
    before = sum(other is not None and other < position for other in gone)
    more = sum(other is not None and other < position for other in extra)
    return replace(column, index=position - before + more)


def _has_name_of_its_own(original: Layout, position: int) -> bool:
    """Return whether the header of a column also finds it in a release, which may have renamed equal headers."""
    names = [name.casefold() for name in original.names]
    return original.has_header and bool(names[position]) and names.count(names[position]) == 1
