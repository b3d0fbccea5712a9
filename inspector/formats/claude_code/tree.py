"""From drafts to the log of a session: results behind their calls, and what came before each message.

A transcript is a tree written down line by line. Nearly all of it is one straight line, whatever the parents say:
results of parallel calls hang from different lines of one message, hooks and notices stand between, parents are
missing. Only a person's words (and the program's own replies) that hang from an earlier point mean something: the
person went back and took another way, and what was said on the first way is not in the context of the second. A summary
begins a new context, and so do words that hang from nothing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Set
from itertools import accumulate

from inspector.conversation import MAIN, Message
from inspector.formats.claude_code.body import WIRE
from inspector.formats.claude_code.records import MessageDraft, Transcript
from inspector.providers import MessageMetadata, join_metadata


def log_of(transcript: Transcript, names: Mapping[str, str]) -> tuple[Message, ...]:
    """The messages of the log, in order. `names` tells the agent of each thread."""
    drafts = transcript.drafts
    survivors = _preserved_drafts(transcript)
    places: dict[str, list[int]] = {}
    for place, draft in enumerate(drafts):
        if draft.more:
            pieces = [draft.metadata, *draft.more]
            draft.metadata = join_metadata([piece for piece in pieces if not _is_blank_line(piece)] or pieces)
        places.setdefault(draft.thread, []).append(place)
    log = list(drafts)
    for numbers in places.values():
        thread = _with_results_behind_calls([drafts[place] for place in numbers])
        _link(thread, survivors)
        for place, draft in zip(numbers, thread, strict=True):
            log[place] = draft
    for position, draft in enumerate(log):
        draft.position = position
    return tuple([_message_of(draft, names[draft.thread]) for draft in log])


def _is_blank_line(piece: MessageMetadata) -> bool:
    """Whether a line of a message holds blank text alone: then it is left out of the whole (see `join_raw`)."""
    return not (piece.preview or piece.calls or piece.thinks or piece.images) and piece.answers is None


def _preserved_drafts(transcript: Transcript) -> set[MessageDraft]:
    """Drafts that a compaction kept word for word behind its summary."""
    changes = [0] * (len(transcript.drafts) + 1)
    for first, last in transcript.preserved_runs:
        changes[first] += 1
        changes[last + 1] -= 1
    return {draft for draft, times in zip(transcript.drafts, accumulate(changes), strict=False) if times}


def _with_results_behind_calls(thread: list[MessageDraft]) -> list[MessageDraft]:
    """One conversation with each result moved to right behind the message that called for it."""
    callers: dict[str, tuple[MessageDraft, str]] = {}
    loose: list[MessageDraft] = []
    for draft in thread:
        for call in reversed(draft.metadata.calls):  # of several with one id, the first names the tool
            callers[call.id] = draft, call.name
        call_site = callers.get(draft.metadata.answers) if draft.metadata.answers is not None else None
        if call_site:
            caller, draft.name = call_site
            caller.results = caller.results or []
            caller.results.append(draft)
            draft.caller = caller
        else:
            loose.append(draft)
    return [member for draft in loose for member in (draft, *(draft.results or ()))]


def _link(thread: list[MessageDraft], survivors: Set[MessageDraft] = frozenset()) -> None:
    """Tell each draft of one conversation what comes before it in its context."""
    tail: MessageDraft | None = None
    has_links = True
    for draft in thread:
        if draft.kind == "summary" or (has_links and _begins_anew(draft, tail)):
            _hang(draft, None)
        elif (draft.role == "user" or _is_made_up(draft)) and draft.anchor not in survivors:
            _hang(draft, _branch_point(draft, tail))
        else:
            _hang(draft, tail)
        has_links = has_links and (draft.anchor is not None or draft.before is None)
        tail = draft


def _is_made_up(draft: MessageDraft) -> bool:
    """Whether a reply comes from the program: where it hangs tells where the person went on."""
    return draft.role == "assistant" and draft.kind != "chat"


def _hang(draft: MessageDraft, before: MessageDraft | None) -> None:
    """Put a draft behind another one, or where a context begins."""
    draft.before = before
    draft.depth = before.depth + 1 if before else 0
    draft.leap = _leap_from(before) if before else draft
    is_passing = draft.kind == "notice" or draft.metadata.answers is not None
    draft.steady = draft if not is_passing else before.steady if before else None


def _leap_from(before: MessageDraft) -> MessageDraft:
    """How far back to leap from the draft behind this one: as twice the same leaps make one, and one more."""
    near = before.leap or before
    far = near.leap or near
    return far if before.depth - near.depth == near.depth - far.depth else before


def _at_depth(draft: MessageDraft, depth: int) -> MessageDraft:
    """The draft at a depth among those that stand before one."""
    while draft.depth > depth and draft.leap and draft.before:
        draft = draft.leap if draft.leap.depth >= depth else draft.before
    return draft


def _begins_anew(draft: MessageDraft, tail: MessageDraft | None) -> bool:
    """Whether a person went back to before the first message: in a linked file, such words hang from nothing."""
    return bool(draft.role == "user" and draft.is_root and draft.anchor is None and tail and tail.before)


def _branch_point(draft: MessageDraft, tail: MessageDraft | None) -> MessageDraft | None:
    """The draft that a person's words follow: the newest one, unless they hang from an earlier point.

    Notices and results at the end make no difference: words that hang from before them follow them all the same.
    """
    anchor = draft.anchor
    if anchor is None or tail is None or anchor.thread != draft.thread:
        return tail
    earliest = tail.steady.depth if tail.steady else 0
    is_near = earliest <= anchor.depth and _at_depth(tail, anchor.depth) is anchor
    return tail if is_near else _end_of_batch(anchor)


def _end_of_batch(draft: MessageDraft) -> MessageDraft:
    """A point that a person can go back to: behind all the results of a message's calls."""
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
    )


def agent_names(transcript: Transcript) -> dict[str, str]:
    """A name for each thread: the kind of sub-agent with a number, its own id, or else just a number.

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
        kind = kinds.popleft() if kinds else ""
        name = "" if kind else thread if thread in transcript.agents else ""
        while not name or name in in_use:
            counts[kind] += 1
            name = f"{kind or 'agent'}-{counts[kind]}"
        in_use.add(name)
        names[thread] = name
    return names
