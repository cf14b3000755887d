"""Repeat every published table of the source documents, and write docs/reproductions.md.

    python scripts/reproduce_all.py                       all of them, as the page shows them
    python scripts/reproduce_all.py --only aepd marchand  print these
    python scripts/reproduce_all.py --only credit --quick
                                                          without training classifiers

The real data is a folder with ``data`` and ``fixtures``: ``--data``, else $TOOLBOX_DATA, else ``shared`` beside the
checkout. The exit status is 1 if a number differs and nobody knows why, 2 if the data is not there.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from reproductions import aepd, arx, credit, marchand, prioprivacy, singletons, utd
from reproductions.frame import Data, Source
from reproductions.page import document, page

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "reproductions.md"
SOURCES: Mapping[str, Callable[[Data], Source]] = {
    "utd": utd.reproduce,
    "prioprivacy": prioprivacy.reproduce,
    "singletons": singletons.reproduce,
    "marchand": marchand.reproduce,
    "credit": credit.reproduce,
    "aepd": aepd.reproduce,
    "arx": arx.reproduce,
}


def repeated(names: Sequence[str], data: Data) -> list[Source]:
    """Repeat these documents, and tell on standard error what each took."""
    sources = []
    for name in names:
        began = time.process_time()
        sources.append(SOURCES[name](data))
        print(f"{name}: {time.process_time() - began:.0f} CPU seconds", file=sys.stderr)
    return sources


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given = os.environ.get("TOOLBOX_DATA")
    parser.add_argument("--data", type=Path, default=Path(given) if given else TOP.parent / "shared")
    parser.add_argument("--only", nargs="+", choices=SOURCES, metavar="SOURCE", help=f"of {', '.join(SOURCES)}")
    parser.add_argument("--quick", action="store_true", help="leave out what takes longer than a minute, and print")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the page is written, if all is repeated")
    options = parser.parse_args(arguments)
    if missing := [name for name in ("data", "fixtures") if not (options.data / name).is_dir()]:
        parser.error(f"--data {options.data}: there is no folder {missing[0]} in it. Name the folder of the real data.")
    if "credit" in (options.only or SOURCES) and not options.quick and find_spec("sklearn") is None:
        parser.error("credit trains classifiers, and scikit-learn is not installed. Install it, or add --quick.")
    warnings.simplefilter("ignore", UserWarning)
    is_whole = not options.only and not options.quick
    data = Data(options.data, options.quick, pictures=options.page.parent if is_whole else None)
    try:
        sources = repeated(options.only or list(SOURCES), data)
    except FileNotFoundError as error:
        parser.error(f"--data {options.data}: {error.filename} is not there.")
    if is_whole:
        options.page.write_text(page(sources), encoding="utf-8")
    else:
        print("\n\n".join(map(document, sources)))
    faults = [fault for source in sources for fault in source.unexplained()]
    for fault in faults:
        print(fault, file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
