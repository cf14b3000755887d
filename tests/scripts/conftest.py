"""Makes the programs in ``scripts/`` importable: they are no package, so that each also runs by its path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
