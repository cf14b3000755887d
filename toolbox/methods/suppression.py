"""The base of methods that may suppress records, up to a threshold that the user sets."""

from __future__ import annotations

from dataclasses import dataclass

from toolbox.config.model import Portion
from toolbox.errors import SettingError
from toolbox.messages import suppression_setting
from toolbox.methods.anonymizer import Anonymizer


@dataclass(frozen=True, kw_only=True)
class SuppressingAnonymizer(Anonymizer):
    """A method that may suppress records, up to a limit.

    Parameters
    ----------
    models : tuple of PrivacyModel
    suppression_threshold : int or Portion, >= 0
        Most records that may be suppressed, or most of a hundred. Only where suppression helps all models.
    """

    suppression_threshold: int | Portion = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_threshold(self.suppression_threshold)
        if self.suppresses_for_any:
            return
        unhelped = [model.name for model in self.models if not model.suppression_helps]
        if self.suppression_threshold and unhelped:
            raise SettingError(
                suppression_setting(), self.suppression_threshold, f"0: suppression does not help {unhelped[0]}"
            )


def require_threshold(threshold: int | Portion) -> None:
    """Stop where a number of records cannot be the most that may be suppressed.

    Raises
    ------
    SettingError
    """
    amount = threshold.amount if isinstance(threshold, Portion) else threshold
    if amount < 0:
        raise SettingError(suppression_setting(), threshold, "a whole number of records, 0 or more")
