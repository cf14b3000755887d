"""What a Python call has asked for, kept beside its result for whoever looks at the release later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from toolbox.config.model import Config
from toolbox.privacy.model import PrivacyModel


@dataclass(frozen=True)
class AskedRelease:
    """The configuration that a call comes to, and its source, to be read again."""

    config: Config
    models: tuple[PrivacyModel, ...]
    """Those of the caller, instead of those that the configuration requires."""
    source: Callable[[], Any]
    """Returns the original records as a judge reads them: an `Input`, or an Arrow table."""
