"""Builders of hierarchies, each of which makes one from the values of a column by a rule."""
