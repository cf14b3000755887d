"""A summary made by hand, as of a run of Datafly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from toolbox.privacy.proof.proof import ModelResult, Proof
from toolbox.report.columns import QuasiIdentifierResult
from toolbox.report.runs.summary import Summary

PROOF = Proof(
    records=1200,
    records_suppressed=3,
    classes=150,
    smallest_class=5,
    average_class=7.98,
    models=(ModelResult(name="k-anonymity", attribute=None, parameters={"k": 5}, required=5, achieved=5, holds=True),),
)
AGE = QuasiIdentifierResult(
    name="age", level=2, height=3, generalised_values=4, original_values=74, range="[0:25) .. [75:100)"
)
SUMMARY = Summary(
    method="Datafly",
    settings={"suppression_threshold": "10"},
    records_read=1210,
    records_skipped=10,
    lines_rejected=0,
    lines_blank=0,
    first_rejected=(),
    proof=PROOF,
    k=5,
    suppressed="drop",
    quasi_identifiers=(AGE, replace(AGE, name="sex [m/f]", level=0, height=1, generalised_values=2, original_values=2)),
    timings={"read": 0.25, "total": 1.5},
    versions={"toolbox": "1.2.3", "python": "3.12"},
    sha256={"input": "aa", "configuration": None, "release": {"out/release.csv": "bb"}},
    release=(Path("out/release.csv"),),
)
