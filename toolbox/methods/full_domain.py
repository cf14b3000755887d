"""What methods of full-domain generalisation share: a table at a lattice node, its violating classes suppressed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import case, literal, select

from toolbox.methods.violations import violating
from toolbox.privacy.classes import members_of
from toolbox.privacy.model import PrivacyModel
from toolbox.store.tables import Tables


def at_node(tables: Tables, levels: Sequence[int], models: Sequence[PrivacyModel]) -> Tables:
    """Generalise every record to the same levels; suppress the records in classes that violate a model.

    Parameters
    ----------
    levels : sequence of int
        One for each quasi-identifier, 0 for ungeneralised.
    models : sequence of PrivacyModel

    Returns
    -------
    Tables
        Suppressed records have the root in every quasi-identifier.
    """
    store, names = tables.store, tables.interval_names
    generalised = store.create("generalised", tables.at(levels))
    violations = violating(models, lambda attribute: members_of(tables, generalised, attribute))
    refused = store.create("violating", violations)
    suppressed = refused.c.equivalence_id.is_not(None)
    intervals = [
        case((suppressed, literal(column.root)), else_=generalised.c[name]).label(name)
        for column, name in zip(tables.quasi_identifiers, names, strict=True)
    ]
    assignment = select(
        generalised.c.combination_id, generalised.c.size, suppressed.label("suppressed"), *intervals
    ).select_from(generalised.outerjoin(refused, refused.c.equivalence_id == generalised.c.equivalence_id))
    recoded = tables.recoded(assignment, levels=levels)
    store.drop(generalised, refused)
    return recoded
