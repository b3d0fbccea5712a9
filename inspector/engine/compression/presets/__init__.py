"""Presets: when to compress, how, and how much. Some come with the project, the others are the person's own.

The person's own lie in one TOML file, a table for each. A program's `MEMORY_*` settings are a preset too, read from
the environment and from a `.aloop/config` file. The names of the built-in ones, "environment", "none" and "recorded"
always mean the same: nobody's own preset may carry one of them.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
