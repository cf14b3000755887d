"""Which privacy models are installed: the entry points of the group ``toolbox.privacy_models``."""

from __future__ import annotations

from dataclasses import fields

from toolbox.extensions import Installed, load_installed
from toolbox.privacy.model import PrivacyModel

GROUP = "toolbox.privacy_models"


def known_models() -> Installed[PrivacyModel]:
    """Load every installed privacy model; what cannot be used is left out, and listed."""
    return load_installed(GROUP, PrivacyModel, "privacy model", _names)  # type: ignore[type-abstract]


def installed_models() -> list[type[PrivacyModel]]:
    """Return every privacy model that is installed and can be used, in the order of their names."""
    return sorted(known_models().classes.values(), key=lambda model: model.name)


def _names(model: type[PrivacyModel]) -> tuple[str]:
    fields(model)
    return (model.name,)
