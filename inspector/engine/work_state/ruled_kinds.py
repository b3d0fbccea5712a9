"""Kinds of actions that rules are about, and the English verbs for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from inspector.core.text import word_set
from inspector.engine.work_state.text_rules import TextRule

ActionKind = Literal[
    "edit",
    "create",
    "delete",
    "move",
    "commit",
    "push",
    "merge",
    "git",
    "deploy",
    "install",
    "run",
    "use",
    "send",
    "agent",
    "rename",
    "insert",
]
Ending = Literal["", "answer", "approval", "condition"]
CHANGES: frozenset[ActionKind] = frozenset(("edit", "create", "delete", "move"))
VERB_KINDS: Mapping[str, frozenset[ActionKind]] = {
    verb: frozenset(kinds)  # type: ignore[arg-type]
    for verbs, kinds in (
        ("touch change modify alter overwrite mess", ["edit", "delete", "move", "create"]),
        ("edit rewrite update fix write replace disable bump", ["edit", "create"]),
        ("delete remove drop truncate wipe erase purge destroy", ["delete"]),
        ("create add introduce generate", ["create", "install"]),
        ("open submit", ["create"]),
        ("close reopen resolve", ["edit"]),
        ("rename", ["move", "rename"]),
        ("move", ["move"]),
        ("commit", ["commit"]),
        ("amend stash reset squash cherry-pick tag", ["git"]),
        ("push force-push", ["push"]),
        ("merge rebase", ["merge"]),
        ("deploy release publish ship", ["deploy"]),
        ("install upgrade", ["install"]),
        ("run execute invoke start launch call", ["run"]),
        ("send post email notify", ["send"]),
        ("use", ["use"]),
    )
    for verb in verbs.split()
}
_DOUBLED = word_set("commit push drop ship run stop get put reset submit bump tag") - word_set("push bump")
_IRREGULAR = {"run": "run", "send": "sent", "write": "written", "overwrite": "overwritten", "rewrite": "rewritten"}


def _forms_of(verb: str) -> Iterator[str]:
    """Yield the forms of an English verb: "use", "uses", "using", "used"."""
    root = verb.removesuffix("e") + (verb[-1] if verb in _DOUBLED else "")
    yield from (verb, f"{verb}es" if verb.endswith(("sh", "ch", "ss")) else f"{verb}s")
    yield from (f"{root}ing", _IRREGULAR.get(verb, f"{root}ed"))


VERB_FORMS: Mapping[str, str] = {form: verb for verb in VERB_KINDS for form in _forms_of(verb)}


class Prohibition(NamedTuple):
    """Actions that a rule forbids."""

    kinds: frozenset[ActionKind]
    objects: frozenset[str]
    """Stems that the target must contain; empty for any target."""
    ending: Ending = ""
    """What ends the rule: an answer or an approval of the user, or a condition that cannot be checked."""
    folders: tuple[str, ...] = ()
    """The only places where changes are allowed."""
    most: int = 0
    """Maximum number of sub-agents, if the rule is about them."""
    adds: bool = False
    """True if it forbids to add packages, but not to install those that are already required."""
    paths: frozenset[str] = frozenset()
    """Paths and file names in the rule. One of them is enough for a change."""
    inserts: TextRule | None = None
    """Text that it forbids to write."""
    together: bool = False
    """True if only sub-agents that run at the same time count."""

    def is_part_of(self, other: Prohibition) -> bool:
        """Return True if another prohibition forbids as much, or names the object that this one only points to."""
        if self.kinds == {"use"} and "use" in other.kinds:
            return True
        is_vague = bool(other.objects) and not self.objects and not self.kinds.isdisjoint(other.kinds)
        return is_vague or (other.kinds >= self.kinds and other.objects >= self.objects)


def verb_kinds(word: str) -> frozenset[ActionKind]:
    """Return the kinds of actions that a form of a verb means; none for any other word."""
    return VERB_KINDS.get(VERB_FORMS.get(word.lower(), ""), frozenset())
