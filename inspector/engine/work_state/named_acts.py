"""Actions of calls on objects, with the names by which a user can speak of the object and of the action."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.facts import stem, stem_set
from inspector.engine.work_state.call_effects import changes_something
from inspector.engine.work_state.done_actions import DoneAction, done_by
from inspector.engine.work_state.effect_values import CallEffects, FileChange

NOUNS: Mapping[str, re.Pattern[str]] = {
    kind: lazy_pattern(rf"(?i)\b(?:{words})\b")
    for kind, words in (
        ("push", r"push(?:e[sd]|ing)?|this branch|remote|origin|upstream|github|pull requests?|prs?|upload\w*"),
        ("commit", r"commit(?:s|ted|ting)?|comit\w*|history|check(?:ed|ing)?[- ]in|version control"),
        ("merge", r"merg(?:e[sd]?|ing)|main|master|trunk|land(?:s|ed|ing)?"),
        ("force", r"forc(?:e|ed|ing)|force-push\w*|rewrit\w+|history|overwr\w+"),
        ("rebase", r"rebas\w+|history|rewrit\w+"),
        ("amend", r"amend\w*|history|rewrit\w+"),
        ("reset", r"reset\w*|uncommitted|unsaved|local changes|stash\w*|discard\w*"),
        (
            "deploy",
            r"deploy\w*|roll(?:s|ed|ing)?[- ]?(?:it |this |them )?out|rollouts?|releas\w+|ship(?:s|ped|ping)?|live"
            r"|go(?:es|ing)? (?:out|live)|launch\w*|production|prod|upgrade[sd]?",
        ),
        ("publish", r"publish\w*|releas\w+|registry|npm|pypi|crates|announc\w+|public|upload\w*"),
        (
            "stop",
            r"restart\w*|reboot\w*|bounc\w+|stop(?:s|ped|ping)?|kill\w*|downtime|interrupt\w*|stay(?:s|ing)? up|running"
            r"|(?:take|taken|go|goes|bring|shut)\w* (?:it |them )?down",
        ),
        ("migrate", r"migrat\w+|schema"),
        ("send", r"send\w*|sent|e?mails?|mailings?|sms|notif\w+|messages?|newsletters?|invit\w+|reminders?"),
        ("snapshot", r"snapshots?|snaps|golden\w*|baselines?|regenerat\w+|re-?record\w*"),
        ("tag", r"tag(?:s|ged|ging)?"),
    )
}
"""Words that name an action, or what it is done to."""
_OF_COMMAND: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, lazy_pattern(rf"(?i){pattern}"))
    for kind, pattern in (
        ("migrate", r"migrat|alembic|flyway|liquibase|db:|prisma .{0,40}(?:push|deploy)|knex|dbmate"),
        ("snapshot", r"--snapshot-update|update-?snapshots?"),
        ("deploy", r"\b(?:helm (?:upgrade|install)|kubectl (?:apply|set|rollout)|terraform apply|vercel|netlify)\b"),
        ("send", r"send|mail|notify|sms|slack|campaign"),
        ("delete", r"down -v|volume (?:rm|prune)|prune|flushall|drop|truncate|\brm\b|delete|destroy"),
        ("reset", r"^git (?:reset|restore|checkout --|clean|stash)"),
        ("publish", r"\bupload\b"),
        ("stop", r"\b(?:reboot|shutdown)\b"),
    )
)
_IDLE = word_set("run use call open format label stage network test create start insert")
"""Actions that say nothing of what is done to an object."""
OUTWARD = word_set("push merge force rebase reset deploy publish stop migrate send tag amend delete snapshot")
"""Actions that are hard to undo."""
COMMON = stem_set(
    "src lib app apps main index test tests spec init mod utils util common core home user users work repo repos"
    " project code py js ts the and for with new run git add set get file files data api web www com org net http"
    " https python node npm pip docker server client config json yaml yml md txt type types model models view"
    " views page pages component components service services name names value values list item items build dist"
    " public static internal packages package scripts script bin tmp var etc opt head origin echo all true false"
    " none null start end out error errors result results update create change delete remove make check fix from"
    " import this that self version body description title srv www local example sudo"
)
"""Words that name nothing alone."""
_NAME = lazy_pattern(r"[\w@./*-]{0,200}\w/?")
_PART = lazy_pattern(r"[^\W_]{3,}")
_CAMEL = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")
_MARKED = lazy_pattern(r"[\d_./-]")
_SCRATCH = lazy_pattern(r"/(?:private/)?(?:tmp|dev|var)/")
_OF_GIT = lazy_pattern(r"(?:git|gh|glab|for|cd)\b")
_ELSEWHERE = lazy_pattern(r"(?:ssh|psql|mysql|mongosh|redis-cli|kubectl|curl|scp|rsync)\b")
_TEXT = lazy_pattern(r"(?:^|\s)(?:-a?m|--message|--title|--body|-b|-t)(?:=|\s|$)")
_PATHY = lazy_pattern(
    r"(?<![\w@])(?:[\w.-]{1,40}/){1,9}[\w.*-]{0,60}|(?<![\w@.-])\.?[\w-]{1,60}(?:\.[\w-]{1,40}){0,3}\.[a-z]\w{0,5}\b"
)
_EDGES = lazy_pattern(r"[\s='\"]+")
_WAYS: Mapping[str, re.Pattern[str]] = {
    "force": lazy_pattern(r"(?i)\bforc(?:e|ed|ing)\b|force-"),
    "squash": lazy_pattern(r"(?i)\bsquash"),
    "amend": lazy_pattern(r"(?i)\bamend"),
    "disable": lazy_pattern(r"(?i)\bhooks?\b|no-verify"),
    "rebase": lazy_pattern(r"(?i)\brebas"),
}
"""Ways to push, merge or commit, by the words for them."""
WHOLE, KIND, OWN, PART, _PROGRAM = 3.0, 2.5, 2.0, 1.0, 1.5
"""How well a text names an act: a name as it is written, the action, a word of a name, a part of one, the program."""


class NamedAct(NamedTuple):
    """An action of a call on an object."""

    target: str
    kinds: frozenset[str]
    names: Mapping[str, float]
    """Stems that name the object, and how well."""
    whole: frozenset[str]
    """Names of the object as they are written."""
    is_remote: bool = False
    """True if it runs on another machine and nothing more is known of it."""

    def named_in(self, text: str) -> float:
        """Return how well a text names the act; 0 if it does not."""
        if not self.whole.isdisjoint(whole_names(text)):
            return WHOLE
        best = max((self.names.get(word, 0.0) for word in stems_in(text) - COMMON), default=0.0)
        return max(best, KIND) if self.nouns_in(text) else best

    def nouns_in(self, text: str) -> list[re.Pattern[str]]:
        """Return the patterns of the kinds of action that a text names."""
        return [NOUNS[kind] for kind in self.kinds if kind in NOUNS and NOUNS[kind].search(text)]

    def fits(self, text: str) -> bool:
        """Return False if a text is about other paths only, or about another way to push, merge or commit."""
        others = (pattern for way, pattern in _WAYS.items() if way not in self.kinds)
        if self.kinds & {"push", "merge", "commit"} and any(pattern.search(text) for pattern in others):
            return False
        named = [name for path in _PATHY.findall(text) if (name := path.lower().strip("./*"))]
        if not (self.whole and named) or self.is_remote:
            return True
        target = f"/{_EDGES.sub('/', self.target.lower()).strip('/')}/"
        return any(f"/{name}/" in target for name in named)


def whole_names(text: str) -> frozenset[str]:
    """Return the words and names of a text, in lower case."""
    return frozenset(word.lower().strip("./*`-@") for word in _NAME.findall(text))


def stems_in(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, and of the parts of its names."""
    parts = _PART.findall(_CAMEL.sub(" ", text).lower())
    return frozenset(map(stem, (*parts, *whole_names(text))))


def acts_of(call: CallEffects) -> Iterator[NamedAct]:
    """Yield what a call does to files and by commands."""
    for change in call.files:
        if not _SCRATCH.match(change.path) and change.path.strip("/"):
            yield _of_change(change)
    for done in done_by(call) if call.command or call.deed else ():
        if not done.path and done.actions != {"use"} and "insert" not in done.actions:
            yield from _of_line(done, changes_something(call))


def _of_change(change: FileChange) -> NamedAct:
    parts = [part for part in change.path.lower().split("/") if part]
    spans = ((start, end) for start in range(len(parts)) for end in range(start + 2, len(parts) + 1))
    base = parts[-1].rsplit(".", 1)[0]
    names = {stem(word): PART for part in (base, *parts[-4:-1]) for word in _PART.findall(part)}
    names |= {stem(word): OWN for word in (base, *parts[-5:-1])}
    kinds = word_set("change delete" if change.kind == "deleted" else "change")
    return NamedAct(change.path, kinds, names, frozenset(("/".join(parts[a:b]) for a, b in spans)) | {parts[-1]})


def _of_line(done: DoneAction, changes: bool) -> Iterator[NamedAct]:
    line = done.target
    kinds = done.actions - _IDLE | {kind for kind, pattern in _OF_COMMAND if pattern.search(line)}
    if not kinds and not changes and not _ELSEWHERE.match(line):
        return
    is_git = _OF_GIT.match(line) is not None
    words = [word for word in (_TEXT.split(line)[0] if is_git else line).split() if word[0] != "-"]
    names = dict.fromkeys(() if is_git else (word for word in done.words if " " not in word and len(word) > 2), PART)
    own, whole = _argument_names(words[1:])
    names |= dict.fromkeys(map(stem, _PART.findall(" ".join(words[1:]).lower())), PART)
    names |= dict.fromkeys(own, OWN) | dict.fromkeys(done.added, WHOLE)
    names |= {stem(word.rsplit("/", 1)[-1].lower()): _PROGRAM for word in words[:1]}
    yield NamedAct(line, kinds, names, whole, not kinds and not changes)


def _argument_names(words: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of the names in the arguments of a command, and the names that are more than plain words."""
    names = [(name.lower().strip("./*`-@'\""), word) for word in words for name in _NAME.findall(word)]
    parts = [part for name, _ in names for part in (name, *name.split("/")) if len(part) > 2]
    daemons = [part[:-1] for part in parts if part.endswith("d") and part.isalpha() and len(part) > 4]
    marked = {part for part in parts if len(part) > 3 and _MARKED.search(part)}
    paths = {name for name, word in names if len(name) > 3 and "/" in word}
    return stem_set(" ".join((*parts, *daemons))), frozenset(marked | paths)
