"""Measure the search for quasi-identifiers on a generated table.

    python scripts/bench_detection.py --records 1000000 --columns 25 --max-columns 4
    python scripts/bench_detection.py --records 1000000 --columns 10 --many --suda 4

The columns have from 2 to some thousand values, half of them spread evenly and half very unevenly, as in registers of
people; the last one follows from another. Reading is not part of it.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Sequence

import numpy as np

from toolbox.detection.election import detect_identifying
from toolbox.detection.search import Coded, CodedTable, Whole
from toolbox.detection.suda import detect_special_uniques

VALUES = (2, 2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 12, 15, 16, 20, 25, 40, 74, 110, 365, 1000)


def generated(records: int, columns: int, seed: int = 5, *, many: bool = False) -> CodedTable:
    """Make a table of codes; with `many` of the columns that have most values."""
    generator = np.random.default_rng(seed)
    arrays: list[Whole] = []
    for index in range(columns - 1):
        values = VALUES[(index - columns + 1 if many else index) % len(VALUES)]
        even = index % 2 == 0
        drawn = generator.integers(0, values, records) if even else generator.zipf(1.3, records) % values
        arrays.append(drawn.astype(np.min_scalar_type(values - 1)))
    arrays.append((arrays[-1] // 2).astype(np.uint16))
    values_of = tuple(int(column.max()) + 1 for column in arrays)
    return CodedTable(Coded(tuple(arrays), values_of, None), (None,) * columns)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=25)
    parser.add_argument("--max-columns", type=int, default=4)
    parser.add_argument("--many", action="store_true", help="columns of many values")
    parser.add_argument("--suda", type=int, help="look for special uniques of up to so many columns instead")
    options = parser.parse_args(arguments)
    table = generated(options.records, options.columns, many=options.many)
    names = [f"c{index}" for index in range(options.columns)]
    start, used = time.perf_counter(), time.process_time()
    if options.suda:
        special = detect_special_uniques(table.coded, names, most_columns=options.suda, sampling_fraction=0.01)
        print(f"{special.special:,} special records; minimal uniques by size: {special.by_size}")
        print_work(start, used)
        return 0
    report = detect_identifying(table, names, most_columns=options.max_columns)
    print(f"{options.records:,} records, {options.columns} columns, up to {options.max_columns} at a time")
    print(f"{len(report.subsets):,} subsets, {report.subsets_counted:,} counted")
    print_work(start, used)
    print(f"elected: {', '.join(report.best[0].columns)} with {report.best[0].singletons:,} singletons")
    return 0


def print_work(start: float, used: float) -> None:
    """Print the time since two clocks were read, and the memory."""
    seconds, processor = time.perf_counter() - start, time.process_time() - used
    print(f"{seconds:,.0f} s, of which the processor worked {processor:,.0f} s")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB at most")


if __name__ == "__main__":
    sys.exit(main())
