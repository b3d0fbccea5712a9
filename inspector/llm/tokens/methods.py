"""Comparison of token counting methods, with their errors relative to the reported usage.

    reported     usage in the API's responses: correct, but only known after the call
    tiktoken     OpenAI's newest public encoding, for any model
    characters   text length divided by 4, and also by 3.5 for Anthropic models
    tokenizer    the model's own encoding, if it is public
    calibrated   one of the above, fitted to the reported usage; the counts that Inspector shows

Each reply with reported usage is a trial: the provider's count of its window is compared with ours. If the format omits
the system prompt and the tools, no count of the recorded messages can match that total. Each window is then predicted
from the previous reported one and the messages added since. Only the calibrated method estimates unrecorded tokens, and
its totals are the ones that Inspector shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Annotated, Literal

from inspector.core.conversation import MAIN, Image, Session
from inspector.core.json_objects import OPEN, Tokens, json_object
from inspector.core.work_pool import ProgressCallback
from inspector.llm.models import EncodingName, ModelProfile, profile
from inspector.llm.providers import provider_of
from inspector.llm.tokens.calibration import REPLY, calibrate, running_totals, turns_of
from inspector.llm.tokens.counting import CharsCounter, Counter, TokenizerCounter
from inspector.llm.tokens.session_counting import count_session
from inspector.llm.tokens.size_falls import ReportedTurn

_Method = Literal["reported", "tiktoken", "characters", "tokenizer", "calibrated"]
_NEWEST: EncodingName = "o200k_base"
_COMMON = 4.0
"""Characters per token in the usual rule of thumb."""


@json_object("Method")
@dataclass(frozen=True, slots=True)
class MethodResult:
    """Result of one counting method for one session."""

    name: Annotated[_Method, OPEN]
    how: Annotated[str, "its tokenizer"]
    tokens: Annotated[Tokens | None, "of the last window with a reported size, else of the current context"]
    error_pct: Annotated[float | None, "mean distance of its totals from the reported ones"]
    bias_pct: Annotated[float | None, "mean signed error; positive if it counts too much"]
    added_pct: Annotated[float | None, "error on the messages between two windows"]
    """Signed error of the total growth between windows, in percent of the reported growth.

    It distinguishes methods if most of each window is known from the previous one.
    """
    turns: Annotated[int, "number of windows measured"]
    note: Annotated[str, "a note in one sentence; may be empty"] = ""


@dataclass(frozen=True)
class _Trial:
    """Session and settings that the methods are tested with."""

    session: Session
    agent: str
    model: ModelProfile
    caches: Mapping[str, Mapping[bytes, int]]
    on_progress: ProgressCallback | None


def compare_methods(
    session: Session,
    agent: str = MAIN,
    caches: Mapping[str, Mapping[bytes, int]] | None = None,
    on_progress: ProgressCallback | None = None,
) -> tuple[MethodResult, ...]:
    """Compare all methods on the windows of one agent.

    Counting takes about a second per 15 MB of text.

    Args:
        session: The session.
        agent: Name of the agent.
        caches: Earlier counts by message digest, by the name of the counter.
        on_progress: Called with a label, the number of counted messages and the total.

    Returns:
        Results in the order of the table in this module, with "characters" once per divisor.

    Raises:
        TableError: The rank table of an encoding cannot be read.
        OSError: A message can no longer be read.
    """
    trial = _Trial(session, agent, profile(session.model), caches or {}, on_progress)
    newest = TokenizerCounter(_NEWEST)
    counts = {_NEWEST: _raw_counts(trial, newest)}
    if trial.model.encoding not in counts:
        counts[trial.model.encoding] = _raw_counts(trial, TokenizerCounter(trial.model.encoding))
    lengths = dict.fromkeys((_COMMON, trial.model.chars_per_token))
    return (
        _reported_result(trial),
        _result(trial, "tiktoken", _NEWEST, counts[_NEWEST], newest, note=_encoding_note(trial.model)),
        *(_by_length(trial, length) for length in lengths),
        _own_tokenizer(trial, counts),
        _calibrated_result(trial, counts[trial.model.encoding]),
    )


def _raw_counts(trial: _Trial, counter: Counter) -> Sequence[int]:
    """Return the raw tokens of each message in the log."""
    counts: Sequence[int | None] = ()
    for batch in count_session(trial.session, counter, trial.caches.get(counter.name)):
        if trial.on_progress:
            trial.on_progress(f"counting with {counter.name}", batch.count, len(batch.counts))
        counts = batch.counts
    return [count or 0 for count in counts]


def _reported_result(trial: _Trial) -> MethodResult:
    """Counts in the API's responses."""
    turns = _reported_turns(trial, [0] * len(trial.session.messages))
    if not turns:
        return MethodResult("reported", "by the provider", None, None, None, None, 0, "No call reported its usage.")
    growth_error = None if _growth_error(turns) is None else 0.0
    return MethodResult("reported", "by the provider", turns[-1].usage, 0.0, 0.0, growth_error, len(turns))


def _encoding_note(model: ModelProfile) -> str:
    """Note on an OpenAI encoding for a model of another vendor, or an older model."""
    if model.exact:
        return "" if model.encoding == _NEWEST else f"The model's own encoding is {model.encoding}."
    return "The model does not use it."


def _by_length(trial: _Trial, length: float) -> MethodResult:
    """Return the result of the rule of thumb: text length without message framing."""
    picture = provider_of(trial.session.dialect).image_tokens(Image())
    messages = trial.session.messages
    counts = [ceil(message.chars / length) + message.images * picture for message in messages]
    note = "" if length == _COMMON else f"Estimate for {trial.model.family} models."
    return _result(
        trial, "characters", f"{length:g} characters a token", counts, CharsCounter(length), reply=0, note=note
    )


def _own_tokenizer(trial: _Trial, counts: Mapping[EncodingName, Sequence[int]]) -> MethodResult:
    model = trial.model
    if model.exact:
        return _result(trial, "tokenizer", model.encoding, counts[model.encoding], TokenizerCounter(model.encoding))
    note = f"The tokenizer of {model.family} models is not public." if model.is_known else "The model is unknown."
    return MethodResult("tokenizer", "not public" if model.is_known else "unknown", None, None, None, None, 0, note)


def _calibrated_result(trial: _Trial, counts: Sequence[int]) -> MethodResult:
    """Counts as Inspector shows them."""
    session, model = trial.session, trial.model
    counter = TokenizerCounter(model.encoding)
    tools = provider_of(session.dialect).count_tools(session.tools, counter)
    fit = calibrate(session, counts, tools, own_tokenizer=model.exact)
    encoding = model.encoding if fit.factor == 1.0 else f"{model.encoding} × {fit.factor:.3f}"
    levels = [sent - gone for sent, gone in zip(fit.levels, fit.removed, strict=True)] if fit.removed else fit.levels
    return _result(trial, "calibrated", encoding, fit.tokens, counter, scale=fit.factor, levels=levels)


def _result(
    trial: _Trial,
    name: _Method,
    how: str,
    counts: Sequence[int],
    counter: Counter,
    *,
    reply: int = REPLY,
    scale: float = 1.0,
    levels: Sequence[int] = (),
    note: str = "",
) -> MethodResult:
    """Return the result of a method.

    Args:
        trial: The session.
        name: Name of the method.
        how: Description of the counter.
        counts: The method's tokens of each message in the log.
        counter: Counts the tools.
        reply: Tokens that start the reply.
        scale: Factor for the tokens of the tools.
        levels: Unrecorded tokens of the context that ends with each message, if the method knows them.
        note: Caveat.
    """
    session = trial.session
    tools = round(scale * provider_of(session.dialect).count_tools(session.tools, counter))
    turns = _reported_turns(trial, counts)
    pairs = [
        (guess, turn.usage)
        for turn in turns
        if (guess := _expected_total(turn, session, tools + reply, levels)) is not None
    ]
    if not pairs:
        return MethodResult(name, how, _context_tokens(trial, counts, tools + reply), None, None, None, 0, note)
    shares = [(guess - real) / real for guess, real in pairs]
    error, bias = 100 * sum(map(abs, shares)) / len(shares), 100 * sum(shares) / len(shares)
    return MethodResult(name, how, pairs[-1][0], error, bias, _growth_error(turns), len(pairs), note)


def _reported_turns(trial: _Trial, counts: Sequence[int]) -> list[ReportedTurn]:
    """Return the agent's replies with plausible usage."""
    sums = running_totals(trial.session, counts)
    return [turn for turn in turns_of(trial.session, sums) if turn.agent == trial.agent]


def _expected_total(turn: ReportedTurn, session: Session, around: int, levels: Sequence[int]) -> int | None:
    """Return the total that a method predicts for a turn, or None if a prediction is not possible.

    A method without unrecorded tokens only predicts the growth since the previous turn.
    """
    if levels and turn.end >= 0:
        return turn.tokens + around + levels[turn.end]
    if session.records_system:
        return turn.tokens + around
    if turn.before is None:
        return None
    return turn.before.usage + turn.tokens - turn.before.tokens


def _growth_error(turns: Sequence[ReportedTurn]) -> float | None:
    """Return the signed error of the growth of windows, in percent of the reported growth; None without growth."""
    steps = [(turn, turn.before) for turn in turns if turn.before and turn.usage > turn.before.usage]
    real = sum(turn.usage - last.usage for turn, last in steps)
    growth = sum(turn.tokens - last.tokens for turn, last in steps)
    return 100 * (growth - real) / real if real else None


def _context_tokens(trial: _Trial, counts: Sequence[int], around: int) -> int:
    """Return the recorded tokens of the current context."""
    messages = trial.session.messages
    last = next((place for place in range(len(messages) - 1, -1, -1) if messages[place].agent == trial.agent), None)
    return around + (running_totals(trial.session, counts)[last] if last is not None else 0)
