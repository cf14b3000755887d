"""Flash: full-domain generalisation to the satisfying node of the lattice that costs least."""

from toolbox.methods.flash.method import Flash

__all__ = ["Flash"]
