"""Incognito: full-domain generalisation to the best satisfying node of the lattice."""

from toolbox.methods.incognito.method import Incognito

__all__ = ["Incognito"]
