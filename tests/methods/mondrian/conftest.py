"""What the tests of this room share."""

from helpers.small_tables import store

__all__ = ["store"]
