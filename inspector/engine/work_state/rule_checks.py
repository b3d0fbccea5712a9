"""Actions of tool calls, and whether they break a rule of the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from inspector.core.text import one_line, word_set
from inspector.engine.facts import content_words, is_negated, stem
from inspector.engine.work_state.allowing_words import places_allowed
from inspector.engine.work_state.effect_values import CallEffects, FileChange
from inspector.engine.work_state.prohibitions import kinds_in, prohibition_of
from inspector.engine.work_state.ruled_kinds import ActionKind, Prohibition, verb_kinds
from inspector.engine.work_state.ruled_things import named_words
from inspector.engine.work_state.shell_words import commands_in
from inspector.engine.work_state.text_rules import writes_forbidden

_EDGES = re.compile(r"[\s'\"`;,()=]+")
_PATH = re.compile(r"(?<![\w/.:@-])[\w.@-]{1,100}(?:/[\w.@-]{1,100}){1,20}")
_SPLIT = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SQL_DELETES = re.compile(r"(?i)\b(?:drop (?:table|database|schema|index|column)|truncate|delete from)\b")
_SQL_EDITS = re.compile(r"(?i)\b(?:alter table|update \w+ set|insert into|create (?:unique )?(?:table|index|view))\b")
_MANAGERS = word_set(
    "npm pnpm yarn bun pip pip3 uv poetry cargo gem bundle composer dotnet conda pipenv pdm brew apt apt-get go"
)
_INSTALLS = word_set("install add get i")
_READERS = word_set("grep rg cat ls echo find git gh head tail")
_SETS = re.compile(
    r"(?i)(?:(?:please|now|then|ok(?:ay)?|and|also)[, ]+){0,3}(?:set|put|bump|replace|raise|lower|turn|enable|disable"
    r"|increase|decrease|adjust|correct)\b[^?]*$"
)
"""Start of a request for an edit that names no verb of a rule."""
_ALLOWS = re.compile(r"(?i)\b(?:(?:you|u) (?:can|may)|ok(?:ay)?|fine|signed off|approved|allowed|go ahead)\b")
"""Words of a user who allows something."""
_SUDO = re.compile(r"(?:^|[;&|(\n]\s{0,9})(?:sudo|doas)\s")
_CLIENT = re.compile(r"(?:psql|mysql|sqlite3|mongosh)\s")
"""A command whose text is a statement with whole names: "orders_old" is not "orders"."""
_SCRATCH = re.compile(r"/(?:private/)?tmp/")
_OUTWARD = content_words("public API")
"""Words for something of which a changed file says nothing unless names in it change."""
_NEW_FILE = re.compile(r"(?i)file|\b(?:new|separate|own) (?:module|script|class|component|page)\b")
"""Words of a request for a new file."""
_MIN_STEM = 4
_RUNNERS = word_set("npx bunx uvx pipx pnpx")
_ALIASES: Mapping[str, str] = {
    stem(word): other
    for word, other in (
        ("issue", "ticket"),
        ("ticket", "issue"),
        ("pr", "pull request"),
        ("prod", "production"),
        ("production", "prod"),
        ("db", "database"),
        ("mail", "email"),
        ("email", "mail"),
        ("docs", "documentation"),
    )
}
"""Other words for words of a target."""
_REPORTS = frozenset(("--help", "--dry-run", "--version"))
_GIT: Mapping[str, ActionKind] = {"commit": "commit", "push": "push", "merge": "merge", "rebase": "merge"}
_SUBCOMMANDS = frozenset(
    map(
        stem,
        word_set(
            "add amend bisect build checkout cherry-pick clean clone commit exec fetch get install merge publish pull "
            "push rebase reset restore revert run stash submodule switch tag test worktree"
        ),
    )
)
_DEPLOYS = re.compile(r"(?i)\b(?:deploy|publish|release|rollout|kubectl apply|terraform apply)\b")

_REFSPEC = re.compile(r"\bpush(?: -\S+)* [^\s-]\S* (?:-\S+ )*[^\s-]")
"""A push that names a remote and a branch."""
_FORCES = re.compile(r" (?:-f|--force\S*|\+\S+)(?: |$)")
"""An option that forces a push, or a refspec that does."""
_LINES: tuple[tuple[re.Pattern[str], ActionKind], ...] = (
    (_SQL_DELETES, "delete"),
    (_SQL_EDITS, "edit"),
    (_DEPLOYS, "deploy"),
)


class RuledAction(NamedTuple):
    """Something that a call does, of a kind that rules are about."""

    kind: ActionKind
    target: str
    """The path, or the command."""
    text: str = ""
    is_deed: bool = False
    """True if a tool of a server does it, or `gh`: such actions change no files."""


def actions_of(effects: CallEffects) -> Iterator[RuledAction]:
    """Yield what a call does, in the terms of rules."""
    for change in effects.files:
        yield from _of_change(change)
    if effects.agent:
        yield RuledAction("agent", effects.agent)
    if effects.deed:
        yield from _of_deed(effects.deed)
    if _SUDO.search(effects.command):
        yield RuledAction("use", "sudo", one_line(effects.command))
    for words, _ in commands_in(effects.command):
        if _only_reports(words):
            continue
        line = " ".join(words)
        yield RuledAction("run", line)
        yield RuledAction("use", words[0].rsplit("/", 1)[-1], line)
        if len(words) > 2 and words[0].startswith("python") and words[1] == "-m":
            yield RuledAction("use", words[2], " ".join(words[2:]))
        elif len(words) > 1 and words[0] in _RUNNERS:
            yield RuledAction("use", words[1], " ".join(words[1:]))
        yield from _of_line(words, line)


def _of_change(change: FileChange) -> Iterator[RuledAction]:
    """Yield what a change of a file does: to the file, to its text, and to the names in it."""
    kinds: Mapping[str, ActionKind] = {"created": "create", "changed": "edit", "deleted": "delete", "moved": "move"}
    yield RuledAction(kinds[change.kind], change.path, change.text)
    if change.kind in ("created", "changed") and change.inserted:
        yield RuledAction("insert", change.path, change.inserted)
    if change.renamed:
        yield RuledAction("rename", f"{change.path} {change.renamed}")


def _of_deed(deed: str) -> Iterator[RuledAction]:
    """Yield what a tool of a server does, in the terms of rules."""
    for kind in sorted(verb_kinds(deed.split(" ", 1)[0]) - {"install"}):
        yield RuledAction(kind, deed, deed, is_deed=True)
    for pattern, other in _LINES:
        if pattern.search(deed):
            yield RuledAction(other, deed, deed, is_deed=True)


def _only_reports(words: Sequence[str]) -> bool:
    """Return True if a command only shows something: help, a dry run, or a list of what git has put aside."""
    is_list = list(words[:2]) in (["git", "stash"], ["git", "worktree"]) and words[2:3] in (["list"], ["show"])
    return is_list or words[1:2] == ["help"] or not _REPORTS.isdisjoint(words[1:])


def _of_line(words: Sequence[str], line: str) -> Iterator[RuledAction]:
    yield from _of_git(words, line)
    if kind := _kind_of_git(words):
        yield RuledAction(kind, line, "force" if kind == "push" and _FORCES.search(line) else "")
    if list(words[:3]) in (["gh", "pr", "create"], ["glab", "mr", "create"]):
        yield RuledAction("create", f"{line} pull request merge request prs")
    if words[0] in _MANAGERS and not _INSTALLS.isdisjoint(words[1:4]):
        yield RuledAction("install", line, " ".join(_added_packages(words)))
    for pattern, other in _LINES:
        if pattern.search(line) and words[0] not in _READERS:
            yield RuledAction(other, line)


def _of_git(words: Sequence[str], line: str) -> Iterator[RuledAction]:
    if words[0] == "git":
        yield RuledAction("git", line, line)
    if words[0] in ("gh", "glab") and len(words) > 2:
        kinds = sorted(verb_kinds(words[2]) - {"install"})
        yield from (RuledAction(kind, line, line, is_deed=True) for kind in kinds)


def _added_packages(words: Sequence[str]) -> Iterator[str]:
    """Yield the packages that an install command names. A file or folder after an option is none."""
    for before, word in pairwise(words):
        is_name = not word.startswith(("-", ".", "/")) and before not in ("-r", "-e", "-c", "--prefix", "--filter")
        if is_name and word not in _INSTALLS | _MANAGERS and not word.endswith((".txt", ".toml", ".whl")):
            yield word


def _kind_of_git(words: Sequence[str]) -> ActionKind | None:
    if words[0] not in ("git", "gh"):
        return None
    verb = next((word for word in words[1:] if word in _GIT), "")
    return _GIT.get(verb if words[0] == "git" or verb == "merge" else "")


def breaks(action: RuledAction, rule: Prohibition, branch: str = "") -> bool:
    """Return True if an action breaks a rule.

    Args:
        action: The action.
        rule: The rule. One with a condition that cannot be checked is never broken.
        branch: The branch that is checked out, used as the target of a commit or push.
    """
    if action.kind not in rule.kinds or rule.ending == "condition" or rule.most:
        return False
    if action.kind == "insert":
        return rule.inserts is not None and writes_forbidden(rule.inserts, action.target, action.text)
    if rule.folders:
        return all(_is_outside(action.target, folder) for folder in rule.folders)
    if rule.adds and not action.text:
        return False
    if rule.objects:
        return _is_on_object(action, rule, branch)
    return not (action.is_deed and action.kind in ("create", "edit", "move"))


def _is_on_object(action: RuledAction, rule: Prohibition, branch: str) -> bool:
    return not _is_no_file(action, rule) and _is_done_to(action, rule, branch)


def _is_no_file(action: RuledAction, rule: Prohibition) -> bool:
    """Return True if an action is on a copy elsewhere, or says nothing about the public API that a rule names."""
    is_outward = rule.objects >= _OUTWARD and action.kind != "rename"
    return is_outward or _SCRATCH.match(action.target) is not None


def _is_done_to(action: RuledAction, rule: Prohibition, branch: str) -> bool:
    """Return True if an action is done to the objects of a rule, or is the command that it quotes."""
    if command := next((one for one in rule.objects if " " in one), ""):
        line = f"{action.text if action.kind == 'use' else action.target} "
        return command in line if command[0] == " " else line.startswith(f"{command} ")
    if action.kind == "use":
        return _uses(action, rule.objects)
    if any(_is_of_path(f"/{action.target}", path) for path in rule.paths):
        return True
    words = _words_done_to(action, branch)
    need = len(rule.objects) if len(rule.objects) <= 2 else -(-2 * len(rule.objects) // 3)
    need = 1 if action.kind == "send" else need
    return sum(word in words or _has_form(word, words) for word in rule.objects) >= need


def _is_of_path(target: str, path: str) -> bool:
    """Return True if a target is a file or folder that a rule names, or is in it."""
    return target.endswith(f"/{path}") or f"/{path}/" in target


def _has_form(wanted: str, words: frozenset[str]) -> bool:
    """Return True if one of some stems is another form of a long one: "migr" and "migrat"."""
    if len(wanted) < _MIN_STEM or not wanted.isalpha():
        return False
    close = (word for word in words if abs(len(word) - len(wanted)) <= 2 and len(word) >= _MIN_STEM)
    return any(word.startswith(wanted) or wanted.startswith(word) for word in close)


def _words_done_to(action: RuledAction, branch: str) -> frozenset[str]:
    """Return the words that name what an action is done to."""
    text = f"{action.target} {action.text if action.kind in ('delete', 'move', 'push') else ''} "
    is_of_branch = action.kind in ("commit", "merge") or (action.kind == "push" and not _REFSPEC.search(action.target))
    words = named_words(text) if _CLIENT.match(text) else target_words(text + branch if is_of_branch else text)
    aliases = " ".join(_ALIASES[word] for word in words & _ALIASES.keys())
    return words | content_words(aliases) if aliases else words


def _uses(action: RuledAction, objects: frozenset[str]) -> bool:
    """Return True if a command runs a program that a rule names, with a subcommand that it names, if any."""
    program = stem(action.target)
    named = objects & _SUBCOMMANDS - {program}
    return program in objects and (not named or not named.isdisjoint(target_words(action.text)))


def _is_outside(path: str, folder: str) -> bool:
    """Return True if a path is not in a folder that a rule names by any part of its path."""
    if path.startswith(("/tmp/", "/private/tmp/", "/var/", "/dev/")):
        return False
    return f"/{folder.strip('/')}/" not in f"/{path.strip('/')}/" and not path.endswith(f"/{folder}")


def target_words(text: str) -> frozenset[str]:
    """Return the stems of the words in a path or command: of whole names and of their parts."""
    names = [word for word in _EDGES.split(text) if word]
    whole = {
        stem(word) for word in (*names, *(word.rsplit("/", 1)[-1].split(".", 1)[0] for word in names if "." in word))
    }
    parts = {stem(part) for pattern in (_SPLIT, _CAMEL) for part in pattern.findall(text)}
    return frozenset(whole | parts | set(text.lower().split("/")))


def overrides(sentence: str, rule: str) -> bool:
    """Return True if a later sentence of the user asks for what a rule forbids."""
    if _names_other_place(sentence, rule):
        return True
    kinds = _kinds_asked(sentence)
    forbidden = prohibition_of(rule) if kinds else None
    if forbidden is None:
        return False
    if forbidden.inserts and not content_words(rule).isdisjoint(content_words(sentence)):
        return True
    if forbidden.adds and "create" in kinds and _ALLOWS.search(sentence):
        return True
    return not kinds.isdisjoint(forbidden.kinds) and _asks_for_objects(sentence, forbidden)


def _asks_for_objects(sentence: str, forbidden: Prohibition) -> bool:
    """Return True if a sentence that asks for an action of a forbidden kind names the objects, or the rule none."""
    objects = forbidden.objects
    if forbidden.kinds == {"create"} and not objects:
        return _NEW_FILE.search(sentence) is not None
    return not objects or 2 * len(objects & (content_words(sentence) | target_words(sentence))) >= len(objects)


@lru_cache(maxsize=4_096)
def _kinds_asked(sentence: str) -> frozenset[ActionKind]:
    """Return the kinds of actions that a sentence asks for, with those of a new value."""
    kinds = kinds_in(sentence)
    return kinds | {"edit"} if _SETS.match(sentence) and not is_negated(sentence) else kinds


def _names_other_place(sentence: str, rule: str) -> bool:
    """Return True if a sentence names a path outside of the only places in which a rule allows changes."""
    allowed = places_allowed(rule) if "/" in sentence and not is_negated(sentence) else ()
    return bool(allowed) and any(
        all(_is_outside(match[0], place) for place in allowed) for match in _PATH.finditer(sentence)
    )
