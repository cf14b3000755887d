"""The previews that were made: figures of each, which stay, whatever is tried next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolbox import Snapshot
from toolbox.app.project.documents import (
    OF_ATTACKER,
    OF_METRIC,
    OF_MODEL,
    OF_SIZE,
    OF_SNAPSHOT,
    UnreadableError,
    has_shape,
    read_document,
    write_document,
)
from toolbox.messages import mark, say, write_figure

if TYPE_CHECKING:
    from toolbox import Project, Variant

METRICS = ("normalised certainty penalty",)
"""What every preview is measured by: one measure, wherever what is left is shown."""
_DOCUMENT = {
    "method": str,
    "records_released": int,
    "records_suppressed": int,
    "records_skipped": int,
    "classes": int,
    "smallest_class": (int, None),
    "requirements": [{"parameters": {str: (float, bool, None, str)}}],
    "models": [OF_MODEL],
    "quasi_identifiers": [{"name": str, "level": (int, None), "generalised_values": (int, None)}],
    "minimal_nodes": [{"levels": [int], "classes": int, "released": int, "suppressed": int}],
    "risk": (None, OF_ATTACKER),
    "losses": (None, {"metrics": [OF_METRIC]}),
    "class_sizes": {"before": [OF_SIZE], "after": [OF_SIZE]},
}
_NODE = {
    **{"levels": [int], "tag": str, "checked": bool, "minimal": bool},
    **{"classes": (int, None), "suppressed": (int, None), "value": (float, None)},
}
_LATTICE = {"nodes": int, "checked": int, "objective": str, "shown": [_NODE]}
_MOST_DRAWN = 150
"""Choices of levels up to which all of a lattice are kept and drawn."""
_MOST_MINIMAL = 40
"""Minimal choices of a larger lattice that are drawn."""
_COLUMN = {
    **{"name": str, "values_before": int, "values_after": int, "records": int, "unchanged": int, "silent": int},
    "example": (None, [str]),
    "says_nothing": bool,
}
_SHOWN = (
    (mark("%(count)s of %(records)s cells show the value"), mark("%(count)s the value")),
    (mark("%(count)s of %(records)s cells show a wider value"), mark("%(count)s a wider value")),
    (mark("%(count)s of %(records)s cells show nothing"), mark("%(count)s nothing")),
)
"""What cells show: first, and after others."""
_SHOWN_BY_ALL = {
    _SHOWN[0][0]: mark("all %(records)s cells show the value"),
    _SHOWN[1][0]: mark("all %(records)s cells show a wider value"),
    _SHOWN[2][0]: mark("all %(records)s cells show nothing"),
}
_NOT_YET: Mapping[str, Any] = {"columns": [], "sampled_from": None, "lattice": None}
_LATER = {"columns": [_COLUMN], "sampled_from": (int, None), "lattice": (None, _LATTICE)}
"""What previews of earlier versions do not have."""
_LITTLE = 1 / 3
"""Share of the detail below which a preview is nearly empty."""
_KEPT = {
    "number": int,
    "words": str,
    "fingerprint": str,
    "snapshot": OF_SNAPSHOT,
    "document": _DOCUMENT,
    "seconds": float,
}


@dataclass(frozen=True)
class ChoiceOfLevels:
    """One level for each quasi-identifier, a node of the lattice, and what a search knows of it."""

    levels: Mapping[str, int]
    """By the names of the columns."""
    tag: str = "satisfies"
    """``satisfies``, ``fails`` or ``unknown``."""
    checked: bool = True
    """Whether its classes were counted; otherwise the tag follows from other choices."""
    minimal: bool = True
    """Whether no choice below it satisfies the requirement."""
    classes: int | None = None
    """Those that it releases; None: not counted."""
    suppressed: int | None = None
    value: float | None = None
    """Of the loss metric that was searched for; None: not measured."""

    @property
    def words(self) -> str:
        """What people call it: "age 2, town 1"; columns that stay as they are go without saying."""
        raised = ", ".join(f"{name} {level}" for name, level in self.levels.items() if level)
        return raised or say("every column as it is")

    @property
    def address(self) -> str:
        """What an address calls it: "2.1"."""
        return ".".join(map(str, self.levels.values()))

    def choose(self, project: Project) -> None:
        """Leave a project this choice alone."""
        for name, level in self.levels.items():
            project.set_levels(name, level, level)


def describe_lattice(variant: Variant) -> dict[str, Any] | None:
    """Return what is kept of the lattice of a preview; None where its method has told nothing of it.

    Of a large lattice these are its own choice, those one step from it, and the best of the minimal ones.
    """
    searched, results = variant.summary.searched, variant.summary.quasi_identifiers
    if searched is None or not searched.tagged:
        return None
    own, nodes = tuple(result.level or 0 for result in results), searched.tagged
    if len(nodes) > _MOST_DRAWN:
        best = {node.levels for node in variant.summary.minimal_nodes[:_MOST_MINIMAL]}
        nodes = tuple(node for node in nodes if node.levels in best or _count_steps(node.levels, own) <= 1)
    kept = [
        {
            **{"levels": list(node.levels), "tag": node.tag, "checked": node.is_checked, "minimal": node.is_minimal},
            **{"classes": node.released, "suppressed": node.suppressed, "value": node.value},
        }
        for node in nodes
    ]
    return {"nodes": searched.nodes, "checked": searched.checked, "objective": searched.objective, "shown": kept}


def _count_steps(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(abs(first - second) for first, second in zip(one, other, strict=True))


@dataclass(frozen=True)
class PreviewColumn:
    """What is left of one quasi-identifier."""

    found: Mapping[str, Any]
    """As `toolbox.ColumnRemains.document`."""
    detail: float | None
    """The share of its detail: 1 as it was, 0 where no cell says anything."""

    @property
    def name(self) -> str:
        """Of the column."""
        return str(self.found["name"])

    @property
    def says_nothing(self) -> bool:
        """Whether hardly a cell says anything."""
        return bool(self.found["says_nothing"])

    @property
    def example(self) -> list[str] | None:
        """A frequent value, and what is shown in its place."""
        return self.found["example"]  # type: ignore[no-any-return]

    @property
    def counts(self) -> tuple[int, int, int]:
        """Cells as they were, in a group with others, and those that say nothing."""
        unchanged, silent = self.found["unchanged"], self.found["silent"]
        return unchanged, self.found["records"] - unchanged - silent, silent

    @property
    def words(self) -> str:
        """What its cells show, in one sentence; what none shows is left out."""
        (first, words, _), *others = [
            (count, *words) for count, words in zip(self.counts, _SHOWN, strict=True) if count
        ] or [(0, *_SHOWN[0])]
        records = self.found["records"]
        begin = say(_SHOWN_BY_ALL[words] if first == records else words, count=first, records=records)
        return f"{self.name}: {', '.join([begin, *(say(words, count=count) for count, _, words in others)])}"

    @property
    def shares(self) -> list[float]:
        """The same as shares of all cells."""
        return [count / max(1, self.found["records"]) for count in self.counts]


@dataclass(frozen=True)
class PreviewVariant:
    """One preview: the figures of it, as plain values."""

    number: int
    words: str
    """What was tried: "Mondrian, k = 5"."""
    fingerprint: str
    """Of the project that made it: a variant of another project is out of date."""
    snapshot: Mapping[str, Any]
    """The project that made it, so that it can be taken up again."""
    document: Mapping[str, Any]
    """As `toolbox.Variant.document`."""
    seconds: float

    @property
    def method(self) -> str:
        """The method that made it."""
        return str(self.document["method"])

    @property
    def records(self) -> int:
        """Records in it."""
        return int(self.document["records_released"])

    @property
    def classes(self) -> int:
        """Equivalence classes."""
        return int(self.document["classes"])

    @property
    def smallest(self) -> int | None:
        """Records of the smallest class; None if there is none."""
        return self.document["smallest_class"]  # type: ignore[no-any-return]

    @property
    def suppressed(self) -> int:
        """Records whose quasi-identifiers tell nothing any more."""
        return int(self.document["records_suppressed"])

    @property
    def left_out(self) -> int:
        """Records that are not in it because they lack a value."""
        return int(self.document["records_skipped"])

    @property
    def sampled_from(self) -> int | None:
        """The records of the table, where only a sample of them was run."""
        return self.document.get("sampled_from")

    @property
    def k(self) -> int | None:
        """The k that was required."""
        for model in self.document["requirements"]:
            if isinstance(k := model["parameters"].get("k"), int):
                return k
        return None

    @property
    def levels(self) -> Mapping[str, int | None]:
        """The level of each quasi-identifier; None where classes differ."""
        return {column["name"]: column["level"] for column in self.document["quasi_identifiers"]}

    @property
    def nodes(self) -> list[ChoiceOfLevels]:
        """The minimal choices of levels among which it was chosen, where its method finds them all."""
        names = list(self.levels)
        return [
            ChoiceOfLevels(
                dict(zip(names, node["levels"], strict=True)), classes=node["released"], suppressed=node["suppressed"]
            )
            for node in self.document["minimal_nodes"]
            if len(node["levels"]) == len(names)
        ]

    @property
    def lattice(self) -> Mapping[str, Any] | None:
        """How many choices of levels there are, and what was searched for; None where its method tells nothing."""
        return self.document.get("lattice")

    @property
    def drawn(self) -> list[ChoiceOfLevels]:
        """The choices of levels that are drawn."""
        names, found = list(self.levels), () if self.lattice is None else self.lattice["shown"]
        return [
            ChoiceOfLevels(**{**node, "levels": dict(zip(names, node["levels"], strict=True))})
            for node in found
            if len(node["levels"]) == len(names)
        ]

    @property
    def detail(self) -> float | None:
        """The share of the detail of all values that is left: the headline, by one measure wherever it is shown."""
        lost = self.loss(METRICS[0])
        return None if lost is None else 1 - lost

    @property
    def columns(self) -> list[PreviewColumn]:
        """What is left of each quasi-identifier; empty for a preview of an earlier version."""
        lost = dict(self.find_column_losses())
        found = self.document.get("columns", ())
        return [PreviewColumn(one, None if one["name"] not in lost else 1 - lost[one["name"]]) for one in found]

    @property
    def empty_columns(self) -> list[str]:
        """The quasi-identifiers that say nothing any more."""
        return [column.name for column in self.columns if column.says_nothing]

    @property
    def says_nothing_anywhere(self) -> bool:
        """Whether those columns say nothing in any record at all."""
        return all(column.counts[2] == column.found["records"] for column in self.columns if column.says_nothing)

    @property
    def is_nearly_empty(self) -> bool:
        """Whether hardly anything is left: most columns say nothing, or little detail is left of all."""
        return 2 * len(self.empty_columns) > len(self.columns) > 0 or (
            self.detail is not None and self.detail < _LITTLE
        )

    @property
    def highest_risk(self) -> float | None:
        """Of an attacker who knows that somebody is in the table."""
        risk = self.document["risk"]
        return None if risk is None else float(risk["highest"])

    def restore(self, project: Project) -> None:
        """Make a project what it was when it made this."""
        project.restore(Snapshot(**self.snapshot))

    def loss(self, metric: str) -> float | None:
        """Return what it has lost by a metric, over all quasi-identifiers."""
        for found in (self.document["losses"] or {"metrics": ()})["metrics"]:
            if found["name"] == metric and found["attribute"] is None:
                return found["value"]  # type: ignore[no-any-return]
        return None

    def find_column_losses(self) -> list[tuple[str, float]]:
        """Return what each quasi-identifier has lost of the certainty of its values."""
        metrics = (self.document["losses"] or {"metrics": ()})["metrics"]
        found = [(one["attribute"], one["value"]) for one in metrics if one["name"] == METRICS[0]]
        return [(name, value) for name, value in found if name is not None and value is not None]

    def sizes(self, side: str) -> list[tuple[int, int]]:
        """Return how many classes there are of each size, ``before`` or ``after``."""
        found = [(size["size"], size["classes"]) for size in self.document["class_sizes"][side]]
        return [(size, classes) for size, classes in found if size > 0 and classes > 0]


@dataclass(frozen=True)
class Figure:
    """One figure of a variant, as it is shown, with its change since the one before."""

    name: str
    value: str
    change: str = ""


@dataclass
class Variants:
    """All that were kept, in the order in which they were made."""

    path: Path | None = None
    """Where they are kept, for whoever owns it alone."""
    kept: list[PreviewVariant] = field(default_factory=list)

    def __iter__(self) -> Any:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)

    @property
    def last(self) -> PreviewVariant | None:
        """The one that was made last."""
        return self.kept[-1] if self.kept else None

    def find_made_by(self, fingerprint: str) -> PreviewVariant | None:
        """Return the last one that a project with this fingerprint has made."""
        return next((variant for variant in reversed(self.kept) if variant.fingerprint == fingerprint), None)

    def figures(self, of: PreviewVariant | None) -> tuple[Figure, ...]:
        """Return what is said of one, and how it differs from the one that was made before it."""
        if of is None:
            return ()
        before = next((variant for variant in reversed(self.kept) if variant.number < of.number), None)
        if before is not None and before.sampled_from != of.sampled_from:
            before = None  # a sample beside the whole table: a difference would say nothing
        counts = {
            mark("Records"): "records",
            mark("Classes"): "classes",
            mark("Smallest class"): "smallest",
            mark("Suppressed"): "suppressed",
        }
        if of.left_out or (before is not None and before.left_out):
            counts[mark("Left out")] = "left_out"
        found = [_format_count_change(name, of, before, field) for name, field in counts.items()]
        return (*found, _format_share_change(mark("Detail left"), of.detail, before.detail if before else None))

    def of(self, number: int | None) -> PreviewVariant | None:
        """Return the one with a number, if it is there."""
        return next((variant for variant in self.kept if variant.number == number), None)

    def add(self, **facts: Any) -> PreviewVariant:
        """Keep one more."""
        number = self.kept[-1].number + 1 if self.kept else 1
        self.kept.append(PreviewVariant(number=number, **facts))
        self._write()
        return self.kept[-1]

    def forget(self, number: int | None) -> None:
        """Keep one no longer."""
        self.kept = [variant for variant in self.kept if variant.number != number]
        self._write()

    def load(self) -> None:
        """Take up those of the last time.

        Raises
        ------
        UnreadableError
            If they are not what was kept; then there are none.
        """
        self.kept = []
        found = None if self.path is None else read_document(self.path, {"variants": [_KEPT]})
        if found is not None:
            documents = [one["document"] for one in found["variants"]]
            if not all(has_shape({**_NOT_YET, **one}, _LATER) for one in documents):
                raise UnreadableError(str(self.path))
            self.kept = [PreviewVariant(**{name: document[name] for name in _KEPT}) for document in found["variants"]]

    def _write(self) -> None:
        if self.path is not None:
            write_document(self.path, {"variants": [asdict(variant) for variant in self.kept]})


def _format_count_change(name: str, variant: PreviewVariant, before: PreviewVariant | None, field: str) -> Figure:
    value, earlier = getattr(variant, field), None if before is None else getattr(before, field)
    change = (
        write_figure(f"{value - earlier:+,}") if value is not None and earlier is not None and value != earlier else ""
    )
    return Figure(name, "–" if value is None else write_figure(f"{value:,}"), change)


def _format_share_change(name: str, share: float | None, earlier: float | None) -> Figure:
    if share is None:
        return Figure(name, "–")
    change = "" if earlier is None or abs(share - earlier) < 0.0005 else write_figure(f"{(share - earlier) * 100:+.1f}")
    return Figure(name, write_figure(f"{share * 100:.1f} %"), change)
