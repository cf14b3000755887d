"""Anonymises a file with ANJANA: INPUT OUTPUT K PERCENT HIERARCHIES IDENTIFIER COLUMN ..

Runs in an environment of its own, with the packages anjana and pandas and without ours.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pandas as pd


def levels(path: Path) -> dict[int, Any]:
    """Return the values of a hierarchy by level."""
    values = pd.read_csv(path, sep=";", header=None, dtype=str)
    return {place: values[level].to_numpy() for place, level in enumerate(values)}


def main() -> int:
    source, target, k, percent, hierarchies, identifier, *columns = sys.argv[1:]
    from anjana.anonymity import k_anonymity  # type: ignore[import-not-found]

    people = pd.read_csv(source, dtype=str)
    trees = {name: levels(Path(hierarchies) / f"{name}.csv") for name in columns}
    release = k_anonymity(people, [identifier], columns, int(k), float(percent), trees)
    if release.empty:
        print("ANJANA found no release.", file=sys.stderr)
        return 3
    # Where it leaves out records, it adds a column with the numbers of the others.
    kept = [name for name in people.columns if name != identifier]
    release[kept].to_csv(target, index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
