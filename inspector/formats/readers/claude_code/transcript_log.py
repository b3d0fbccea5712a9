"""From drafts to the log of a session: results follow their calls, and each message gets a parent.

A transcript is a tree written line by line. Nearly all of it is one straight line, whatever the parents are: results of
parallel calls hang from different lines of one message, hooks and notices are between, parents are missing. Only a
person's words (and the program's replies) that hang from an earlier point are significant: the person returned to that
point, and the messages of the first branch are not in the context of the second. A summary begins a new context, and so
do words that hang from nothing.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from itertools import islice

from inspector.core.conversation import MAIN, Message, Raw
from inspector.formats.readers.claude_code.file_body import WIRE
from inspector.formats.readers.claude_code.kept_runs import KeptRun
from inspector.formats.readers.claude_code.message_drafts import MessageDraft
from inspector.formats.readers.claude_code.recorded_prompts import RecordedPrompt
from inspector.formats.readers.claude_code.transcript import Transcript
from inspector.llm.providers import MessageMetadata, join_metadata, with_placeholder

_CALL_LOOKBACK = 1_000
"""Drafts at the end of a conversation among which the call of a new result is looked for."""


class TranscriptLog:
    """The log of a transcript, which may grow. Adding messages at its end takes time that is linear in them.

    If a message cannot be added at the end (an agent gets another name, a result is far from its call), the whole log
    is rebuilt.
    """

    def __init__(self, transcript: Transcript) -> None:
        self.messages: list[Message] = []
        """The messages of the log, in order."""
        self._transcript = transcript
        self._names: Mapping[str, str] = {}
        """The agent of each thread."""
        self._conversations: dict[str, _Conversation] = {}
        self._hints = 0
        self._replaced = 0
        """Number of known replacements of results."""
        self._open: list[MessageDraft] = []
        """Drafts that further lines may come of."""

    def prompts(self) -> dict[str, RecordedPrompt]:
        """Return the recorded system prompt and tools of each agent."""
        snapshots = self._transcript.snapshots
        return {name: snapshots[thread] for thread, name in self._names.items() if thread in snapshots}

    def tools(self) -> tuple[Raw, ...]:
        """Return the tools that all agents share; none if they differ or are not recorded for one of the agents.

        A session has one list of tools: with the main agent's, the windows of others would be far larger than reported.
        """
        prompts = self.prompts()
        tools = prompts[MAIN].tools if MAIN in prompts else ()
        is_common = all(name in prompts and prompts[name].tools == tools for name in self._names.values())
        return tools if is_common else ()

    def update(self) -> int:
        """Take in what the transcript has got. Returns how many messages, from the first, are the same as before."""
        transcript, length = self._transcript, len(self.messages)
        fresh = transcript.drafts[length:]
        again = [draft for draft in self._open if draft.more]
        for draft in (*again, *fresh):
            _join_lines(draft)
        self._open = [draft for _, draft in transcript.open.values()]
        changed = self._go_on(fresh, again) if length else None
        if changed is None:
            return self._begin()
        drafts = {draft.position: draft for draft in changed}
        for position in sorted(drafts):
            self.messages[position : position + 1] = [self._message_of(drafts[position])]
        return min(drafts, default=length)

    def _message_of(self, draft: MessageDraft) -> Message:
        message = _message_of(draft, self._names[draft.thread])
        sent = self._transcript.replacements.get(message.answers or "") if draft.caller else None
        return message if sent is None else with_placeholder(message, sent)

    def _begin(self) -> int:
        """Make the whole log."""
        transcript = self._transcript
        self._hints, self._replaced = _name_hints(transcript), len(transcript.replacements)
        self._names = _agent_names(transcript)
        threads: dict[str, list[MessageDraft]] = {}
        for draft in transcript.drafts:
            draft.name, draft.caller, draft.results = "", None, None
            threads.setdefault(draft.thread, []).append(draft)
        self._conversations = {name: _Conversation(drafts, transcript.kept) for name, drafts in threads.items()}
        log = list(transcript.drafts)
        for conversation in self._conversations.values():
            for draft in conversation.order:
                log[draft.position] = draft
        self.messages = [self._message_of(draft) for draft in log]
        return 0

    def _go_on(self, fresh: Sequence[MessageDraft], again: Sequence[MessageDraft]) -> list[MessageDraft] | None:
        """Return the drafts whose messages have changed; None if the whole log must be rebuilt."""
        transcript = self._transcript
        hints = _name_hints(transcript)
        if hints != self._hints or not self._names.keys() >= {draft.thread for draft in fresh}:
            self._hints = hints
            names = _agent_names(transcript)
            if any(names.get(thread) != name for thread, name in self._names.items()):
                return None
            self._names = names
        changed = [*again, *self._newly_replaced()]
        for draft in again:
            if not self._conversations[draft.thread].note_calls(draft):
                return None
        for draft in fresh:
            conversation = self._conversations.setdefault(draft.thread, _Conversation((), transcript.kept))
            behind = conversation.add(draft)
            if behind is None:
                return None
            changed += behind
        return changed

    def _newly_replaced(self) -> list[MessageDraft]:
        """Return the drafts of results whose replacement was read since the last call."""
        calls = list(islice(self._transcript.replacements, self._replaced, None))
        self._replaced += len(calls)
        return [draft for call in calls for talk in self._conversations.values() for draft in talk.results_of(call)]


def _join_lines(draft: MessageDraft) -> None:
    """Put the further lines of a draft to its metadata."""
    if draft.more:
        pieces = [draft.metadata, *draft.more]
        draft.metadata = join_metadata([piece for piece in pieces if not _is_blank_line(piece)] or pieces)
        draft.more = None


def _is_blank_line(piece: MessageMetadata) -> bool:
    """Return True if a line of a message holds blank text alone: then it is left out of the whole (see `join_raw`)."""
    return not (piece.preview or piece.calls or piece.thinks or piece.images) and piece.answers is None


def _name_hints(transcript: Transcript) -> int:
    """Return the number of known facts that agents are named by."""
    return len(transcript.prompts) + sum(map(len, transcript.tasks.values()))


class _Conversation:
    """The drafts of one thread in the order of their context: each result directly follows the message of its call.

    Sets the predecessor of each draft, and its position in the log, which the thread's line places determine.
    """

    def __init__(self, drafts: Sequence[MessageDraft], kept: Mapping[str, KeptRun]) -> None:
        self._kept = kept
        self._summary: MessageDraft | None = None
        """The newest summary."""
        self._callers: dict[str, tuple[MessageDraft, str]] = {}
        self._has_strays = False
        """True if there are results without a call."""
        self._blind_from = sys.maxsize
        """The place of the first draft whose parent is not known: from there on, parents tell nothing."""
        self._places = [draft.number for draft in drafts]
        loose = [draft for draft in drafts if self._is_loose(draft)]
        self.order = [member for draft in loose for member in (draft, *(draft.results or ()))]
        self._link(0)

    def add(self, draft: MessageDraft) -> Sequence[MessageDraft] | None:
        """Insert the newest draft at its place. Return the drafts from it on; None if the place is too far back."""
        place = len(self.order)
        if not self._is_loose(draft) and draft.caller is not None:
            batch = draft.caller.results or ()
            last = batch[-2] if len(batch) > 1 else draft.caller
            nearest = range(place - 1, max(-1, place - 1 - _CALL_LOOKBACK), -1)
            place = next((index + 1 for index in nearest if self.order[index] is last), -1)
            if place < 0:
                return None
        self._places.append(draft.number)
        self.order.insert(place, draft)
        self._link(place)
        return self.order[place:]

    def note_calls(self, draft: MessageDraft) -> bool:
        """Add the calls of further lines of a draft. Return False if they change the drafts after it."""
        for call in reversed(draft.metadata.calls):
            if self._callers.get(call.id, (draft,))[0] is not draft:
                return False
            self._callers[call.id] = draft, call.name
        return not (self._has_strays and draft.metadata.calls)

    def results_of(self, call: str) -> list[MessageDraft]:
        """Return the results of a call, as far as it is known who called."""
        caller = self._callers.get(call)
        return [draft for draft in (caller[0].results or ()) if draft.metadata.answers == call] if caller else []

    def _is_loose(self, draft: MessageDraft) -> bool:
        """Return True if a draft is independent; otherwise add it to the results of its caller."""
        for call in reversed(draft.metadata.calls):  # of several with one id, the first names the tool
            self._callers[call.id] = draft, call.name
        if draft.kind == "summary":
            self._summary = draft
        call_site = self._callers.get(draft.metadata.answers) if draft.metadata.answers is not None else None
        if call_site is None or self._is_orphan(draft, call_site[0]):
            self._has_strays = self._has_strays or draft.metadata.answers is not None
            return True
        draft.caller, draft.name = call_site
        draft.caller.results = draft.caller.results or []
        draft.caller.results.append(draft)
        return False

    def _is_orphan(self, draft: MessageDraft, caller: MessageDraft) -> bool:
        """Return True if a result was added to the context after a compaction that dropped its call."""
        summary, anchor = self._summary, draft.anchor
        if summary is None or anchor is None or not caller.number < summary.number <= anchor.number:
            return False
        kept = self._kept.get(summary.id)
        return kept is None or not kept.features(caller)

    def _link(self, start: int) -> None:
        """Tell the drafts from a place on what comes before them in their context."""
        tail = self.order[start - 1] if start else None
        if self._blind_from >= start:
            self._blind_from = sys.maxsize
        for place in range(start, len(self.order)):
            draft = self.order[place]
            draft.position = self._places[place]
            if draft.kind == "summary" or (self._blind_from == sys.maxsize and _begins_anew(draft, tail)):
                _hang(draft, None)
            elif (draft.role == "user" and not draft.is_attached) or _is_made_up(draft):
                _hang(draft, _branch_point(draft, tail))
            else:
                _hang(draft, tail)
            if draft.anchor is None and draft.before is not None:
                self._blind_from = min(self._blind_from, place)
            tail = draft


def _is_made_up(draft: MessageDraft) -> bool:
    """Return True if a reply was written by the program: its parent shows where the person continued."""
    return draft.role == "assistant" and draft.kind != "chat"


def _hang(draft: MessageDraft, before: MessageDraft | None) -> None:
    """Set the predecessor of a draft; None if it begins a context."""
    draft.before = before
    draft.depth = before.depth + 1 if before else 0
    draft.leap = _leap_from(before) if before else draft
    is_passing = draft.kind == "notice" or draft.metadata.answers is not None or draft.is_attached
    draft.steady = draft if not is_passing else before.steady if before else None


def _leap_from(before: MessageDraft) -> MessageDraft:
    """Return the target of the leap of the next draft: two equal leaps make one that is twice as long, plus one."""
    near = before.leap or before
    far = near.leap or near
    return far if before.depth - near.depth == near.depth - far.depth else before


def _at_depth(draft: MessageDraft, depth: int) -> MessageDraft:
    """Return the ancestor of a draft at a depth."""
    while draft.depth > depth and draft.leap and draft.before:
        draft = draft.leap if draft.leap.depth >= depth else draft.before
    return draft


def _begins_anew(draft: MessageDraft, tail: MessageDraft | None) -> bool:
    """Return True if a person went back to before the first message: in a linked file, such words hang from nothing."""
    return bool(draft.role == "user" and draft.is_root and draft.anchor is None and tail and tail.before)


def _branch_point(draft: MessageDraft, tail: MessageDraft | None) -> MessageDraft | None:
    """Return the draft that a person's words follow: the newest one, unless they hang from an earlier point.

    Notices and results at the end make no difference: words that hang from a draft before them still follow them.
    """
    anchor = draft.anchor
    if anchor is None or tail is None or anchor.thread != draft.thread:
        return tail
    earliest = tail.steady.depth if tail.steady else 0
    is_near = earliest <= anchor.depth and _at_depth(tail, anchor.depth) is anchor
    return tail if is_near else _end_of_batch(anchor)


def _end_of_batch(draft: MessageDraft) -> MessageDraft:
    """Return the point that a person can return to: after all the results of a message's calls."""
    caller = draft.caller or draft
    return caller.results[-1] if caller.results else draft


def _message_of(draft: MessageDraft, agent: str) -> Message:
    metadata, before = draft.metadata, draft.before
    return Message(
        id=draft.id,
        role=draft.role,
        body=draft.body,
        dialect=WIRE.name,
        kind=draft.kind,
        name=draft.name,
        calls=metadata.calls,
        answers=metadata.answers,
        is_error=metadata.is_error,
        thinks=metadata.thinks,
        preview=metadata.preview,
        chars=metadata.chars,
        images=metadata.images,
        agent=agent,
        parent=before.position if before else -1,
        time=draft.time,
        model=draft.model,
        usage=draft.usage,
        has_flaw=metadata.has_flaw,
        events=draft.events,
    )


def _agent_names(transcript: Transcript) -> dict[str, str]:
    """Return a name for each thread: the kind of sub-agent with a number, its own id, or else just a number.

    Where there is no main conversation, the first thread takes its place.
    """
    threads = list(dict.fromkeys(draft.thread for draft in transcript.drafts))
    if threads and "" not in threads:
        return {threads[0]: MAIN} | _names_of_threads(transcript, threads[1:])
    return {"": MAIN} | _names_of_threads(transcript, [thread for thread in threads if thread])


def _names_of_threads(transcript: Transcript, threads: list[str]) -> dict[str, str]:
    kinds_of = {prompt: deque(kinds) for prompt, kinds in transcript.tasks.items()}
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    in_use = {MAIN}
    for thread in threads:
        kinds = kinds_of.get(transcript.prompts.get(thread, ""))
        kind = transcript.kinds_by_call.get(thread) or (kinds.popleft() if kinds else "")
        name = "" if kind else thread if thread in transcript.agents else ""
        while not name or name in in_use:
            counts[kind] += 1
            name = f"{kind or 'agent'}-{counts[kind]}"
        in_use.add(name)
        names[thread] = name
    return names
