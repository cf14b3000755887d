"""Files beside a release that is no file: they follow it, and it stands whatever becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from toolbox.config.model import Config
from toolbox.errors import OutputError
from toolbox.messages import tell
from toolbox.release.placing import move_together
from toolbox.store.store import Store


def place_beside(files: Mapping[Path, Path], config: Config, store: Store) -> None:
    """Move finished files to their names; if they cannot be moved, say so and go on."""
    try:
        move_together(files, store.folder, timeout=config.limits.lock_timeout)
    except OutputError as error:
        tell(f"the release is complete, but what stands beside it could not be written. {error}")
