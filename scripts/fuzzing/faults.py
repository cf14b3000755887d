"""A file system that fails at any one call of a run: the old release stays whole, and nothing of ours is left."""

from __future__ import annotations

import builtins
import errno
import io
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from fuzzing.cases import Case
from fuzzing.draw import Draw
from fuzzing.runner import Runner, Verdict

_REASONS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EINTR, None)
"""What the system says; None: the user interrupts."""
_CALLS = (
    "open",
    "write",
    "os.open",
    "os.write",
    "unlink",
    "rename",
    "replace",
    "mkdir",
    "rmdir",
    "fsync",
    "link",
    "scandir",
)
_FORMS = {
    "plain": ("o.csv", "k='3'", "", ()),
    "packed": ("o.csv.gz", "k='3'", "", ()),
    "parquet": ("o.parquet", "k='3'", "", ()),
    "sheet": ("o.xlsx", "k='3'", "", ()),
    "split": ("o.csv", "k='3'", "splitSize='1KB'", ()),
    "anatomy": ("o.csv", "method='Anatomy' l='2'", "format='anatomy'", ()),
    "anatomy parquet": ("o.parquet", "method='Anatomy' l='2'", "format='anatomy'", ()),
    "beside": ("o.csv", "k='3'", "", ("--report", "out/report.json", "--html", "out/page.html", "--rejects", "out/no")),
}
_LINES = "a,b,c\n" + "".join(
    f"{'xy'[row % 2]},{row % 3},{['flu', 'cold', 'gout', 'mumps'][row % 4]}\n" for row in range(90)
)


class Failing:
    """Counts the calls of one kind, and makes the nth fail.

    Parameters
    ----------
    call : str
    number : int
        From 1.
    reason : int, optional
        An error of the system; None: an interrupt.
    """

    def __init__(self, call: str, number: int, reason: int | None) -> None:
        self.call, self.number, self.reason = call, number, reason
        self.count = 0

    @classmethod
    def drawn(cls, draw: Draw, counts: Mapping[str, int]) -> Failing:
        """Draw one of the calls that a run makes, of which there are so many of each kind."""
        call = draw.choice(sorted(counts))
        return cls(call, draw.whole(1, counts[call]), draw.choice(_REASONS))

    @property
    def happened(self) -> bool:
        return self.count >= self.number

    def __str__(self) -> str:
        reason = "an interrupt" if self.reason is None else os.strerror(self.reason)
        return f"call {self.number} of {self.call} fails: {reason}"

    def note(self, path: object) -> None:
        self.count += 1
        if self.count == self.number:
            # An interrupt reaches the main thread alone.
            if self.reason is None and threading.current_thread() is threading.main_thread():
                raise KeyboardInterrupt
            reason = self.reason or errno.EIO
            raise OSError(reason, os.strerror(reason), path if isinstance(path, (str, bytes)) else None)

    @contextmanager
    def injected(self) -> Iterator[None]:
        """Let the call fail while the block runs."""
        if self.call == "write":
            places = [(builtins, "open"), (io, "open")]
            earlier = builtins.open
            wrapped: Callable[..., Any] = self._open_for_writes(earlier)
        elif self.call == "open":
            places = [(builtins, "open"), (io, "open")]
            earlier = builtins.open
            wrapped = self._failing(earlier)
        else:
            name = self.call.removeprefix("os.")
            places, earlier = [(os, name)], getattr(os, name)
            wrapped = self._failing(earlier)
        for place, name in places:
            setattr(place, name, wrapped)
        try:
            yield
        finally:
            for place, name in places:
                setattr(place, name, earlier)

    def _failing(self, earlier: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.note(arguments[0] if arguments else None)
            return earlier(*arguments, **options)

        return call

    def _open_for_writes(self, earlier: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            file = earlier(*arguments, **options)
            mode = str(options.get("mode", arguments[1] if len(arguments) > 1 else "r"))
            if not set(mode) & set("wax+"):
                return file
            write = file.write

            def noted(data: Any) -> Any:
                self.note(None)
                return write(data)

            # What is made in C takes no attribute; then its writes are not watched.
            try:
                file.write = noted
            except AttributeError:
                return file
            return file

        return call


@contextmanager
def _counted() -> Iterator[dict[str, Failing]]:
    """Count the calls of each kind while the block runs; none of them fails."""
    counts = {call: Failing(call, 0, None) for call in _CALLS}
    with ExitStack() as stack:
        for failing in counts.values():
            stack.enter_context(failing.injected())
        yield counts


def _files_of(form: str) -> dict[str, bytes]:
    """Return the input and the configuration of a form of release."""
    target, root, output, _ = _FORMS[form]
    config = (
        f"<config {root}><input filename='in.csv' header='true'/><output filename='out/{target}' {output}/>"
        "<qid><att name='a' type='category'/><att name='b'/></qid><sens><att name='c' type='category'/></sens></config>"
    )
    return {"in.csv": _LINES.encode(), "config.xml": config.encode()}


def _words_of(form: str) -> tuple[str, ...]:
    """Return the command line."""
    return ("-config", "config.xml", "--quiet", *_FORMS[form][3])


class FailingRuns:
    """Runs releases during which one call fails.

    Parameters
    ----------
    runner : Runner
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._counts: dict[str, dict[str, int]] = {}
        self.struck = 0
        """In how many runs the call that was to fail was reached."""

    def run(self, seed: int) -> Verdict:
        """Release twice, the second time with a call that fails, and a third time without."""
        draw = Draw(seed)
        form = draw.choice(sorted(_FORMS))
        if form not in self._counts:
            self._counts[form] = self._count_calls(form)
        failing = Failing.drawn(draw, self._counts[form])
        case = Case(seed, _files_of(form), ("out",), _words_of(form), (form, str(failing)))
        verdict = Verdict(case)
        with self._runner.entered(case):
            if self._runner.call(case.arguments, verdict).status != 0:
                verdict.faults.append("the first run does not succeed")
            old = self._runner.listed()
            with failing.injected():
                answer = self._runner.call(case.arguments, verdict)
            new = self._runner.listed()
            self.struck += failing.happened
            if answer.status != 0:
                changed = sorted(name for name in old if new.get(name) != old[name])
                verdict.faults += [f"{name} was changed, with status {answer.status}" for name in changed]
            left = sorted(new.keys() - old.keys())
            # What cannot be removed is left for the next run.
            if failing.call not in ("unlink", "rmdir"):
                verdict.faults += [f"{name} was left behind, with status {answer.status}" for name in left]
            if self._runner.call(case.arguments, verdict).status != 0:
                verdict.faults.append("the next run does not succeed")
            verdict.faults += [f"{name} is still there" for name in sorted(self._runner.listed().keys() - old.keys())]
            verdict.said = [answer]
        return verdict

    def _count_calls(self, form: str) -> dict[str, int]:
        """Release twice without a fault, and count the calls of the second run, which replaces the release."""
        case = Case(0, _files_of(form), ("out",), _words_of(form), ())
        with self._runner.entered(case):
            self._runner.call(case.arguments, Verdict(case))
            with _counted() as counts:
                self._runner.call(case.arguments, Verdict(case))
            return {call: failing.count for call, failing in counts.items() if failing.count}
