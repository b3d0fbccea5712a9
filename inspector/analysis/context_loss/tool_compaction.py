"""Find the facts that the next compaction of the recorded tool would remove, and write a note that keeps them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from inspector.analysis.context_loss.fact_lines import FactKind, LostStep
from inspector.analysis.context_loss.lost_steps import Dropped
from inspector.analysis.context_loss.restored import by_section, restored_from
from inspector.core.conversation import MAIN, Message, Session
from inspector.core.json_objects import json_object
from inspector.core.text import clipped_words, plural
from inspector.engine.work_state import WorkHistory
from inspector.llm.tokens import Sizes

_MAX_NOTE, _MAX_POINT = 1_200, 160
_NAMES: Mapping[str, tuple[str, str]] = {
    "changed": ("changed file", "changed files"),
    "read": ("read of files", "reads of files"),
    "failure": ("failed command", "failed commands"),
}
"""Singular and plural of kinds whose name is not a noun."""
_SOURCE = re.compile(r"^[^:]{1,40}: (?:rule, )?")
"""Beginning of a line that names its source and turn."""
_GROUP = re.compile(r"turns |Tasks, turn [\d,]{1,9}: done")
"""Beginning of a line with several commands that only look at something, or with tasks that are done."""
_NOTE_KINDS: Mapping[FactKind, tuple[str, int]] = {
    "rule": ("my rules", 8),
    "task": ("tasks", 6),
    "decision": ("decisions", 3),
    "command": ("commands that worked", 5),
    "failure": ("commands that failed", 3),
}
"""Kinds of facts that the note names, with the most of each."""


class _ToolPolicy(NamedTuple):
    """Messages that the compaction of a tool keeps unchanged, next to the summary."""

    command: str = ""
    newest: int = 0
    """Tokens of the newest messages."""
    prompts: int = 0
    """Tokens of the newest messages of the user."""
    share: float = 0.0
    """Share of the window, from its end, that begins with a message of the user."""
    is_known: bool = True
    """False if no source states the policy, so that a summary alone is assumed."""


_POLICIES: Mapping[str, _ToolPolicy] = {
    "claude-code": _ToolPolicy("/compact"),
    "codex": _ToolPolicy("/compact", prompts=20_000),
    "pi": _ToolPolicy("/compact", newest=20_000),
    "openclaw": _ToolPolicy("/compact", newest=20_000),
    "gemini-cli": _ToolPolicy("/compress", share=0.3),
    "qwen-code": _ToolPolicy("/compress", share=0.3),
    "opencode": _ToolPolicy("/compact", newest=15_000),
    "copilot-cli": _ToolPolicy("/compact", is_known=False),
    "kimi": _ToolPolicy("/compact", is_known=False),
}
"""Default policies of tools by format.

Claude Code kept a summary alone in all recordings that were looked at. Sources of the others, read on 2026-11-29:

- Codex: `COMPACT_USER_MESSAGE_MAX_TOKENS` in `codex-rs/core/src/compact.rs` of openai/codex.
- pi, and OpenClaw, which uses it: `keepRecentTokens` in `packages/agent/src/harness/compaction/compaction.ts` of
  badlogic/pi-mono.
- Gemini CLI, and Qwen Code, its fork: `COMPRESSION_PRESERVE_THRESHOLD` in
  `packages/core/src/services/chatCompressionService.ts` of google-gemini/gemini-cli.
- opencode: `MAX_PRESERVE_RECENT_TOKENS` in `packages/opencode/src/session/compaction.ts` of sst/opencode.
"""
_UNKNOWN_POLICY = _ToolPolicy(is_known=False)


@json_object("Next compaction", "turn policy removes keeps counts lines note")
@dataclass(frozen=True, slots=True)
class NextCompaction:
    """Facts that the next compaction of the recorded tool removes, unless its summary states them."""

    turn: Annotated[int, "of the next request"]
    policy: Annotated[str, "the messages that the tool keeps, in a sentence"]
    removes: Annotated[int, "messages that the summary would replace"]
    keeps: Annotated[int, "messages that would stay unchanged"]
    counts: Annotated[Mapping[str, int], "facts at risk by kind: only the removed messages state them"]
    lines: Annotated[Sequence[LostStep], "facts at risk"]
    note: Annotated[str, "a message to the tool, so that its summary keeps them; empty without facts"]


def next_compaction(
    session: Session, sizes: Sizes, agent: str = MAIN, turn: int | None = None, history: WorkHistory | None = None
) -> NextCompaction:
    """Return what a compaction of the recorded tool would remove before the reply of a turn.

    Args:
        session: Recorded session.
        sizes: Token counts of the session.
        agent: Agent whose context is looked at.
        turn: 1-based turn; None for the current context.
        history: States of the agent's work so far, which are computed if None.

    Raises:
        OSError: If the recording can no longer be read.
    """
    policy = _POLICIES.get(session.format, _UNKNOWN_POLICY)
    turn = len(session.turns(agent)) + 1 if turn is None else turn
    path = session.path_to(session.context_end(turn, agent))
    places = [place for place in path if session.messages[place].kind != "notice"]
    kept = set(_kept(policy, session.messages, places, sizes.tokens))
    removed = [session.messages[place] for place in places if place not in kept]
    state = (history or WorkHistory(session, agent)).at_turn(turn)
    dropped = Dropped(turn, state, removed, [session.messages[place] for place in places if place in kept])
    answer = restored_from(session, agent, dropped)
    lines = tuple(by_section((*answer.used, *answer.left)))
    counts = Counter[str](step.kind for step in lines if step.kind != "state")
    note = _note(policy.command, lines)
    return NextCompaction(turn, _policy_sentence(policy), len(removed), len(kept), dict(counts), lines, note)


def _kept(
    policy: _ToolPolicy, messages: Sequence[Message], places: Sequence[int], tokens: Sequence[int]
) -> Iterator[int]:
    """Yield the positions that a tool keeps."""
    if policy.share:
        yield from _newest_share(policy.share, messages, places, tokens)
        return
    newest, prompts = policy.newest, policy.prompts
    for place in reversed(places):
        newest -= tokens[place]
        if newest > 0:
            yield place
        elif prompts > 0 and _is_prompt(messages[place]):
            prompts -= tokens[place]
            yield place


def _newest_share(
    share: float, messages: Sequence[Message], places: Sequence[int], tokens: Sequence[int]
) -> Sequence[int]:
    """Return the positions from the first prompt on after which at most a share of the tokens follows."""
    before, limit = 0, (1 - share) * sum(tokens[place] for place in places)
    for number, place in enumerate(places):
        if before >= limit and _is_prompt(messages[place]):
            return places[number:]
        before += tokens[place]
    return ()


def _is_prompt(message: Message) -> bool:
    return message.role == "user" and message.kind == "chat" and message.answers is None


def _policy_sentence(policy: _ToolPolicy) -> str:
    if not policy.is_known:
        return "It is not known what the tool keeps; a summary alone is assumed."
    if policy.newest:
        return f"The tool keeps a summary and the newest {policy.newest:,} tokens."
    if policy.prompts:
        return f"The tool keeps a summary and the newest {policy.prompts:,} tokens of the user's messages."
    if policy.share:
        return f"The tool keeps a summary and the newest {policy.share:.0%} of the window."
    return "The tool keeps a summary."


def replaced_words(following: NextCompaction) -> str:
    """Return what the tool keeps, with the numbers of messages, in two sentences."""
    removes, keeps = plural(following.removes, "message"), plural(following.keeps, "message")
    return f"{following.policy} {removes} would be replaced, {keeps} would stay."


def next_words(following: NextCompaction) -> str:
    """Return the facts at risk in a few words: "2 rules, 6 commands"."""
    return ", ".join(
        f"{count:,} {_NAMES.get(kind, (kind, f'{kind}s'))[count != 1]}" for kind, count in following.counts.items()
    )


def _note(command: str, lines: Sequence[LostStep]) -> str:
    """Return the note in one line. Each point is a quotation or a command of the recording."""
    parts = list[str]()
    for kind, (heading, most) in _NOTE_KINDS.items():
        texts = [step.text for step in lines if step.kind == kind and not _GROUP.match(step.text)]
        points = [clipped_words(_SOURCE.sub("", text).partition(" → ")[0], _MAX_POINT) for text in texts[-most:]]
        if points:
            parts.append(f"{heading}: {'; '.join(points)}")
    words = f"Keep verbatim {'. Also '.join(parts)}." if parts else ""
    return clipped_words(f"{command} {words}".strip(), _MAX_NOTE) if words else ""
