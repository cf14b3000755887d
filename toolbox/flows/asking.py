"""From a configuration, or from the arguments of a call, to the `Question` about a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolbox.config.limits import limits_of
from toolbox.config.model import Column, Config, Limits, Output, QuasiIdentifier
from toolbox.errors import UsageError
from toolbox.flows.arguments import settle
from toolbox.flows.columns import declared_columns, ranked
from toolbox.flows.models import check_models, listed_models
from toolbox.flows.question import Question
from toolbox.flows.text_input import AS_SAID, Reading, by_position
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.requirements import make_models
from toolbox.store.separators import with_separator


@dataclass(frozen=True, kw_only=True)
class TableDescription:
    """The columns of a table and the format of its file, as a call describes them instead of a configuration.

    Parameters
    ----------
    weights : mapping of quasi-identifier to float, optional
        Share of each in weighted measures; 1 where nothing is said.
    models : sequence of PrivacyModel, optional
        What the release claims to satisfy.
    reading : Reading
        How files are read. A release that is UTF-8 is read so in any case: ours are.
    identifiers : sequence of str
        Columns that name people, by which records of one person are found.
    """

    quasi_identifiers: Sequence[object] = ()
    sensitive: Sequence[object] = ()
    hierarchies: Mapping[Any, Any] = field(default_factory=dict)
    kinds: Mapping[Any, str] = field(default_factory=dict)
    weights: Mapping[Any, float] = field(default_factory=dict)
    models: Sequence[PrivacyModel] = ()
    reading: Reading = AS_SAID
    identifiers: Sequence[object] = ()

    def __post_init__(self) -> None:
        settle(self, ("quasi_identifiers", "sensitive", "identifiers"), ("hierarchies", "kinds", "weights"))
        object.__setattr__(self, "models", listed_models(self.models))

    @property
    def said(self) -> list[str]:
        """The names of the arguments that are set."""
        own = [name for name, value in vars(self).items() if name != "reading" and len(value) > 0]
        return [*own, *self.reading.said]

    def in_file(self) -> TableDescription:
        """Return the same with the columns by their positions, if a file without a header is read."""
        if self.reading.header is not False:
            return self
        lists: dict[str, Any] = {
            name: [by_position(each) for each in getattr(self, name)] for name in ("quasi_identifiers", "sensitive")
        }
        dicts: dict[str, Any] = {
            name: {by_position(key): value for key, value in getattr(self, name).items()}
            for name in ("hierarchies", "kinds", "weights")
        }
        models = [
            replace(model, attribute=by_position(model.attribute)) if model.attribute is not None else model
            for model in self.models
        ]
        return replace(self, **lists, **dicts, models=models)


def question_of_call(
    source: str, config: Config | None, description: TableDescription, limits: Limits | str | None
) -> Question:
    """Return the question of a call, from a configuration or else from a description; limits may stand beside either.

    Parameters
    ----------
    source : str
        What messages call the question.

    Raises
    ------
    UsageError
        If both are given, or one is wrong.
    """
    if config is None:
        return by_description(source, description, limits)
    if not isinstance(config, Config):
        raise no_configuration(config)
    bounds = limits_of(limits)
    if description.said:
        raise UsageError(
            f"A configuration says everything itself, so {description.said[0]}= cannot be combined with it."
        )
    question = by_configuration(config)
    return question if bounds is None else replace(question, config=replace(config, limits=bounds))


def by_description(source: str, description: TableDescription, limits: Limits | str | None = None) -> Question:
    """Return the question about columns with these names.

    Parameters
    ----------
    source : str
        What messages call the question.

    Raises
    ------
    UsageError
        If the description contradicts itself, or a hierarchy is wrong.
    """
    reading = description.reading.input()
    description = description.in_file()
    declared, protected = declared_columns(
        description.quasi_identifiers, description.sensitive, description.hierarchies, description.kinds
    )
    check_models(description.models, protected)
    config = Config(
        source=source,
        path=None,
        input=reading,
        output=Output(path=None),
        limits=limits_of(limits) or Limits(),
        quasi_identifiers=ranked(declared, {}, description.weights),
        sensitive=protected,
    )
    if not reading.header:
        config = _in_places(config)
    mark = description.reading.missing or ""
    identifiers = tuple(map(str, description.identifiers))
    models = tuple(description.models)
    return Question(config=config, models=models, by_name=True, identifiers=identifiers, mark=mark)


def _in_places(config: Config) -> Config:
    """Return a configuration whose columns are found by their positions, which their names say."""

    def placed(column: Column) -> Column:
        return Column(index=int(str(column.name).removeprefix("column ")), name=None)

    return replace(
        config,
        quasi_identifiers=tuple(replace(each, column=placed(each.column)) for each in config.quasi_identifiers),
        sensitive=tuple(replace(each, column=placed(each.column)) for each in config.sensitive),
    )


def no_configuration(given: object) -> UsageError:
    """Return what somebody is told who gives something else as a configuration."""
    return UsageError(
        f"config= is of type {type(given).__name__}. Write config=toolbox.load_config('census.xml'), say."
    )


def by_configuration(config: Config, more: Sequence[PrivacyModel] = ()) -> Question:
    """Return the question about the columns that a configuration declares.

    Parameters
    ----------
    more : sequence of PrivacyModel, optional
        Privacy models to judge besides those that the configuration requires.

    Raises
    ------
    UsageError
        If it is none.
    """
    if not isinstance(config, Config):
        raise no_configuration(config)
    config = with_separator(config)
    if config.compatibility.names_by_code:
        config = replace(config, quasi_identifiers=tuple(map(_named_as_in_2010, config.quasi_identifiers)))
    named = () if config.rows_are_people else tuple(column.name for column in config.identifiers if column.name)
    return Question(config=config, models=(*make_models(config.requirements), *more), identifiers=named)


def _named_as_in_2010(attribute: QuasiIdentifier) -> QuasiIdentifier:
    """Rename the nodes of a hierarchy as such a release does: to their intervals, as the author wrote them."""

    def named(node: Node) -> Node:
        return replace(node, label=node.text or node.label, children=tuple(map(named, node.children)))

    hierarchy = attribute.hierarchy
    return attribute if hierarchy is None else replace(attribute, hierarchy=Hierarchy(named(hierarchy.root)))
