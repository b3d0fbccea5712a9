"""Actions that carry out declined work, recognized by words that belong to it alone.

A word tells only if no action before the compaction touched what it names, no open task has it, and the user did not
say it again. Then one such word in a path or command is enough: "Kaniko" in `ci/kaniko.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.commands import commands_in, core_words
from inspector.engine.facts import content_words
from inspector.engine.work_state.call_effects import changes_state
from inspector.engine.work_state.done_actions import done_by
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.foreign_rules import verbs_of
from inspector.engine.work_state.plan_traces import only_modifiers
from inspector.engine.work_state.rule_verbs import FORMS
from inspector.engine.work_state.ruled_things import target_words
from inspector.engine.work_state.work_plans import COMMON_VERBS

_SCRIPT = lazy_pattern(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+")
_JOINED = lazy_pattern(r"(?<=\w)[-_/.](?=\w)")
_HYPHEN = lazy_pattern(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_ACRONYM = lazy_pattern(r"\b[A-Z][A-Z\d]{2,5}\b")
_RENAMES = ("git mv ", "mv ", "git checkout ", "git switch ", "git branch ")
_ASKS_PROGRAM = word_set(
    "ps ls list status show version info logs log get describe plan diff check help search inspect config top images "
    "--version -V -v --help -h"
)
"""Words of a command by which a program only tells something."""
_REMOVES = lazy_pattern(
    r"(?i)^\W*(?:please )?(?:retire|remove|delete|drop|destroy|decommission|sunset|purge|wipe|shut down|tear down|kill"
    r"|get rid of)\b"
)
"""Start of a task that removes something, of which a command can name a part: "Retire the bastion host"."""
_LEAST = 4
_MAX_TEXT = 2_000
_GENERIC = COMMON_VERBS | content_words(
    "test tests spec doc docs documentation page module function class method api app application server client data"
    " user users service script config configuration settings component table column feature support step steps task"
    " option plan suggestion proposal idea everything thing things way version own existing current whole typed small"
    " large simple single separate first second next main project repo package library layer logic name names value"
    " values line lines folder directory path source build run start stop check clean setup work change image error"
    " errors result results type types list item items set get put let use would could should shall want like suggest"
    " migration migrations index view model schema route endpoint style handler helper month week day"
    " propose recommend replace switch migrate convert introduce extract split merge upgrade bump install"
)
_VERBS = frozenset(content_words(" ".join(FORMS)))


def telling_words(text: str, least: int = _LEAST) -> frozenset[str]:
    """Return the stems of the words of a text that can tell declined work from other work.

    Args:
        text: The text.
        least: Minimum number of letters of a word that is no acronym and has no digits.
    """
    plain = _SCRIPT.sub(" ", text)
    own = {word for word in content_words(plain) if not word.isalpha()}
    own |= content_words(" ".join(_ACRONYM.findall(plain)))
    words = content_words(_JOINED.sub(" ", _SCRIPT.sub(" ", verbs_of(text)[1])))
    long = (word for word in words | content_words(_HYPHEN.sub("", plain)) if len(word) >= least)
    return frozenset(own.union(long)) - _GENERIC - _VERBS


def words_touched(calls: Iterable[CallEffects]) -> frozenset[str]:
    """Return the words in the paths and commands of calls that changed something."""
    return frozenset(word for call in calls for _, words, _ in _targets_of(call) for word in words)


def carries_out(call: CallEffects, declined: str, known: Set[str]) -> str:
    """Return the path or command of a call that does what was declined; "" for any other call.

    Args:
        call: The call.
        declined: Text of the declined work.
        known: Words that belong to other work as well.
    """
    wanted = {word for word in telling_words(declined) if not any(is_form(word, other) for other in known)}
    for target, named, written in _targets_of(call) if wanted else ():
        hits = _hits(call, declined, wanted, named)
        least = 2 if target.startswith(_RENAMES) and all(map(str.isalpha, hits)) else 1
        if len(hits) >= least or len(wanted & written) > 1:
            return target
    return ""


def _hits(call: CallEffects, declined: str, wanted: Set[str], named: Set[str]) -> set[str]:
    """Return the wanted words that a call names. A call that removes can name a part of what is to be removed."""
    hits = {word for word in wanted if any(is_form(word, other) for other in named)}
    if _REMOVES.search(declined) and any("delete" in one.actions for one in done_by(call)):
        return hits
    return hits - only_modifiers(hits, content_words(declined) - COMMON_VERBS - named, declined)


def runs_named(call: CallEffects, text: str) -> bool:
    """Return True if a call runs a program, other than a test or a reader, that has a word of a text in its line."""
    named = telling_words(text) if call.command else frozenset[str]()
    runs = (one.words for one in done_by(call) if "run" in one.actions and "test" not in one.actions) if named else ()
    return any(is_form(word, other) for words in runs for word in words for other in named)


def is_form(word: str, other: str) -> bool:
    """Return True if two stems are equal, or the longer begins with the other: "docker" and "dockerfile"."""
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) >= _LEAST and short.isalpha() and long.startswith(short))


def beginnings_of(words: Iterable[str]) -> frozenset[str]:
    """Return the beginnings of stems that are other forms of them, by `is_form`."""
    return frozenset(word[:end] for word in words for end in range(_LEAST, len(word)) if word[:end].isalpha())


def _started(line: str) -> Iterator[Sequence[str]]:
    """Yield the words of each command of a line that starts a program, and does not only ask it for something."""
    for core in (core_words(words) for words, _ in commands_in(line)) if line else ():
        if _ASKS_PROGRAM.isdisjoint(core[1:3]) and len(core) > 1:
            yield core


def _targets_of(call: CallEffects) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Yield what a call changes: its path or line, the words of that, and the words that are written to it."""
    for change in call.files:
        yield change.path, target_words(change.path), target_words(change.inserted[:_MAX_TEXT])
    if call.command and changes_state(call.command):
        yield call.command, target_words(call.command[:_MAX_TEXT]), frozenset()
    for core in _started(call.command):
        yield call.command, target_words(core[0]), frozenset()
    if call.deed:
        yield call.deed, target_words(call.deed[:_MAX_TEXT]), frozenset()
