"""Prints the k of a file, as pyCANON finds it: INPUT COLUMN ..

Runs in an environment of its own, with the packages pycanon and pandas and without ours.
"""

from __future__ import annotations

import sys

import pandas as pd


def main() -> int:
    source, *columns = sys.argv[1:]
    from pycanon.anonymity import k_anonymity  # type: ignore[import-not-found]

    print(k_anonymity(pd.read_csv(source, dtype=str, keep_default_na=False), columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
