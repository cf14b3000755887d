"""From a configuration, or from the arguments of a call, to the `Question` about a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolbox.config.limits import limits_of
from toolbox.config.model import Config, Limits, Output, QuasiIdentifier
from toolbox.errors import UsageError
from toolbox.flows.arguments import settle
from toolbox.flows.columns import declared_columns, ranked
from toolbox.flows.models import check_models, listed_models
from toolbox.flows.question import Question
from toolbox.flows.text_input import text_input
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
    separator, encoding : str, optional
        Of the files; guessed, and UTF-8. A release that is UTF-8 is read so in any case: ours are.
    decimal, thousands : str, optional
        What stands before the decimals of numbers in texts, a point, and between their thousands, nothing.
    table : str, optional
        The sheet or the table to read, where a file holds several.
    """

    quasi_identifiers: Sequence[object] = ()
    sensitive: Sequence[object] = ()
    hierarchies: Mapping[Any, Any] = field(default_factory=dict)
    kinds: Mapping[Any, str] = field(default_factory=dict)
    weights: Mapping[Any, float] = field(default_factory=dict)
    models: Sequence[PrivacyModel] = ()
    separator: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    table: str | None = None

    def __post_init__(self) -> None:
        settle(self, ("quasi_identifiers", "sensitive"), ("hierarchies", "kinds", "weights"))
        object.__setattr__(self, "models", listed_models(self.models))

    @property
    def said(self) -> list[str]:
        """The names of the arguments that are set."""
        return [name for name, value in vars(self).items() if value is not None and len(value) > 0]


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
    declared, protected = declared_columns(
        description.quasi_identifiers, description.sensitive, description.hierarchies, description.kinds
    )
    check_models(description.models, protected)
    config = Config(
        source=source,
        path=None,
        input=text_input(
            description.separator, description.encoding, description.decimal, description.thousands, description.table
        ),
        output=Output(path=None),
        limits=limits_of(limits) or Limits(),
        quasi_identifiers=ranked(declared, {}, description.weights),
        sensitive=protected,
    )
    return Question(config=config, models=tuple(description.models), by_name=True)


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
    return Question(config=config, models=(*make_models(config.requirements), *more))


def _named_as_in_2010(attribute: QuasiIdentifier) -> QuasiIdentifier:
    """Rename the nodes of a hierarchy as such a release does: to their intervals, as the author wrote them."""

    def named(node: Node) -> Node:
        return replace(node, label=node.text or node.label, children=tuple(map(named, node.children)))

    hierarchy = attribute.hierarchy
    return attribute if hierarchy is None else replace(attribute, hierarchy=Hierarchy(named(hierarchy.root)))
