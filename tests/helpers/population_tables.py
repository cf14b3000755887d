"""Small tables that are loaded with the population that they are from, as a run loads them."""

from __future__ import annotations

from helpers.small_tables import arrow, declared

from toolbox.config.model import Config
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loaded, Loader

TABLE = """
age town
21  Graz
22  Linz
34  Linz
"""
REGISTER = """
town age
Graz 21
Graz 21
Linz 22
Wien 22
Linz 34
Linz 35
"""
HIERARCHIES = {
    "age": "21 young *\n22 young *\n34 old *\n35 old *",
    "town": "Graz south *\nLinz north *\nWien east *",
}


def load_among(store: Store, table: str = TABLE, register: str = REGISTER, config: Config | None = None) -> Loaded:
    """Load a table with its population; columns have hierarchies unless a configuration says otherwise."""
    config = config or declared("age town", hierarchies=HIERARCHIES)
    population = open_arrow_source(store, arrow(register))
    population.name = "the register"
    return Loader(config, open_arrow_source(store, arrow(table)), store).load(population)
