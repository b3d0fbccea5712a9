"""Verbs of rules, tasks and plans, with the actions that they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.core.text import lazy_pattern, word_set

CHANGE = word_set("change create delete move rename")
"""Actions on files and data."""
_MEANINGS: Mapping[str, str] = {
    "touch change modify alter edit adjust tamper tweak patch overwrite": "change create delete move rename",
    "update rewrite refactor rework restructure replace fix convert port": "change create",
    "regenerate recreate rebuild": "change create delete",
    "write": "change create insert",
    "delete remove drop truncate wipe erase purge destroy clear prune discard clean": "delete",
    "create generate": "create",
    "add introduce": "create install insert",
    "move relocate": "move",
    "rename": "rename move",
    "commit": "commit",
    "stage": "stage commit",
    "push": "push",
    "force-push": "force",
    "merge": "merge",
    "rebase": "rebase",
    "deploy release publish ship": "deploy publish",
    "install upgrade pull-in": "install",
    "download": "network",
    "bump": "install change",
    "run execute invoke launch": "run",
    "call hit query contact reach ping": "call",
    "connect": "network",
    "start spawn": "start",
    "stop kill restart terminate reboot": "stop",
    "send email notify message": "send",
    "post": "send label",
    "open submit": "open create",
    "close reopen resolve": "close",
    "label relabel assign approve comment": "label",
    "disable skip weaken bypass mute silence suppress xfail circumvent": "disable",
    "use import": "use insert",
    "log print": "insert",
    "reformat format prettify": "format",
    "apply amend stash reset squash tag checkout revert cherry-pick enable seed migrate pull fetch": "",
}
"""Verbs, with the actions that they mean. A verb without one means the command of its name."""
MEANT: Mapping[str, frozenset[str]] = {
    verb: word_set(actions) or frozenset((verb,)) for verbs, actions in _MEANINGS.items() for verb in verbs.split()
}
ALONE = word_set(
    "commit push force-push merge rebase deploy release publish ship amend stash squash tag delete remove install send"
    " apply revert reformat"
)
"""Verbs that a rule forbids as a whole where it names no object: "Do not commit"."""
_DOUBLED = word_set("commit drop ship run stop get put submit bump tag hit skip reformat reset")
_IRREGULAR = {
    "run": "run",
    "send": "sent",
    "write": "written",
    "overwrite": "overwritten",
    "rewrite": "rewritten",
    "hit": "hit",
    "reset": "reset",
    "rebuild": "rebuilt",
}
_ENDS_IN_Y = lazy_pattern(r"[^aeiou]y$")


def _forms_of(verb: str) -> Iterator[str]:
    """Yield the forms of an English verb: "use", "uses", "using", "used"."""
    root = verb.removesuffix("e") + (verb[-1] if verb in _DOUBLED else "")
    third = f"{verb}es" if verb.endswith(("sh", "ch", "ss")) else f"{verb}s"
    past = f"{root}ed"
    if _ENDS_IN_Y.search(verb):
        third, past = f"{verb[:-1]}ies", f"{verb[:-1]}ied"
    yield from (verb, third, f"{root}ing", _IRREGULAR.get(verb, past))


_MISSPELT = {"commiting": "commit", "commited": "commit", "comitting": "commit", "comit": "commit"}
FORMS: Mapping[str, str] = {form: verb for verb in MEANT for form in _forms_of(verb)} | _MISSPELT
"""Verbs by their forms."""
FORM_WORDS = frozenset(word for form in FORMS for word in form.split("-"))
"""Words, one of which every form contains."""


def _by_endings() -> Iterator[str]:
    """Yield patterns of the forms of verbs with the same endings. They are compiled in a third of the time."""
    roots: dict[str, list[str]] = {}
    for verb in MEANT:
        forms = tuple(_forms_of(verb))
        root = next(verb[:end] for end in range(len(verb), 0, -1) if all(form.startswith(verb[:end]) for form in forms))
        roots.setdefault("|".join(dict.fromkeys(form[len(root) :] for form in forms)), []).append(root)
    yield from (f"(?:{'|'.join(same)})(?:{endings})" for endings, same in roots.items())


FORM = "|".join((*_MISSPELT, *_by_endings()))
"""Alternatives of a regular expression for any form, which a boundary of words has to follow."""
_PARTICIPLES = {form for verb in MEANT for form in [_IRREGULAR.get(verb, "")] if form}
PARTICIPLE = "|".join(
    sorted((form for form in FORMS if form.endswith("ed") or form in _PARTICIPLES), key=len, reverse=True)
)


def meant_by(word: str) -> frozenset[str]:
    """Return the actions that a form of a verb means; none for any other word."""
    return MEANT.get(FORMS.get(word.lower(), ""), frozenset())
