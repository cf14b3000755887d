"""The limits of memory and threads in a Python call."""

from __future__ import annotations

from dataclasses import replace

from toolbox.config.given import BadValueError
from toolbox.config.model import Limits
from toolbox.config.values import memory
from toolbox.errors import SettingError, UsageError


def limits_of(declared: Limits | str | None) -> Limits | None:
    """Read the limits of a call, where an amount of memory stands for the limit of memory.

    Raises
    ------
    UsageError
        If they are none.

    Examples
    --------
    >>> limits_of("2GB").memory
    '2GB'
    """
    limits = Limits(memory=declared) if isinstance(declared, str) else declared
    if limits is None:
        return None
    if not isinstance(limits, Limits):
        raise SettingError("limits", limits, "an amount of memory such as '2GB', or Limits(memory='2GB', threads=2)")
    if limits.threads is not None and (not isinstance(limits.threads, int) or limits.threads < 1):
        raise SettingError("limits.threads", limits.threads, "a whole number of at least 1")
    if limits.memory is None:
        return limits
    try:
        return replace(limits, memory=memory(str(limits.memory)))
    except BadValueError as error:
        raise UsageError(f"limits is {limits.memory!r}, which {error.args[0]}. {error.args[1]}") from None
