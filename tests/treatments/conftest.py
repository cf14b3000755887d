"""What the tests of this room share."""

from helpers.small_tables import shared_store as store

__all__ = ["store"]
