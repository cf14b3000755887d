"""A method as a run calls it, on frames that a test writes out, in a store that many runs share.

A call of `toolbox.anonymize` does the same and twice as much besides: a store of its own, notes, files and a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd
import pyarrow as pa

from toolbox.config.formats import FORMATS
from toolbox.config.model import Config, Input, Output
from toolbox.flows.arguments.anonymize import declare_columns
from toolbox.flows.arguments.models import find_judged_attributes
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.proof.proof import Proof
from toolbox.release.formats.gen_vals import build_general_values
from toolbox.release.returned import to_arrow
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Released:
    """What a method has made, proved, and shown with the records in the order of the input."""

    tables: Tables
    proof: Proof
    release: pd.DataFrame


def anonymize(
    store: Store,
    method: Anonymizer,
    frame: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    *,
    sensitive: Sequence[str] = (),
    hierarchies: Mapping[str, Any] = MappingProxyType({}),
    kinds: Mapping[str, str] = MappingProxyType({}),
) -> Released:
    """Load a table, anonymise it, prove it, and write the release."""
    described, protected = declare_columns(quasi_identifiers, sensitive, hierarchies, kinds)
    config = Config(
        source="the test",
        path=None,
        input=Input(path=Path("the table"), missing=""),
        output=Output(path=None, format=FORMATS["genVals"], order="input"),
        quasi_identifiers=described,
        sensitive=protected,
    )
    table = pa.Table.from_pandas(frame, preserve_index=False)
    loaded = Loader(config, open_arrow_source(store, table), store, find_judged_attributes(method.models)).load()
    finished = method.run(loaded.tables)
    (part,) = build_general_values(finished.tables, loaded.layout, config)
    return Released(finished.tables, finished.proof, to_arrow(store, part).to_pandas())
