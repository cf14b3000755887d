"""OLA: full-domain generalisation to the satisfying node of the lattice that costs least."""

from toolbox.methods.ola.method import OLA

__all__ = ["OLA"]
