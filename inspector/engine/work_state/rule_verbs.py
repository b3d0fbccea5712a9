"""Verbs of rules, tasks and plans, with the actions that they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

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
    "install upgrade": "install",
    "bump": "install change",
    "run execute invoke launch": "run",
    "call hit query contact ping": "call",
    "start spawn": "start",
    "stop kill restart terminate reboot": "stop",
    "send post email notify message": "send",
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


FORMS: Mapping[str, str] = {form: verb for verb in MEANT for form in _forms_of(verb)}
"""Verbs by their forms."""
FORM = "|".join(sorted(FORMS, key=len, reverse=True))
"""Alternatives of a regular expression for any form."""
_PARTICIPLES = {form for verb in MEANT for form in [_IRREGULAR.get(verb, "")] if form}
PARTICIPLE = "|".join(
    sorted((form for form in FORMS if form.endswith("ed") or form in _PARTICIPLES), key=len, reverse=True)
)
_PHRASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_pattern(rf"(?i)\b(?:{pattern})"), verb)
    for pattern, verb in (
        (r"(?:take|taking|bring|bringing|shut|shutting|tear|tearing) down\b", "stop"),
        (r"(?:turn|turning|switch|switching) off\b|comment(?:ing)? out\b", "disable"),
        (
            r"fall(?:ing)? back (?:to|on)\b|reach(?:ing)? for\b|resort(?:ing)? to\b|rely(?:ing)? on\b"
            r"|bring in\b",
            "use",
        ),
        (r"(?:get|getting) rid of\b|throw(?:ing)? away\b|blow(?:ing)? away\b", "delete"),
        (r"roll(?:ing)? out\b|go(?:ing)? live\b", "deploy"),
        (r"(?:make|making|do|doing) (?:any )?(?:changes?|edits?|modifications?) (?:to|in)\b", "change"),
        (r"(?:mess|fiddle|tamper|fool|muck)(?:ing)? (?:around )?with\b|(?:put|lay) (?:your )?hands on\b", "change"),
        (r"check(?:ing)? in(?:to git)?(?=[.,;!]| any| the| my| your|$)", "commit"),
        (r"(?:make|making|create|creating|do|doing) (?:any |a |more )*commits?\b", "commit"),
        (r"bounc(?:e|ing)\b", "restart"),
        (r"hand-(?:edit|chang|modif|writ|patch)(?:e|y|ing)?\b|hand-edit(?:ed)?\b", "edit"),
        (r"(?:talk|talking|go|going) to (?=the (?:live|real|prod))", "call "),
        (r"avoid (?!\w{2,20}ing\b)(?:using )?(?=\w)", "never use "),
        (r"without (?=(?:sudo|docker|root|npm|pip|regex|jquery|mocks?)\b)", "never use "),
        (r"force[- ]push(?:es)?\b", "force-push"),
        (r"cherry[- ]pick(?:ing)?\b", "cherry-pick"),
        (r"spin(?:ning)? up\b|fir(?:e|ing) up\b|boot(?:ing)? up\b", "start"),
    )
)
_SAID = lazy_pattern(r"\w+")
_PHRASE_WORDS = word_set(
    "take taking bring bringing shut shutting tear tearing turn turning switch switching comment commenting fall"
    " falling"
    " reach reaching resort resorting rely relying get getting throw throwing blow blowing roll rolling go going"
    " make making"
    " do doing mess messing fiddle fiddling tamper tampering fool fooling muck mucking put lay check checking create"
    " creating"
    " bounce bouncing hand talk talking avoid without force cherry spin spinning fire firing boot booting"
)
"""Words in lower case, one of which every phrase begins with."""
_BRINGS_IN = lazy_pattern(r"(?i)\bbring(?:ing)? ((?:\S{1,30} ){1,3}?)(?:back )?in(?=[.,;!]|$)")
_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_pattern(rf"(?i)(?<![\w/.`-])(?:{pattern})(?![\w/`])"), word)
    for pattern, word in (
        (r"b4", "before"),
        (r"w/o", "without"),
        (r"p(?:ls|lz|lease)e?", "please"),
        (r"dont|do nt", "don't"),
        (r"cant", "can't"),
        (r"mustnt", "mustn't"),
        (r"shouldnt", "shouldn't"),
    )
)
"""Spellings of chats, with the words for them."""
_INFORMAL = lazy_pattern(r"(?i)b4|w/o|pl[sz]|(?:do|ca|must|should) ?nt\b")
_QUOTES = lazy_pattern(r"[’‘]")
_MARKS = lazy_pattern(r"\*{1,3}|(?<!\w)_{1,2}(?=\w)(?=[^_]{1,60}_{1,2}(?!\w))")


@lru_cache(maxsize=4_096)
def plain_sentence(sentence: str) -> str:
    """Return a sentence in which verbs of several words are one, and marks of emphasis are left out."""
    text = _QUOTES.sub("'", sentence)
    text = _MARKS.sub("", text) if "*" in text or "_" in text else text
    for pattern, word in _SPELLINGS if _INFORMAL.search(text) else ():
        text = pattern.sub(word, text)
    if _PHRASE_WORDS.isdisjoint(said_in(text)):
        return text
    text = _BRINGS_IN.sub(r"use \1", text)
    for pattern, verb in _PHRASES:
        text = pattern.sub(verb, text)
    return text


@lru_cache(maxsize=4_096)
def said_in(text: str) -> frozenset[str]:
    """Return the words of a text in lower case. Looking for a word among them is much cheaper than a pattern."""
    return frozenset(_SAID.findall(text.lower()))


def meant_by(word: str) -> frozenset[str]:
    """Return the actions that a form of a verb means; none for any other word."""
    return MEANT.get(FORMS.get(word.lower(), ""), frozenset())
