"""What the tests of this room share."""

from collections.abc import Iterator

import pytest

from toolbox.config.model import Limits
from toolbox.store.engine.store import Store


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One database for all searches of the small lattice, whose table `helpers.lattices` loads once."""
    with Store(tmp_path_factory.mktemp("lattices"), Limits(threads=1)) as opened:
        yield opened
