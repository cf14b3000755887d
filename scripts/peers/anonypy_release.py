"""Anonymises a file with anonypy's Mondrian: INPUT OUTPUT K IDENTIFIER COLUMN ..

Runs in an environment of its own, with the packages anonypy and pandas and without ours.
"""

from __future__ import annotations

import sys

import pandas as pd


def main() -> int:
    source, target, k, identifier, *columns = sys.argv[1:]
    from anonypy import Preserver  # type: ignore[import-not-found]

    people = pd.read_csv(source).drop(columns=identifier)
    texts = people.select_dtypes(exclude="number").columns
    people[texts] = people[texts].astype("category")
    # It wants one sensitive column, and counts its values in each class.
    rest = [name for name in people.columns if name not in columns]
    counted = pd.DataFrame(Preserver(people, columns, rest[0]).anonymize_k_anonymity(k=int(k)))
    release = counted.loc[counted.index.repeat(counted["count"]), [*columns, rest[0]]]
    release.to_csv(target, index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
