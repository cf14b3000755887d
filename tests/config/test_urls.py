"""URLs of databases and clusters: what is read, and that none with a password gets in or is repeated."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from toolbox.config import urls
from toolbox.errors import BadValueError, SecretValueError

DATABASES = [
    "postgresql://db.example/census",
    "postgresql+psycopg://ada@db.example:5432/census?sslmode=verify-full",
    "postgres:///census",
    "postgresql://[::1]:5433/census",
    "postgresql://first:5432,second:5433/census?target_session_attrs=read-write",
    "postgresql:///census?passfile=/home/ada/.pgpass&service=census",
    "postgresql://ada@bücher.example/Größe",
    "postgresql://db.example/my%20census",
    "mysql+pymysql://ada@db/census",
    "sqlite:///people.db",
    "duckdb:///people.duckdb",
]
CLUSTERS = [
    *("local", "local[4]", "local[*]", "local[2,3]", "local-cluster[2,1,1024]", "yarn", "spark://host:7077"),
    *("spark://first:7077,second:7077", "sc://host:15002", "sc://host/;use_ssl=true;user_id=ada", "sc://[::1]:15002"),
    "k8s://https://host:6443",
]
FOLDERS = [
    *("s3a://bucket/people/", "hdfs://nn:8020/a/b@c", "abfss://box@account.dfs.core.windows.net/people"),
    *("file:///data/people", "s3a://bucket/my folder/ä"),
]
PASSWORDS = {
    urls.parse_database_url: [
        "postgresql://u:s3cret@h/db",
        "postgresql://:s3cret@h/db",
        "postgresql://u:@s3cret/db",
        "postgresql://u:s3/cret@h/db",
        "postgresql://u:1/s3cret@h/db",
        "postgresql://u:1?s3cret@h/db",
        "postgresql://u:s3#cret@h/db",
        "postgresql://u:s3@cret@h/db",
        "  postgresql://u:s3cret@h/db",
        "POSTGRESQL://u:s3cret@h/db",
        "postgresql://h/db?password=s3cret",
        "postgresql://h/db?PASSWORD=s3cret",
        "postgresql://h/db?pass%77ord=s3cret",
        "postgresql://h/db?a=b&sslpassword=s3cret",
        "postgresql:///?host=h&password=s3cret",
        "mssql+pyodbc:///?odbc_connect=DRIVER%3Dx%3BPWD%3Ds3cret",
        "snowflake://ada@account/db?token=s3cret",
    ],
    urls.parse_cluster_url: [
        "sc://h/;token=s3cret",
        "sc://h:15002/;use_ssl=true;token=s3cret",
        "sc://h/;TOKEN=s3cret",
        "sc://h/;tok%65n=s3cret",
        "sc://ada:s3cret@h:15002",
        "spark://ada:s3cret@h:7077",
    ],
    partial(urls.parse_cluster_place, folder=Path("/data")): [
        "s3a://key:s3cret@bucket/people",
        "s3a://bucket/people?secret=s3cret",
        "s3a://bucket/people?access_key=s3cret",
    ],
}
WRONG = {
    urls.parse_database_url: [
        *("", " ", "people", "people.csv", "ada:s3cret@h/db", "postgresql:people", "://h/db", "https://h/people.csv"),
        *("s3a://bucket/people", "postgresql://h:99999/db", "postgresql://h:-1/db", "postgresql://h:0/db"),
        *("postgresql://h:s3cret/db", "postgresql://[::1/db", "postgresql://a b/db", "postgresql://h/d\0b"),
        *("postgresql://h/d\nb", "postgresql://first:1,second:x/db", "postgresql://h\uff03.example/db"),
    ],
    urls.parse_cluster_url: [
        *("", " ", "host", "host:7077", "LOCAL[4]", "local[4", "local[many]", "https://host", "spark://", "sc:///"),
        *("spark://host:99999", "sc://host:s3cret", "spark://h\0", "postgresql://h/db", "yarn://h"),
    ],
    partial(urls.parse_cluster_place, folder=Path("/data")): [
        "",
        " ",
        "a\0b",
        "s3a://[bucket",
        "hdfs://nn:70000/people",
    ],
}


def variants(cases: dict[Callable[[str], str], list[str]]) -> list[tuple[Callable[[str], str], str]]:
    return [(read, text) for read, texts in cases.items() for text in texts]


@pytest.mark.parametrize("url", DATABASES)
def test_the_url_of_a_database_stays_as_it_is_written(url: str) -> None:
    assert urls.parse_database_url(url) == url
    assert urls.parse_database_url(f" {url}\n") == url
    assert urls.parse_database_url(url.replace("postgres", "Postgres", 1)) == url


@pytest.mark.parametrize("url", CLUSTERS)
def test_the_address_of_a_cluster_stays_as_it_is_written(url: str) -> None:
    assert urls.parse_cluster_url(f" {url} ") == url


@pytest.mark.parametrize("url", FOLDERS)
def test_the_uri_of_a_folder_stays_as_it_is_written(url: str) -> None:
    assert urls.parse_cluster_place(url, Path("/data")) == url


def test_a_folder_of_this_machine_is_found_from_where_it_is_written() -> None:
    assert urls.parse_cluster_place("people", Path("/data")) == "/data/people"
    assert urls.parse_cluster_place("/people", Path("/data")) == "/people"
    assert urls.parse_cluster_place("people", Path()) == str(Path.cwd() / "people")


@pytest.mark.parametrize(("read", "text"), variants(PASSWORDS))
def test_a_password_is_refused(read: Callable[[str], str], text: str) -> None:
    with pytest.raises(SecretValueError) as caught:
        read(text)
    reason, remedy = caught.value.args
    assert reason in ("holds a password, which files and lists of processes would show", "is no URL")
    assert "s3cret" not in f"{reason} {remedy}"


@pytest.mark.parametrize(("read", "text"), variants(WRONG))
def test_what_is_no_url_is_refused(read: Callable[[str], str], text: str) -> None:
    with pytest.raises(BadValueError) as caught:
        read(text)
    reason, remedy = caught.value.args
    assert reason.startswith(("is no ", "names no folder"))
    assert remedy.startswith("Write ")
    assert "s3cret" not in f"{reason} {remedy}"


def test_what_does_not_name_a_folder_may_be_repeated_and_what_may_hold_a_password_not() -> None:
    with pytest.raises(BadValueError) as caught:
        urls.parse_postgresql_url("mysql://h/db")
    assert caught.value.args[0] == "is no URL of PostgreSQL"
    assert not isinstance(caught.value, SecretValueError)


def test_files_are_told_from_databases_by_their_schemes() -> None:
    texts = ["postgresql://h/db", " sqlite:///a.db", "https://h/a.csv", "s3a://b/a", "a.csv", "c:\\a.csv", "/a//b"]
    assert [urls.is_database(text) for text in texts] == [True, True, False, False, False, False, False]
    assert [urls.is_url(text) for text in texts] == [True, True, True, True, False, False, False]


def test_a_database_is_the_same_whatever_its_driver() -> None:
    one = "postgresql://h/db"
    assert [urls.is_same_database(one, other) for other in ("postgresql+psycopg://h/db", "postgres://h/db", one)] == [
        True,
        True,
        True,
    ]
    assert not urls.is_same_database(one, "postgresql://h/other")
    assert not urls.is_same_database(one, "mysql://h/db")


def test_settings_that_are_passwords_are_known_by_their_names() -> None:
    secret = [
        "spark.hadoop.fs.s3a.secret.key",
        "spark.hadoop.fs.s3a.access.key",
        "spark.hadoop.fs.s3a.session.token",
        "spark.ssl.keyPassword",
        "spark.authenticate.secret",
        "spark.hadoop.fs.azure.account.key.box.dfs.core.windows.net",
        " password ",
    ]
    plain = [
        "spark.executor.memory",
        "spark.hadoop.hadoop.security.credential.provider.path",
        "spark.hadoop.fs.s3a.aws.credentials.provider",
        "spark.authenticate.secret.file",
        "combinations",
    ]
    assert [name for name in secret + plain if urls.is_secret_setting(name)] == secret
