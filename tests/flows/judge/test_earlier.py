"""How the rows of two releases are linked, as it is asked."""

from __future__ import annotations

import pandas as pd
import pytest

import toolbox
from toolbox.errors import UnknownColumnError, UsageError

PEOPLE = pd.DataFrame({"age": [21, 22, 31, 32]})
NOW = pd.DataFrame({"age": ["[21:22]", "[21:22]", "[31:32]", "[31:32]"], "who": list("abcd")})
BEFORE = pd.DataFrame({"age": ["[31:32]", "21", "[22:31]", "[22:31]"], "who": list("dabc")})
AGE = ["age"]


def test_rows_are_linked_by_their_order_or_by_a_key() -> None:
    by_order = toolbox.risk(NOW, quasi_identifiers=AGE, earlier=BEFORE, k=2).joint
    assert by_order is not None and by_order.classes is not None and by_order.consistency is None
    # In their order: (a, d), (b, a), (c, b) and (d, c), of which the last two agree in both.
    assert (by_order.classes.below_k, by_order.classes.alone) == (2, 2)
    by_key = toolbox.risk(NOW, quasi_identifiers=AGE, original=PEOPLE, earlier=BEFORE, key="who", k=2).joint
    assert by_key is not None and by_key.classes is not None and by_key.consistency is not None
    # Nobody shares both classes; but whoever is 31 fits the rows of c and of d.
    assert (by_key.classes.records, by_key.classes.alone, by_key.consistency.alone) == (4, 4, 3)


def test_what_cannot_be_asked_is_told_with_the_remedy() -> None:
    with pytest.raises(UsageError, match="Also write earlier="):
        toolbox.risk(NOW, quasi_identifiers=AGE, key="who")
    with pytest.raises(UsageError, match="Also write original="):
        toolbox.risk(NOW, quasi_identifiers=AGE, earlier=BEFORE, key="none")
    with pytest.raises(UsageError, match="only sensitive values can be compared"):
        toolbox.risk(NOW, quasi_identifiers=AGE, original=PEOPLE, earlier=BEFORE, key="none")
    with pytest.raises(UnknownColumnError, match="no column 'whom'"):
        toolbox.risk(NOW, quasi_identifiers=AGE, earlier=BEFORE, key="whom")
