"""Outputs of the commands that show, check, count, compress and export one context window."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from inspector.cli.schema.values import CostRecord, Dollars, Fit, Missed, Problems, RecordedSo, Settings, Tokens
from inspector.core.conversation import Kind, ProviderName, Role
from inspector.engine.window import FateKind, Section, SizeChange
from inspector.llm.providers import PROVIDERS
from inspector.llm.tokens import Certainty

_PROVIDERS = f"one of {', '.join(PROVIDERS)}"
_Lost = Annotated[
    Mapping[str, int] | None,
    "facts of the recorded window that are in no way in it any more, by class; null for a log too long to count them",
]
_Files = Annotated[Sequence[str], "all files that were written: the request, and its companion"]
_Notes = Annotated[
    Sequence[str], "what was put right in the request and what did not fit, each a sentence; none where none is made"
]
Number = Annotated[int | None, "place in the log, from 1; null for a message that a plan has made"]
Turn = Annotated[int, "the N-th model call, from 1; one more for the context as it now stands"]


class SessionRecord(TypedDict):
    """Which session it is."""

    id: str
    title: str
    format: str
    model: str
    messages: int
    turns: Annotated[int, "model calls of the agent"]
    agents: int


class SizeChangeRecord(TypedDict):
    """The sizes of a window before and after a compaction."""

    before: Annotated[Tokens, "of the window of the turn before; 0 before the first"]
    after: Tokens
    before_how: Annotated[Certainty, "how the number is known"]
    after_how: Annotated[Certainty, "the same"]


def size_change_fields(sizes: SizeChange) -> dict[str, Any]:
    """The fields of a `SizeChangeRecord`."""
    before, after = sizes.before, sizes.after
    return {
        "before": before.tokens,
        "after": after.tokens,
        "before_how": before.certainty,
        "after_how": after.certainty,
    }


class SectionRecord(TypedDict):
    """What a section of the window takes."""

    tokens: Tokens
    how: Annotated[Certainty, "how the number is known; an unrecorded one is inferred from reported usage"]


class SizeRecord(TypedDict):
    """What a window takes, in tokens."""

    total: Tokens
    limit: Annotated[Tokens, "that the window may take"]
    reserve: Annotated[Tokens, "kept free for the reply"]
    free: Annotated[Tokens, "below 0 where the window is too large"]
    sections: Annotated[Mapping[Section, SectionRecord], "they add up to the total"]
    reported: NotRequired[Annotated[Tokens, "of this request, by the provider"]]


class PlanRecord(TypedDict):
    """A plan on the session's stack."""

    strategy: str
    settings: Settings
    turn: Annotated[Turn, "at which it was made"]


class MessageRecord(TypedDict):
    """A message in the window."""

    id: str
    number: Number
    role: Role
    kind: Kind
    section: Section
    tokens: Tokens
    pinned: bool
    preview: Annotated[str, "the beginning of what it says, on one line"]


class SwapResultRecord(TypedDict):
    """Archived messages that have to do with the current request."""

    messages: Annotated[Sequence[str], "ids of the messages: a call with its results, or one message"]
    rank: Annotated[int, "place among all that was found, from 1"]
    score: float
    tokens: Tokens
    reason: Annotated[str, "its rank and score in each search, its age and tokens; of one that did not come back, why"]


class SwapRecord(TypedDict):
    """What came back of the messages that plans archived, for the request of this turn."""

    message: Annotated[str | None, "id of the message that holds it; null where nothing came back"]
    tokens: Tokens
    archived: Annotated[int, "messages that it was chosen from"]
    k: Annotated[int, "how many may come back"]
    results: Annotated[Sequence[SwapResultRecord], "what came back, the best first"]
    near_misses: Annotated[Sequence[SwapResultRecord], "what nearly did"]


class WindowRecord(TypedDict):
    """A context window, seen through the applied plans."""

    session: SessionRecord
    turn: Turn
    agent: str
    window: SizeRecord
    valid: Annotated[bool, "whether the provider would take it"]
    problems: Problems
    recorded_so: RecordedSo
    plans: Annotated[Sequence[PlanRecord], "the oldest first"]
    damage: Annotated[Sequence[str], "what could not be read in the source"]
    messages: Sequence[MessageRecord]
    fit: Fit
    recall: Annotated[SwapRecord | None, "null where nothing is archived, or nothing may come back"]


class RedactedRecord(TypedDict):
    """A secret that was hidden."""

    kind: Annotated[str, "api-key, password, e-mail, user (the name of a home folder), blob (encoded data), and so on"]
    placeholder: Annotated[str, "what stands in its place, everywhere"]
    count: Annotated[int, "places at which it stood"]
    messages: Annotated[Sequence[int], "numbers of the messages that held it; 0 for what is around them"]


_Redactions = Annotated[Sequence[RedactedRecord], "what --redact has hidden; empty without it"]


class ShowOutput(WindowRecord):
    """A context window, and the gates that it misses."""

    missed: Missed
    redactions: _Redactions


class ProblemRecord(TypedDict):
    """Something that a provider would refuse."""

    text: Annotated[str, "in the provider's words"]
    message: Annotated[str | None, "id of the message; null for the whole context"]
    number: Number
    turns: Annotated[Sequence[Sequence[int]], "first and last of each run of turns that have it"]
    recorded_so: Annotated[bool, "whether the provider took a request with it, which was sent in another form"]


class CheckOutput(TypedDict):
    """Whether a provider would take a context, over one or all turns."""

    session: SessionRecord
    provider: Annotated[ProviderName, _PROVIDERS]
    agent: str
    turns: Annotated[Sequence[int], "the first and the last that were checked"]
    valid: bool
    problems: Sequence[ProblemRecord]


class MethodRecord(TypedDict):
    """A way of counting tokens. Errors are in per cent of what the provider reported; null where nothing was."""

    name: str
    how: Annotated[str, "what it counts with"]
    tokens: Annotated[Tokens | None, "of the last window whose size was reported, else of the context as it now stands"]
    error_pct: Annotated[float | None, "mean distance of its totals from the reported ones"]
    bias_pct: Annotated[float | None, "the same with signs: above 0 where it counts too much"]
    added_pct: Annotated[float | None, "how far it is off on what came in between two windows"]
    turns: Annotated[int, "windows that it was tried on"]
    note: Annotated[str, "what to know about it, in one sentence; empty where there is nothing"]


class CostLineRecord(TypedDict):
    """What an agent's calls to one model cost, as far as they were reported."""

    model: Annotated[str, "as recorded; empty where it was not"]
    price: Annotated[str, "the id that the price was found by"]
    calls: Annotated[int, "with reported usage"]
    unreported: Annotated[int, "calls without, which are in no other number here"]
    cost: Dollars
    parts: CostRecord


class CountOutput(TypedDict):
    """Ways of counting tokens, side by side, and what the recorded calls cost."""

    session: Annotated[str, "the session's id"]
    agent: str
    methods: Sequence[MethodRecord]
    costs: Annotated[Sequence[CostLineRecord], "by model"]
    cost_notes: Annotated[Sequence[str], "what to know about the costs, each a clause"]


class TotalRecord(TypedDict):
    """How large a window is."""

    total: Tokens
    messages: int


class SpanRecord(TypedDict):
    """A run of words of a message that changed."""

    kind: Literal["same", "removed", "added"]
    text: str


class ChangeRecord(TypedDict):
    """A message of either window. One that changed has `words`; one that left or came has `text`."""

    change: Literal["same", "removed", "added", "changed"]
    id: str
    role: Role
    kind: Kind
    before: Tokens
    after: Tokens
    fate: FateKind | None
    reason: str | None
    words: NotRequired[Sequence[SpanRecord]]
    text: NotRequired[str]


class DiffOutput(TypedDict):
    """The recorded window against the compressed one, message by message."""

    turn: Turn
    before: TotalRecord
    after: TotalRecord
    lost: _Lost
    changes: Sequence[ChangeRecord]


class PresetDueRecord(TypedDict):
    """The preset that a window was compressed by."""

    name: str
    threshold: Annotated[Tokens, "what it comes to on this session"]
    due: Annotated[bool, "whether the window is above the threshold"]
    forced: Annotated[bool, "whether `--force` was given"]


class BreakEvenRecord(TypedDict):
    """After how many calls a compression has paid for itself; null where it never does."""

    cached: Annotated[float | None, "with the prompt cache, the summary made by a call of its own"]
    from_cache: Annotated[float | None, "with the prompt cache, the summary made by a call that reads from it"]
    uncached: Annotated[float | None, "without a prompt cache"]


class MoneyRecord(TypedDict):
    """What a compression costs and saves."""

    model: str
    price_source: str
    price_note: str
    compression_input: Annotated[Tokens, "that the summariser was sent; 0 where no model was asked"]
    compression_output: Annotated[Tokens, "that it wrote"]
    compression_cost: Dollars
    rewritten: Annotated[Tokens, "written to the cache again, because something before them changed"]
    rewrite_cost: Annotated[Dollars, "what they cost more than if they were still read from the cache"]
    per_call_cost: Annotated[Dollars, "what each later call is cheaper by, with the prompt cache"]
    per_call_uncached: Annotated[Dollars, "the same without a prompt cache"]
    break_even: BreakEvenRecord


class ScoreRecord(TypedDict):
    """Why a strategy took a message for more important than another."""

    total: float
    parts: Mapping[str, float]


class FateRecord(TypedDict):
    """A message of the window before, and its fate."""

    id: str
    role: Role
    fate: FateKind
    reason: str
    into: Annotated[str | None, "id of the summary that it went into"]
    before: Tokens
    after: Tokens
    score: NotRequired[ScoreRecord]


class SummaryRecord(TypedDict):
    """A summary that a plan has made."""

    id: str
    tokens: Tokens
    covers: Annotated[Sequence[str], "ids of the messages that it stands for"]
    text: str


class CompressOutput(TypedDict):
    """What a strategy makes of a window."""

    strategy: str
    settings: Settings
    turn: Turn
    before: TotalRecord
    after: TotalRecord
    saved: Tokens
    fates: Annotated[Mapping[str, int], "messages of each fate"]
    lost: _Lost
    valid: bool
    problems: Problems
    recorded_so: RecordedSo
    note: Annotated[str, "what the strategy has to say; empty where there is nothing"]
    messages: Sequence[FateRecord]
    recall: Annotated[SwapRecord | None, "null where nothing is archived, or nothing may come back"]
    summaries: Sequence[SummaryRecord]
    preset: PresetDueRecord | None
    fit: Fit
    money: Annotated[MoneyRecord | None, "null where no price is known"]
    missed: Missed
    files: _Files
    notes: _Notes


class ExportOutput(TypedDict):
    """A context as a request for a provider, or as a file of another program."""

    to: Annotated[str, "that of a provider's request (openai, openai-responses, anthropic), or of a file"]
    messages: int
    out: Annotated[str | None, "the file that was written"]
    files: _Files
    notes: _Notes
    redactions: _Redactions
    request: NotRequired[Annotated[Mapping[str, Any], "a request, where no file was named"]]
    text: NotRequired[Annotated[str, "any other form, where no file was named"]]


class UndoOutput(TypedDict):
    """The plan that was taken off the stack."""

    session: Annotated[str, "the session's id"]
    agent: str
    undone: Annotated[PlanRecord | None, "null where there was none"]
    plans: Annotated[int, "plans that are left"]


class HandPlanRecord(TypedDict):
    """The window after a change by hand."""

    session: Annotated[str, "the session's id"]
    agent: str
    total: Tokens
    valid: bool
    problems: Problems


class PinOutput(HandPlanRecord):
    """Messages that were pinned, or with `--undo` unpinned, and the window after that."""

    pinned: NotRequired[Annotated[Sequence[str], "ids"]]
    kept: NotRequired[Annotated[Sequence[str], "ids; with --undo"]]


class DropOutput(HandPlanRecord):
    """Messages that were dropped, and the window after that."""

    dropped: Annotated[Sequence[str], "ids, those of calls and results that go with them included"]
