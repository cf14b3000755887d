"""People whose table is generalised, and the recodings that are made of it."""

from __future__ import annotations

import random
from typing import Any

import pandas as pd

from toolbox import Recoding

METHODS = ("Datafly", "Incognito", "Flash", "OLA", "MinGen", "Mondrian", "LocalRecoding", "Singletons")
TOWNS = {
    "Graz": "Styria",
    "Leoben": "Styria",
    "Linz": "Upper Austria",
    "Wels": "Upper Austria",
    "Enns": "Upper Austria",
}
HIERARCHIES: dict[str, Any] = {
    "age": "intervals:5,10,20,40",
    "town": [(town, state, "*") for town, state in TOWNS.items()],
    "sex": [("f", "*"), ("m", "*")],
}
QUASI_IDENTIFIERS = ["age", "town", "sex"]
ILLNESSES = ("flu", "cold", "gout", "asthma")


def people(records: int, seed: int, *, oldest: int = 79) -> pd.DataFrame:
    """Make up people; the same number makes the same ones."""
    draw = random.Random(seed)
    rows = [
        (draw.randint(20, oldest), draw.choice(list(TOWNS)), draw.choice("fm"), draw.choice(ILLNESSES))
        for _ in range(records)
    ]
    return pd.DataFrame(rows, columns=[*QUASI_IDENTIFIERS, "illness"])


def fitted(table: pd.DataFrame, method: str, **more: Any) -> Recoding:
    """Make a recoding of a table for k = 3, unless another model is required."""
    more = {"k": 3, **more} if "models" not in more else more
    return Recoding.fit(
        table,
        quasi_identifiers=QUASI_IDENTIFIERS,
        sensitive=["illness"],
        hierarchies=HIERARCHIES,
        method=method,
        **more,
    )
