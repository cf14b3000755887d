"""Small tables of people with an illness, which a privacy model may protect."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from helpers.small_tables import declared

from toolbox.config.model import Attribute, Column, QuasiIdentifier
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables


def load_with_illness(
    store: Store, table: dict[str, list[object]], quasi_identifiers: str | Sequence[QuasiIdentifier]
) -> Tables:
    """Load a table with a column ``illness`` of categories, as a run does whose models need it."""
    illness = Attribute(column=Column(index=None, name="illness"), kind="category")
    config = declared(quasi_identifiers, sensitive=[illness])
    return Loader(config, open_arrow_source(store, pa.table(table)), store, {"illness": False}).load().tables
