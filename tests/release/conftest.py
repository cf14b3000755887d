"""What the tests of this room share: a store, and one of its own for whoever reads a file or needs several threads."""

from helpers.placing import desk, far, in_memory
from helpers.small_tables import shared_store as store
from helpers.small_tables import store as own_store

__all__ = ["desk", "far", "in_memory", "own_store", "store"]
