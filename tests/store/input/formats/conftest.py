"""What the tests of this room share."""

from helpers.file_tables import read
from helpers.small_tables import store

__all__ = ["read", "store"]
