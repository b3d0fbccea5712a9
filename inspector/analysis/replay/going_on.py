"""Ask a new context the questions that an agent must answer to go on after a compaction.

The questions come from the state of the work before the compaction and from the recorded calls after it. No model is
asked: a question is answered if the new context states the item that the recording states as its answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from inspector.analysis.replay.changed_values import changed_values, states_newest
from inspector.analysis.replay.told_changes import ToldChanges
from inspector.analysis.tool_activity import Actions, action_of_call, is_content
from inspector.core.caches import MessageCache, text_of
from inspector.core.conversation import Message, Session, Text, ToolCall
from inspector.core.json_objects import json_object
from inspector.core.text import lazy_pattern, one_line
from inspector.engine.facts import RelatedText, StatedTexts, arguments_in, related_text, source_words
from inspector.engine.work_state import StateFate, Transition
from inspector.llm.providers import is_sealed_summary

WorkProbeKind = Literal["where", "turn", "request", "open work", "failure", "value", "file", "next step"]
_QUESTIONS: dict[WorkProbeKind, str] = {
    "where": "Where does the work happen?",
    "turn": "Who acts next?",
    "request": "What did the user ask for?",
    "open work": "What remains to be done?",
    "failure": "What failed last?",
    "value": "What is the newest value?",
    "file": "Which files were changed?",
    "next step": "Which file or page comes next?",
}
_KIND_OF_PART: dict[str, WorkProbeKind] = {
    "where": "where",
    "turn": "turn",
    "request": "request",
    "task": "open work",
    "failure": "failure",
}
ASKED_PARTS = frozenset(_KIND_OF_PART)
"""Parts of the state that are asked about."""
_CLOSED = frozenset(("done", "dropped"))
_MAX_FILES, _MAX_VALUES, _MAX_STEPS = 12, 8, 10
"""Changed files, changed values, and calls after the compaction, that are asked about."""
_MAX_SOURCES = 60
"""Maximum number of replaced messages, the newest ones, that are searched for the words around a name."""
_MAX_LINE = 200
"""Maximum characters of the evidence."""
_MAX_WRITTEN = 20_000
"""Maximum number of characters of a call that are searched for what it writes."""
_MAX_CALLS = 600
"""Maximum number of replaced messages, the newest ones, that are searched for calls on a file."""
_MAX_DEEDS = 8
"""Number of statements and changes around calls on a file, the newest ones, that a summary is compared with."""
_HUMP = lazy_pattern(r"(?<=[a-z])(?=[A-Z])")
"""Border between the words of a name: "loadFile"."""
_MIN_NAME = 4
"""Minimum length of the name of a file that a context can state by chance."""


@json_object("Work probe", "kind question answer message is_answered evidence")
@dataclass(frozen=True, slots=True)
class WorkProbe:
    """A question about the work whose answer the recording states, and whether the new context states it too."""

    kind: WorkProbeKind
    answer: Annotated[str, "as the recording states it"]
    message: Annotated[str, "id of the message that states the answer"]
    is_answered: Annotated[bool, "true if the new context states the answer"]
    evidence: Annotated[str, "words of the new context that state it; empty if none do"]

    @property
    def question(self) -> str:
        return _QUESTIONS[self.kind]


def probes_of(
    transition: Transition, fates: Iterable[StateFate], following: Sequence[Message] | None = None
) -> tuple[WorkProbe, ...]:
    """Return the questions about the work at a compaction; none about an encrypted summary.

    Args:
        transition: Compaction.
        fates: What it made of the state of the work.
        following: Recorded messages after it; None for those of the transition.

    Raises:
        OSError: If the recording can no longer be read.
    """
    if is_sealed_summary(transition.summary.raw):
        return ()
    asked = _AskedContext(transition)
    later = transition.after if following is None else following
    return (
        *_of_state(fates),
        *_value_probes(transition),
        *_files(transition, asked),
        *_next_steps(transition, asked, later),
    )


class _AskedContext:
    """A new context that is asked about files."""

    def __init__(self, transition: Transition) -> None:
        self._summary = transition.summary.text
        self._kept = [message for message in transition.kept if _is_source(message)]
        self._replaced = [message for message in transition.replaced[-_MAX_SOURCES:] if _is_source(message)]
        self._replies = [message for message in transition.replaced[-_MAX_CALLS:] if message.calls]
        self._window = StatedTexts(self._kept, [self._summary])
        self._changed = frozenset(_end_of(item.text) for item in transition.before.of("file"))

    @cached_property
    def _reports(self) -> ToldChanges:
        return ToldChanges(self._summary)

    @cached_property
    def _trail(self) -> tuple[StatedTexts, RelatedText]:
        """The window and the summary without announcements and reads, which do not tell that a file was changed."""
        text = self._reports.without_plans
        return self._window.with_summaries([text]), related_text(_parted(text))

    @cached_property
    def _parted(self) -> RelatedText:
        """The words of the summary, with those that names are made of."""
        return related_text(_parted(self._summary))

    @cached_property
    def _deeds(self) -> Mapping[str, list[frozenset[str]]]:
        """Words that the agent said before each call on a file, and those that the call wrote, the newest first."""
        deeds: dict[str, list[frozenset[str]]] = defaultdict(list)
        for message in self._replies[::-1]:
            for name, words in _DEEDS.get(message, _read_deeds):
                deeds[name].append(words)
        return deeds

    def ask(self, kind: WorkProbeKind, resource: str, message: str) -> WorkProbe:
        """Ask about a file or page: a kept message must name it, or the summary with words that belong to it.

        These are the words near its name in earlier messages, and what the agent said and wrote with calls on it. A
        report that a changed file was changed also answers. An announcement does not answer.
        """
        name = _end_of(resource)
        window, summary = self._trail if kind == "file" else (self._window, self._parted)
        state = window.value(name, reversed(self._replaced))
        is_done = state == "named" and (
            (name in self._changed and self._reports.reports(name))
            or summary.relates(_parted(name), self._deeds.get(name, ())[:_MAX_DEEDS])
        )
        is_answered = is_done or state == "retained"
        texts = (*map(text_of, self._kept), self._summary) if is_answered else ()
        lines = (line for text in texts if name in text for line in text.splitlines() if name in line)
        return WorkProbe(kind, one_line(resource), message, is_answered, one_line(next(lines, "")[:_MAX_LINE]))


def _read_deeds(message: Message) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return the names of the files of calls, each with words that the agent said or wrote with the call."""
    deeds, parts = list[tuple[str, frozenset[str]]](), message.parts
    said = " ".join(part.text for part in parts if isinstance(part, Text))
    for call in (part for part in parts if isinstance(part, ToolCall)):
        if name := _end_of(action_of_call(call).resource):
            texts = (f"{one_line(text)} {name}" for text in (said[-_MAX_LINE:], _new_words(call)))
            deeds += [(name, words) for text in texts if (words := source_words(_parted(text), _parted(name)))]
    return tuple(deeds)


_DEEDS = MessageCache[tuple[tuple[str, frozenset[str]], ...]]("deeds", limit=8_192)


def messages_after(session: Session, turn: int, agent: str) -> list[Message]:
    """Return the recorded messages of an agent from the reply of a turn on, as far as their calls are asked about."""
    turns, messages = session.turns(agent), session.messages
    if turn > len(turns):
        return []
    end = turns[turn + _MAX_STEPS - 1] if turn + _MAX_STEPS <= len(turns) else len(messages)
    return [message for message in messages[turns[turn - 1] : end] if message.agent == agent]


def _of_state(fates: Iterable[StateFate]) -> Iterator[WorkProbe]:
    """Yield the questions about items of the state. Only the last failure is asked about."""
    rows = [row for row in fates if row.part in _KIND_OF_PART]
    last_failure = next((row for row in reversed(rows) if row.part == "failure"), None)
    for row in rows:
        if (row.part == "task" and row.before in _CLOSED) or (row.part == "failure" and row is not last_failure):
            continue
        kind = _KIND_OF_PART[row.part]
        is_answered = row.fate == "kept" or (row.fate == "paraphrased" and row.part == "request")
        evidence = one_line(row.after) if is_answered else ""
        yield WorkProbe(kind, one_line(row.item), row.message, is_answered, evidence)


def _value_probes(transition: Transition) -> Iterator[WorkProbe]:
    """Yield a question for each of the values that changed last. An outdated value is no answer."""
    context = [transition.summary, *(message for message in transition.kept if message.answers is None)]
    text = "\n".join(map(text_of, context))
    for value in list(changed_values(transition.replaced[-_MAX_SOURCES:]))[-_MAX_VALUES:]:
        answer, is_answered = f"{value.key} = {value.newest}", states_newest(text, value)
        line = next((line for line in text.splitlines() if value.newest in line), "") if is_answered else ""
        yield WorkProbe("value", answer, value.message, is_answered, one_line(line[:_MAX_LINE]))


def _files(transition: Transition, asked: _AskedContext) -> Iterator[WorkProbe]:
    """Yield a question for each of the files that were changed last."""
    for item in transition.before.of("file")[-_MAX_FILES:]:
        yield asked.ask("file", item.text, item.message)


def _next_steps(transition: Transition, asked: _AskedContext, later: Sequence[Message]) -> Iterator[WorkProbe]:
    """Yield a question for each file or page of the next calls that was known before, and that no later result names.

    The answer is in a message of the replaced context.
    """
    actions, calls, results = Actions(later), 0, list[Message]()
    wanted: dict[str, str | None] = {}
    for message in later:
        if calls >= _MAX_STEPS:
            break
        if message.answers is not None:
            results.append(message)
        for action in actions.calls_of(message) if message.role == "assistant" else ():
            calls += 1
            name = _end_of(action.resource)
            if len(name) >= _MIN_NAME and name not in wanted:
                wanted[name] = None if _sources_of([name], results) else action.resource
    resources = {name: resource for name, resource in wanted.items() if resource is not None}
    sources = _sources_of(resources, transition.replaced)
    for name, resource in resources.items():
        if name in sources:
            yield asked.ask("next step", resource, sources[name].id)


def _end_of(resource: str) -> str:
    return resource.rstrip("/").rpartition("/")[2]


def _sources_of(names: Iterable[str], messages: Iterable[Message]) -> dict[str, Message]:
    """Return the first message that contains each of some names, reading each message once."""
    missing, sources = set(names), dict[str, Message]()
    for message in messages:
        if not missing:
            break
        if _is_source(message):
            text = text_of(message)
            sources.update((name, message) for name in missing if name in text)
            missing.difference_update(sources)
    return sources


def _new_words(call: ToolCall) -> str:
    """Return the words of the last text among the arguments of a call that its other texts do not contain."""
    *others, text = (value[:_MAX_WRITTEN] for _, value in (("", ""), *arguments_in(call)) if isinstance(value, str))
    known = {word for other in others for word in other.split()}
    return " ".join(word for word in text.split() if word not in known)[:_MAX_LINE]


def _parted(text: str) -> str:
    """Return a text with spaces between the words of its names."""
    return _HUMP.sub(" ", text.replace("_", " "))


def _is_source(message: Message) -> bool:
    """Return False for tool results that failed or are cleared."""
    return message.answers is None or is_content(message)
