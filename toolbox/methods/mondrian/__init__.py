"""Mondrian: cuts at medians, until no cut is allowable."""

from toolbox.methods.mondrian.method import Mondrian

__all__ = ["Mondrian"]
