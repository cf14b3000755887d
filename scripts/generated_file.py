"""What the generators of records share: writing batches as a file, and the command line that asks for one.

pyarrow is imported where it writes: the benchmark needs only the small things, and must stay small itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

PART = ".part"
"""What the name of an unfinished file ends in."""


@contextmanager
def open_csv(path: Path, schema: pa.Schema) -> Iterator[pa.csv.CSVWriter]:
    """Open a writer of plain CSV; the words of the vocabularies need no quotes, and pyarrow would quote them all."""
    import pyarrow as pa
    import pyarrow.csv

    options = pa.csv.WriteOptions(include_header=False, quoting_style="none")
    with pa.OSFile(str(path), "wb") as file:
        file.write((",".join(schema.names) + "\n").encode())
        with pa.csv.CSVWriter(file, schema, write_options=options) as writer:
            yield writer


def open_parquet(path: Path, schema: pa.Schema) -> pa.parquet.ParquetWriter:
    import pyarrow.parquet

    # Without the schema of Arrow, whose dictionaries not every engine reads.
    return pyarrow.parquet.ParquetWriter(path, schema, compression="zstd", store_schema=False)


WRITERS = {".csv": open_csv, ".parquet": open_parquet}


def write(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write the batches as CSV or Parquet, as the extension says; an interrupted run leaves no file behind."""
    part = path.with_name(path.name + PART)
    try:
        with WRITERS[path.suffix.lower()](part, schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def natural(text: str) -> int:
    """Read a whole number from 0, underscores allowed: 10_000_000."""
    if not text.replace("_", "").isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number. Write one such as 5000 or 10_000_000.")
    return int(text)


def parse_arguments(description: str, arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=description,
        epilog="The same seed gives the same records everywhere; the first n of a larger file are the file of n.",
    )
    parser.add_argument("--records", type=natural, default=5000, metavar="N", help="how many (default: %(default)s)")
    parser.add_argument(
        "--seed", type=natural, default=1, metavar="N", help="another population (default: %(default)s)"
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="a name that ends in .csv or .parquet"
    )
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    options = parser.parse_args(arguments)
    output: Path = options.output
    if output.suffix.lower() not in WRITERS:
        parser.error(f"--output {output}: write a name that ends in {' or '.join(WRITERS)}.")
    if not output.parent.is_dir():
        parser.error(f"--output {output}: there is no folder {output.parent}. Make it first.")
    if output.exists() and not options.force:
        parser.error(f"--output {output}: the file exists. Name another, or add --force to replace it.")
    return options


def generate_file(
    description: str,
    schema: pa.Schema,
    generate: Callable[[int, int], Iterable[pa.RecordBatch]],
    arguments: Sequence[str] | None,
    *,
    beside: Callable[[Path], None] = lambda folder: None,
) -> int:
    """Make the file that the arguments ask for, and return an exit status.

    Parameters
    ----------
    description : str
        For the help.
    schema : pyarrow.Schema
    generate : callable
        Gives the batches for a number of records and a seed.
    arguments : sequence of str, optional
        Of the command line.
    beside : callable, optional
        Writes what belongs to the file into its folder, before the file itself.

    Returns
    -------
    int
        0, or 2 if a file could not be written.
    """
    options = parse_arguments(description, arguments)
    try:
        beside(options.output.parent)
        write(options.output, schema, generate(options.records, options.seed))
    except OSError as error:
        print(f"{options.output} could not be written: {error.strerror or error}", file=sys.stderr)
        return 2
    print(f"{options.records:,} records in {options.output}", file=sys.stderr)
    return 0
