"""The flow of `anonymize` where the records stay in an engine: count, search, write, count again, publish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from toolbox.config.model import Config
from toolbox.engines.engine import Engine, Staged
from toolbox.errors import UsageError
from toolbox.flows.beside import configuration_file, place_beside, report_file
from toolbox.flows.declared import require_declared
from toolbox.flows.engine_counts import Answer, EngineQuestion, asked
from toolbox.flows.marks import require_known_marks
from toolbox.flows.models import configured_method, judged_attributes, judges_of
from toolbox.flows.outcome import Outcome
from toolbox.flows.population import require_no_population
from toolbox.flows.without_records import Made, made_of
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.report.columns import listed
from toolbox.risks.passing.columns import passed_columns
from toolbox.steps import Steps, Watcher
from toolbox.store.counted import CountedLoader, CountedSource
from toolbox.store.layout import find_columns
from toolbox.store.room import file_errors
from toolbox.store.store import Store

_NO_ORDER = "The records have no order: an engine keeps none."
_UNSEEN = (
    "The values of the columns that are released unchanged stay in the engine, so nobody has looked at them. "
    "Check that none of them names people."
)


def run_on_engine(
    config: Config,
    engine: Engine,
    *,
    method: type[Anonymizer] | None = None,
    models: Sequence[PrivacyModel] = (),
    watcher: Watcher | None = None,
    placed: Callable[[], None] = lambda: None,
) -> Outcome:
    """Make a release of records that never leave an engine.

    Parameters
    ----------
    config : Config
    engine : Engine
        Not yet entered.
    method, models, watcher, placed
        As in `toolbox.flows.anonymize.run`.

    Raises
    ------
    ToolboxError
        Whatever is wrong; then nothing is published and an older release is untouched.
    """
    steps = Steps(watcher)
    judges = judges_of(config, models)
    chosen = configured_method(config, judges, method)
    require_no_population(judges, "the records stay in an engine")
    judged = judged_attributes(judges)
    with Store(config.limits.temp_dir, config.limits) as store, file_errors(store.folder), engine:
        schema = engine.schema()
        source = CountedSource(engine.name, schema)
        layout = find_columns(config, source)
        _require_clear_names(layout.names, engine.name)
        require_declared(config, layout)
        require_known_marks(config, layout, schema, engine.name)
        config = _with_notes(config, keeps_order=engine.keeps_order, passes=bool(layout.passed_through))
        question = EngineQuestion(config, layout, judged)
        with steps.step("count"):
            given = asked(store, question.input_count, engine.count)
        made = made_of(
            CountedLoader(config, source, store, question.loaded(given), judged, steps), chosen, config, steps
        )
        _require_clear_names([column.header for column in question.released(made)], "The release")
        with steps.step("write"):
            staged = engine.write(question.recoding(store, made, given))
        with steps.step("recount"):
            _prove_written(engine, store, staged, question, made, given)
        passed = passed_columns(made.loaded.tables, layout)
        summary = made.summary(config, chosen, steps, passed=passed, release=(str(config.output.remote),))
        beside = report_file(config, summary, store) | configuration_file(config, store)
        with steps.unlisted("finish"):
            engine.publish(staged)
            placed()
        place_beside(beside, config, store)
    return Outcome(summary, [], (), has_header=True)


def _with_notes(config: Config, *, keeps_order: bool, passes: bool) -> Config:
    """Add what is otherwise in the release of an engine."""
    notes = [*([] if keeps_order else [_NO_ORDER]), *([_UNSEEN] if passes else [])]
    return replace(config, warnings=(*config.warnings, *notes))


def _require_clear_names(names: Sequence[str], whose: str) -> None:
    """Stop where two columns have one name: engines find columns by their names."""
    several = sorted({name for name in names if names.count(name) > 1})
    if several:
        raise UsageError(f"{whose} has several columns called {listed(several)}. Give each a name of its own.")


def _prove_written(
    engine: Engine, store: Store, staged: Staged, question: EngineQuestion, made: Made, given: Answer
) -> None:
    """Count what was written, and prove it; the mapping has no part in it."""
    found = asked(store, question.release_count(made), lambda request: engine.recount(staged, request))
    question.recount(store, made, given, found).prove(made.models)
