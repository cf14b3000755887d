"""Flash: halve paths through the lattice of full-domain generalisations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from toolbox.methods.lattice.anonymizer import OptimalAnonymizer

if TYPE_CHECKING:
    from toolbox.methods.lattice.orders import Order


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
    reference: ClassVar[str] = "Kohlmayer et al. 2012, doi:10.1109/SocialCom-PASSAT.2012.52"

    def order(self) -> Order:
        from toolbox.methods.lattice.orders import paths

        return paths
