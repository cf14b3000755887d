"""Incognito: search the lattice of full-domain generalisations for all minimal nodes that satisfy the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from toolbox.config.model import Parameter
from toolbox.messages import format_count
from toolbox.methods.anonymizer import SuppressingAnonymizer, setting
from toolbox.methods.arrays.full_domain import at_node
from toolbox.methods.arrays.memory import in_memory
from toolbox.methods.lattice.optimal import find_optimal_release, require_objective
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import LatticeNode, Tables


@dataclass(frozen=True, kw_only=True)
class Incognito(SuppressingAnonymizer):
    """Full-domain generalisation to the satisfying node that releases most equivalence classes.

    The lattices of all subsets of the quasi-identifiers are searched bottom up, the smaller subsets first. A node is
    looked at only if it satisfies the models without each of its quasi-identifiers (subset property), and if no node
    below it satisfies them (generalisation property). Of the satisfying nodes the one is released at which most
    equivalence classes satisfy the models; ties: the one that suppresses fewest records, then the lowest, then the
    first in breadth-first order, increments going from the first quasi-identifier to the last. It is a minimal node
    unless a higher one, by merging what the minimal ones suppress, releases more.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Monotone ones.
    suppression_threshold : int, >= 0
        Most records that may be suppressed; a node satisfies the models if no more records are in violating classes.
        Only where suppression helps all models.
    counted : {'released', 'all'}
        Which classes count when a node is chosen: those that are released, or also those that are suppressed (the rule
        of the original toolbox, which suppressed nobody; it takes a minimal node, and then the number of suppressed
        records does not matter).

    objective : str
        A loss metric: then of all satisfying nodes the one is released that has least of it, or keeps most. Empty: the
        one that releases most classes, as above.

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 61, 64, 64], "city": ["Graz", "Graz", "Linz", "Graz", "Linz"]})
    >>> declared = {
    ...     "quasi_identifiers": ["age", "city"],
    ...     "hierarchies": {
    ...         "age": [(23, "young", "*"), (25, "young", "*"), (61, "old", "*"), (64, "old", "*")],
    ...         "city": [("Graz", "*"), ("Linz", "*")],
    ...     },
    ... }
    >>> result = toolbox.anonymize(people, k=2, suppression_threshold=0, method="Incognito", order="input", **declared)
    >>> result.release
      age  city
    0   *  Graz
    1   *  Graz
    2   *  Linz
    3   *  Graz
    4   *  Linz
    """

    name: ClassVar[str] = "Incognito"
    summary: ClassVar[str] = "Makes whole columns coarser, in the way that leaves most classes."
    rank: ClassVar[int] = 70
    aliases: ClassVar[Mapping[str, Parameter]] = MappingProxyType(
        {"Incognito_k": "k", "Incognito_l": "l", "Incognito_t": "t"}
    )
    reference: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2005, doi:10.1145/1066157.1066164"
    full_domain: ClassVar[bool] = True
    bounds_levels: ClassVar[bool] = True
    lists_nodes: ClassVar[bool] = True
    stops_at_first: ClassVar[bool] = True
    counts_persons: ClassVar[bool] = True
    weighs_records: ClassVar[bool] = True
    suppresses_persons: ClassVar[bool] = True
    in_compatibility: ClassVar[Mapping[str, str]] = MappingProxyType({"counted": "all"})

    counted: str = setting("released", ("released", "all"))
    objective: str = setting("", (), "the loss metric that the release has least of; empty: most classes")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.objective:
            require_objective(self.objective)

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return model.monotone

    def can_list_nodes(self) -> bool:
        # By all classes another node is chosen than that of the search which lists nodes.
        return self.counted == "released"

    def anonymize(self, tables: Tables) -> Tables:
        is_bounded = any(column.level_range != (0, column.height) for column in tables.quasi_identifiers)
        # Persons who are in several classes may make a model fail above a node where it holds.
        is_uneven = tables.person_pairs is not None and not all(model.holds_with_others for model in self.models)
        is_special = is_bounded or is_uneven or tables.suppresses_persons or tables.lists_nodes
        if self.objective or is_special:
            from toolbox.methods.lattice.searching import check_subsets_first

            found = find_optimal_release(self, tables, check_subsets_first, self.objective or "number of classes")
            return found if self.counted == "released" else replace(found, notes=(*found.notes, _COUNTED_IS_IGNORED))
        # Searching needs numpy, which nothing else on the way to a release does.
        from toolbox.methods.lattice.searching import LatticeSearch, rank_as_in_2010, rank_by_preference

        order = rank_by_preference if self.counted == "released" else rank_as_in_2010
        with in_memory(tables, 60 + 4 * len(tables.quasi_identifiers), with_values=True):
            search = LatticeSearch(tables, self.models, int(self.suppression_threshold))
            minimal = sorted(search.minimal_nodes(), key=order)
            best = search.find_best_node(minimal) if self.counted == "released" else minimal[0]
            search.close()
        notes = tables.notes if best in minimal else (*tables.notes, _explain_higher_node(best, minimal[0]))
        return replace(at_node(tables, best.levels, self.models), minimal_nodes=tuple(minimal), notes=notes)


_COUNTED_IS_IGNORED = (
    "counted='all' is ignored: it is meant for searches without an objective, bounds of levels, a list of nodes, or "
    "persons who are suppressed or whom a model must count in several classes."
)


def _explain_higher_node(best: LatticeNode, minimal: LatticeNode) -> str:
    """Return a note why the released node is not one of the minimal ones."""
    classes = format_count(best.released, "class", "classes")
    return (
        f"The released generalisation is above a minimal one. It releases {classes} "
        f"and suppresses {format_count(best.suppressed, 'record')}; the best minimal one {minimal.released:,} and "
        f"{minimal.suppressed:,}."
    )
