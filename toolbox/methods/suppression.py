"""The base of methods that may suppress records, up to a threshold that the user sets."""

from __future__ import annotations

from dataclasses import dataclass

from toolbox.errors import SettingError
from toolbox.messages import suppression_setting
from toolbox.methods.anonymizer import Anonymizer


@dataclass(frozen=True, kw_only=True)
class SuppressingAnonymizer(Anonymizer):
    """A method that may suppress records, up to a limit.

    Parameters
    ----------
    models : tuple of PrivacyModel
    suppression_threshold : int, >= 0
        Most records that may be suppressed. Only where suppression helps all models.
    """

    suppression_threshold: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_threshold(self.suppression_threshold)
        unhelped = [model.name for model in self.models if not model.suppression_helps]
        if self.suppression_threshold and unhelped:
            raise SettingError(
                suppression_setting(), self.suppression_threshold, f"0: suppression does not help {unhelped[0]}"
            )


def require_threshold(threshold: int) -> None:
    """Stop where a number of records cannot be the most that may be suppressed.

    Raises
    ------
    SettingError
    """
    if threshold < 0:
        raise SettingError(suppression_setting(), threshold, "a whole number of records, 0 or more")
