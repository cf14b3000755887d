"""What the methods share that search the lattice for the release that costs least."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, ClassVar

from toolbox.config import values
from toolbox.methods.anonymizer import setting
from toolbox.methods.arrays.memory import in_memory
from toolbox.methods.full_domain import at_node
from toolbox.methods.suppression import SuppressingAnonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Searched, Tables

if TYPE_CHECKING:
    from toolbox.methods.lattice.orders import Order


@dataclass(frozen=True, kw_only=True)
class OptimalAnonymizer(SuppressingAnonymizer):
    """Full-domain generalisation to the satisfying node of the lattice that costs least; ties: see the subclasses.

    A subclass supplies the order in which nodes are checked.
    """

    full_domain: ClassVar[bool] = True
    bounds_levels: ClassVar[bool] = True
    lists_nodes: ClassVar[bool] = True
    suppresses_for_any: ClassVar[bool] = True
    stops_at_first: ClassVar[bool] = True

    objective: str = setting("lm", (), "the loss metric that the release has least of, such as lm or ncp")
    time_limit: str = setting(
        "", (), "most seconds of the search; then the best node found is released", check=values.positive_real
    )
    node_limit: str = setting(
        "",
        (),
        "most nodes that the search checks; then the best one found is released",
        check=partial(values.integer, minimum=1),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_objective(self.objective)

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return True

    @abstractmethod
    def order(self) -> Order:
        """Return the order in which nodes are checked until all minimal ones are known."""

    def anonymize(self, tables: Tables) -> Tables:
        most_nodes = int(self.node_limit) if self.node_limit.strip() else None
        seconds = float(self.time_limit) if self.time_limit.strip() else inf
        return optimal_release(self, tables, self.order(), self.objective, seconds=seconds, most_nodes=most_nodes)


def require_objective(name: str) -> None:
    """Stop where no loss metric has a name.

    Raises
    ------
    UsageError
    """
    # The metrics are imported only here, where they are needed.
    from toolbox.methods.lattice.choosing import find_objective

    find_objective(name)


def optimal_release(
    method: SuppressingAnonymizer,
    tables: Tables,
    order: Order,
    objective: str,
    *,
    seconds: float = inf,
    most_nodes: int | None = None,
) -> Tables:
    """Generalise to the node of least cost.

    Parameters
    ----------
    order : callable
        In which order nodes are checked until all minimal ones are known.
    objective : str
        Name of a loss metric.
    seconds : float
        How long the search may take.
    most_nodes : int, optional
        How many nodes it may check.
    """
    # Searching needs numpy, which nothing else on the way to a release does.
    from toolbox.methods.lattice.optimal import Question, search_lattice

    question = Question(
        models=method.models,
        limit=int(method.suppression_threshold),
        objective=objective,
        order=order,
        seconds=seconds,
        most_nodes=most_nodes,
        lists_nodes=tables.lists_nodes,
    )
    with in_memory(tables, 140 + 8 * len(tables.quasi_identifiers), with_values=True):
        found = search_lattice(tables, question)
    finished = at_node(tables, found.best.levels, method.models)
    notes = (*tables.notes, *_notes(found.searched))
    return replace(finished, minimal_nodes=found.minimal, searched=found.searched, notes=notes)


def _notes(searched: Searched) -> tuple[str, ...]:
    """Return a note where nothing proves that the release is the best."""
    if searched.is_proved:
        return ()
    bound = "" if searched.bound is None else f"; no full-domain release is better than {searched.bound:.6g}"
    return (
        f"Not proved to be optimal: the search was cut off. The release has {searched.value:.6g} of "
        f"{searched.objective}, the best found{bound}.",
    )
