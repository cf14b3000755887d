"""``python -m toolbox``: the command line."""

import sys

if not sys.flags.safe_path:
    # The working folder, where a plan or a configuration may lie beside modules of whoever sent it.
    del sys.path[0]

from toolbox.cli.start import start

raise SystemExit(start())
