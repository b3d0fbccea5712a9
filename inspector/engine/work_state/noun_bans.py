"""Prohibitions in nouns: "no new dependencies", "Redis is off the table", "only in src/", "at most two agents"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.core.text import cued_pattern, lazy_pattern, word_set
from inspector.engine.work_state.allowing_words import places_allowed
from inspector.engine.work_state.ban_patterns import (
    CUT,
    HYPOTHETIC,
    INSTEAD,
    INSTEAD_OF,
    NO_NAME,
    NO_OPTION,
    NOTHING,
    ONLY,
    UNKNOWN,
)
from inspector.engine.work_state.ban_terms import Ban, ban_of, ending_of, is_report
from inspector.engine.work_state.ban_words import CREATED, DONE_NOUNS, NO_DEED
from inspector.engine.work_state.rule_verbs import CHANGE, FORMS, MEANT
from inspector.engine.work_state.ruled_things import PATH, RuledThing, is_concrete, things_in
from inspector.engine.work_state.standing_choices import environments_excluded, programs_excluded
from inspector.engine.work_state.text_rules import text_rule_of

_CONDITION = lazy_pattern(r" (?:if|when|after|once|because|since|so|as|unless)\b")
_PATH_LIKE = lazy_pattern(r"[/.]\w|\w/")
_OURS = lazy_pattern(r"(?i)(?:we|i) ")
_DESCRIBES = lazy_pattern(
    r"(?i)(?:well,? |so |and |but )*(?:it|this|that|they|there|(?:the |our |my )?[\w-]{2,30}) (?:points?|relies|uses"
    r"|returns|is|are|was|were|has|does|gets|goes|runs|works|calls|takes|comes|lives|stores|reads)\b"
)
"""Start of a report: "Pi relies on CLI tools rather than MCP"."""
_LISTED = lazy_pattern(r"(?i)(?: or | and | nor |/| ?, ?)(?:no )?")
_ORDERS = lazy_pattern(
    r"(?i)^(?:do not|don't|dont|never)\b.{0,40}? [a-z-]{3,14}(?<!ed|ly)(?<!ing) (?:the|our|my|this|these|any|all) \w"
)
"""An order about a thing, whose verb can be the name of a command: "Don't flash the board"."""
_TERMS = lazy_pattern(r"[\w@./-]{1,80}")
_TERM = lazy_pattern(r"[A-Z@./]|\w-\w")
_OTHERS = lazy_pattern(r"(?i)(?:any |all )?others?\b")
_KINDS = word_set("docs documentation readme changelog tests stylesheets css translations")
"""Kinds of files that paths show."""
_JUST = lazy_pattern(r"(?i)\W*(?:(?:and|but|so|please|to|you (?:may|can|should)) )*just\b")
"""Start of a request that says how little it asks for, until the next one: "Just update the changelog"."""
_GENERAL = lazy_pattern(
    r"(?i)\b(?:(?:only|nothing)(?! \w+ (?:the|this|that|a|an)\b)|work(?:ing)?|no other|stay|keep|touch|edit|change"
    r"|modify|else|always"
    r"|from now)\b"
)
"""Words of a limit that holds longer than the request that it is in."""
_NEVER = cued_pattern(
    r"(?i)(?:^|[,;:(] ?|\b(?:and|but|und|y|et) )(?:never|not|no|nie(?:mals)?|jamais|nunca|nicht|keine?n?|pas)"
    r" (?:(?:use|plain|raw|bare|direct|directly|any|with|via|mit|con|avec|de) )*`?([a-z][\w.-]{1,20})`?"
    r"(?=[.,;!)]|$| (?:please|pls|here|directly|bitte|anywhere)\b)",
    "never not no nie niemals jamais nunca nicht kein keinn keine keinen pas",
)
"""A noun that is excluded at the end of a clause: "we use uv here, never plain pip"."""
_DENIES = lazy_pattern(r"(?i)\W*(?:(?:and|but) )?(?:not|no)\b")
_CHOOSES = lazy_pattern(
    r"(?i)(?:^|[,;:.(] ?|\b(?:please|pls|we|always|just|and|but|to|should|must) )(?:use|run|prefer|write|stick|go with"
    r"|stay|keep|take|pick|install|(?:are|[’']re) (?:on|using))\b"
)
"""Words that choose something. Without them, "not" before a noun is a report: "it points at tool, not usr"."""
_NOTHING_ELSE = lazy_pattern(r"(?i)\b(?:nothing else|only|no others?)\b")
_STATES = lazy_pattern(r"(?i)\b(?:is|are|was|were|has|have|had|\w{2,20}s) $")
"""Words before "no" in a report: "The table has no migrations"."""
_NUMBERS = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}
_AGENTS = cued_pattern(
    r"(?i)\b(?<!from )(?<!to )(?<!by )(?:one|a single|1|same|(?:at most|max(?:imum)?|no more than|up to) (two|2|three"
    r"|3|four|4))\b[^.,;\n]{0,25}\b(?:sub-?agent|agent)s?\b|\b(?:sub-?agent|agent)s?\b[^.;\n]{0,20}\b(?:one|single"
    r"|reuse)\b",
    "agent agents subagent subagents",
)
_TOGETHER = lazy_pattern(r"(?i)\b(?:at a time|at once|at the same time|parallel|concurrent\w*|simultaneous\w*)\b")
_EACH = lazy_pattern(r"(?i)\bone of\b|\bper\b|\beach\b")
_LIMITS = lazy_pattern(
    r"(?i)(?:^|[,;:.] |\b(?:please|and) )(?:(?:just )?(?:one|a single) (?:sub-?)?agents?(?: only| at|[.,;!]|$)"
    r"|(?:use(?! when\b)|start|spawn|run|launch|keep|only|at most|no more|max|never)\b)"
)


_PROGRAMS = word_set(
    "sudo docker podman npm npx yarn pnpm bun pip conda poetry brew make ssh kubectl helm terraform curl wget"
    " jquery sed"
)
_NO_PROGRAM = NO_DEED | word_set("now yet today here ever more less all that this it them")
_OF_PROGRAM = frozenset(("use", "insert", "create"))
_ON_PLACE = CHANGE | frozenset(["deploy", "publish", "apply", "install", "migrate", "stop", "start", "seed"])
"""Actions on an environment."""
_NO_THIRD_PARTY = cued_pattern(
    r"(?i)\b(?:keep (?:\w+ )?to|stick (?:to|with)|stay with|only|just|nothing but|pure|use) (?:the )?(?:\w+ )?"
    r"(?:standard library|std ?lib)\b(?! (?:json|logging|re)\b)|\b(?:standard library|std ?lib)[- ]only\b"
    r"|\b(?:no|without|zero) (?:third|3rd)[- ]party\b",
    "library stdlib lib party",
)
_OFFLINE = cued_pattern(
    r"(?i)\b(?:work|stay|be|remain|strictly|everything) (?:fully |completely |strictly )?offline\b|\b(?:no"
    r"|without(?: any)?|don't use the|never use the|stay off the) (?:network|internet)(?: (?:access|calls?"
    r"|requests?))?(?=[.,;:!)]|$| (?:please|here|at all|for)\b)",
    "offline network internet",
)
_NOT_THERE = cued_pattern(
    r"(?i)^(?:(?:and|but|just|please|only),? ){0,2}not (?:on|in|at|to|from|via|through|against|with|over) "
    r"(?:(?:the|our|my|port) ){0,2}:?`?([\w./:-]{2,60})`?(?=[.,;!]|$)",
    "not",
)
"""A place or port that a fragment excludes: "Not on 3000"."""
_RUN_AS = {"migration": "run migrate apply", "migrations": "run migrate apply"}
"""Actions besides creation that a noun names."""


def limits_in(text: str) -> Iterator[Ban]:
    """Yield the limits of a rule on sub-agents, and the text that a rule forbids to write."""
    if (agents := _AGENTS.search(text)) and _LIMITS.search(text) and not _EACH.search(text):
        most = _NUMBERS.get((agents[1] or "").lower(), 1)
        yield Ban(frozenset(("agent",)), most=most, together=_TOGETHER.search(text) is not None)
    if written := text_rule_of(text):
        yield Ban(frozenset(("insert",)), (), ending_of(text, 0), text=written, verbs=frozenset(("use",)))


def only_there(text: str) -> Iterator[Ban]:
    """Yield the bans of everything but what a rule allows. Only paths and names of files can be checked."""
    if places := places_allowed(text):
        yield _only_in(places, text)
        return
    for pattern in ONLY:
        if match := pattern.search(text):
            phrase = _CONDITION.split(match["what"])[0]
            things, is_kind = _limits_of(phrase)
            verb = FORMS.get(match["verb"].lower(), "") if match["verb"] else "change"
            actions = MEANT.get(verb, frozenset())
            if things and actions & (CHANGE | {"run", "use"}):
                if _JUST.match(match[0]) and not _NOTHING_ELSE.search(text):
                    return
                yield Ban(
                    frozenset(("test",)) if "run" in actions else CHANGE,
                    things,
                    "answer" if is_kind else ending_of(text, match.end()),
                    True,
                    verbs=frozenset((verb,)),
                )
            return


def _limits_of(phrase: str) -> tuple[tuple[RuledThing, ...], bool]:
    """Return the things of a phrase if commands and paths show them, and whether they are kinds of files."""
    things = things_in(phrase)
    is_kind = bool(things) and all(thing.name in _KINDS for thing in things)
    return things if is_kind or any(map(_is_checkable, things)) else (), is_kind


def _only_in(places: Sequence[str], text: str) -> Ban:
    """Return the ban of changes outside of some places."""
    is_request = not _GENERAL.search(text) and any(word in FORMS for word in text.lower().split())
    ending = "answer" if is_request else ending_of(text, 0)
    return Ban(CHANGE, things_in(", ".join(places)), ending, True, verbs=frozenset(("change",)))


def _is_checkable(thing: RuledThing) -> bool:
    return (
        _PATH_LIKE.search(thing.phrase) is not None
        or _PATH_LIKE.search(thing.name) is not None
        or any("/" in word or "." in word for word in thing.words)
    )


def in_nouns(text: str) -> Iterator[Ban]:
    """Yield the bans of programs and libraries for which there is another one, and of what "no …" names."""
    yield from _excluded(text)
    yield from _replaced(text)
    for match in NO_NAME.finditer(text):
        if not (HYPOTHETIC.match(text, match.start()) or _STATES.search(text[: match.start()])):
            for item in _LISTED.split(match[1]):
                yield from _banned_noun(item, text)


def _replaced(text: str) -> Iterator[Ban]:
    """Yield the bans of programs and libraries that others replace: "use pnpm, not npm", "instead of npm use pnpm"."""
    for match in INSTEAD.finditer(text):
        if _OURS.match(text) or not (is_report(text, match.start(2)) or _DESCRIBES.match(text)):
            yield Ban(frozenset(("use", "insert")), things_in(match[2]), ending_of(text, 0), verbs=frozenset(("use",)))
    if first := INSTEAD_OF.search(text):
        words = first[1].split()
        if FORMS.get(words[0].lower()) and words[0].lower().endswith("ing"):
            yield from ban_of(words[:1], " ".join(words[1:]), ending_of(text, first.end()))
        elif len(words) <= 2 and not words[0].endswith("ing"):
            yield Ban(_OF_PROGRAM, things_in(first[1]), ending_of(text, first.end()), verbs=frozenset(("use",)))


def _excluded(text: str) -> Iterator[Ban]:
    """Yield the bans of programs that another one excludes, of all changes, and of what is off the table."""
    chooses = _CHOOSES.search(text) is not None
    never = {match[1].lower() for match in _NEVER.finditer(text) if chooses or not _DENIES.match(match[0])}
    others = programs_excluded(text)
    for program in sorted(others.union(word for word in never if word not in FORMS and word not in _NO_PROGRAM)):
        uses = frozenset(("use", "insert") if program in others else ("use",))
        yield Ban(uses, things_in(program), ending_of(text, 0), verbs=frozenset(("use",)))
    yield from _by_choice(text)
    if nothing := NOTHING.search(text):
        paths = PATH.findall(text[: nothing.start()])
        things = things_in(paths[0]) if len(paths) == 1 else ()
        yield Ban(CHANGE if things else CHANGE | {"commit", "install"}, things, ending_of(text, nothing.end()))
    yield from _ruled_out(text)


def _ruled_out(text: str) -> Iterator[Ban]:
    """Yield the ban of what is off the table. "Other regions" says nothing without the one that is allowed."""
    if (match := NO_OPTION.search(text)) and not (is_report(text, match.start()) or _OTHERS.match(match[1])):
        yield from _banned_noun(match[1], text, True)


def _by_choice(text: str) -> Iterator[Ban]:
    """Yield the bans of packages, of the network and of environments that a stated choice excludes."""
    if _NO_THIRD_PARTY.search(text):
        yield Ban(frozenset(("install",)), (), ending_of(text, 0), verbs=frozenset(("install",)))
    if _OFFLINE.search(text):
        yield Ban(frozenset(("network",)), (), ending_of(text, 0), verbs=frozenset(("download",)))
    for place in environments_excluded(text):
        yield Ban(_ON_PLACE, things_in(place), ending_of(text, 0), verbs=frozenset(("change",)))
    if (match := _NOT_THERE.search(text)) and (match[1].isdigit() or any(map(_is_checkable, things_in(match[1])))):
        for actions in (CHANGE, frozenset(("run",))):
            yield Ban(actions, things_in(match[1]), ending_of(text, 0), verbs=frozenset(("use",)))


def _banned_noun(item: str, text: str, is_certain: bool = False) -> Iterator[Ban]:
    """Yield the ban of what a noun names: an action, something to create, or a program or library.

    Args:
        item: The noun.
        text: The sentence.
        is_certain: True if the noun names something that a rule forbids, whatever it is.
    """
    words = _TERMS.findall(item)
    if not words:
        return
    last = words[-1].lower()
    if FORMS.get(words[0].lower()) and words[0].lower().endswith("ing"):
        yield from ban_of([words[0]], " ".join(words[1:]), ending_of(text, 0))
    elif verb := "merge" if "merge" in item.lower().split() else _verb_of(last):
        force = "force" in item.lower()
        yield Ban(frozenset(("force",)) if force else MEANT[verb], (), ending_of(text, 0), verbs=frozenset((verb,)))
    elif last in CREATED:
        actions = frozenset(("create", *_RUN_AS.get(last, "").split()))
        yield Ban(actions, things_in(item), ending_of(text, 0), verbs=frozenset(("create",)))
    elif is_certain:
        yield from _of_any_kind(item, text)
    elif _is_program(words, item):
        yield Ban(_OF_PROGRAM, things_in(words[-1]), ending_of(text, 0), verbs=frozenset(("use",)))


def _of_any_kind(item: str, text: str) -> Iterator[Ban]:
    """Yield the ban of a thing, or of a name such as `any` that can only be written."""
    if (written := text_rule_of(f"Never use {item}")) and not written.name:
        yield Ban(frozenset(("insert",)), (), ending_of(text, 0), text=written, verbs=frozenset(("use",)))
    elif things := things_in(item):
        yield Ban(CHANGE | _OF_PROGRAM | {"run"}, things, ending_of(text, 0), verbs=frozenset(("use",)))


def _is_program(words: Sequence[str], item: str) -> bool:
    """Return True if a noun is the name of a program or library."""
    return words[-1].lower() in _PROGRAMS or (len(words) <= 2 and bool(_TERM.search(words[-1]) or "`" in item))


def with_unknown_verb(text: str) -> Iterator[Ban]:
    """Yield the ban of any action on what the object of an unknown verb names, or else of commands named so."""
    for match in UNKNOWN.finditer(text):
        things = things_in(CUT.split(match[2], maxsplit=1)[0])
        verb = match[1].lower()
        is_sure = bool(things) and all(map(is_concrete, things))
        if verb in NO_DEED or is_report(text, match.start()) or not (is_sure or _ORDERS.search(match[0])):
            continue
        actions = frozenset(("any" if is_sure else "named",))
        yield Ban(actions, things if is_sure else (), ending_of(text, match.start(2)), verbs=frozenset((verb,)))


def _verb_of(noun: str) -> str:
    """Return the verb for a noun that names an action, in its singular or plural; "" for any other noun."""
    forms = (
        noun,
        noun.removesuffix("ing") if noun.endswith("ing") else noun.removesuffix("s"),
        noun.removesuffix("es"),
    )
    return next((DONE_NOUNS[one] for one in forms if one in DONE_NOUNS), "")
