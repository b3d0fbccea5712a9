"""The log of a conversation that was recorded as requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspector.core.conversation import MAIN, Dialect, Raw, ToolResult, readable
from inspector.core.sequences import common_start
from inspector.formats.building.log_builder import LogBuilder
from inspector.formats.readers.requests.request_chains import fingerprint, is_prompt, leading_prompts
from inspector.formats.sidecar import Portion, cut
from inspector.llm.providers import NEXT_WORDS, NO_RESULT, at_compactions, is_compaction, wire_of


class RequestLog(LogBuilder):
    """The messages of a conversation with `model`: those of one request, or of several that begin differently."""

    def __init__(self, dialect: Dialect, model: str = "", *, has_several: bool = False) -> None:
        super().__init__(dialect)
        self.model = model
        self.has_several = has_several
        """True if there will be several contexts."""
        self.has_contexts = False
        """True if a later context has begun."""
        self._prints: list[int] = []
        """Fingerprints of the messages of the current context."""
        self._ends: list[int] = []
        """Position in the log after each of them."""
        self._of_raw: dict[int, int] = {}
        """Fingerprints of the messages of the newest request, by the identity of each."""
        self._raws: Sequence[Any] = ()
        """These messages, which keep their identities."""
        self._known: dict[int, str] = {}
        """Id of the first message with a fingerprint."""
        self._seam = 0
        """Place in the current context before which fewer messages are than there were; 0 if none were removed."""
        self._summary = -1
        """Place in the current context of the summary that begins it, if there is one."""
        self._may_copy = True

    def begin_context(self, raws: Sequence[Any], system: Any = None, *, is_compacted: bool = False) -> range:
        """Begin the context of a request that begins with other messages.

        Args:
            raws: The messages of the request, and its reply.
            system: System prompt next to the messages, if it is another one than before.
            is_compacted: True if the first message after the prompt that was not there before is the summary of a
                compaction.

        Returns:
            The places of the messages that are not shared with the context before.
        """
        prints = self._keep_prints(raws)
        shared, length = 0 if system else common_start(prints, self._prints), len(self._prints)
        del self._prints[shared:], self._ends[shared:]
        if shared:
            self.begin_anew(after=self._ends[-1])
        elif system or any(map(is_prompt, raws[:1])):
            self.begin_anew()
        else:
            self.begin_after_prompt()
        copied = [place for place in range(shared, len(raws)) if prints[place] in self._known]
        self._may_copy = self.has_room_for(len(copied))
        self._seam = copied[-1] if copied and copied[-1] < length - 1 else 0
        self.has_contexts = True
        self._summary = self._first_new(prints, leading_prompts(raws)) if is_compacted else -1
        if system:
            self.add("system", {"role": "system", "content": system}, {})
        return range(shared, len(raws))

    def _keep_prints(self, raws: Sequence[Any]) -> list[int]:
        """Return the fingerprints of the messages of a request, and keep them until the next one."""
        prints = [fingerprint(raw, self.dialect) for raw in raws]
        self._raws, self._of_raw = raws, dict(zip(map(id, raws), prints, strict=True))
        return prints

    def _fingerprint(self, raw: Raw) -> int:
        known = self._of_raw.get(id(raw))
        return fingerprint(raw, self.dialect) if known is None else known

    def _first_new(self, prints: Sequence[int], start: int) -> int:
        """Return the place, from `start` on, of the first message that was not there before, or -1."""
        return next((place for place in range(start, len(prints)) if prints[place] not in self._known), -1)

    def has_copied(self, raw: Raw) -> bool:
        """Return True if a message is one of an earlier context. It is repeated, and is no new reply."""
        own = self._fingerprint(raw) if self.has_contexts else 0
        if own not in self._known:
            return False
        if self._may_copy:
            start = len(self.messages)
            self.add(self._known[own], raw, {}, kind="copy" if raw.get("role") == "assistant" else "chat")
            self.keep(raw, start)
        return True

    def keep(self, raw: Raw, start: int) -> None:
        """Note that a message is in the log from position `start` on, for the contexts that follow."""
        if not self.has_several:
            return
        own = self._fingerprint(raw)
        self._prints.append(own)
        self._ends.append(self.ends.get(MAIN, -1))
        if start < len(self.messages):
            self._known.setdefault(own, self.messages[start].id)

    def is_inserted(self, raw: Raw, place: int) -> bool:
        """Return True if a text of the program replaces messages of an earlier context."""
        is_first = self.has_contexts and (place < self._seam or place == self._summary)
        is_before = is_first and raw.get("role") == "user"
        return is_before and not any(isinstance(part, ToolResult) for part in wire_of(self.dialect).parse(raw))

    def add_pieces(self, id: str, raw: Raw, record: Raw, pieces: Sequence[Portion], **facts: Any) -> None:
        """Add a message as the messages from which it was made, according to its portions in the sidecar.

        Args:
            id: Id of the message.
            raw: Message as it was sent.
            record: Record with the request.
            pieces: Its portions.
            facts: Fields of each message.
        """
        for part, piece in cut(raw, pieces):
            if piece.invented and self._was_put_in(part):
                self._settle_reply()
                continue
            own = {
                name: value for name in ("kind", "name", "time") if (value := getattr(piece, name)) not in ("", "chat")
            }
            is_result = any(isinstance(entry, ToolResult) for entry in wire_of(self.dialect).parse(part))
            self.add(piece.id or id, part, record, **(facts if is_result else facts | own))
            record = {}

    def add_parts_of(
        self, id: str, raw: Raw, record: Raw, pieces: Sequence[Portion], compaction: dict[str, Any], **facts: Any
    ) -> None:
        """Add a message, and each compaction in it as a message that begins a context with these facts."""
        parts = at_compactions(raw) if self.dialect == "anthropic" else [raw]
        rest = [part for part in parts[-1:] if self.dialect != "anthropic" or not is_compaction(part)]
        for part in parts[: len(parts) - len(rest)]:
            self.add_part(id, part, record, **compaction)
        for part in rest:
            self.add_pieces(id, part, {} if len(parts) > 1 else record, pieces, **facts)

    def add_part(self, id: str, raw: Raw, record: Raw, **compaction: Any) -> None:
        """Add the part of a reply before a compaction, or the compaction, which begins a context after the prompt."""
        if is_compaction(raw):
            self.begin_after_prompt()
            self.add(id, raw, record, kind="summary", **compaction)
        else:
            self.add(id, raw, record, kind="copy")

    def begin_unless_kept(self) -> None:
        """Start a new context with an encrypted summary, unless the messages before are those that it kept."""
        place = self.ends.get(MAIN, -1)
        while place >= 0 and self.messages[place].role != "assistant":
            place = self.messages[place].parent
        if place >= 0:
            self.begin_after_prompt()

    def begin_after_prompt(self) -> None:
        """Start a new context with the system prompt and the next message."""
        prompt = [place for place, message in enumerate(self.messages[:1]) if message.role == "system"]
        self.begin_anew(after=prompt[0] if prompt else -1)

    def _was_put_in(self, raw: Raw) -> bool:
        """Return True if a message that is not in the window contains only what an export adds."""
        parts = wire_of(self.dialect).parse(raw)
        return bool(self.model and self.messages) and all(readable(part) in (NEXT_WORDS, NO_RESULT) for part in parts)

    def _settle_reply(self) -> None:
        """Mark the newest message as a reply of the model, because another message followed it in the window."""
        last = self.messages[-1]
        if last.role == "assistant" and not last.model:
            self.messages[-1] = replace(last, model=self.model)
