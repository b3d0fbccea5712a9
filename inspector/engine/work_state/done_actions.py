"""Actions of tool calls in the terms of rules: verbs and objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from inspector.core.text import lazy_pattern, word_set
from inspector.engine.commands import commands_in, core_words
from inspector.engine.facts import stem
from inspector.engine.work_state.effect_values import CallEffects, FileChange
from inspector.engine.work_state.rule_verbs import ALONE, CHANGE, FORMS, MEANT
from inspector.engine.work_state.ruled_things import named_words, shown_words, target_words

_OF_CHANGE: Mapping[str, str] = {
    "created": "create",
    "changed": "change",
    "deleted": "delete",
    "moved": "move rename",
}
_PROGRAMS: Mapping[str, frozenset[str]] = {
    name: word_set(actions)
    for names, actions in (
        ("rm unlink rmdir shred trash", "delete"),
        ("kill pkill killall", "stop"),
        ("mkdir touch", "create"),
        ("curl wget http httpie", "call"),
        ("prettier black gofmt rustfmt isort", "format"),
        ("mail sendmail mutt msmtp", "send"),
        ("dropdb", "delete"),
        ("createdb", "create"),
        ("reboot shutdown", "stop"),
        ("twine", "publish deploy"),
    )
    for name in names.split()
}
_READERS = word_set(
    "grep rg ag cat head tail less more ls find tree wc echo printf sed awk diff stat file which man jq sort uniq cut"
    " lsof netstat ss ps pgrep fd bat code vim nano history"
)
_SHOWS = lazy_pattern(
    r"(?i)^(?:git (?:status|log|diff|show|branch(?: -[avr]+| --list)?$|stash (?:list|show)|tag(?: -l| --list)?$|remote"
    r"|blame|worktree list|config --get|ls-files|rev-parse|describe|shortlog|reflog|fetch)|(?:gh|glab) \w+ (?:list"
    r"|view|status|diff|checks)|(?:docker|podman|kubectl|helm)(?:[ -]compose)? (?:ps|logs|images|inspect|get|describe"
    r"|stats|list|history|top|events)|terraform (?:plan|show|validate|fmt -check|output)|systemctl (?:status|list\S*"
    r"|is-\S+)|(?:npm|pnpm|yarn|pip3?|uv|cargo|gem) (?:list|ls|view|show|info|why|outdated|audit$|search|tree))"
)
"""A command that only shows something."""
_REPORTS = lazy_pattern(
    r"(?:^|\s)(?:--help|--dry-run|rm --cached -n|clean -n|--version|--check|-n --dry|--diff-only)(?:\s|$)|^\S+ help\b"
    r"|^(?:\S{1,40} )?(?:alembic|flyway|dbmate|goose|liquibase) (?:-\S+ )?(?:history|current|heads|show|branches"
    r"|status|info|validate)\b|\bshowmigrations\b"
)
_MANAGERS = word_set(
    "npm pnpm yarn bun pip pip3 uv poetry cargo gem bundle composer dotnet conda pipenv pdm brew apt apt-get go pod"
    " mix carthage flutter dart"
)
_ADDS = word_set("install add get i upgrade update")
_VERSIONED = lazy_pattern(r"(?<=\w)(?:@|[=<>~!^]=?|\[).{0,60}$")
"""Version or extras after the name of a package."""
_NO_PACKAGE = (".txt", ".toml", ".whl")
_SQL: tuple[tuple[re.Pattern[str], str], ...] = (
    (lazy_pattern(r"(?i)\b(?:drop (?:table|database|schema|index|column|view)|truncate|delete from)\b"), "delete"),
    (
        lazy_pattern(
            r"(?i)\b(?:alter table|update [\w.\"]+ set|insert into|create (?:unique )?(?:table|index|view)|grant)\b"
        ),
        "change create",
    ),
)
_POSTS = lazy_pattern(
    r"(?i)(?:^|\s)(?:-X ?(?:POST|PUT|PATCH|DELETE)|-d|--data\S*|-F|--json|--post-data\S*|POST|PUT|PATCH)(?:\s|=|$)"
)
_TESTS = lazy_pattern(
    r"(?i)^(?:\S+ )?(?:pytest|vitest|jest|rspec|phpunit|mocha|ava|tox|nox|ctest|playwright|cypress)\b"
    r"|^(?:npm|pnpm|yarn|bun|cargo|go|dotnet|mvn|gradle|\./gradlew|make|mix|sbt|swift|flutter|rails"
    r"|python -m) (?:run )?(?:\w+:)?(?:test|check|unittest|e2e)s?\b"
)
_UPGRADES = lazy_pattern(r"^(?:uv|poetry|pip3?|pdm|npm|cargo|bundle|pip-compile)\b.{0,80} (?:--upgrade\b|-U\b|-P\b)")
_UNVERIFIED = lazy_pattern(r"(?:^|\s)(?:--no-verify|--no-gpg-sign|--skip-\S+|--no-check\S*)(?:\s|$)|\bSKIP=")
_FLAGGED = lazy_pattern(r"^-\w*m$|^--(?:message|title|body|notes)$")
_FORCES = lazy_pattern(r"(?:^|\s)(?:-f|--force\S*|\+\S+)(?:\s|$)")
_DELETES_BRANCH = lazy_pattern(r" (?:-[dD]|--delete)\b")
_UPDATES = lazy_pattern(
    r"\b(?:jest|vitest|pytest|playwright|ava|bun test|cypress)\b[^\n]{0,200}(?: -u\b| --update\b|--(?:snapshot-update"
    r"|update-?snapshots?))"
)
"""A run of tests that writes snapshots again."""
_SUDO = lazy_pattern(r"(?:^|[;&|(\n]\s{0,9})(?:sudo|doas)\s")
_ONLINE = lazy_pattern(
    r"(?i)^(?:curl|wget|http|https|aria2c|ssh|scp|git (?:clone|pull|push|fetch|submodule update)|docker pull|gh|ftp"
    r"|(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|cargo|gem|go|brew|apt|apt-get|conda)(?: pip)? (?:install|i|add|get|update"
    r"|download|sync|fetch))\b"
)
"""A command that needs the network."""
_GENERATES = lazy_pattern(
    r"(?i)\bmake-?:?migrations?\b|\bmigrations? (?:add|create|new|generate)\b|\bmigration:(?:create|generate)\b"
    r"|\balembic revision\b|\bmigrate dev\b"
)
"""A command that writes migrations."""
_WITH_VOLUMES = lazy_pattern(r"\bcompose (?:\S{1,40} ){0,4}down (?:\S{1,40} ){0,3}(?:-v|--volumes)\b")
"""A command that deletes volumes with the containers."""
_CLIENTS = word_set("curl wget http psql mysql sqlite3 mongosh")
"""Programs whose arguments are no subcommands."""
_SENT = lazy_pattern(r"[@$]\{?([\w./-]{1,200})")
"""A file that such a program sends, or a variable that says where to."""
_CALLS = lazy_pattern(r"(?:curl|wget|http) ")
_LOCAL = lazy_pattern(r"(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)")
_PARTS = lazy_pattern(r"[:/.]")
_SCRIPT = lazy_pattern(r"(?:(?:sh|bash|zsh|python3?) )?((?:[\w.-]*/)+[\w.-]+|[\w-]+\.(?:sh|py))(?:\s|$)")
"""A script, whose name says what it does."""
_TURNS: Mapping[str, frozenset[str]] = {
    "down": frozenset(("stop",)),
    "up": frozenset(("start",)),
    "cp": CHANGE - {"delete"},
    "sync": CHANGE,
    "mv": frozenset(("move", "change")),
    "rm": frozenset(("delete",)),
    "put": frozenset(("change",)),
}
_OF_PACKAGE: Mapping[str, frozenset[str]] = {
    "update": frozenset(("install", "change")),
    "upgrade": frozenset(("install", "change")),
    "publish": frozenset(("publish", "deploy")),
    "version": frozenset(("change",)),
}
_PORTS = lazy_pattern(r"((?:-p|--publish)[ =](?:[\d.]{7,15}:)?\d{2,5}):\d{2,5}")
"""A port of this machine, and the port of a container that it leads to."""
_ASSIGNS = lazy_pattern(r"\s{0,9}(?:export )?[A-Za-z_]\w{0,60}=\S")
"""A variable before a command, whose value says what it works with."""
_MAX_SUB = 4
_FIND_DELETES = lazy_pattern(r" -(?:delete\b|exec(?:dir)? (?:\S*/)?(?:rm|unlink|shred)\b)")
_SUBSTITUTES = lazy_pattern(r"s([/|#@,!])(?:\\b|\\<)?(\w{3,80})(?:\\b|\\>)?\1(\w{1,80})\1")
"""A script of sed that renames a word."""
_GIT: Mapping[str, str] = {
    "rm": "delete",
    "clean": "delete",
    "mv": "move rename",
    "add": "stage",
    "restore": "revert discard change",
    "switch": "checkout",
}
_SKIPS = lazy_pattern(
    r"(?i)\b(?:it|test|describe|context|suite)\.(?:skip|only|todo|fixme)\b|\bx(?:it|describe|test)\("
    r"|pytest\.mark\.(?:skip|xfail)|pytest\.(?:skip|xfail)\(|@(?:unittest\.)?skip\b|@(?:Ignore|Disabled)\b|\bt\.Skip\("
    r"|#\[ignore|\bpending\(|markTestSkipped"
)
_SUPPRESSES = lazy_pattern(
    r"(?i)eslint-disable|#\s?noqa|type: ?ignore|@ts-(?:ignore|expect-error|nocheck)|pylint: ?disable|#\[allow\("
    r"|nolint|@SuppressWarnings"
)
_COMMENT = lazy_pattern(r"^[ \t]{0,80}(?:#(?!!)|//|/\*|\*|<!--|--\s)")
_VERSION = lazy_pattern(r"(?im)^[ \t]{0,40}[\"']?(?:version|__version__)[\"']?\s?[:=]")


_BY_OPTIONS = (
    (_UPDATES, "change"),
    (_UPGRADES, "install change"),
    (_UNVERIFIED, "disable"),
    (_GENERATES, "create"),
    (_WITH_VOLUMES, "delete"),
)
"""Forms of commands, with what they do."""


class DoneAction(NamedTuple):
    """Something that a call does."""

    actions: frozenset[str]
    """The actions, as in `rule_verbs`."""
    words: frozenset[str]
    """Stems of the words of the objects."""
    target: str
    """The path or the command."""
    path: str = ""
    """The path, for an action on a file."""
    text: str = ""
    """The text that is written."""
    verbs: frozenset[str] = frozenset()
    """Verbs as they are in a command."""
    added: frozenset[str] = frozenset()
    """Stems of the packages that a command adds."""
    branch: str = ""
    """The branch that an earlier command of the same line checks out."""


def done_by(call: CallEffects) -> Iterator[DoneAction]:
    """Yield what a call does, in the terms of rules."""
    for change in call.files:
        yield from _of_file(change)
    if call.deed:
        yield _of_tool(call.deed)
    if _SUDO.search(call.command):
        yield DoneAction(frozenset(("use",)), frozenset(("sudo",)), call.command)
    is_nested = "$(" in call.command or "xargs" in call.command or _ASSIGNS.match(call.command) is not None
    branch = ""
    for words, _ in commands_in(call.command):
        for done in _of_command(words, call.command if is_nested else ""):
            yield done._replace(branch=branch) if branch else done
        branch = _checked_out(words) or branch


def _checked_out(words: Sequence[str]) -> str:
    """Return the branch that a git command checks out; "" for any other command."""
    core = core_words(words)
    if core[0] != "git" or core[1:2] not in (["checkout"], ["switch"]):
        return ""
    names = [word for word in core[2:] if not word.startswith("-")]
    return names[0] if len(names) == 1 else ""


def _of_file(change: FileChange) -> Iterator[DoneAction]:
    named = f"{change.path} {change.text}" if change.kind == "moved" else change.path
    words = shown_words(named)
    yield DoneAction(word_set(_OF_CHANGE[change.kind]), words, change.path, change.path)
    if change.renamed:
        target = f"{change.path} {change.renamed}"
        yield DoneAction(frozenset(("rename",)), words | shown_words(change.renamed), target, change.path)
    if change.kind in ("created", "changed") and change.inserted:
        yield DoneAction(frozenset(("insert",)), words, change.path, change.path, change.inserted)
        yield from _disabling(change, words)
    if change.removed:
        yield from _removing(change, words)


def _disabling(change: FileChange, words: frozenset[str]) -> Iterator[DoneAction]:
    """Yield that a change switches a test or a check off, or sets a version."""
    disables = frozenset(("disable",))
    if skip := _SKIPS.search(change.inserted):
        yield DoneAction(disables, words | shown_words("test tests/ spec"), f"{change.path} {skip[0]}", change.path)
    if off := _SUPPRESSES.search(change.inserted):
        yield DoneAction(
            disables,
            words | shown_words("lint eslint rule check warning type inline"),
            f"{change.path} {off[0]}",
            change.path,
        )
    if version := _VERSION.search(change.inserted):
        yield DoneAction(
            frozenset(("change",)), words | shown_words("version number"), f"{change.path} {version[0]}", change.path
        )


def _removing(change: FileChange, words: frozenset[str]) -> Iterator[DoneAction]:
    """Yield that a change removes lines, and what they are."""
    lines = change.removed.split("\n")
    comments = [line for line in lines if _COMMENT.match(line)]
    if comments:
        target = f"{change.path} {comments[0].strip()[:80]}"
        yield DoneAction(frozenset(("delete",)), words | shown_words("comment comments"), target, change.path)


def _of_tool(deed: str) -> DoneAction:
    """Return what a tool of a server does, from its words: "send email gmail …"."""
    head = deed.split()[:_MAX_SUB]
    verbs = frozenset(FORMS[word] for word in head if word in FORMS)
    actions = frozenset[str]().union(*(MEANT[verb] for verb in verbs)) - {"insert", "install"}
    sql = (word_set(names) for pattern, names in _SQL if pattern.search(deed))
    return DoneAction(actions.union(*sql), shown_words(deed), deed, verbs=verbs)


def _of_command(words: Sequence[str], whole: str) -> Iterator[DoneAction]:
    """Yield what one command does; the words of the whole line count where it contains others."""
    line = _PORTS.sub(r"\1", " ".join(words))
    core = core_words(words)
    program = core[0]
    if _REPORTS.search(line) or _SHOWS.match(" ".join(core)):
        return
    about = shown_words(_PORTS.sub(r"\1", whole or line))
    if program in _CLIENTS:
        about = named_words(line).union(target_words(" ".join(_SENT.findall(line))))
    yield DoneAction(frozenset(("use",)), frozenset(one if " " in one else stem(one) for one in _programs(words)), line)
    sub = [word for word in core[1 : 2 + _MAX_SUB] if not word.startswith("-")][:_MAX_SUB]
    if program in _READERS:
        yield from _by_reader(program, words, line)
        return
    verbs = frozenset(FORMS[word] for word in sub if word in FORMS and program not in _CLIENTS)
    actions = _PROGRAMS.get(program, frozenset()).union(
        ("run",), _of_verbs(program, sub, line), _of_options(line), _verbs_as_options(line)
    )
    yield DoneAction(actions | {"test"} if _TESTS.match(line) else actions, about, line, verbs=verbs)
    yield from _more_of_command(words, about, line)


def _by_reader(program: str, words: Sequence[str], line: str) -> Iterator[DoneAction]:
    """Yield what a program that usually only reads does with options: `find -delete`, `sed -i s/old/new/`."""
    if program == "find" and (deletes := _FIND_DELETES.search(line)):
        yield DoneAction(frozenset(("delete", "run")), shown_words(line[: deletes.start()]), line[: deletes.start()])
    if program == "sed" and any(word.startswith("-i") for word in words):
        for script in words[1:]:
            if (match := _SUBSTITUTES.match(script)) and match[2] != match[3]:
                named = f"{match[2]} {match[3]}"
                yield DoneAction(frozenset(("rename", "run")), shown_words(named), named)


def _more_of_command(words: Sequence[str], about: frozenset[str], line: str) -> Iterator[DoneAction]:
    """Yield that a command adds packages, or writes the text of a commit or pull request."""
    if core_words(words)[0] in _MANAGERS and (packages := list(_packages(words))):
        added = shown_words(" ".join(packages))
        yield DoneAction(frozenset(("install",)), about | added, line, added=added)
    if text := _written_text(words):
        yield DoneAction(frozenset(("insert",)), about, line, text=text)


def _of_verbs(program: str, sub: Sequence[str], line: str) -> Iterator[str]:
    """Yield what a command does according to its subcommands."""
    if program == "git" and sub:
        yield from _git_actions(sub[0], line)
    elif program in _MANAGERS:
        yield from _OF_PACKAGE.get(sub[0] if sub else "", frozenset())
        yield from _by_names(sub[1:2] if sub[:1] == ["run"] else ())
    elif program not in _CLIENTS:
        own = _SCRIPT.match(line)
        names = [own[1], own[1].rsplit("/", 1)[-1].partition("_")[0]] if own else []
        yield from _by_names((*names, *sub[:3]))


def _by_names(names: Iterable[str]) -> Iterator[str]:
    """Yield what scripts and targets do according to their names."""
    for part in (part for name in names for part in _PARTS.split(name.lower())):
        yield from MEANT.get(FORMS.get(part, ""), frozenset()) - {"insert", "use", "install"}
        yield from _TURNS.get(part, frozenset())


def _git_actions(verb: str, line: str) -> Iterator[str]:
    yield from () if verb == "rm" and "--cached" in line.split() else _GIT.get(verb, verb).split()
    if verb == "branch" and _DELETES_BRANCH.search(line):
        yield "delete"
    if verb == "commit" and "--amend" in line:
        yield "amend"
    if verb == "push" and _FORCES.search(line):
        yield "force"


def _of_options(line: str) -> Iterator[str]:
    """Yield what a command does according to its options and the SQL in it."""
    if _POSTS.search(line) and _CALLS.match(line) and not _LOCAL.search(line):
        yield from ("send", "change")
    for pattern, names in (*_SQL, *_BY_OPTIONS):
        if pattern.search(line):
            yield from names.split()
    if _ONLINE.match(line) and not _LOCAL.search(line):
        yield "network"


def _verbs_as_options(line: str) -> Iterator[str]:
    """Yield the verbs that a command has as options: `git merge --squash`."""
    return (option[2:] for option in line.split() if option.startswith("--") and option[2:] in ALONE)


def _programs(words: Sequence[str]) -> Iterator[str]:
    yield words[0].rsplit("/", 1)[-1].lower()
    if len(words) > 2 and words[0].startswith("python") and words[1] == "-m":
        yield words[2].lower()
    elif len(words) > 1 and words[0] in ("npx", "bunx", "uvx", "pipx", "pnpx"):
        yield words[1].lower()
    elif len(words) > 1 and not words[1].startswith("-"):
        yield f"{words[0]} {words[1]}".lower()


def _packages(words: Sequence[str]) -> Iterator[str]:
    """Yield the packages that an install command names."""
    if _ADDS.isdisjoint(words[1:4]):
        return
    for before, word in pairwise(words):
        is_name = not word.startswith(("-", ".", "/")) and before not in ("-r", "-e", "-c", "--prefix", "--filter")
        if is_name and word not in _ADDS | _MANAGERS and not word.endswith(_NO_PACKAGE):
            yield _VERSIONED.sub("", word)


def _written_text(words: Sequence[str]) -> str:
    """Return the text that a command writes for others: the message of a commit, the text of a pull request."""
    if words[0] not in ("git", "gh", "glab"):
        return ""
    return "\n\n".join(after for flag, after in pairwise(words) if _FLAGGED.match(flag))
