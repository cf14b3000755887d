"""What the methods share that search the lattice for the release that costs least."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, ClassVar

from toolbox.errors import SettingError
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

    objective: str = setting("lm", (), "the loss metric that the release has least of, such as lm or ncp")
    time_limit: str = setting("", (), "most seconds of the search; then the best node found is released")

    def __post_init__(self) -> None:
        super().__post_init__()
        seconds_of(self.time_limit)
        require_objective(self.objective)

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return True

    @abstractmethod
    def order(self) -> Order:
        """Return the order in which nodes are checked until all minimal ones are known."""

    def anonymize(self, tables: Tables) -> Tables:
        return optimal_release(self, tables, self.order(), self.objective, self.time_limit)


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
    method: SuppressingAnonymizer, tables: Tables, order: Order, objective: str, time_limit: str = ""
) -> Tables:
    """Generalise to the node of least cost.

    Parameters
    ----------
    order : callable
        In which order nodes are checked until all minimal ones are known.
    objective : str
        Name of a loss metric.
    time_limit : str
        Most seconds; empty: as long as it takes.
    """
    # Searching needs numpy, which nothing else on the way to a release does.
    from toolbox.methods.lattice.optimal import Question, search_lattice

    question = Question(
        models=method.models,
        limit=int(method.suppression_threshold),
        objective=objective,
        order=order,
        seconds=seconds_of(time_limit),
        lists_nodes=tables.lists_nodes,
    )
    with in_memory(tables, 140 + 8 * len(tables.quasi_identifiers), with_values=True):
        found = search_lattice(tables, question)
    finished = at_node(tables, found.best.levels, method.models)
    notes = (*tables.notes, *_notes(found.searched))
    return replace(finished, minimal_nodes=found.minimal, searched=found.searched, notes=notes)


def seconds_of(text: str) -> float:
    """Read a limit of time.

    Raises
    ------
    SettingError
    """
    if not text.strip():
        return inf
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < inf:
        raise SettingError("time_limit", text, "a number of seconds above 0, such as 60")
    return seconds


def _notes(searched: Searched) -> tuple[str, ...]:
    """Return a note where nothing proves that the release is the best."""
    if searched.is_proved:
        return ()
    bound = "" if searched.bound is None else f"; no full-domain release is better than {searched.bound:.6g}"
    return (
        f"Not proved to be optimal: the search was cut off. The release has {searched.value:.6g} of "
        f"{searched.objective}, the best found{bound}.",
    )
