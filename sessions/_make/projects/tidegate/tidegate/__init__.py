"""Opening times of a tide gate, from the readings of its gauge."""

__version__ = "0.4.2"
