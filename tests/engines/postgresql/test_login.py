"""A connection is encrypted where it leaves the machine, and whoever is refused is told what to do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.postgres_server import Server

psycopg = pytest.importorskip("psycopg", reason="install psycopg: pip install 'psycopg[binary]'")

from toolbox.engines.postgresql.connection import _make_connection_parameters, connect_database  # noqa: E402
from toolbox.errors import InputError, ToolboxError, UsageError  # noqa: E402


@pytest.fixture(autouse=True)
def no_settings_of_the_tester(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PGHOST", "PGHOSTADDR", "PGSSLMODE", "PGSERVICE", "PGUSER"):
        monkeypatch.delenv(name, raising=False)


def parameters(url: str) -> dict[str, Any]:
    return _make_connection_parameters(psycopg, url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://localhost/d",
        "postgresql://127.0.0.1:5433/d",
        "postgresql://127.8.8.8/d",
        "postgresql://[::1]/d",
        "postgresql:///d",
        "postgresql:///d?host=/run/postgresql",
        "postgresql://localhost,127.0.0.1/d",
        "postgresql://db.example/d?hostaddr=127.0.0.1",
    ],
)
def test_on_this_machine_nothing_need_be_encrypted(url: str) -> None:
    assert "sslmode" not in parameters(url)
    assert parameters(f"{url}{'&' if '?' in url else '?'}sslmode=disable")["sslmode"] == "disable"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://db.example/d",
        "postgresql://10.0.0.1/d",
        "postgresql://localhost,db.example/d",
        "postgresql://localhost.example/d",
        "postgresql://localhost/d?hostaddr=10.0.0.1",
        "postgresql:///d?service=census",
    ],
)
def test_to_another_machine_a_connection_is_encrypted(url: str) -> None:
    assert parameters(url)["sslmode"] == "require"
    joined = f"{url}{'&' if '?' in url else '?'}sslmode="
    assert parameters(f"{joined}verify-full")["sslmode"] == "verify-full"
    for less in ("disable", "allow", "prefer"):
        with pytest.raises(UsageError, match=f"sslmode={less} may send .* Write sslmode=require"):
            parameters(joined + less)


def test_the_environment_may_name_another_machine_and_a_stronger_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db.example")
    assert parameters("postgresql:///d")["sslmode"] == "require"
    monkeypatch.setenv("PGSSLMODE", "verify-ca")
    assert parameters("postgresql:///d")["sslmode"] == "verify-ca"
    monkeypatch.setenv("PGSSLMODE", "disable")
    assert parameters("postgresql:///d")["sslmode"] == "require"


def test_a_service_of_the_environment_is_looked_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "services").write_text("[far]\nhost=db.example\n[near]\nhost=127.0.0.1\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv("PGSERVICE", "far")
    assert parameters("postgresql:///d")["sslmode"] == "require"
    monkeypatch.setenv("PGSERVICE", "near")
    assert "sslmode" not in parameters("postgresql:///d")


@pytest.mark.parametrize("url", ["postgresql://ada:s3cret@localhost/d", "postgresql://localhost/d?password=s3cret"])
def test_a_password_in_a_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UsageError, match=r"~/\.pgpass") as caught:
        parameters(url)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("url", ["postgresql://[", "host", "postgresql://h/d?s3cret=1", "postgresql://%zz/d"])
def test_a_url_that_is_none_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UsageError, match="Write postgresql://USER@HOST:PORT/DATABASE") as caught:
        parameters(url)
    assert "s3cret" not in str(caught.value)


def refused(url: str) -> ToolboxError:
    with pytest.raises(ToolboxError) as caught:
        connect_database(url)
    return caught.value


def test_a_missing_password_is_asked_for_in_a_file(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    error = refused(postgres.url)
    assert (type(error), error.exit_status) == (UsageError, 2)
    assert "asks for a password, and there is none. Put the password into the file ~/.pgpass" in str(error)


def test_a_wrong_password_is_not_shown(postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong = tmp_path / "passwords"
    wrong.write_text("*:*:*:*:s3cret-wrong\n")
    wrong.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(wrong))
    error = refused(postgres.url)
    assert isinstance(error, UsageError)
    assert "refuses this user or this password" in str(error)
    assert "s3cret" not in str(error)


def test_a_server_that_is_not_there_is_an_error_of_the_input(postgres: Server) -> None:
    error = refused("postgresql://127.0.0.1:1/d?connect_timeout=2")
    assert (type(error), error.exit_status) == (InputError, 4)
    assert "Nothing answers on 127.0.0.1 at port 1. See that the server of the database runs" in str(error)


def test_a_database_that_is_not_there_is_an_error(postgres: Server) -> None:
    error = refused(postgres.url_of(database="Nowhere"))
    assert isinstance(error, UsageError)
    assert "has no database Nowhere. See the name behind the last / of the URL" in str(error)


def test_a_server_without_encryption_is_not_used_where_it_is_wanted(postgres: Server) -> None:
    error = refused(f"{postgres.url}?sslmode=require")
    assert isinstance(error, UsageError)
    assert "no encrypted connection to 127.0.0.1" in str(error)


def test_a_machine_without_the_library_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match=r"pip install 'anonymisation-toolbox\[postgresql\]'"):
        connect_database("postgresql://localhost/d")
