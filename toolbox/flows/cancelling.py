"""Cancelling a run: at the next words of its method, or in the middle of a statement."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeAlias, runtime_checkable

from toolbox.errors import CancelledError, SettingError
from toolbox.store.store import Store

_EVERY = 0.05
"""Seconds between two looks whether the run is cancelled."""


@runtime_checkable
class Switch(Protocol):
    """What a `threading.Event` is, as far as it matters here."""

    def is_set(self) -> bool:
        """Return whether the run is cancelled."""


Cancel: TypeAlias = "Switch | Callable[[], bool]"
"""What says whether a run is cancelled; it is asked from another thread, too."""


class Cancelling:
    """Ends a run that is cancelled.

    Parameters
    ----------
    cancel : threading.Event or callable, optional
        None: nobody cancels it.

    Raises
    ------
    SettingError
        If it is neither.
    """

    def __init__(self, cancel: Cancel | None) -> None:
        if cancel is not None and not isinstance(cancel, Switch) and not callable(cancel):
            raise SettingError("cancel", cancel, "a threading.Event, or a function that returns True to cancel")
        self._asked = cancel.is_set if isinstance(cancel, Switch) else cancel
        self._cancelled = False
        self._fault: BaseException | None = None

    def require_going_on(self) -> None:
        """Stop if the run is cancelled.

        Raises
        ------
        CancelledError
        """
        if self._is_cancelled():
            raise CancelledError("The run was cancelled. Nothing of it is left.") from self._fault

    @contextmanager
    def watching(self, store: Store) -> Iterator[None]:
        """Interrupt the statements of the block as soon as the run is cancelled.

        Raises
        ------
        CancelledError
            Instead of whatever the interrupt has led to.
        """
        if self._asked is None:
            yield
            return
        self.require_going_on()
        is_over = threading.Event()
        thread = threading.Thread(target=self._watch, args=(store, is_over), daemon=True)
        thread.start()
        try:
            yield
        except Exception:
            if self._cancelled:
                self.require_going_on()
            raise
        finally:
            # Before anything is dropped: an interrupt must not meet the statements that clean up.
            is_over.set()
            thread.join()

    def _watch(self, store: Store, is_over: threading.Event) -> None:
        while not is_over.wait(_EVERY):
            if self._is_cancelled():
                store.interrupt()

    def _is_cancelled(self) -> bool:
        if self._asked is not None and not self._cancelled:
            try:
                self._cancelled = bool(self._asked())
            except Exception as error:
                self._fault, self._cancelled = error, True
        return self._cancelled
