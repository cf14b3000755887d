"""The result of a privacy model for a table: what it achieves, and what the model requires."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from sqlalchemy import (
    ColumnClause,
    Double,
    FromClause,
    LargeBinary,
    String,
    cast,
    column,
    func,
    literal,
    select,
    table,
    union,
)
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.engine import make_url
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import TypeEngine

from toolbox.config.model import Attribute
from toolbox.errors import ProofError, UsageError, quote
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, ReleaseModel
from toolbox.queries.dialect import Query, make_infinity, write_name_as_it_is
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class ModelResult:
    """The result of one privacy model for a table."""

    name: str
    attribute: str | None
    parameters: Mapping[str, object]
    required: float
    achieved: float | None
    """The worst class's value; None if every record is suppressed, so that no class is left."""
    holds: bool
    model: type[PrivacyModel] = field(default=PrivacyModel, compare=False, repr=False)  # type: ignore[type-abstract]
    """What says its own words."""
    is_estimated: ClassVar[bool] = False
    """Whether people were estimated, not counted: then nothing is proved."""

    def document(self) -> dict[str, object]:
        """Return what a document says of it, beside what was required."""
        told = {name: value for name, value in vars(self).items() if name not in ("parameters", "model")}
        return {**told, "estimated": True} if self.is_estimated else told


class EstimatedResult(ModelResult):
    """The result of a privacy model whose people were estimated."""

    is_estimated: ClassVar[bool] = True


def violating(models: Sequence[PrivacyModel], shown: Callable[[str | None], Classes]) -> Query:
    """Return the classes that violate a model: ``equivalence_id``, each once.

    Parameters
    ----------
    models : sequence of PrivacyModel, length >= 1
    shown : callable
        Shows the classes to a model, given its sensitive attribute or None; see
        `toolbox.privacy.classes.members_of`.
    """
    violations = (model.violations(shown(model.attribute)).subquery() for model in models)
    return select(union(*(select(each.c.equivalence_id) for each in violations)).subquery())


def judge_classes(store: Store, classes: Classes, model: PrivacyModel) -> ModelResult:
    """Judge classes by a model.

    Raises
    ------
    ProofError
        If the model does not measure every class once.
    """
    achieved, violations = _measure_and_count(store, classes, model)
    is_estimate = isinstance(model, ReleaseModel) and model.is_estimate
    is_estimate |= model.needs_population and classes.estimates_population
    kind = EstimatedResult if is_estimate else ModelResult
    return kind(
        name=model.name,
        attribute=model.attribute,
        parameters=model.parameters(),
        required=model.required,
        achieved=achieved,
        holds=violations == 0,
        model=type(model),
    )


def require_all(results: Sequence[ModelResult]) -> None:
    """Stop unless all models hold.

    Raises
    ------
    ProofError
    """
    failed = [result for result in results if not result.holds]
    if failed:
        reasons = ", ".join(f"{model.name} requires {model.required:g}, achieved {model.achieved}" for model in failed)
        raise ProofError(f"The finished tables do not satisfy the declared model: {reasons}. Nothing was released.")


def measure_worst_class(store: Store, classes: Classes, model: PrivacyModel) -> float | None:
    """Measure the worst class; None if there are none.

    Raises
    ------
    ProofError
        If the model does not measure every class once.
    """
    return _measure_and_count(store, classes, model)[0]


def judge_release(store: Store, classes: Classes, model: ReleaseModel) -> tuple[float | None, int]:
    """Count the classes of each size, and ask a model about all of them: what they achieve, and 1 if it is too much."""
    size = classes.sizes.c.size
    histogram = store.rows(select(size, func.count()).group_by(size).order_by(size))
    if not histogram:
        return None, 0
    achieved, is_enough = model.judge([(int(records), int(count)) for records, count in histogram])
    return achieved, int(not is_enough)


def _measure_and_count(store: Store, classes: Classes, model: PrivacyModel) -> tuple[float | None, int]:
    """Measure the worst class and count those that violate the model, in one pass over all of them."""
    if isinstance(model, ReleaseModel):
        return judge_release(store, classes, model)
    count = store.count(classes.sizes)
    achieved = model.measured(classes).c.achieved
    violating = func.count().filter(~model.judged("holds", achieved))
    counted = select(model.judged("worst", achieved), func.count(), func.count(achieved), violating)
    with model.errors_told():
        worst, rows, known, violations = store.row(counted)
    if not rows == known == count:
        problem = f"{model.name} did not measure every class once"
        raise ProofError(f"Proof failed: {problem}. Nothing was released; this is a fault of the method.")
    return (worst if count else None), int(violations)


# Models as queries of a database, which nobody opens here: each returns the classes that do not satisfy one.

Dialect = Literal["duckdb", "postgresql", "mysql", "mariadb", "mssql"]
"""The databases for which queries are written; tests see to it that they find what `toolbox check` finds, but for MySQL
and SQL Server."""
_COLLATING: Mapping[str, Mapping[str, Any]] = {
    "mysql": {"_support_float_cast": True},
    "mariadb": {"_support_float_cast": True},
    "mssql": {"deprecate_large_types": True},
}
"""The databases that take texts for equal which differ in capitals, accents or blanks at their ends: there bytes are
compared. And what their dialects find out from a server otherwise."""


class ClassQuery(NamedTuple):
    """A query that returns no row where a table satisfies a model: what dbt calls a singular test."""

    name: str
    """What the test may be called."""
    model: str
    sql: str


def write_class_queries(
    models: Sequence[PrivacyModel],
    names: Sequence[str],
    sensitive: Sequence[Attribute],
    release: str,
    dialect: Dialect,
) -> list[ClassQuery]:
    """Write a query for each model that is required; they read the table by a reference of dbt.

    Parameters
    ----------
    names : sequence of str
        The quasi-identifiers.
    sensitive : sequence of Attribute
        Those that the models protect are among them.
    release : str
        What dbt calls the table.

    Raises
    ------
    UsageError
        If no model is required, or one asks for more than the records of each class.
    """
    if not models:
        raise UsageError("No model is required. Write -k 5, say, or a configuration that requires one.")
    if not release.isidentifier():
        raise UsageError(f"{quote(release)} is no name of a model of dbt: letters, digits and underscores.")
    attributes = {str(attribute.column): attribute for attribute in sensitive}
    kind: Any = PGDialect if dialect == "postgresql" else make_url(f"{dialect}://").get_dialect()
    spoken, compared = kind(paramstyle="named"), LargeBinary() if dialect in _COLLATING else None
    for name, fact in _COLLATING.get(dialect, {}).items():
        setattr(spoken, name, fact)
    written: list[ClassQuery] = []
    for model in models:
        attribute = None if model.attribute is None else attributes[model.attribute]
        _require_query(model, attribute)
        query = model.violations(_select_classes(release, names, attribute, compared=compared))
        sql = str(query.compile(dialect=spoken, compile_kwargs={"literal_binds": True}))
        words = "".join(letter if letter.isalnum() else " " for letter in f"{release} {model}")
        name = "_".join(words.split()).lower()
        if any(name == each.name for each in written):
            name = f"{name}_{len(written) + 1}"
        written.append(ClassQuery(name, str(model), sql))
    return written


def _require_query(model: PrivacyModel, attribute: Attribute | None) -> None:
    """Stop where the records of each class are not all that a model asks for."""
    remedy = "Leave it out with --sql, and judge the table here."
    if model.looks_beyond_class or model.needs_hierarchy:
        raise UsageError(f"{model} asks for more than the records of each class. {remedy}")
    if attribute is None:
        return
    name = str(attribute.column)
    if model.needs_kind and attribute.kind not in ("number", "category"):
        raise UsageError(f"A query must know what {quote(name)} holds. Write --kind {name}=number, or {name}=category.")
    if model.needs_order and attribute.kind != "number":
        raise UsageError(f"{model} asks for the order of categories, which no query knows. {remedy}")


def _select_classes(
    release: str,
    names: Sequence[str],
    attribute: Attribute | None,
    *,
    compared: TypeEngine[Any] | None,
) -> Classes:
    """Return the classes of a table of a database as expressions of its columns; null is a value like any other.

    Parameters
    ----------
    compared : TypeEngine, optional
        What values are cast to where they are compared; None: they are compared as they are.
    """
    sensitive = [] if attribute is None else [str(attribute.column)]
    columns: list[ColumnClause[Any]] = [column(name) for name in dict.fromkeys([*names, *sensitive])]
    released = table(write_name_as_it_is(f"{{{{ ref('{release}') }}}}"), *columns).alias("released")
    cells = [released.c[name] if compared is None else cast(released.c[name], compared) for name in names]
    number = func.dense_rank().over(order_by=cells).label("equivalence_id")
    if attribute is None:
        numbered = select(number).select_from(released).cte("numbered")
        return Classes(_count(numbered, "equivalence_id", amount="size"))
    own = released.c[str(attribute.column)]
    as_text = compared or String()
    if attribute.kind == "number":
        # Also of texts, and a missing value is one more behind all numbers.
        value: ColumnElement[Any] = func.coalesce(cast(own, Double), make_infinity())
    else:
        value = func.coalesce(cast(own, as_text), cast(literal(""), as_text))
    numbered = select(number, value.label("value")).select_from(released).cte("numbered")
    return Classes(
        _count(numbered, "equivalence_id", amount="size"),
        _count(numbered, "equivalence_id", "value", amount="records"),
        _count(numbered, "value", amount="records"),
        attribute.kind,
    )


def _count(numbered: FromClause, *by: str, amount: str) -> FromClause:
    """Count the records of each class, of each value, or of both."""
    keys = [numbered.c[name] for name in by]
    return select(*keys, func.count().label(amount)).group_by(*keys).cte(f"{'_'.join(by)}_{amount}")
