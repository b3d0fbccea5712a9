"""Presets: when and how to compress. Some are built in, others are created by the user.

User presets are in one TOML file with a table each. A program's `MEMORY_*` settings also form a preset, read from the
environment and from a `.aloop/config` file. Built-in names and "environment", "none" and "recorded" are reserved.
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
