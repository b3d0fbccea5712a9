"""The checks that are shipped for plugins: our own entries pass them, and what breaks a rule does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import pytest

from inspector.cli.command_line import COMMANDS, cli
from inspector.core.conversation import Raw, Session
from inspector.engine.strategies import STRATEGIES, PlanBuilder, Services, Strategy, knob
from inspector.engine.window import Plan, Window
from inspector.formats import (
    MEMORY_READERS,
    Content,
    Format,
    FormatEntry,
    FormatMatch,
    LogBuilder,
    MemoryItem,
    MemoryReader,
    Progress,
    Sample,
)
from inspector.formats.reading.opening import open_content
from inspector.formats.writers.markdown_writer import MarkdownWriter
from inspector.formats.writers.registry import WRITERS
from inspector.llm.providers import PROVIDERS, Request
from inspector.llm.providers.openai_chat.chat_provider import OpenAIChat
from inspector.testing import (
    check_command,
    check_exporter,
    check_format,
    check_memory_store,
    check_provider,
    check_strategy,
)
from tests.formats.memory_samples import export, graph, letta


@pytest.mark.parametrize("name", STRATEGIES)
def test_our_strategies_pass(name: str) -> None:
    check_strategy(STRATEGIES[name], rounds=4)


@pytest.mark.parametrize("name", PROVIDERS)
def test_our_providers_pass(name: str) -> None:
    check_provider(PROVIDERS[name], rounds=4)


@pytest.mark.parametrize("name", WRITERS)
def test_our_forms_to_export_pass(name: str) -> None:
    check_exporter(WRITERS[name], rounds=4)


@pytest.mark.parametrize("name", ["show", "compress", "formats", "strategies", "tune", "why"])
def test_our_commands_pass(name: str) -> None:
    assert name in COMMANDS
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    check_command(command)


@dataclass(frozen=True)
class NoSettings:
    pass


@dataclass
class LooseSettings:
    size: int = knob(1, "How large it is.")


@dataclass(frozen=True)
class SilentSettings:
    size: int = knob(1, "")


def idle(window: Window, _settings: Any, _services: Services) -> Plan:
    builder = PlanBuilder(window)
    builder.keep_rest("everything stays")
    return builder.finish("idle", NoSettings())


def drop_all(window: Window, _settings: Any, _services: Services) -> Plan:
    builder = PlanBuilder(window)
    builder.drop(range(len(window.messages)), "everything leaves")
    return replace(builder.finish("drop_all", NoSettings()), fates=tuple(builder.fates))


def half_a_plan(window: Window, _settings: Any, _services: Services) -> Plan:
    plan = idle(window, None, _services)
    return replace(plan, ids=plan.ids[1:], fates=plan.fates[1:])


_turns: list[int] = []


def moody(window: Window, settings: Any, services: Services) -> Plan:
    _turns.append(1)
    return replace(idle(window, settings, services), note="" if len(_turns) % 2 else "I changed my mind")


@pytest.mark.parametrize(
    ("strategy", "rule"),
    [
        (Strategy(idle, NoSettings, "lossy", ""), "about must be one line"),
        (Strategy(idle, NoSettings, "dear", "does nothing"), "cost must be one of"),  # type: ignore[arg-type]
        (Strategy(idle, LooseSettings, "lossy", "does nothing"), "must be frozen"),
        (Strategy(idle, SilentSettings, "lossy", "does nothing"), "size needs a description"),
        (Strategy(drop_all, NoSettings, "lossy", "drops all"), "is protected"),
        (Strategy(half_a_plan, NoSettings, "lossy", "forgets one"), "each message needs exactly one fate"),
        (Strategy(moody, NoSettings, "lossy", "changes its mind"), "gave different plans"),
    ],
)
def test_a_strategy_that_breaks_a_rule_is_caught(strategy: Strategy, rule: str) -> None:
    with pytest.raises(AssertionError, match=rule):
        check_strategy(strategy, rounds=4)


def test_an_idle_strategy_passes() -> None:
    check_strategy(Strategy(idle, NoSettings, "free", "does nothing"), rounds=4)


class Deaf(OpenAIChat):
    def request(self, context: Any, messages: Any) -> Request:
        return super().request(context, messages[:1])


class Choleric(OpenAIChat):
    def usage(self, report: Raw) -> Any:
        return report["usage"]


@pytest.mark.parametrize(("provider", "error"), [(Deaf(), "must contain all text"), (Choleric(), "usage")])
def test_a_provider_that_breaks_a_rule_is_caught(provider: OpenAIChat, error: str) -> None:
    with pytest.raises((AssertionError, KeyError), match=error):
        check_provider(provider, rounds=2)


class Forgetful(MarkdownWriter):
    calls = 0

    def write(self, conversation: Any) -> str:
        Forgetful.calls += 1
        return f"{Forgetful.calls}"


def test_a_form_that_breaks_a_rule_is_caught() -> None:
    with pytest.raises(AssertionError, match="same text"):
        check_exporter(Forgetful(), rounds=1)


class Verbatim(Format):
    """Text files, each of which is one message."""

    name = "verbatim"
    entry = FormatEntry("texts", frozenset({"text"}), {0.6: ""})

    def recognize(self, sample: Sample) -> FormatMatch:
        return FormatMatch(0.5, "words")

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        log = LogBuilder()
        for number, line in content.text_lines(progress):
            log.add(f"m{number}", {"role": "user", "content": line})
        return [log.session(content, self.name)]


class Sure(Verbatim):
    def recognize(self, sample: Sample) -> FormatMatch:
        return FormatMatch(1.0, "words")


class Picky(Verbatim):
    def recognize(self, sample: Sample) -> FormatMatch:
        return FormatMatch(0.5 if sample.head.endswith("three.\n\n") else 0.0, "words")


class Vain(Verbatim):
    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return [replace(session, format="best") for session in super().read(content, progress)]


class Fragile(Verbatim):
    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        if "three" not in content.sample.head:
            raise ValueError("no three")
        return super().read(content, progress)


class Scribbler(Verbatim):
    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        Path(content.source.path).with_suffix(".index").touch()
        return super().read(content, progress)


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        (Sure(), "hints allow the confidence"),
        (Picky(), "recognizes its own file"),
        (Vain(), "Session.format is the format's name"),
        (Fragile(), "read raises UnreadableError, and not ValueError"),
        (Scribbler(), "read writes nothing"),
    ],
)
def test_a_format_that_breaks_a_rule_is_caught(entry: Format, rule: str, words: Path) -> None:
    with pytest.raises(AssertionError, match=rule):
        check_format(entry, [words])


def test_a_format_that_keeps_the_rules_passes(words: Path) -> None:
    check_format(Verbatim(), [words])


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text("One, two\nthree.\nFour, five, three.\n", encoding="utf-8")
    return path


@click.command()
def curt() -> None:
    """Say nothing"""


@click.command()
def texts_only() -> None:
    """Say something."""


@pytest.mark.parametrize(("command", "rule"), [(curt, "is not a sentence"), (texts_only, "--json")])
def test_a_command_that_breaks_a_rule_is_caught(command: click.Command, rule: str) -> None:
    with pytest.raises(AssertionError, match=rule):
        check_command(command)


@pytest.mark.parametrize("write", [graph, letta, export])
def test_our_readers_of_memories_pass(write: Callable[[Path], Path], tmp_path: Path) -> None:
    path = write(tmp_path)
    (name,) = (name for name in MEMORY_READERS if MEMORY_READERS[name].recognize(open_content(path).sample))
    check_memory_store(MEMORY_READERS[name], [path])


class Lines(MemoryReader):
    """Text files, each line of which is one note."""

    name, title = "lines", "notes on lines"

    def recognize(self, sample: Sample) -> bool:
        return sample.shape == "text" and bool(sample.head.strip())

    def read(self, content: Content) -> Iterator[MemoryItem]:
        return (MemoryItem(str(number), line) for number, line in content.text_lines() if line.strip())


class Anonymous(Lines):
    def read(self, content: Content) -> Iterator[MemoryItem]:
        return (replace(item, id="note") for item in super().read(content))


class Local(Lines):
    def read(self, content: Content) -> Iterator[MemoryItem]:
        return (replace(item, created="2026-01-02T03:04:05") for item in super().read(content))


class Hopeful(Lines):
    def recognize(self, sample: Sample) -> bool:
        return len(sample.records[0]) > 0


@pytest.mark.parametrize(
    ("reader", "rule"),
    [
        (Anonymous(), "item ids are unique"),
        (Local(), "times have a time zone"),
        (Hopeful(), "recognize never raises"),
    ],
)
def test_a_reader_of_memories_that_breaks_a_rule_is_caught(reader: MemoryReader, rule: str, words: Path) -> None:
    with pytest.raises(AssertionError, match=rule):
        check_memory_store(reader, [words])


def test_a_reader_of_memories_that_keeps_the_rules_passes(words: Path) -> None:
    check_memory_store(Lines(), [words])
