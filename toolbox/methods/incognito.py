"""Incognito: search the lattice of full-domain generalisations for all minimal nodes that satisfy the models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from toolbox.config.model import Parameter
from toolbox.errors import SettingError
from toolbox.methods.anonymizer import Anonymizer
from toolbox.methods.full_domain import at_node
from toolbox.methods.in_memory import in_memory
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Tables


@dataclass(frozen=True, kw_only=True)
class Incognito(Anonymizer):
    """Full-domain generalisation to the minimal satisfying node with most equivalence classes.

    The lattices of all subsets of the quasi-identifiers are searched bottom up, the smaller subsets first. A node is
    looked at only if it satisfies the models without each of its quasi-identifiers (subset property), and if no node
    below it satisfies them (generalisation property). Of the minimal satisfying nodes the one with most equivalence
    classes is released; ties: the lowest, then the first in breadth-first order, increments going from the first
    quasi-identifier to the last.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Monotone ones.
    suppression_threshold : int, >= 0
        Most records that may be suppressed; a node satisfies the models if no more records are in violating classes.
        Only where suppression helps all models.

    References
    ----------
    LeFevre, DeWitt and Ramakrishnan (2005). Incognito: efficient full-domain k-anonymity. doi:10.1145/1066157.1066164
    """

    name: ClassVar[str] = "Incognito"
    aliases: ClassVar[Mapping[str, Parameter]] = MappingProxyType(
        {"Incognito_k": "k", "Incognito_l": "l", "Incognito_t": "t"}
    )
    reference: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2005, doi:10.1145/1066157.1066164"
    full_domain: ClassVar[bool] = True

    suppression_threshold: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.suppression_threshold < 0:
            raise SettingError("suppThreshold", self.suppression_threshold, "a whole number of records, 0 or more")
        unhelped = [model.name for model in self.models if not model.suppression_helps]
        if self.suppression_threshold and unhelped:
            raise SettingError(
                "suppThreshold", self.suppression_threshold, f"0: suppression does not help {unhelped[0]}"
            )

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return model.monotone

    def anonymize(self, tables: Tables) -> Tables:
        # Searching needs numpy, which nothing else on the way to a release does.
        from toolbox.methods.lattice.nodes import breadth_first_rank
        from toolbox.methods.lattice.search import LatticeSearch

        with in_memory(tables, 60 + 4 * len(tables.quasi_identifiers), with_values=True):
            nodes = LatticeSearch(tables, self.models, self.suppression_threshold).minimal_nodes()
        best = min(nodes, key=lambda node: (-node.classes, *breadth_first_rank(node.levels)))
        others = sorted((node for node in nodes if node != best), key=lambda node: breadth_first_rank(node.levels))
        return replace(at_node(tables, best.levels, self.models), minimal_nodes=(best, *others))
