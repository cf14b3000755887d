"""How a PostgreSQL server is reached: by psycopg, encrypted where that leaves this machine, no password in a URL."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any, Final

from toolbox.errors import InputError, UsageError

_ENCRYPTED: Final = ("require", "verify-ca", "verify-full")
_PASSWORDS: Final = (
    "Put the password into the file ~/.pgpass, as HOST:PORT:DATABASE:USER:PASSWORD and readable by you alone, or name "
    "such a file in PGPASSFILE."
)
_USUAL: Final = {
    "application_name": "toolbox",
    "connect_timeout": "30",
    # While a method searches, nothing is sent, and what stands between would forget the connection.
    "keepalives_idle": "60",
}


def connected(url: str) -> Any:
    """Connect to a database.

    Raises
    ------
    UsageError
        If the URL is wrong, or the server lets nobody in like that.
    InputError
        If there is no connection.
    """
    psycopg = library()
    parameters = _parameters(psycopg, url)
    try:
        return psycopg.connect(autocommit=True, prepare_threshold=None, **parameters)
    except psycopg.Error as error:
        raise _refused(error, parameters) from error


def library() -> Any:
    """Return psycopg.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        remedy = "pip install 'anonymisation-toolbox[postgresql]'"
        raise UsageError(f"PostgreSQL is reached by psycopg, which is not installed. Install it: {remedy}.") from error
    return psycopg


def _parameters(psycopg: Any, url: str) -> dict[str, Any]:
    """Return what libpq is told: the URL, and an encrypted connection where it leaves this machine."""
    try:
        said: dict[str, Any] = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        # Its message may quote a password.
        problem = "The URL of the database is not one that PostgreSQL reads"
        raise UsageError(f"{problem}. Write postgresql://USER@HOST:PORT/DATABASE.") from None
    if "password" in said:
        raise UsageError(f"The URL of the database holds a password, which logs and lists would keep. {_PASSWORDS}")
    usual = {
        option.keyword.decode(): option.val.decode()
        for option in psycopg.pq.Conninfo.get_defaults()
        if option.val is not None
    }
    # The file of services may name another host; that of the environment has been looked up.
    if "service" in said or not _is_local({**usual, **said}):
        said["sslmode"] = _encrypting(said.get("sslmode"), usual.get("sslmode"))
    # Otherwise it would be the encoding of the database.
    said["client_encoding"] = "UTF8"
    for parameter, value in _USUAL.items():
        if parameter not in usual:
            said.setdefault(parameter, value)
    return said


def _encrypting(said: str | None, usual: str | None) -> str:
    if said is None:
        return usual if usual in _ENCRYPTED else "require"
    if said not in _ENCRYPTED:
        raise UsageError(
            f"sslmode={said} may send records and password over the network as they are. Write sslmode=require, or "
            "better verify-full; or leave it out."
        )
    return said


def _is_local(parameters: Mapping[str, Any]) -> bool:
    """Return whether a connection cannot leave this machine."""
    hosts = str(parameters.get("hostaddr") or parameters.get("host") or "")
    return all(_is_loopback(host) for host in hosts.split(","))


def _is_loopback(host: str) -> bool:
    # Without a name, and for a path, libpq takes a socket of this machine.
    if host in ("", "localhost") or host.startswith(("/", "@")):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refused(error: Any, parameters: Mapping[str, Any]) -> UsageError | InputError:
    """Return the error of a connection that was not made; libpq tells no SQLSTATE of it."""
    place = f"{parameters.get('host') or 'this machine'}"
    attempt = error.pgconn
    if attempt is not None and attempt.needs_password:
        return UsageError(f"The database on {place} asks for a password, and there is none. {_PASSWORDS}")
    words = str(error)
    if (attempt is not None and attempt.used_password) or "authentication failed" in words:
        return UsageError(
            f"The server on {place} refuses this user or this password, or has no such database. See user and "
            f"database in the URL. {_PASSWORDS}"
        )
    if "pg_hba.conf" in words:
        return UsageError(
            f"The database on {place} lets nobody in as this user, from this machine, or so encrypted. See user, "
            "database and sslmode in the URL, or have a line added to pg_hba.conf."
        )
    if "SSL" in words or "certificate" in words:
        return UsageError(
            f"There is no encrypted connection to {place}: the server has none, or its certificate does not hold. "
            "Have encryption turned on, and see sslmode and sslrootcert; or connect by a tunnel to localhost."
        )
    return InputError(
        f"There is no connection to the database on {place}. See that it runs, host and port in the URL, that the "
        "database and the user exist, and that no firewall is between."
    )
