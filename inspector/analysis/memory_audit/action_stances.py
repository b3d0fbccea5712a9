"""A rule about an action, and whether it demands, permits or forbids the action."""

from __future__ import annotations

from typing import Literal, NamedTuple

Stance = Literal["must", "may", "ban", "ask"]


class ActionRule(NamedTuple):
    """A rule that demands, permits or forbids an action, or wants the agent to ask before it."""

    stance: Stance
    verb: str
    """Stem of its verb; "" for a verb such as "use" or "add", which says little."""
    core: tuple[str, ...]
    """Stems of the action and its object, in order."""
    tail: frozenset[str]
    """Stems of what follows a preposition."""
    preposition: str = ""
    is_strict: bool = True
    """False if it forbids in general, and may have exceptions."""
    is_free: bool = False
    """True if it is done at once, or without asking."""
    is_kind: bool = False
    """True if it is about all files or code of a kind: "generated files"."""
    is_total: bool = False
    """True if it forbids something anywhere."""
    by_command: bool = False
    """True if a command does it: "Update the lock file with `npm install`"."""
    is_manual: bool = False
    """True if it is about what is done by hand."""
    near: frozenset[str] = frozenset()
    """Stems one of which the other rule must have, because this one names its object by a pronoun."""

    @property
    def words(self) -> frozenset[str]:
        """All its stems."""
        return frozenset(self.core) | self.tail

    @property
    def is_for_all(self) -> bool:
        """True if it holds for a thing everywhere but in one case: "Never use `x` outside tests"."""
        return self.preposition == "outside" and self.core != (self.verb,)
