"""Replies that the store keeps, so that the same request is not paid twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from inspector.analysis.asking.asking_run import AskedCall, AskedReply
from inspector.core.conversation import Usage
from inspector.core.text import dumps, loads
from inspector.engine.summaries import AnswerCall, ModelSettings
from inspector.store import Experiment, Store

_SETTINGS = frozenset({"temperature", "top_p", "top_k", "seed", "reasoning", "reasoning_effort", "thinking", "stop"})
"""Fields of a request that are listed with an experiment."""


@dataclass
class KeptReplies:
    """The kept replies of one session to one model. Without a store, replies are kept in memory only."""

    settings: ModelSettings
    about: Mapping[str, Any]
    """Turn, agent and other facts that are listed with each experiment."""
    store: Store | None = None
    session_id: str = ""
    with_requests: bool = True
    """True to keep requests for export; False to keep only their digests."""
    _here: dict[tuple[str, int], AskedReply] = field(default_factory=dict)

    def find(self, call: AskedCall) -> AskedReply | None:
        """Return the kept reply to a call; None if it was never made."""
        digest = call.digest(self.settings)
        if (reply := self._here.get((digest, call.sample))) is not None:
            return reply
        row = self.store.experiments.find(self.session_id, digest, call.sample) if self.store else None
        if row is None:
            return None
        reply = self._here[digest, call.sample] = kept_reply(row)
        return reply

    def keep(self, call: AskedCall, reply: AskedReply) -> None:
        """Keep a reply."""
        digest, settings = call.digest(self.settings), self.settings
        self._here[digest, call.sample] = reply
        if self.store is None:
            return
        about = {
            **self.about,
            "context": call.label,
            "model": settings.model,
            "host": settings.place,
            "api": settings.api,
            "settings": {name: value for name, value in call.body.items() if name in _SETTINGS},
        }
        row = Experiment(self.session_id, digest, call.sample, about, _reply_row(reply))
        self.store.experiments.put(row, call.body if self.with_requests else None)


class ReplyCache(Protocol):
    """Storage for texts by key. Methods never raise."""

    def load(self, keys: Sequence[bytes]) -> Mapping[bytes, str]:
        """Return the saved texts by key. Unknown keys are missing."""

    def save(self, texts: Mapping[bytes, str]) -> None:
        """Save texts by key."""


@dataclass
class CachedReplies:
    """The kept replies to requests that belong to no session."""

    settings: ModelSettings
    cache: ReplyCache
    is_usable: Callable[[AskedCall, AskedReply], bool]
    """True for a reply that is worth keeping."""

    def find(self, call: AskedCall) -> AskedReply | None:
        """Return the kept reply to a call; None if it was never made or if what was kept is damaged."""
        key = self._key(call)
        text = self.cache.load([key]).get(key)
        if text is None:
            return None
        try:
            saved = loads(text)
            return _reply_of(saved["reply"], str(saved["time"]))
        except (TypeError, ValueError, LookupError, AttributeError):
            return None

    def keep(self, call: AskedCall, reply: AskedReply) -> None:
        """Keep a reply."""
        if self.is_usable(call, reply):
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self.cache.save({self._key(call): dumps({"reply": _reply_row(reply), "time": now})})

    def _key(self, call: AskedCall) -> bytes:
        return bytes.fromhex(call.digest(self.settings))


def _reply_row(reply: AskedReply) -> dict[str, Any]:
    usage = reply.usage
    return {
        "text": reply.text,
        "calls": [[call.name, call.arguments] for call in reply.calls],
        "usage": [usage.input, usage.output, usage.cache_read, usage.cache_write] if usage else None,
        "cost": reply.cost,
        "seconds": reply.seconds,
        "finish": reply.finish,
    }


def kept_reply(experiment: Experiment) -> AskedReply:
    """Return the reply of an experiment."""
    return _reply_of(experiment.reply, experiment.created_at)


def _reply_of(row: Mapping[str, Any], time: str) -> AskedReply:
    usage = row.get("usage")
    return AskedReply(
        text=str(row.get("text") or ""),
        calls=tuple(AnswerCall(str(name), str(arguments)) for name, arguments in row.get("calls") or ()),
        usage=Usage(*map(int, usage)) if isinstance(usage, list) else None,
        cost=float(row.get("cost") or 0),
        seconds=float(row.get("seconds") or 0),
        finish=str(row.get("finish") or ""),
        kept=time or "an earlier call",
    )
