"""What the tests of this room share: a store, and one of its own for whoever reads a file or looks at its threads."""

from helpers.placing import in_memory
from helpers.reading import reader
from helpers.small_tables import shared_store as store
from helpers.small_tables import store as own_store

__all__ = ["in_memory", "own_store", "reader", "store"]
