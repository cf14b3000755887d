"""Messages about values that do not fit their column: the column, the pattern of the value, the first places."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import func, literal, or_, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Attribute
from toolbox.errors import MOST_OF_A_KIND, InputError, UsageError, quote
from toolbox.messages import choose_setting_name, format_count, is_asked_in_python, name_column
from toolbox.queries.dialect import Query, count_where
from toolbox.queries.scales import Calendar, Figures, is_no_number
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Source, format_places
from toolbox.store.values.column_type import (
    MISSING_DATE,
    MISSING_NUMBER,
    NO_CATEGORY,
    NOT_A_DATE,
    NOT_A_NUMBER,
    NOT_A_TIMESTAMP,
    OUTSIDE,
    TOO_FINE,
    TOO_PRECISE,
    WITH_TIME,
    TextDomain,
    format_figures_setting,
)
from toolbox.store.values.dates import find_date_kind

_SHOWN = 3
_COUNTED = 5
"""Columns whose missing values are counted in a message."""
_AT_ONCE = 50
"""Most columns that one statement looks at."""
_HAS_PATTERN = ": pattern"
_LEGEND = "In a pattern 9 stands for a digit and a for a letter."


def check_domains(store: Store, source: Source, domains: Sequence[TextDomain], *, confidential: bool = False) -> None:
    """Stop if a value of any column has a problem.

    Parameters
    ----------
    confidential : bool
        Whether the columns are sensitive: then even a category is shown as its pattern only.

    Raises
    ------
    InputError
        With every problem of every column.
    """
    problems = [
        message
        for index, counts in sorted(_count_problems(store, domains).items())
        for message in _list_problems(store, source, domains[index], counts, confidential=confidential)
    ]
    if problems:
        legend = [f"  {_LEGEND}"] if any(_HAS_PATTERN in message for message in problems) else []
        raise InputError(
            "\n".join(
                [f"{source.name}: values that do not fit their column", *_format_first_columns(problems), *legend]
            )
        )


def _count_problems(store: Store, domains: Sequence[TextDomain]) -> dict[int, list[tuple[str, int]]]:
    """Count the texts that have a problem, by domain and problem, many domains in one statement."""
    problems: dict[int, list[tuple[str, int]]] = defaultdict(list)
    counts = [
        select(literal(index).label("number"), domain.texts.c.problem, func.count())
        .where(domain.texts.c.problem.is_not(None))
        .group_by(domain.texts.c.problem)
        for index, domain in enumerate(domains)
    ]
    for first in range(0, len(counts), _AT_ONCE):
        together = select(union_all(*counts[first : first + _AT_ONCE]).subquery())
        for index, problem, count in store.rows(together.order_by("number", "problem")):
            problems[index].append((problem, count))
    return problems


def _list_problems(
    store: Store, source: Source, domain: TextDomain, counts: Sequence[tuple[str, int]], *, confidential: bool
) -> list[str]:
    texts = domain.texts
    messages = []
    for problem, count in counts:
        faulty = texts.c.problem.is_not_distinct_from(problem)
        everything = domain.all_texts.subquery().c.text
        known = select(func.coalesce(everything, "").label("text")).distinct()
        others: ColumnElement[bool] = everything.not_in(select(texts.c.text).where(faulty))
        if problem not in (MISSING_NUMBER, MISSING_DATE):
            # An empty field is null here, of which not_in says nothing: it is missing, and has no other problem.
            others = or_(others, everything.is_(None))
        places = source.places(domain.position, known.where(others))
        examples = store.rows(select(texts.c.text).where(faulty).order_by(texts.c.text).limit(_SHOWN))
        shows_text = problem == NO_CATEGORY and not confidential
        quoted = _list_faulty_values([text for (text,) in examples], problem, shows_text=shows_text)
        more = ", ..." if count > _SHOWN else ""
        at = f" ({format_places(source.place, places)})" if places else ""
        messages.append(
            f"  {_name_column(domain.name)}: {quoted}{more}{at} is {problem}{_find_date_writing(domain)}. "
            f"{_explain_remedy(store, domain, problem)}"
        )
    return messages


def _find_date_writing(domain: TextDomain) -> str:
    """Return how a column writes its dates, where that is not ISO 8601."""
    calendar = domain.scale
    return f", written as {calendar.format}" if isinstance(calendar, Calendar) and calendar.format else ""


def _list_faulty_values(texts: Sequence[str], problem: str, *, shows_text: bool) -> str:
    """List the values that have a problem, or their patterns if they must not be shown."""
    if problem in (MISSING_NUMBER, MISSING_DATE):
        return "a value"
    if shows_text:
        return ", ".join(map(quote, texts))
    shown = list(dict.fromkeys(map(describe_pattern, texts)))
    return ("" if shown == [describe_pattern("")] else "pattern ") + ", ".join(shown)


def _name_column(name: str) -> str:
    """Return what a message calls a column: its name, or its number if it has none."""
    return name if name.startswith("column ") else f"column {name_column(name)}"


def _explain_remedy(store: Store, domain: TextDomain, problem: str) -> str:
    """Return the remedy, in the words of the command line or of Python; text that is no number may be a date."""
    name = domain.name
    if problem == NOT_A_NUMBER:
        texts = domain.texts
        unit = find_date_kind(store, select(texts.c.text).where(texts.c.problem == problem).subquery())
        if unit is not None and domain.attribute.builder is not None:
            return f"They are {unit}s: choose the builder dates, or ages, instead of {domain.attribute.builder.name}."
        if unit is not None:
            declared = choose_setting_name(
                f"type='{unit}'", python=f"kinds={{{name!r}: '{unit}'}}", options=f"--kind {name}={unit}"
            )
            return f"Write {declared}, as all of them are {unit}s."
    quoted = shlex.quote(f"{name}=category")
    category = choose_setting_name(
        "type='category'", python=f"kinds={{{name!r}: 'category'}}", options=f"--kind {quoted}"
    )
    missing = choose_setting_name("name it in missing=", python="make it None", options="name it in --missing")
    timestamp = choose_setting_name(
        "type='timestamp'", python=f"kinds={{{name!r}: 'timestamp'}}", options=f"--kind {name}=timestamp"
    )
    written = choose_setting_name(
        "another format=",
        python=f"kinds={{{name!r}: 'date %d.%m.%Y'}}, say",
        options=f"--kind '{name}=date:%d.%m.%Y', say",
    )
    skip = choose_setting_name(
        "onMissing='skip' or 'fail'", python="on_missing='skip' or 'fail'", options="--on-missing skip or fail"
    )
    policy = f"Write {skip}, or {category}."
    commas = _explain_commas(store, domain) if problem == NOT_A_NUMBER else ""
    return {
        NOT_A_NUMBER: f"{commas}Correct it, {missing}, or {_explain_no_numbers(domain, category)}.",
        MISSING_NUMBER: policy,
        MISSING_DATE: policy,
        NOT_A_DATE: f"Correct it, {missing}, or write {written}.",
        NOT_A_TIMESTAMP: f"Correct it, {missing}, or write {written}.",
        WITH_TIME: f"Write {timestamp} if the time of day matters.",
        TOO_FINE: f"Round them, or write {category}.",
        TOO_PRECISE: f"Write {category} if the column holds codes.",
        NO_CATEGORY: _explain_categories(domain, missing),
        OUTSIDE: _explain_widening(domain),
    }[problem]


def _explain_commas(store: Store, domain: TextDomain) -> str:
    """Return how decimal commas are declared, where all texts that are no numbers would be some with these."""
    texts = domain.texts
    strange = select(texts.c.text).where(texts.c.problem == NOT_A_NUMBER).subquery().c.text
    for thousands in ("", "."):
        figures = Figures(",", thousands)
        if is_asked_in_python() or store.scalar(select(count_where(is_no_number(strange, figures)))):
            continue
        return f"If these are numbers with decimal commas, write {format_figures_setting(figures)}. "
    return ""


def _explain_no_numbers(domain: TextDomain, category: str) -> str:
    """Return what to do where a column holds no numbers."""
    builder = domain.attribute.builder
    if builder is None:
        return f"write {category} if the column holds no numbers"
    return f"choose another builder than {builder.name} if the column holds no numbers"


def _explain_root(domain: TextDomain) -> str:
    """Return how values that a hierarchy does not know are sent to its root."""
    return choose_setting_name(
        "Or say other='root' beside the hierarchy.",
        options=f"Or write :other=root after --hierarchy {name_column(domain.name)}=..",
    )


def _explain_categories(domain: TextDomain, missing: str) -> str:
    """Return what to do about a text that is no category."""
    plain = f"Declare it, correct it, or {missing}."
    return plain if domain.attribute.hierarchy is None or is_asked_in_python() else f"{plain} {_explain_root(domain)}"


def _explain_widening(domain: TextDomain) -> str:
    """Return what to do about a value outside a hierarchy."""
    builder = domain.attribute.builder
    if builder is not None:
        return f"{builder.hint} {_explain_root(domain)}"
    plain = "Widen the hierarchy or correct the value."
    return plain if is_asked_in_python() else f"{plain} {_explain_root(domain)}"


def refuse_missing(store: Store, source: Source, columns: Sequence[tuple[Attribute, int, Query]]) -> None:
    """Stop because ``onMissing='fail'`` and values are missing; name the columns and the first places."""
    messages = []
    for attribute, position, present in columns:
        known = store.create("present", present)
        places = source.places(position, select(known.c.text))
        store.drop(known)
        if places:
            messages.append(f"  {_name_column(str(attribute.column))}: missing ({format_places(source.place, places)})")
    settings = choose_setting_name(
        "onMissing='skip' or 'keep' on input", python="on_missing='skip' or 'keep'", options="--on-missing skip or keep"
    )
    remedy = f"  Complete them, or write {settings}."
    raise InputError("\n".join([f"{source.name}: values are missing", *_format_first_columns(messages), remedy]))


def ask_what_becomes(name: str, read: int, skipped: int, columns: Mapping[str, int]) -> None:
    """Stop because many records lack a value, and nobody has chosen what becomes of them; name both choices.

    Parameters
    ----------
    columns : mapping of str to int
        The records that lack a value of each column.

    Raises
    ------
    UsageError
    """
    skip, keep = (
        choose_setting_name(f"onMissing='{word}'", python=f"on_missing='{word}'", options=f"--on-missing {word}")
        for word in ("skip", "keep")
    )
    most = [f"{column} {count:,}" for column, count in sorted(columns.items(), key=lambda pair: -pair[1]) if count]
    more = f"; and {len(most) - _COUNTED:,} more columns" if len(most) > _COUNTED else ""
    raise UsageError(
        f"{name}: {skipped:,} of {format_count(read, 'record')} {'lacks' if skipped == 1 else 'lack'} a declared value "
        f"({'; '.join(most[:_COUNTED])}{more}), and nobody has chosen what becomes of them. {skip} leaves them out; "
        f"{keep} keeps them, with missing as a category of its own."
    )


def _format_first_columns(messages: Sequence[str]) -> list[str]:
    """List the first columns, and count the others."""
    more = len(messages) - MOST_OF_A_KIND
    return [*messages[:MOST_OF_A_KIND], *([f"  and {more:,} more of this kind"] if more > 0 else [])]


def describe_pattern(text: str) -> str:
    """Describe a value without quoting it: digits become 9, letters a; a long one is cut.

    Examples
    --------
    >>> describe_pattern("12 Main St."), describe_pattern("-3.5"), describe_pattern("")
    ("'99 aaaa aa.'", "'-9.9'", 'an empty value')
    """
    if not text:
        return "an empty value"
    shape = "".join("9" if letter.isnumeric() else "a" if letter.isalpha() else letter for letter in text[:20])
    return repr(shape + ("..." if len(text) > 20 else ""))


def require_records(name: str, read: int, skipped: int, rejected: int) -> None:
    """Stop where no record is left.

    Raises
    ------
    InputError
    """
    if read == skipped:
        raise InputError(_explain_nothing_left(name, read, rejected))


def _explain_nothing_left(name: str, read: int, rejected: int) -> str:
    if read:
        settings = choose_setting_name(
            "missing= and onMissing= of input", python="on_missing=", options="--missing and --on-missing"
        )
        lack = "its only record lacks" if read == 1 else f"all {read:,} records lack"
        return f"{name}: {lack} a declared value. See {settings}."
    if rejected:
        return f"{name}: none of {format_count(rejected, 'line')} fits the first one. Are separator and header right?"
    return f"{name} holds no record. A table needs at least one."
