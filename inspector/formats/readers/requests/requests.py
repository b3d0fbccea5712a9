"""Recorded requests to chat models.

A file contains one request or message list, one per line, or one message per line. Completion logs of gateways, stored
completions of providers, and results of benchmarks that use chat messages are also supported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from inspector.core.conversation import (
    LARGEST_SIZE,
    NEW_TOOLS,
    Dialect,
    Message,
    Raw,
    Session,
    SizeFacts,
)
from inspector.formats.base import UNLIKE, Feature, Format, FormatMatch
from inspector.formats.building.ids import first_words, id_of_start, shorten_title, unique
from inspector.formats.building.message_heuristics import without_failure
from inspector.formats.readers.requests.provider_compactions import applied_edits, compaction_report
from inspector.formats.readers.requests.raw_bodies import body_files, is_request_body, recorded_calls
from inspector.formats.readers.requests.request_chains import MAX_PROMPTS, Chain, chains_of
from inspector.formats.readers.requests.request_contexts import RequestLog
from inspector.formats.readers.requests.request_log import (
    PARTS,
    Exchange,
    dialect_in,
    dialect_of,
    exchanges,
    has_foreign_words,
)
from inspector.formats.reading.content import Content, Sample
from inspector.formats.reading.problems import Problems
from inspector.formats.reading.source import Progress, UnreadableError
from inspector.formats.sidecar import Companion, Portion, companion_path, find_companion, request_path
from inspector.llm.providers import (
    DEFAULT_DIALECT,
    PROVIDERS,
    is_sealed_summary,
    provider_of,
    usage_of,
)

_OWN_IDS = ("id", "session_id", "conversation_id", "custom_id", "uuid")
_LOG_FIELDS = frozenset({"choices", "response", "usage", "object", "kwargs", "traj"})
"""Fields that show that a logger's notes are among a request's own fields."""


class RequestFormat(Format):
    """Requests whose messages are in one provider's wire format. A file may also contain those of another provider."""

    is_request = True
    features: ClassVar[frozenset[Feature]] = frozenset(
        {"system prompt", "tools", "usage", "models", "times", "thinking", "context window"}
    )

    def __init__(self, dialect: Dialect) -> None:
        self.name = dialect

    def recognize(self, sample: Sample) -> FormatMatch:
        """Return a high confidence for this wire format, and a medium one if it is the default and any could match.

        The confidence is low if calls are in a library's notation, because their content would not be read.
        """
        dialect = dialect_in(sample)
        if dialect is not None and has_foreign_words(sample):
            return FormatMatch(0.05, "messages with a role and a content") if self.name == DEFAULT_DIALECT else UNLIKE
        if self.name == dialect:
            return FormatMatch(0.8, f"messages in the form of {self.title.removesuffix(' requests')}")
        if self.name == DEFAULT_DIALECT and dialect == "":
            return FormatMatch(0.5, "messages with a role and a content")
        return UNLIKE

    def read(self, content: Content, progress: Progress | None = None) -> list[Session]:
        return _sessions_of(content, self.name, progress)

    def parts(self, path: Path) -> list[Path]:
        """Return the sidecar of an exported request, or the other files of a folder of bodies."""
        if self.name == "anthropic":
            return [file for file in body_files(path) if file != path]
        beside = companion_path(path)
        return [beside] if self.name == DEFAULT_DIALECT and beside.is_file() else []

    def whole(self, part: Path) -> Path | None:
        if self.name != "anthropic":
            return request_path(part)
        first = next(iter(body_files(part)), None)
        return first if first != part else None


OPENAI_REQUESTS = RequestFormat("openai")
ANTHROPIC_REQUESTS = RequestFormat("anthropic")


def _sessions_of(content: Content, usual: Dialect, progress: Progress | None = None) -> list[Session]:
    """Return the conversations of a file of requests. `usual` is the wire format of requests that could have any."""
    companion = _companion_of(content)
    own = _dialect_by(companion)
    calls = recorded_calls(content) if is_request_body(Path(content.source.path)) else exchanges(content, progress)
    chains = chains_of(((call, own or dialect_of(call) or usual) for call in calls), is_one_program=True)
    return sessions_of_chains(chains, content, companion)


def sessions_of_chains(chains: Sequence[Chain], content: Content, companion: Companion | None = None) -> list[Session]:
    """Return the sessions of the conversations of a file. The first one has the problems of the file.

    Args:
        chains: The conversations, in the order in which they began.
        content: The file with them.
        companion: Sidecar of an exported request.

    Raises:
        UnreadableError: There is no conversation.
    """
    if not chains:
        path = content.source.path
        raise UnreadableError(path, f"{path} contains no conversation that can be read: choose another file.")
    alone = len(chains) == 1
    file_id = id_of_start(chains[0].exchange.messages, chains[0].dialect)[:8]
    sessions = unique(session_of_chain(chain, content, file_id, alone, companion) for chain in chains)
    first = sessions[0]
    sessions[0] = replace(first, problems=(*content.problems.all(), *first.problems))
    return sessions


def _companion_of(content: Content) -> Companion | None:
    """Return the sidecar of an exported request, or None. The reason why one is not used becomes a problem."""
    if content.sample.shape != "object":
        return None
    companion, problem = find_companion(Path(content.source.path))
    if problem:
        content.problems.add(problem)
    return companion


def _dialect_by(companion: Companion | None) -> Dialect | None:
    provider = PROVIDERS.get(companion.provider) if companion else None
    return provider.wire.name if provider else None


def _is_sent_as_it_is(exchange: Exchange, content: Content, companion: Companion | None) -> bool:
    """Return True unless results are taken out that an export put in place of missing ones, or there is no request."""
    return companion is None and bool(exchange.model or content.sample.shape != "lines")


def session_of_chain(chain: Chain, content: Content, file_id: str, alone: bool, companion: Companion | None) -> Session:
    """Return the session of a conversation.

    Args:
        chain: The conversation.
        content: The file with it.
        file_id: Prefix of the ids of benchmark runs.
        alone: True if the file has no other conversation.
        companion: Sidecar of an exported request.
    """
    exchange = chain.exchange
    problems = Problems()
    messages = _log_of(chain, problems, companion)
    session = Session(
        id=_id_of(chain, file_id),
        title=_title_of(exchange, messages),
        format=chain.dialect,
        messages=messages,
        model=exchange.model,
        tools=tuple(exchange.tools),
        dialect=chain.dialect,
        settings=_settings_of(exchange, chain.dialect),
        problems=problems.all(),
        path=content.source.path,
        line=0 if alone else exchange.number,
        is_sent=exchange.reply is None and _is_sent_as_it_is(exchange, content, companion),
    )
    if companion is None:
        limit = exchange.record.get("context_window")
        if not isinstance(limit, int) or isinstance(limit, bool) or not 0 < limit <= LARGEST_SIZE:
            return session
        return replace(session, sizes=SizeFacts(limit=limit))
    return replace(
        session,
        title=shorten_title(" ".join(companion.title.split())) or session.title,
        model=companion.model,
        sizes=companion.sizes,
        records_system=not companion.sizes.unrecorded,
    )


def _log_of(chain: Chain, problems: Problems, companion: Companion | None) -> tuple[Message, ...]:
    """Return the system prompt, the messages, and the reply after them, each with its reported usage."""
    exchange = chain.exchange
    model = (companion.model if companion else "") or exchange.model
    log = RequestLog(chain.dialect, model, has_several=bool(chain.earlier))
    rows = companion.messages if companion else {}
    first, *others = (*chain.earlier, chain)
    if system := first.exchange.system:
        log.add_pieces("system", {"role": "system", "content": system}, {}, rows.get(-1, ()))
    raws = _raws_of(first.exchange)
    _add_context(log, first, raws, range(len(raws)), problems, rows)
    for before, context in pairwise((first, *others)):
        raws, system = _raws_of(context.exchange), context.exchange.system
        other = system if system != before.exchange.system else None
        places = log.begin_context(raws, other, is_compacted=context.is_compacted)
        _add_context(log, context, raws, places, problems, {})
    if chain.prompts > MAX_PROMPTS:
        problems.add(f"the system prompt changed {chain.prompts:,} times: after {MAX_PROMPTS}, the newest one is shown")
    if not log.has_all_copies:
        problems.add("the beginning of the history changed too often: some contexts lack messages that they repeat")
    return tuple(log.messages)


def _add_context(
    log: RequestLog,
    context: Chain,
    raws: Sequence[Any],
    places: Iterable[int],
    problems: Problems,
    rows: Mapping[int, Sequence[Portion]],
) -> None:
    """Add the messages at some places of a request and its reply."""
    exchange = context.exchange
    replies = context.replies | ({len(raws) - 1: exchange} if exchange.reply else {})
    for place in places:
        raw = raws[place]
        if not isinstance(raw, dict):
            problems.add(f"element {place + 1} of the messages was left out: it is not a message")
            continue
        if place not in replies and log.has_copied(raw):
            continue
        start = len(log.messages)
        source = replies.get(place)
        record = ({} if place or log.has_contexts else exchange.record) | (source.reply_record if source else {})
        raw, failure = without_failure(raw)
        facts = _report_of(raw, source) | failure
        compaction = facts | compaction_report(raw, source)
        if is_sealed_summary(raw):
            facts |= (
                {"kind": "summary"}
                | _compaction_usage(context, place)
                | _report_of(raw, _compacting(replies.get(place + 1)))
            )
            log.begin_unless_kept()
        if log.is_inserted(raw, place):
            facts |= {"kind": "summary"}
        own = _without_notes(raw, record)
        log.add_parts_of(f"m{place + 1}", *own, rows.get(place, ()), compaction, **facts)
        log.keep(raws[place], start)


def _compaction_usage(context: Chain, place: int) -> dict[str, Any]:
    """Return the usage that a call reported which only compacts, as facts of the compaction at a place."""
    own = context.exchange if context.exchange.is_compaction else context.compacting.get(place)
    return {"usage": usage_of(own.record.get("usage"))} if own else {}


def _raws_of(exchange: Exchange) -> list[Any]:
    """Return the messages of a request, followed by its reply unless it is already there."""
    reply = exchange.reply
    if reply is None or (exchange.messages and _same(exchange.messages[-1], reply)):
        return exchange.messages
    return [*exchange.messages, reply]


def _same(message: Any, reply: Raw) -> bool:
    keys = ("role", "content", "tool_calls")
    return isinstance(message, dict) and all(message.get(key) == reply.get(key) for key in keys)


def _compacting(source: Exchange | None) -> Exchange | None:
    """Return the exchange of a reply if a compaction in the same response precedes it."""
    return source if source and source.is_compacted else None


def _report_of(raw: Raw, source: Exchange | None) -> dict[str, Any]:
    """Return the model, usage and time of a reply: from its exchange or, in some logs, from the message itself.

    If the API compacted the window first, the usage is that of the compaction, not of the smaller window of the reply.
    """
    if source:
        usage = None if source.is_compacted and raw.get("role") == "assistant" else usage_of(source.usage)
        events = (*((NEW_TOOLS,) if source.has_new_tools else ()), *applied_edits(source.reply_record))
        return {"model": source.model, "usage": usage, "time": source.time, "events": events}
    if raw.get("role") != "assistant":
        return {}
    model = raw.get("model")
    return {"model": model if isinstance(model, str) else "", "usage": usage_of(raw.get("usage"))}


def _without_notes(raw: Raw, record: Raw) -> tuple[Raw, Raw]:
    """Move a field that the provider's store adds to a message, which no request may contain, to the record."""
    if "content_parts" not in raw:
        return raw, record
    message = {key: value for key, value in raw.items() if key != "content_parts"}
    return message, {**record, "content_parts": raw["content_parts"]}


def _settings_of(exchange: Exchange, dialect: Dialect) -> Raw:
    """Return the request's other fields. If a logger's fields are among them, return only known settings."""
    fields = exchange.fields
    loose = "model" in fields and _LOG_FIELDS.isdisjoint(fields)
    names = provider_of(dialect).settings
    return {key: value for key, value in fields.items() if key not in PARTS and (loose or key in names)}


def _id_of(chain: Chain, file_id: str) -> str:
    """Return the id in the record, or one made from the beginning of the conversation."""
    exchange = chain.exchange
    if exchange.is_run:
        return f"{file_id}-task-{exchange.record.get('task_id')}-trial-{exchange.record.get('trial', 0)}"
    for name in _OWN_IDS:
        own = exchange.record.get(name)
        if isinstance(own, str | int) and not isinstance(own, bool) and own != "":
            return str(own)
    return id_of_start(exchange.messages, chain.dialect)


def _title_of(exchange: Exchange, messages: tuple[Message, ...]) -> str:
    """Return the task of a run, the title in the record, or the first words of the user."""
    record = exchange.record
    metadata = exchange.fields.get("metadata")
    words = first_words(messages)
    if exchange.is_run:
        run = f"task {record.get('task_id')}, trial {record.get('trial', 0)}"
        return shorten_title(f"{run}: {words}" if words else run)
    for place in (record, metadata):
        title = place.get("title") if isinstance(place, dict) else None
        if isinstance(title, str) and title.strip():
            return shorten_title(" ".join(title.split()))
    return words
