"""Privacy models by their definitions, over the records of one class in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

_TOLERANCE = 1e-9


def violated(  # noqa: PLR0911 - one for each model
    name: str, parameters: Mapping[str, str | float], values: Sequence[str], table: Sequence[str]
) -> bool:
    """Return whether a class violates a model.

    Parameters
    ----------
    name : str
        As the configuration has it; a model that is not known here is never violated.
    values : sequence of str, length >= 1
        The sensitive values of the class; for k-anonymity any texts.
    table : sequence of str
        Those of all records.
    """
    counts = sorted(Counter(values).values(), reverse=True)
    size = len(values)

    def given(parameter: str) -> float:
        return float(parameters[parameter])

    match name:
        case "k-anonymity":
            return size < given("k")
        case "distinct l-diversity":
            return len(counts) < given("l")
        case "entropy l-diversity":
            entropy = -sum(count / size * math.log(count / size) for count in counts)
            return entropy < math.log(given("l")) - _TOLERANCE
        case "recursive (c,l)-diversity":
            rare = math.ceil(given("l"))
            return len(counts) < given("l") or counts[0] >= given("c") * sum(counts[rare - 1 :])
        case "p-sensitive k-anonymity":
            return size < given("k") or len(counts) < given("p")
        case "(alpha,k)-anonymity":
            return size < given("k") or counts[0] / size > given("alpha") + _TOLERANCE
        case "t-closeness" if parameters.get("distance") == "equal":
            return _distance(values, table) > given("t") + _TOLERANCE
    return False


def _distance(values: Sequence[str], table: Sequence[str]) -> float:
    here, everywhere = Counter(values), Counter(table)
    return sum(abs(here[value] / len(values) - everywhere[value] / len(table)) for value in everywhere) / 2
