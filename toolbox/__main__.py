"""``python -m toolbox``: the command line."""

from toolbox.cli.start import start

raise SystemExit(start())
