"""Commands with an effect that is wanted once: publishing, applying, migrating. Doing them again needs a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from inspector.core.conversation import Message
from inspector.core.text import lazy_pattern
from inspector.engine.commands import SCRIPTS_ONCE, commands_in, core_words, script_deed
from inspector.engine.facts import content_words
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.ruled_things import target_words
from inspector.engine.work_state.state_items import StateItem

_ONCE = lazy_pattern(
    r"(?i)(?P<release>(?:\S+ ){1,3}?(?:publish|upload|release)\b|(?:gem|helm|nuget|dotnet nuget) push\b|(?:gh"
    r"|glab) release create\b|git tag (?!-[ldn])\S)|(?P<open>(?:gh|glab) (?:pr|mr|issue|repo) create\b)|(?:gh"
    r"|glab) (?:pr|mr) merge\b|(?:terraform|tofu|terragrunt|pulumi|cdk|sam|serverless|fly|vercel|wrangler) (?:apply|up"
    r"|deploy|destroy|import)\b|(?:psql|mysql|mariadb|sqlite3|mongosh?|clickhouse-client)\b.*(?: (?:-f|<|--file) ?\S"
    r"|\b(?:insert into|update \w|delete from|drop |alter |create ))|(?:\S+ ){0,2}?(?:alembic|flyway|prisma|knex"
    r"|dbmate|goose|diesel|sqlx|typeorm|sequelize|rails|artisan|manage\.py)\b.*(?:upgrade|migrate|deploy|db:seed|\bup"
    r"|\brun|seed|import)(?:_\w{1,40})?\b|(?:kubectl|oc) (?:create|delete|scale|drain)\b|helm (?:install|uninstall"
    r"|rollback)\b"
)
"""A command that changes something outside of the files of the project."""
_TRIES = lazy_pattern(r"(?:^|\s)(?:--dry-run|--help|-h|--check|--pretend|--noop|plan)(?:\s|$)")
_MANIFESTS = ("package.json", "cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", ".gemspec")
_DOCUMENT = lazy_pattern(r"(?i)\.(?:md|rst|txt|adoc)$")
_MOVES = lazy_pattern(r"\bgit (?:\S+ ){0,2}?(?:switch|checkout|worktree|branch)\b|\bgh pr (?:close|merge)\b")
_VERSIONS = lazy_pattern(r"(?i)\bversion\b|\bbump|\bset-version")
_LEAST_NAME = 3
"""Letters of a word of a command that can name a changed file."""
_OUTWARD = lazy_pattern(r"(?i)(?:mail|send|credit|charge|pay|refund|invoice|notify|announce)")
"""Part of the name of a script that reaches other people, who notice that it ran twice whatever was changed."""
_FILE = lazy_pattern(r"[\w./-]*\w\.[A-Za-z]\w{0,5}")
_RUNS_CODE = lazy_pattern(r"(?i)\.(?:py|sh|js|ts|rb|php)$")


@dataclass
class _Deed:
    """A command that succeeded, and what happened since."""

    item: StateItem
    files: list[str] = field(default_factory=list)
    """Files that were changed since."""
    commands: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


class CarriedOut:
    """Commands with a lasting effect that succeeded before a compaction, followed until they are repeated."""

    def __init__(self, messages: Iterable[Message]) -> None:
        """Read the messages before the compaction. Raises OSError if the recording can no longer be read."""
        self._deeds: dict[tuple[str, ...], _Deed] = {}
        calls: dict[str, tuple[CallEffects | None, str]] = {}
        for message in messages:
            steps = steps_of(message)
            if steps.words:
                self._hear(steps.words.text)
            for call in steps.calls:
                calls[call.call] = (call, message.id)
            for news in steps.news:
                done, place = calls.pop(news.call, (None, ""))
                if done is not None and not (news.failed or news.refused):
                    self._follow(done)
                    self._add(done, place)

    def _add(self, call: CallEffects, message: str) -> None:
        for key in keys_of(call.command):
            self._deeds[key] = _Deed(StateItem("task", " ".join(key), call.command, "done", "", message))

    def _hear(self, text: str) -> None:
        for deed in self._deeds.values():
            deed.said.append(text)

    def _follow(self, call: CallEffects) -> None:
        for deed in self._deeds.values():
            deed.files.extend(change.path for change in call.files)
            if call.command:
                deed.commands.append(call.command)

    def has_reason(self, call: CallEffects, later: Iterable[CallEffects], said: Iterable[str]) -> bool:
        """Return True if a call runs such a command again, and something that happened since may be the reason."""
        return any(key in self._deeds for key in keys_of(call.command)) and not self.repeated_by(call, later, said)

    def repeated_by(self, call: CallEffects, later: Iterable[CallEffects], said: Iterable[str]) -> StateItem | None:
        """Return the finished command that a call runs again without a visible reason; None for any other.

        Args:
            call: The call.
            later: The calls between the compaction and this one.
            said: Words of the user since the compaction.
        """
        done = [key for key in keys_of(call.command) if key in self._deeds]
        if not done:
            return None
        files = [change.path for one in later for change in one.files]
        commands = [one.command for one in (*later, call)]
        for deed in (self._deeds[key] for key in done):
            since = _Deed(deed.item, [*deed.files, *files], [*deed.commands, *commands], [*deed.said, *said])
            if not any(_has_reason(key, since) for key in done):
                return deed.item
        return None


def keys_of(line: str) -> Iterator[tuple[str, ...]]:
    """Yield the telling words of each command of a line whose effect is wanted once."""
    for words, _ in commands_in(line) if line else ():
        core = core_words(words)
        command = " ".join(core)
        match = _ONCE.match(command)
        if _TRIES.search(" ".join(words)) or not (match or script_deed(core) in SCRIPTS_ONCE):
            continue
        is_opened = bool(match and match["open"]) and "issue" not in core
        yield tuple(core[:3]) if is_opened else _words_of_key(core, words)


def _words_of_key(core: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command, and its options that contain a value."""
    own = (word for word in words[1:] if word.startswith("-") and "=" in word)
    return (*(word for word in core if not word.startswith("-")), *own)


def _has_reason(key: tuple[str, ...], deed: _Deed) -> bool:
    """Return True if something that happened since a command may be the reason to run it again."""
    command = " ".join(key)
    about = content_words(command.replace("/", " ").replace(".", " ").replace("_", " "))
    if any(about & content_words(text) for text in deed.said):
        return True
    match = _ONCE.match(command)
    if match and (match["open"] or match["release"]):
        pattern = _MOVES if match["open"] else _VERSIONS
        is_changed = bool(match["release"]) and any(path.lower().endswith(_MANIFESTS) for path in deed.files)
        return is_changed or any(map(pattern.search, deed.commands))
    return _is_changed(key, deed)


def _is_changed(key: Sequence[str], deed: _Deed) -> bool:
    """Return True if a file was changed that a command names, or any file of the project if it names none."""
    named = [word.rsplit("/", 1)[-1] for word in key if _FILE.fullmatch(word) and not _RUNS_CODE.search(word)]
    changed = [path for path in deed.files if not _DOCUMENT.search(path)]
    if _OUTWARD.search(" ".join(key)):
        words = {word for word in target_words(" ".join(key)) if word.isalpha() and len(word) >= _LEAST_NAME}
        return any(words & target_words(path) for path in changed)
    if named:
        return any(path.rsplit("/", 1)[-1] in named for path in changed)
    return bool(changed)
