"""Redact a session, and the plans that apply to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from inspector.analysis.redaction.fitting_patterns import Patterns
from inspector.analysis.redaction.redactor import Redacted, Redactor
from inspector.core.conversation import InMemoryBody, Message, Problem, Session, ToolCall
from inspector.core.text import lazy_pattern, loads
from inspector.engine.window import Fate, Injection, Plan
from inspector.llm.providers import message_from_raw

_WORD = lazy_pattern(r"[A-Z]?[a-z]+")


@dataclass(frozen=True)
class Redaction:
    """A session without its secrets."""

    session: Session
    """Session with the same messages in the same order. Ids, names and the path can differ."""
    plans: Mapping[str, tuple[Plan, ...]]
    """Plans of each agent, adapted to the session."""
    redactor: Redactor

    @property
    def review(self) -> list[Redacted]:
        return self.redactor.review


def redact(
    session: Session,
    plans: Mapping[str, tuple[Plan, ...]] | None = None,
    with_kinds: Iterable[str] = (),
    without_kinds: Iterable[str] = (),
    redactor: Redactor | None = None,
) -> Redaction:
    """Return a session without keys, tokens, passwords, e-mail addresses and names of home folders.

    Content that cannot be searched (pictures, encoded data) is removed as well. Every message is read twice: first to
    collect all secrets, then to hide them in texts, calls, results, ids and titles.

    Args:
        session: Session to redact.
        plans: Plans of each agent to adapt.
        with_kinds: Optional kinds to redact as well.
        without_kinds: Kinds not to redact.
        redactor: Redactor of another session, so that a secret of both has one placeholder. Its kinds apply.

    Raises:
        OSError: If the recording can no longer be read.
    """
    plans = plans or {}
    redactor = redactor or Redactor((), with_kinds, without_kinds)
    redactor.keep_words(_tool_words(session))
    redactor.collect(_surroundings(session))
    patterns = [collect_message(redactor, message) for message in session.messages]
    for message in _messages_of_plans(plans):
        collect_message(redactor, message)
    messages = []
    for redactor.message, (message, own) in enumerate(zip(session.messages, patterns, strict=True), 1):
        messages.append(_message_without(redactor, message, own))
    redactor.message = 0
    around = redactor.value_of(_surroundings(session))
    problems = zip(session.problems, around.pop("problems"), strict=True)
    return Redaction(
        replace(
            session,
            messages=tuple(messages),
            tools=tuple(around.pop("tools")),
            problems=tuple(_problem_of(redactor, replace(problem, text=text)) for problem, text in problems),
            **around,
        ),
        {
            redactor.text_of(agent): tuple([_plan_of(redactor, plan) for plan in stack])
            for agent, stack in plans.items()
        },
        redactor,
    )


def collect_session(redactor: Redactor, session: Session) -> None:
    """Collect the secrets of a session, and the words that are no names of people."""
    redactor.keep_words(_tool_words(session))
    redactor.collect(_surroundings(session))
    for message in session.messages:
        collect_message(redactor, message)


def redacted_messages(redactor: Redactor, session: Session) -> Iterator[Message]:
    """Yield the messages of a session without its secrets and those that the redactor has collected before."""
    for message in session.messages:
        yield _message_without(redactor, message, collect_message(redactor, message))


def collect_message(redactor: Redactor, message: Message) -> Patterns:
    """Collect the secrets of a message. Returns the patterns of those that are hidden only in their context."""
    return redactor.collect(_contents_of(message))


def _tool_words(session: Session) -> set[str]:
    """Return the names of tools and parameters in lower case. They are kept even if a person has the same name."""
    words: set[str] = set()
    waiting: list[Any] = list(session.tools)
    while waiting:
        match waiting.pop():
            case dict() as fields:
                words.update(map(str, fields))
                words.update(_words_of_name(fields.get("name")))
                waiting += fields.values()
            case list() as items:
                words.update(item for item in items if isinstance(item, str))
                waiting += (item for item in items if not isinstance(item, str))
    for message in session.messages:
        for part in message.parts if message.calls else ():
            if isinstance(part, ToolCall):
                words.update(_words_of_name(part.name))
                with suppress(ValueError, TypeError, RecursionError):
                    arguments = loads(part.arguments)
                    words.update(arguments if isinstance(arguments, dict) else ())
    return {word.casefold() for word in words}


def _words_of_name(name: object) -> list[str]:
    """Return the words of a tool's name without its MCP server, whose name can be that of a person."""
    return _WORD.findall(name.rpartition("__")[2]) if isinstance(name, str) else []


def _surroundings(session: Session) -> dict[str, Any]:
    """Return the data of a session outside of its messages."""
    return {
        **{name: getattr(session, name) for name in ("id", "title", "model", "settings", "path")},
        "tools": list(session.tools),
        "problems": [problem.text for problem in session.problems],
    }


def _messages_of_plans(plans: Mapping[str, tuple[Plan, ...]]) -> Iterator[Message]:
    for plan in chain.from_iterable(plans.values()):
        yield from plan.rewrites.values()
        yield from plan.summaries
        yield from (injection.message for injection in plan.injections)


def _contents_of(message: Message) -> list[Any]:
    """Return all parts of a message that can contain a secret."""
    return [*message.body.load(), message.id, message.name, message.agent]


def _message_without(redactor: Redactor, message: Message, patterns: Patterns | None = None) -> Message:
    """Return a message without the secrets that the redactor has collected."""
    raw, record, name, speaker, agent = redactor.value_of(_contents_of(message), patterns)
    facts = {
        key: getattr(message, key) for key in ("role", "kind", "is_error", "parent", "time", "model", "usage", "images")
    }
    return message_from_raw(
        name,
        raw,
        message.dialect,
        body=InMemoryBody(raw, record),
        name=speaker,
        agent=agent,
        **facts,
    )


def _problem_of(redactor: Redactor, problem: Problem) -> Problem:
    return replace(problem, message=redactor.text_of(problem.message)) if problem.message else problem


def _plan_of(redactor: Redactor, plan: Plan) -> Plan:
    """Return a plan for the redacted session."""
    return replace(
        plan,
        settings=redactor.value_of(dict(plan.settings)),
        ids=tuple([redactor.text_of(name) for name in plan.ids]),
        fates=tuple([_fate_of(redactor, fate) for fate in plan.fates]),
        rewrites={redactor.text_of(name): _message_without(redactor, other) for name, other in plan.rewrites.items()},
        summaries=tuple([_message_without(redactor, summary) for summary in plan.summaries]),
        note=redactor.text_of(plan.note),
        scores={redactor.text_of(name): score for name, score in plan.scores.items()},
        injections=tuple([_injection_of(redactor, injection) for injection in plan.injections]),
    )


def _fate_of(redactor: Redactor, fate: Fate) -> Fate:
    into = redactor.text_of(fate.into) if fate.into else fate.into
    return replace(fate, reason=redactor.text_of(fate.reason), into=into)


def _injection_of(redactor: Redactor, injection: Injection) -> Injection:
    return Injection(
        _message_without(redactor, injection.message),
        redactor.text_of(injection.before),
        redactor.text_of(injection.reason),
    )
