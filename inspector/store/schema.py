"""How a store's file is told apart from other databases, and which version of the tables it has."""

from __future__ import annotations

VERSION = 14
"""How many migrations this version of the program knows; a file keeps its own number as `user_version`."""
APPLICATION_ID = 0x496E7370
"""The four letters "Insp" in the file's header."""
