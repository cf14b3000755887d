"""Small reports of every command, made by hand: what they say can be checked with a pencil."""

from __future__ import annotations

from dataclasses import replace

from helpers.small_summary import SUMMARY

from toolbox.detection.election import ColumnFigures, Detection, SubsetFigures
from toolbox.loss.metric import LeftOut, Measure
from toolbox.methods.singletons.comparing import VariantFigures
from toolbox.privacy.measures import MeasuredParameter
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.k_with_values import AlphaKAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.privacy.models.likeness import BasicBetaLikeness
from toolbox.privacy.results import ModelResult
from toolbox.report.explore.detect import DetectionReport
from toolbox.report.explore.singletons import SingletonsReport
from toolbox.report.judges.check import CheckReport
from toolbox.report.judges.measure import LossReport
from toolbox.report.judges.risk import RiskReport
from toolbox.report.runs.compare import INFORMATION_KEPT, ComparedMetric, ComparedRun, ComparisonReport, Variant
from toolbox.risks.risk import AttackerRisk, ClassSize, Consistency, Risk, Uniqueness

TIMINGS = {"read": 0.25, "total": 1.5}

K_2 = ModelResult(
    name="k-anonymity", attribute=None, parameters={"k": 2}, required=2, achieved=2, holds=True, model=KAnonymity
)
L_3 = ModelResult(
    name="distinct l-diversity",
    attribute="illness",
    parameters={"l": 3},
    required=3,
    achieved=2,
    holds=False,
    model=DistinctLDiversity,
)
MEASURED = (
    MeasuredParameter(name="k-anonymity", attribute=None, parameter="k", achieved=2, model=KAnonymity),
    MeasuredParameter(
        name="(alpha,k)-anonymity",
        attribute="illness",
        parameter="alpha",
        achieved=0.5,
        given={"k": 2},
        model=AlphaKAnonymity,
    ),
    MeasuredParameter(
        name="basic beta-likeness",
        attribute="illness",
        parameter="beta",
        achieved=float("inf"),
        model=BasicBetaLikeness,
    ),
)
CHECK = CheckReport(
    records=5,
    suppressed=1,
    classes=2,
    smallest_class=2,
    average_class=2.0,
    measured=MEASURED,
    judged=(K_2, L_3),
    harmonised=False,
    timings=TIMINGS,
    toolbox_version="1.2.3",
)

LOSS = LossReport(
    measures=(
        Measure("granularity", "age", 0.75, "share kept", "higher"),
        Measure("granularity", "town", 0.25, "share kept", "higher"),
        Measure("granularity", None, 0.5, "share kept", "higher"),
        Measure("discernibility", None, 67949026.0, "records squared", "lower"),
    ),
    left_out=(LeftOut("classification metric", "there is no class label"),),
    records=1200,
    timings=TIMINGS,
    toolbox_version="1.2.3",
)

# Two classes of two and a record that is suppressed; of five people four fit three released records, and one fits one.
RISK = Risk(
    records=5,
    suppressed=1,
    threshold=0.2,
    prosecutor=AttackerRisk(highest=0.5, average=0.5, lowest=0.5, records_at_risk=4, share_at_risk=1.0),
    journalist=None,
    marketer=0.5,
    uniqueness=Uniqueness(records=0, share=0.0, in_population=None),
    histogram=(ClassSize(2, 2),),
    consistency=Consistency(
        people=5,
        k=3,
        below_k=1,
        share_below_k=0.2,
        alone=1,
        unmatched=0,
        lowest=1,
        average_risk=0.4667,
        counts=((1, 1), (3, 4)),
    ),
)
RISK_REPORT = RiskReport(risk=RISK, timings=TIMINGS, toolbox_version="1.2.3")


def subset(*columns: str, singletons: int) -> SubsetFigures:
    """Return the figures of columns in five records; only the columns and the singletons differ."""
    return SubsetFigures(
        columns=columns,
        singletons=singletons,
        share=singletons / 5,
        distinct=4,
        distinct_ratio=0.8,
        separation_ratio=0.9,
        smallest_group=1,
        largest_group=2,
    )


def column(name: str, *, adds: float | None) -> ColumnFigures:
    """Return the figures of a column with two values; one that adds nothing is an identifier."""
    is_identifier = adds is None
    return ColumnFigures(
        name=name,
        values=5 if is_identifier else 2,
        missing=0,
        is_identifier=is_identifier,
        singletons=None if is_identifier else 0,
        adds=adds,
        without=None if is_identifier else 0,
    )


# Two were born in 1960, three in 1971; a woman and a man of 1960 and one man of 1971 stand alone.
BORN_AND_SEX = subset("born", "sex", singletons=3)
DETECTION = Detection(
    records=5,
    complete=5,
    most_columns=4,
    identifiers=(("card",),),
    best=(BORN_AND_SEX,),
    subsets=(BORN_AND_SEX, subset("born", singletons=0), subset("sex", singletons=0)),
    columns=(column("card", adds=None), column("born", adds=1.5), column("sex", adds=1.25)),
    subsets_counted=7,
)
DETECTION_REPORT = DetectionReport(detection=DETECTION, timings=TIMINGS, toolbox_version="1.2.3")


def variant(name: str, *, below_k: int, modified: int, covers: bool = True) -> VariantFigures:
    """Return the figures of a variant of four records."""
    return VariantFigures(
        name=name,
        columns=1,
        below_k=below_k,
        share=below_k / 4,
        modified=modified,
        distinct=2,
        distinct_ratio=0.5,
        separation_ratio=0.6,
        smallest_class=2,
        covers=covers,
    )


AS_IT_IS = variant("as it is", below_k=2, modified=0)
TOWN_LOCALLY = variant("town any (local)", below_k=0, modified=2)
SINGLETONS = SingletonsReport(
    k=2,
    records=5,
    incomplete=0,
    unchanged=AS_IT_IS,
    variants=(TOWN_LOCALLY, variant("town any", below_k=0, modified=4), AS_IT_IS),
    all_tried=True,
    timings=TIMINGS,
    toolbox_version="1.2.3",
)


def compared_run(
    method: str,
    required: str,
    *,
    kept: float | None,
    found: float | None = 0.25,
    at_risk: float = 0.5,
    why_not: str = "",
) -> ComparedRun:
    """Return a run of 1,200 records that keeps a share of the information; one without it cannot be done."""
    if why_not:
        models = (f"k-anonymity ({required})",)
        return ComparedRun(method=method, settings={}, models=models, required=required, variant=None, why_not=why_not)
    risk = AttackerRisk(highest=0.5, average=found or 0.0, lowest=0.1, records_at_risk=600, share_at_risk=at_risk)
    variant = Variant(
        summary=replace(
            SUMMARY, method=method, timings={"read": 9.0, method: 1.5, "prove": 0.25, "measure": 5.0, "total": 20.0}
        ),
        losses=LOSS,
        risk=None if found is None else risk,
        classes=None,
        arguments={"source": "people.csv"},
    )
    values = {"discernibility": 67949026.0} | ({} if kept is None else {"information kept": kept})
    models = (f"k-anonymity ({required})",)
    return ComparedRun(method=method, settings={}, models=models, required=required, variant=variant, values=values)


COMPARISON = ComparisonReport(
    runs=(
        compared_run("Mondrian", "k=3", kept=0.75),
        compared_run("Datafly [local]", "k=5", kept=0.5, found=None),
        compared_run("Datafly [local]", "k=3", kept=None),
        compared_run("Incognito_k", "k=3", kept=None, why_not="It needs a hierarchy for 'age'."),
    ),
    metrics=(INFORMATION_KEPT, ComparedMetric("discernibility", "records squared", "lower")),
    threshold=0.2,
    records=1200,
    timings=TIMINGS,
    toolbox_version="1.2.3",
)
