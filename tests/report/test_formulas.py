"""Notes on cells that a spreadsheet would run."""

from __future__ import annotations

from toolbox.report.columns import FormulaResult, list_formula_notes


def test_without_formulas_there_is_no_note() -> None:
    assert list_formula_notes([], are_escaped=False) == []


def test_cells_and_headers_are_counted() -> None:
    results = [
        FormulaResult("a", 1, header=False),
        FormulaResult("=b", 2, header=True),
        FormulaResult("+c", 0, header=True),
    ]
    (note,) = list_formula_notes(results, are_escaped=False)
    assert note == (
        "A spreadsheet may run texts that begin with =, +, -, @, tab or CR as formulas: 1 cell of a, "
        "2 cells and the header of =b, the header of +c. --escape-formulas writes an apostrophe before them."
    )


def test_of_many_columns_the_first_are_named() -> None:
    (note,) = list_formula_notes([FormulaResult(name, 1, header=False) for name in "abcdefg"], are_escaped=True)
    assert note == (
        "A spreadsheet would run these as formulas, so that an apostrophe stands before them: 1 cell of a, 1 cell of b, "
        "1 cell of c, 1 cell of d, 1 cell of e, 2 more columns."
    )
