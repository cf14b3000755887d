"""Which privacy models are installed: the entry points of the group ``toolbox.privacy_models``."""

from __future__ import annotations

from toolbox.extensions import by_name, load_installed
from toolbox.privacy.model import PrivacyModel

GROUP = "toolbox.privacy_models"


def installed_models() -> list[type[PrivacyModel]]:
    """Load every installed privacy model, in the order of their names.

    Raises
    ------
    UsageError
        If an entry point leads to none, or two models share a name.
    """
    loaded = load_installed(GROUP, PrivacyModel, "privacy model")  # type: ignore[type-abstract]
    models = by_name(((entry, model, (model.name,)) for entry, model in loaded), "privacy model")
    return sorted(models.values(), key=lambda model: model.name)
