"""The kinds of arrays of which searches in memory are made."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.integer[Any]]
"""Whole numbers of any width."""
Numbers = NDArray[np.int64]
"""Whole numbers of eight bytes, such as positions, sums and numbers of classes."""
Codes = NDArray[np.int32]
"""Whole numbers of four bytes, such as the ranks of values."""
Reals = NDArray[np.float64]
"""Numbers with decimals."""
Flags = NDArray[np.bool_]
"""Truth values."""
