"""The public call `experiment`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolbox.config.limits import limits_of
from toolbox.config.model import Limits
from toolbox.errors import SettingError
from toolbox.experiments.given_tables import plan_of
from toolbox.experiments.report import ExperimentReport
from toolbox.experiments.study import run_study
from toolbox.flows.looked_at import require_whole
from toolbox.messages import asked_in_python
from toolbox.steps import Watcher


def experiment(
    plan: str | Path | Mapping[str, Any],
    *,
    output: str | Path | None = None,
    jobs: int = 1,
    limits: Limits | str | None = None,
    allow_code: bool = False,
    watcher: Watcher | None = None,
) -> ExperimentReport:
    """Run a study: every data set, with every method, under every requirement, each run proved and measured.

    Nothing is released. What cannot be done is a row of the results, which says why.

    Parameters
    ----------
    plan : path or mapping
        A TOML or an XML file, or the words of such a file as a mapping; docs/experiments.md has them all. In a mapping
        the ``table`` of a data set may also be in memory, as for `toolbox.anonymize`, and so may hierarchies.
    output : path, optional
        The folder of the results. What is there already is not computed again, if plan, data and programs are the
        same, so that a study that was killed goes on where it stopped. None: nothing is written.
    jobs : int, >= 1
        Processes that run at once. With more than one, a script must not run anything as it is imported: it begins
        with ``if __name__ == "__main__":``. The results are the same with any number.
    limits : Limits or str, optional
        What each process may take of the machine; all share the threads.
    allow_code : bool
        Whether a file may name classes and functions of its own as ``module:Class``. They are imported and run, so
        allow it only for plans that you trust. A mapping is yours, and may always name them.
    watcher : Watcher, optional
        An object of a class that extends `toolbox.steps.Watcher`; is told each cell as it is done.

    Returns
    -------
    ExperimentReport
        ``.to_frame()`` is the long table, ``.summary`` and ``.correlations`` what it comes to, ``.failed`` what could
        not be done.

    Raises
    ------
    ConfigurationError
        With all that is wrong with the plan.
    UsageError
        If there is no such plan.
    InputError
        If a file or a table of a data set cannot be read.
    OutputError
        If the results cannot be kept in the folder.

    Examples
    --------
    >>> import pandas as pd
    >>> import toolbox
    >>> people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "town": ["Graz", "Linz", "Graz"] + 3 * ["Wien"]})
    >>> data = {"table": people, "quasi_identifiers": ["age", "town"]}
    >>> report = toolbox.experiment({"methods": ["Mondrian"], "parameters": {"k": [2, 3]}, "data": [data]})
    >>> report
    <ExperimentReport: 2 cells, 20 values>
    >>> summary = report.summary.set_index("metric")
    >>> summary.loc["normalised certainty penalty", ["required", "value"]].round(2).to_numpy().tolist()
    [['k=2', 0.21], ['k=3', 0.21]]
    """
    with asked_in_python():
        processes = require_whole("jobs", jobs, 1)
        if not isinstance(output, (str, Path, type(None))):
            raise SettingError("output", output, "the path of a folder, or None")
        folder = None if output is None else Path(output)
        if not isinstance(watcher, (Watcher, type(None))):
            raise SettingError("watcher", type(watcher).__name__, "an object of a class that extends Watcher, or None")
        if not isinstance(allow_code, bool):
            raise SettingError("allow_code", allow_code, "True or False")
        known = limits_of(limits) or Limits()
        with plan_of(plan, known, allow_code=allow_code) as read:
            return run_study(read, folder, jobs=processes, limits=known, watcher=watcher)
