"""``python -m toolbox``: the command line."""

from toolbox.cli.main import main

raise SystemExit(main())
