"""The findings of a small release, made by hand: five records of 1,200 in two classes, and one that is suppressed."""

from __future__ import annotations

from dataclasses import replace

from helpers.small_reports import CHECK, K_2, LOSS, RISK
from helpers.small_summary import SUMMARY

from toolbox.report.html.findings import ColumnPicture, Counts, DeclaredColumn, FindingsBar, Original, PageFindings
from toolbox.risks.risk import CertainValues, ClassSize

AGE = ColumnPicture(
    name="age",
    is_number=True,
    released_values=3,
    most_frequent=(FindingsBar("20-29", 2), FindingsBar("30-39", 2), FindingsBar("*", 1)),
    not_told=1,
    original_values=4,
    exact=0,
    before=(FindingsBar("21", 2), FindingsBar("30", 1), FindingsBar("31", 2), FindingsBar("not told", 0)),
    after=(FindingsBar("21", 2.0), FindingsBar("30", 1.0), FindingsBar("31", 1.0), FindingsBar("not told", 1)),
)
PUBLIC_AGE = replace(AGE, original_values=None, exact=None, before=(), after=())
COLUMNS = (
    DeclaredColumn("name", "identifier, dropped", "", "", None),
    DeclaredColumn("age", "quasi-identifier, generalised", "number", "intervals:10", 1),
    DeclaredColumn("illness", "sensitive, released as it is", "", "", None),
)
INTERNAL = PageFindings(
    kind="internal",
    name="release.csv",
    date="2 January 2026",
    k=2,
    counts=Counts(records=5, suppressed=1, classes=2, smallest=2, average=2.0),
    models=(K_2,),
    columns=COLUMNS,
    version="1.2.3",
    measured=CHECK.measured,
    undeclared=("visits",),
    pictures=(AGE,),
    risk=RISK,
    certain=(CertainValues("illness", 2), CertainValues("income", 0)),
    losses=LOSS,
    original=Original(records=5, classes=4, at_risk=3, alone=3, sizes=(ClassSize(1, 3), ClassSize(2, 1))),
    checksums={"release.csv": "ab12"},
    notes=("Nobody declared visits.",),
    method="Datafly",
    summary=SUMMARY,
    order="shuffled",
    configuration="<config k='2'>\n</config>",
    command="toolbox -config c.xml",
    data=(("Input", "/home/ada/people.csv"),),
)
PUBLIC = replace(
    INTERNAL,
    kind="public",
    columns=COLUMNS[1:],
    pictures=(PUBLIC_AGE,),
    risk=replace(RISK, consistency=None),
    losses=None,
    original=None,
    notes=(),
    summary=None,
    configuration=None,
    command=None,
    data=(),
)
