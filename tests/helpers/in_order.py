"""Releases whose records stand in the order of the input, so that a test can compare them line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import toolbox
from toolbox.config.model import Config


def anonymize(source: object, **options: object) -> toolbox.Result:
    """Call `toolbox.anonymize` with the order of the input, unless the call says which."""
    if isinstance(source, (str, Path)) and Path(source).suffix == ".xml":
        source = toolbox.load_config(source)
    if isinstance(source, Config):
        return toolbox.anonymize(replace(source, output=replace(source.output, order="input")), **options)
    # Where nothing is said of a table, the call is to be refused for that.
    return toolbox.anonymize(source, **({"order": "input", **options} if options else {}))
