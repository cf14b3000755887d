"""The command `methods`: the list of what is installed."""

from __future__ import annotations

import argparse
from functools import partial

from toolbox.cli.answers import print_document, print_tables
from toolbox.report.installed import installed_document, print_installed


def methods(options: argparse.Namespace) -> int:
    """Run ``methods`` and return its exit status."""
    document = installed_document()
    if options.json:
        print_document(document)
    else:
        print_tables(partial(print_installed, document))
    return 0
