"""Identification and version of a store's file."""

from __future__ import annotations

VERSION = 21
"""How many migrations this version of the program knows; a file keeps its own number as `user_version`."""
APPLICATION_ID = 0x496E7370
"""The four letters "Insp" in the file's header."""
