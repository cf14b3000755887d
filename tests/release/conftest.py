"""What the tests of this room share."""

from helpers.placing import desk, far, in_memory
from helpers.small_tables import store

__all__ = ["desk", "far", "in_memory", "store"]
