"""Flash, OLA and MinGen: the full-domain release that costs least, by three orders of one search."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, ClassVar

from toolbox.config import values
from toolbox.messages import mark, say
from toolbox.methods.anonymizer import SuppressingAnonymizer, setting
from toolbox.methods.arrays.full_domain import at_node
from toolbox.methods.arrays.memory import in_memory
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Searched, Tables

if TYPE_CHECKING:
    from toolbox.methods.lattice.searching import Order

# What the methods share that search the lattice for the release that costs least.


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
    counts_persons: ClassVar[bool] = True
    weighs_records: ClassVar[bool] = True
    judges_profiles: ClassVar[bool] = True
    suppresses_persons: ClassVar[bool] = True

    objective: str = setting("lm", (), "the loss metric that the release has least of, such as lm or ncp")
    time_limit: str = setting(
        "", (), "most seconds of the search; then the best node found is released", check=values.parse_positive_real
    )
    node_limit: str = setting(
        "",
        (),
        "most nodes that the search checks; then the best one found is released",
        check=partial(values.parse_integer, minimum=1),
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
        return find_optimal_release(self, tables, self.order(), self.objective, seconds=seconds, most_nodes=most_nodes)


def require_objective(name: str) -> None:
    """Stop where no loss metric has a name."""
    # The metrics are imported only here, where they are needed.
    from toolbox.methods.lattice.objectives import find_objective

    find_objective(name)


def find_optimal_release(
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
    from toolbox.methods.lattice.optimum import SearchTask, search_lattice

    question = SearchTask(
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
    notes = (*tables.notes, *_list_notes(found.searched))
    return replace(finished, minimal_nodes=found.minimal, searched=found.searched, notes=notes)


def _list_notes(searched: Searched) -> tuple[str, ...]:
    """Return a note where nothing proves that the release is the best."""
    if searched.is_proved:
        return ()
    if searched.value is None:
        words = mark(
            "Not proved to be optimal: the search was cut off. No release that was found has a value of %(measure)s."
        )
        return (say(words, measure=searched.objective),)
    figures = {"value": f"{searched.value:.6g}", "measure": searched.objective}
    if searched.bound is None:
        words = mark(
            "Not proved to be optimal: the search was cut off. The release has %(value)s of %(measure)s, the best "
            "found."
        )
        return (say(words, **figures),)
    words = mark(
        "Not proved to be optimal: the search was cut off. The release has %(value)s of %(measure)s, the best found; "
        "no full-domain release is better than %(bound)s."
    )
    return (say(words, bound=f"{searched.bound:.6g}", **figures),)


# Flash: halve paths through the lattice of full-domain generalisations.


@dataclass(frozen=True, kw_only=True)
class Flash(OptimalAnonymizer):
    """Full-domain generalisation to the best satisfying node, found by halving paths through the lattice.

    A path goes up from an open node to the top, always to the node that costs least; in its middle a node is checked,
    then in the middle of the half that is left open.
    Then, among the satisfying nodes, the one of least cost is looked for; ties: the one that suppresses fewest records,
    then the lowest, then the first in breadth-first order, increments going from the first quasi-identifier to the
    last.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Any, several at once.
    suppression_threshold : int or Portion, >= 0
        Most records that may be suppressed, or most of a hundred.
    objective : str
        The loss metric that the release has least of, or keeps most of: ``lm``, ``ncp``, ``non-uniform-entropy``,
        ``discernibility``, or any other that is installed.
    time_limit : str
        Most seconds of the search; then the best node found is released, as not proved. Empty: as long as it takes.
    node_limit : str
        Most nodes that the search checks, in the same way; the same limit finds the same node. Empty: any number.

    References
    ----------
    Kohlmayer, Prasser, Eckert, Kemper and Kuhn (2012). Flash: efficient, stable and optimal k-anonymity.
    doi:10.1109/SocialCom-PASSAT.2012.52

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
    >>> toolbox.anonymize(people, k=2, suppression_threshold=1, method="Flash", order="input", **declared).release
         age  city
    0  young  Graz
    1  young  Graz
    2    old  Linz
    3      *     *
    4    old  Linz
    """

    name: ClassVar[str] = "Flash"
    summary: ClassVar[str] = "Finds the way to make whole columns coarser that loses least, and proves it."
    rank: ClassVar[int] = 40
    reference: ClassVar[str] = "Kohlmayer et al. 2012, doi:10.1109/SocialCom-PASSAT.2012.52"

    def order(self) -> Order:
        from toolbox.methods.lattice.searching import check_paths

        return check_paths


# OLA: halve the lattice of full-domain generalisations, again and again.


@dataclass(frozen=True, kw_only=True)
class OLA(OptimalAnonymizer):
    """Full-domain generalisation to the best satisfying node, found by halving the lattice.

    The nodes at half the height of the lattice are checked, then those of what is left open above and below them.
    Then, among the satisfying nodes, the one of least cost is looked for; ties: the one that suppresses fewest records,
    then the lowest, then the first in breadth-first order, increments going from the first quasi-identifier to the
    last.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Any, several at once.
    suppression_threshold : int or Portion, >= 0
        Most records that may be suppressed, or most of a hundred.
    objective : str
        The loss metric that the release has least of, or keeps most of: ``lm``, ``ncp``, ``non-uniform-entropy``,
        ``discernibility``, or any other that is installed.
    time_limit : str
        Most seconds of the search; then the best node found is released, as not proved. Empty: as long as it takes.
    node_limit : str
        Most nodes that the search checks, in the same way; the same limit finds the same node. Empty: any number.

    References
    ----------
    El Emam et al. (2009). A globally optimal k-anonymity method for the de-identification of health data.
    doi:10.1197/jamia.M3144

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
    >>> toolbox.anonymize(people, k=2, suppression_threshold=1, method="OLA", order="input", **declared).release
         age  city
    0  young  Graz
    1  young  Graz
    2    old  Linz
    3      *     *
    4    old  Linz
    """

    name: ClassVar[str] = "OLA"
    summary: ClassVar[str] = "The same as Flash, in another order; quicker or slower, depending on the table."
    rank: ClassVar[int] = 50
    reference: ClassVar[str] = "El Emam et al. 2009, doi:10.1197/jamia.M3144"

    def order(self) -> Order:
        from toolbox.methods.lattice.searching import check_halves

        return check_halves


# MinGen: look at every node of the lattice of full-domain generalisations.


@dataclass(frozen=True, kw_only=True)
class MinGen(OptimalAnonymizer):
    """Full-domain generalisation to the best satisfying node, found by looking at every node of the lattice.

    The reference for the other searches: it takes no short cut, and its list of nodes is complete.
    Then, among the satisfying nodes, the one of least cost is looked for; ties: the one that suppresses fewest records,
    then the lowest, then the first in breadth-first order, increments going from the first quasi-identifier to the
    last.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Any, several at once.
    suppression_threshold : int or Portion, >= 0
        Most records that may be suppressed, or most of a hundred.
    objective : str
        The loss metric that the release has least of, or keeps most of: ``lm``, ``ncp``, ``non-uniform-entropy``,
        ``discernibility``, or any other that is installed.
    time_limit : str
        Most seconds of the search; then the best node found is released, as not proved. Empty: as long as it takes.
    node_limit : str
        Most nodes that the search checks, in the same way; the same limit finds the same node. Empty: any number.

    References
    ----------
    Sweeney (2002). Achieving k-anonymity privacy protection using generalization and suppression.
    doi:10.1142/S021848850200165X

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
    >>> toolbox.anonymize(people, k=2, suppression_threshold=1, method="MinGen", order="input", **declared).release
         age  city
    0  young  Graz
    1  young  Graz
    2    old  Linz
    3      *     *
    4    old  Linz
    """

    name: ClassVar[str] = "MinGen"
    summary: ClassVar[str] = "The same as Flash, but it checks every way. Slow if there are many."
    rank: ClassVar[int] = 60
    reference: ClassVar[str] = "Sweeney 2002, doi:10.1142/S021848850200165X"

    def order(self) -> Order:
        from toolbox.methods.lattice.searching import check_every_node

        return check_every_node
