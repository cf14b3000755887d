"""The flow of `check`, with what a pencil finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from helpers import mariadb_server, postgres_server
from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.errors import UnknownColumnError, UsageError
from toolbox.flows.judge.check import check_release
from toolbox.flows.judge.question import Question
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.k_map import DeltaPresence, KMap
from toolbox.privacy.models.k_with_values import AlphaKAnonymity, PSensitiveKAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity, EntropyLDiversity, RecursiveLDiversity
from toolbox.privacy.models.likeness import BasicBetaLikeness, DeltaDisclosure, EnhancedBetaLikeness
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.privacy.results import ClassQuery, Dialect, write_class_queries
from toolbox.report.judges.check import CheckReport

RELEASE = arrow("""
age    sex  illness
20-29  f    flu
20-29  f    cold
30-39  m    flu
30-39  m    flu
30-39  m    gout
*      *    flu
""")
MODELS = (KAnonymity(k=3), DistinctLDiversity(l=2, attribute="illness"))


@pytest.fixture(scope="module")
def report() -> CheckReport:
    return check_release(question("age", "sex", sensitive=["illness"], models=MODELS), RELEASE)


def test_classes_are_counted_without_suppressed_records(report: CheckReport) -> None:
    assert (report.records, report.suppressed) == (6, 1)
    assert (report.classes, report.smallest_class, report.average_class) == (2, 2, 2.5)


def test_what_is_required_is_judged_and_all_else_measured(report: CheckReport) -> None:
    judged = [(model.name, model.attribute, model.achieved, model.holds) for model in report.judged]
    assert judged == [("k-anonymity", None, 2, False), ("distinct l-diversity", "illness", 2, True)]
    assert report.achieved("k-anonymity") == 2
    # Two of the three men of one class have the flu.
    assert report.achieved("(alpha,k)-anonymity", "illness", "alpha") == pytest.approx(2 / 3)
    assert set(report.timings) == {"read", "measure", "total"}


@pytest.mark.slow
def test_harmonised_the_other_sensitive_columns_split_the_classes() -> None:
    """With the illness known each class has a group of one; with the sex known the classes stay as they are."""
    both = question("age", sensitive=["sex", "illness"], models=[KAnonymity(k=2)])
    judged = check_release(both, RELEASE, harmonised=True).judged
    assert [(model.attribute, model.achieved) for model in judged] == [(None, 2), ("sex", 1), ("illness", 2)]


@pytest.mark.slow
def test_a_population_is_counted_by_the_classes_that_describe_it() -> None:
    """Two of three women in their twenties are released, and three of four men in their thirties."""
    population = arrow("age sex\n21 f\n22 f\n23 f\n31 m\n32 m\n33 m\n34 m\n60 m\n")
    models = [KMap(k=1), DeltaPresence(delta_min=0, delta_max=1)]
    report = check_release(question("age", "sex", models=models), RELEASE, population=population)
    assert report.achieved("k-map") == 3
    assert report.achieved("delta-presence") == 0.75


@pytest.mark.parametrize(
    ("model", "error", "said"),
    [
        (KMap(k=2), UsageError, "k-map compares with a population, and none is named. Write --population FILE."),
        (
            DistinctLDiversity(l=2, attribute="illness"),
            UnknownColumnError,
            "The list of sensitive attributes has no column",
        ),
    ],
)
def test_a_model_that_lacks_what_it_needs_is_refused(
    model: KMap | DistinctLDiversity, error: type[UsageError], said: str
) -> None:
    with pytest.raises(error) as caught:
        check_release(replace(question("age"), models=(model,)), RELEASE)
    assert said in str(caught.value)


# The same question as queries of a database

PEOPLE = arrow("""
age    sex  illness  pay
20-29  f    flu      10
20-29  f    cold     10
20-29  f    gout     30
30-39  m    flu      20
30-39  m    flu      20
30-39  m    flu      40
30-39  m    cold     10
40-49  f    cold     30
40-49  f    cold     40
""")
ASKED: list[PrivacyModel] = [
    *(KAnonymity(k=k) for k in (2, 3)),
    *(DistinctLDiversity(l=least, attribute="illness") for least in (1, 2)),
    *(EntropyLDiversity(l=least, attribute="illness") for least in (1, 1.5)),
    *(RecursiveLDiversity(c=c, l=1, attribute="illness") for c in (0.9, 1.1)),
    *(TCloseness(t=t, attribute="illness") for t in (0.3, 0.7)),
    *(TCloseness(t=t, attribute="pay") for t in (0.2, 0.4)),
    *(AlphaKAnonymity(alpha=alpha, k=2, attribute="illness") for alpha in (0.9, 1.0)),
    *(PSensitiveKAnonymity(p=p, k=2, attribute="illness") for p in (1, 2)),
    *(DeltaDisclosure(delta=delta, attribute="illness") for delta in (0.5, 3)),
    *(BasicBetaLikeness(beta=beta, attribute="illness") for beta in (0.5, 3)),
    *(EnhancedBetaLikeness(beta=beta, attribute="illness") for beta in (0.5, 3)),
]
"""Each kind of model twice: for most of them, one holds and the other does not."""


def questions(*models: PrivacyModel) -> Question:
    asked = question("age", "sex", sensitive=["illness", "pay"], models=models)
    kinds = {"illness": "category", "pay": "number"}
    sensitive = tuple(replace(each, kind=kinds[str(each.column)]) for each in asked.sensitive)
    return replace(asked, config=replace(asked.config, sensitive=sensitive))


def written(asked: Question, release: str, dialect: Dialect) -> list[ClassQuery]:
    names = [str(each.column) for each in asked.quasi_identifiers]
    return write_class_queries(asked.models, names, asked.sensitive, release, dialect)


def compare_with(dialect: Dialect, run: Callable[[str], list[Any]]) -> None:
    judged = {
        str(model): judge for model, judge in zip(ASKED, check_release(questions(*ASKED), PEOPLE).judged, strict=True)
    }
    queries = written(questions(*ASKED), "people", dialect)
    found = {query.model: not run(query.sql.replace("{{ ref('people') }}", "people")) for query in queries}
    assert found == {name: judge.holds for name, judge in judged.items()}
    assert list(found.values()).count(True) == 9
    assert len({query.name for query in queries}) == len(ASKED)


@pytest.mark.slow
def test_a_query_finds_a_class_where_the_judge_says_that_a_model_does_not_hold() -> None:
    database = duckdb.connect()
    database.register("people", PEOPLE)
    compare_with("duckdb", lambda sql: database.sql(sql).fetchall())


@pytest.mark.slow
def test_the_queries_find_the_same_in_postgresql() -> None:
    if reason := postgres_server.why_not():
        pytest.skip(reason)
    with postgres_server.running() as server:
        rows = ", ".join(str(tuple(row.values())) for row in PEOPLE.to_pylist())
        server.run(
            "CREATE TABLE people (age text, sex text, illness text, pay float)", f"INSERT INTO people VALUES {rows}"
        )
        compare_with("postgresql", server.rows)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["mariadb", "mysql"])
def test_the_queries_find_the_same_in_mariadb_whose_collation_tells_few_texts_apart(dialect: Dialect) -> None:
    if reason := mariadb_server.why_not():
        pytest.skip(reason)
    with mariadb_server.running() as server:
        server.run("CREATE TABLE people (age text, sex varchar(9), illness varchar(9), pay double)")
        rows = ", ".join(str(tuple(row.values())) for row in PEOPLE.to_pylist())
        server.run(f"INSERT INTO people VALUES {rows}")
        compare_with(dialect, server.rows)
        server.run("INSERT INTO people VALUES ('40-49', 'F', 'Cold', 1), ('40-49', 'f ', 'cold ', 1)")
        alone, cold = written(
            questions(KAnonymity(k=2), DistinctLDiversity(l=2, attribute="illness")), "people", dialect
        )
        assert [size for _, size in server.rows(alone.sql.replace("{{ ref('people') }}", "people"))] == [1, 1]
        # Each of both has one illness, and so have those whose blanks and capitals are others.
        assert len(server.rows(cold.sql.replace("{{ ref('people') }}", "people"))) == 3


def test_a_query_for_sql_server_compares_bytes_and_has_no_word_that_it_lacks() -> None:
    """No server of it is there: what is written is looked at."""
    for query in written(questions(*ASKED), "people", "mssql"):
        sql = " ".join(query.sql.split())
        assert "dense_rank() OVER (ORDER BY CAST(released.age AS VARBINARY(max)), CAST(released.sex AS" in sql
        assert " FROM {{ ref('people') }} AS released)" in sql
        for word in ("FILTER", "'inf'", " true", "LIMIT", "::", "`", "TEXT", "ln("):
            assert word not in sql, (word, sql)
        # It sums up no select.
        assert not re.search(r"sum\([^)]*\(SELECT", sql)
    (largest,) = written(questions(AlphaKAnonymity(alpha=0.9, k=2, attribute="illness")), "people", "mssql")
    assert "ELSE 1.7976931348623157E308 END AS achieved" in " ".join(largest.sql.split())


def test_a_missing_sensitive_value_is_one_more_value_and_a_missing_quasi_identifier_too() -> None:
    asked = questions(DistinctLDiversity(l=2, attribute="illness"))
    (query,) = written(asked, "people", "duckdb")
    table = pa.table({"age": ["20", "20", None, None], "sex": ["f"] * 4, "illness": ["flu", None, "flu", "flu"]})
    database = duckdb.connect()
    database.register("people", table)
    assert [
        achieved for _, achieved in database.sql(query.sql.replace("{{ ref('people') }}", "people")).fetchall()
    ] == [1]


def test_missing_numbers_come_behind_all_others_and_numbers_may_be_texts() -> None:
    """Of 10, nothing, 3, 9 and 10, 9, 9, 3 the shares differ at 9 by 1/4 to either side: (1/8 + 1/8) / 3 is 1/12."""
    asked = questions(TCloseness(t=0.08, attribute="pay"), TCloseness(t=0.08, attribute="pay", distance="equal"))
    pay = ["10", None, "3", "9", "10", "9", "9", "3"]
    table = pa.table({"age": ["20"] * 4 + ["30"] * 4, "sex": ["f"] * 8, "illness": ["flu"] * 8, "pay": pay})
    database = duckdb.connect()
    database.register("people", table)
    queries = written(asked, "people", "duckdb")
    found = [
        {achieved for _, achieved in database.sql(query.sql.replace("{{ ref('people') }}", "people")).fetchall()}
        for query in queries
    ]
    assert found == [{1 / 12}, {1 / 8}]
    assert [judge.achieved for judge in check_release(asked, table).judged] == [1 / 12, 1 / 8]
    assert [query.name for query in queries] == [
        "people_t_closeness_t_0_08_of_pay",
        "people_t_closeness_t_0_08_of_pay_2",
    ]


def test_columns_whose_names_have_the_same_letters_have_tests_of_different_names() -> None:
    asked = question(
        "age", sensitive=["a b", "a_b"], models=[DistinctLDiversity(l=2, attribute=n) for n in ("a b", "a_b")]
    )
    names = [query.name for query in written(asked, "people", "duckdb")]
    assert names == ["people_distinct_l_diversity_l_2_of_a_b", "people_distinct_l_diversity_l_2_of_a_b_2"]


@pytest.mark.parametrize(
    ("asked", "release", "says"),
    [
        (
            questions(TCloseness(t=0.4, distance="ordered", attribute="illness")),
            "people",
            r"t-closeness \(t=0.4\) of illness asks for the order of categories",
        ),
        (question("age"), "people", "No model is required"),
        (question("age", models=[KAnonymity(k=2)]), "people.csv", "'people.csv' is no name of a model of dbt"),
        (question("age", models=[KMap(k=2)]), "people", "k-map"),
        (
            question("age", sensitive=["pay"], models=[TCloseness(t=0.2, attribute="pay")]),
            "people",
            "Write --kind pay=number, or pay=category",
        ),
    ],
)
def test_what_no_query_can_say_is_refused(asked: Question, release: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        written(asked, release, "duckdb")
