"""What the tests of this room share."""

from helpers.placing import in_memory
from helpers.reading import reader
from helpers.small_tables import store

__all__ = ["in_memory", "reader", "store"]
