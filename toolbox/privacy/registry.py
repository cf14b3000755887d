"""Which privacy models are installed: the entry points of the group ``toolbox.privacy_models``."""

from __future__ import annotations

from importlib.metadata import entry_points

from toolbox.errors import UsageError
from toolbox.privacy.model import PrivacyModel

GROUP = "toolbox.privacy_models"


def installed_models() -> list[type[PrivacyModel]]:
    """Load every installed privacy model, in the order of their names.

    Raises
    ------
    UsageError
        If an entry point leads to none.
    """
    models = []
    for entry in entry_points(group=GROUP):
        try:
            model = entry.load()
        except (ImportError, AttributeError) as error:
            raise UsageError(f"The privacy model {entry.name!r} ({entry.value}) cannot be loaded: {error}.") from error
        if not (isinstance(model, type) and issubclass(model, PrivacyModel)):
            raise UsageError(f"The privacy model {entry.name!r} ({entry.value}) is no subclass of PrivacyModel.")
        models.append(model)
    return sorted(models, key=lambda model: model.name)
