"""Whether every class of a release satisfies what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from fuzzing.cases import Told
from fuzzing.dialects import Cell
from fuzzing.models import violated
from fuzzing.originals import Originals

Cells = Sequence[Cell]
_WITH_K = ("Mondrian", "LocalRecoding", "Datafly", "Incognito_k", "PrioPrivacy", "Singletons")


class Requirements:
    """What the classes of a release must satisfy.

    Parameters
    ----------
    told : Told
    originals : Originals
    asked : sequence of mapping
        The models, as the run says them: name, attribute and parameters.
    """

    def __init__(self, told: Told, originals: Originals, asked: Sequence[Mapping[str, Any]]) -> None:
        self._told = told
        self._originals = originals
        self._asked = asked

    def faults(
        self, groups: Mapping[Hashable, Sequence[Cells]], is_exempt: Callable[[Hashable], bool]
    ) -> Iterator[str]:
        """Yield each requirement that is missing and each class that violates one.

        Parameters
        ----------
        groups : mapping
            For each class the original records in it.
        is_exempt : callable
            Tells whether a class is that of suppressed records.
        """
        options = self._told.options
        if options.method in _WITH_K and options.is_k_known:
            k = {"name": "k-anonymity", "attribute": None, "parameters": {"k": options.k}}
            if k not in self._asked:
                yield f"the requirements lack k = {options.k}: {self._asked}"
        for name, members in groups.items():
            for model in self._asked:
                if self._is_violated(model, members) and not is_exempt(name):
                    yield f"a class of {len(members)} records violates {model['name']} {model['parameters']}"

    def _is_violated(self, model: Mapping[str, Any], members: Sequence[Cells]) -> bool:
        position = None if model["attribute"] is None else self._position(model["attribute"])
        here, everywhere = (
            ["" if position is None else self._value(position, cells) for cells in some]
            for some in (members, self._originals.kept)
        )
        return violated(model["name"], model["parameters"], here, everywhere)

    def _position(self, attribute: str) -> int:
        """Return the place of a column: configurations name it by that, options by its name."""
        named = [place for place, column in enumerate(self._told.columns) if column.name == attribute]
        return named[0] if named else int(attribute.removeprefix("column "))

    def _value(self, position: int, cells: Cells) -> str:
        text = self._originals.value(position, cells[position])
        is_number = self._told.columns[position].kind == "number" and text != self._originals.kept_name
        return str(float(text)) if is_number else text
