"""What a method gives away by going no further than a model of sensitive values asks.

References
----------
Wong, Fu, Wang and Pei (2007). Minimality attack in privacy preserving data publishing. VLDB, 543-554.
Cormode, Srivastava, Li and Li (2010). Minimizing minimality and maximizing utility. doi:10.14778/1920841.1920972
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel


@dataclass(frozen=True, kw_only=True)
class Minimality:
    """A method that stops as soon as it may, and the models of sensitive values that decide when."""

    method: str
    models: tuple[str, ...]
    """Each with its parameters and its sensitive attribute."""

    def document(self) -> dict[str, Any]:
        """Return the part ``minimality`` of a JSON document; its names are stable."""
        return {**asdict(self), "models": list(self.models)}

    def finding(self) -> str:
        """Return what follows for the publisher."""
        decide = " and ".join(self.models)
        return (
            f"{self.method} generalises only as much as the models require, and {decide} {self._asks} for it because "
            "of sensitive values. Somebody who knows the method can rule out values with which less would have been "
            "enough (minimality attack), and so believe in others more than the models allow."
        )

    @property
    def _asks(self) -> str:
        return "asks" if len(self.models) == 1 else "ask"


def minimality_of(method: type[Anonymizer], models: Iterable[PrivacyModel]) -> Minimality | None:
    """Return what a method gives away by stopping; None if it does not, or no model looks at sensitive values."""
    looking = tuple(str(model) for model in models if model.attribute is not None)
    return Minimality(method=method.name, models=looking) if method.stops_at_first and looking else None
