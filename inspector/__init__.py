"""Inspector: what is in an agent's context window, why, and what another way of compressing it would keep."""

__version__ = "0.1.0"
