"""Equivalents of the strategies in five agent frameworks.

Names and semantics are those of the package version given with each framework. Names in capitals in the generated code
are placeholders for values of the user's program: MODEL, TOOLS, AGENT.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from inspector.analysis.export.translation import Framework, Part, Piece

_SMALLEST = 50_000
"""Smallest trigger that Anthropic's compaction accepts, in tokens."""
_STEP = 2
"""Messages of a step with one tool call: the call and its result."""
_INVOCATION = 10
"""Assumed number of messages in one invocation."""
_KEEP = 20
"""Events, messages or results to keep if a strategy counts tokens and the framework does not."""


def _own_size(part: Part) -> tuple[str, ...]:
    """Describe the loss of precision if a strategy counts tokens and the framework does not."""
    return (
        () if part.keep is not None else (f"the kept size: the strategy counts tokens, which are replaced by {_KEEP}",)
    )


def _summarization(part: Part) -> Piece:
    keep = f'("messages", {part.keep})' if part.keep is not None else f'("tokens", {part.target})'
    lines = ("SummarizationMiddleware(", "    model=MODEL,", f'    trigger=("tokens", {part.threshold}),')
    imports = {"langchain.agents.middleware": ("SummarizationMiddleware",)}
    return Piece((*lines, f"    keep={keep},", "),"), imports=imports)


def _context_editing(part: Part) -> Piece:
    arguments = [f"trigger={part.threshold}", f"keep={part.keep}"]
    if part.strategy == "clear_tool_uses":
        arguments += [f"clear_at_least={part.settings['clear_at_least']}"] if part.settings["clear_at_least"] else []
        arguments += [f"exclude_tools={json.dumps(part.exclusions)}"] if part.exclusions else []
        arguments += ["clear_tool_inputs=True"] if part.settings["clear_inputs"] else []
    edit = (
        "    edits=[",
        "        ClearToolUsesEdit(",
        *(f"            {argument}," for argument in arguments),
        "        ),",
        "    ],",
    )
    return Piece(
        ("ContextEditingMiddleware(", *edit, "),"),
        imports={"langchain.agents.middleware": ("ClearToolUsesEdit", "ContextEditingMiddleware")},
    )


def _trimming(part: Part) -> Piece:
    counter, most = ("len", part.keep) if part.keep is not None else ('"approximate"', part.most_tokens)
    name = f"drop_by_{part.strategy}"
    before = (
        "",
        "@before_model",
        f"def {name}(state, runtime):",
        '    messages = state["messages"]',
        f"    if count_tokens_approximately(messages) <= {part.threshold}:",
        "        return None",
        f'    newest = {{"max_tokens": {most}, "token_counter": {counter}, "strategy": "last"}}',
        '    kept = trim_messages(messages, **newest, start_on=["human", "ai"])',
        '    task = next(message for message in messages if message.type == "human")',
        "    kept = kept if task in kept else [task, *kept]",
        '    return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *kept]}',
        "",
        "",
    )
    imports = {
        "langchain.agents.middleware": ("before_model",),
        "langchain_core.messages": ("RemoveMessage", "trim_messages"),
        "langchain_core.messages.utils": ("count_tokens_approximately",),
        "langgraph.graph.message": ("REMOVE_ALL_MESSAGES",),
    }
    omissions = ("system messages among the others: pass the system prompt to the agent separately",)
    return Piece((f"{name},",), omissions, imports, before)


def _langchain_agent(pieces: Sequence[Piece]) -> Piece:
    body = [f"    {line}" for piece in pieces for line in piece.lines]
    agent = "agent = create_agent(MODEL, tools=TOOLS, middleware=middleware)"
    omissions = ("exact counts: tokens of messages are estimated, tokens of tools are not counted",)
    return Piece(("middleware = [", *body, "]", agent), omissions, {"langchain.agents": ("create_agent",)})


LANGCHAIN = Framework(
    "langchain",
    "1.5",
    {"summarise": _summarization, "clear results": _context_editing, "drop": _trimming},
    _langchain_agent,
)


def _summarizing(part: Part) -> Piece:
    keep = part.keep if part.keep is not None else _KEEP
    lines = ("summary_ratio=0.8,  # of the messages, oldest first: the maximum",)
    omissions = ("summarising everything older: a fifth of the messages is always kept", *_own_size(part))
    return _manager("SummarizingConversationManager", part, (*lines, f"preserve_recent_messages={keep},"), omissions)


def _sliding(part: Part) -> Piece:
    keep = part.keep if part.keep is not None else _KEEP
    lines = (f"window_size={keep},", "per_turn=True,  # before every call of the model")
    omissions = (
        f"waiting for the threshold: everything beyond {keep:,} messages is dropped immediately",
        *_own_size(part),
    )
    return _manager("SlidingWindowConversationManager", part, lines, omissions)


def _manager(name: str, part: Part, lines: Sequence[str], omissions: Sequence[str]) -> Piece:
    trigger = f'proactive_compression={{"compression_threshold": min(1.0, {part.threshold} / CONTEXT_WINDOW)}},'
    body = [f"    {line}" for line in (*lines, "pin_first=1,  # the first task", trigger)]
    imports = {"strands.agent.conversation_manager": (name,)}
    return Piece((f"manager = {name}(", *body, ")"), omissions, imports)


def _strands_agent(pieces: Sequence[Piece]) -> Piece:
    window = "CONTEXT_WINDOW = 200_000  # your model's; also pass it to the model as context_window_limit"
    agent = "agent = Agent(model=MODEL, tools=TOOLS, conversation_manager=manager)"
    return Piece((window, "", *pieces[0].lines, agent), imports={"strands": ("Agent",)})


STRANDS = Framework(
    "strands-agents",
    "1.62",
    {"summarise": _summarizing, "drop": _sliding},
    _strands_agent,
    frozenset({"summarise", "drop"}),
)


def _compaction(part: Part) -> Piece:
    lines = ("context_management=[", f'    {{"type": "compaction", "compact_threshold": {part.threshold}}},', "],")
    settings = ("settings = ModelSettings(", *(f"    {line}" for line in lines), ")")
    omissions = (
        f"{_newest(part)}: the API chooses what to keep",
        "models that are not OpenAI's, and the chat interface",
    )
    return Piece(("model_settings=settings,",), omissions, {"agents": ("ModelSettings",)}, settings)


def _newest_items(part: Part) -> Piece:
    keep = part.keep if part.keep is not None else _KEEP
    omissions = ("waiting for the threshold: a run receives only the newest items of its session", *_own_size(part))
    line = f"session_settings=SessionSettings(limit={keep}),  # items: a call is one, and its result another"
    return Piece((line,), omissions, {"agents": ("SessionSettings",)})


def _trimmer(part: Part) -> Piece:
    longest = int(part.settings["longest"])
    line = f"call_model_input_filter=ToolOutputTrimmer(max_output_chars={longest}, preview_chars={longest}),"
    omissions = (
        "waiting for the threshold: everything older than the last two user messages is cut immediately",
        "the tails of outputs: only their heads are kept",
    )
    return Piece((line,), omissions, {"agents.extensions.tool_output_trimmer": ("ToolOutputTrimmer",)})


def _openai_agent(pieces: Sequence[Piece]) -> Piece:
    lines = dict.fromkeys(line for piece in pieces for line in piece.lines)
    model = [line for line in lines if line.startswith("model_settings")]
    run = [f"    {line}" for line in lines if line not in model]
    agent = f"agent = Agent(name=NAME, model=MODEL, tools=TOOLS{', model_settings=settings' if model else ''})"
    config = ["run = RunConfig(", *run, ")"] if run else []
    argument = ", run_config=run" if run else ""
    begin = f'result = Runner.run_sync(agent, INPUT, session=SQLiteSession("conversation"){argument})'
    names = ("Agent", "Runner", "SQLiteSession", *(["RunConfig"] if run else []))
    return Piece((agent, *config, begin), imports={"agents": names})


OPENAI_AGENTS = Framework(
    "openai-agents",
    "0.24",
    {"summarise": _compaction, "drop": _newest_items, "trim results": _trimmer},
    _openai_agent,
    frozenset({"summarise", "drop"}),
)


def _events_compaction(part: Part) -> Piece:
    keep = part.keep if part.keep is not None else _KEEP
    lines = (
        "events_compaction_config=EventsCompactionConfig(",
        f"    token_threshold={part.threshold},",
        f"    event_retention_size={keep},",
        "),",
    )
    omissions = ("compressing within an invocation: the size is checked after it", *_own_size(part))
    return Piece(lines, omissions, {"google.adk.apps.app": ("EventsCompactionConfig",)})


def _context_filter(part: Part) -> Piece:
    count = max(1, (part.keep if part.keep is not None else _KEEP) // _INVOCATION)
    omissions = (
        "waiting for the threshold: older invocations are dropped immediately",
        f"counting messages: invocations are counted, each as {_INVOCATION} messages",
        *_own_size(part),
    )
    line = f"plugins=[ContextFilterPlugin(num_invocations_to_keep={count})],"
    return Piece((line,), omissions, {"google.adk.plugins.context_filter_plugin": ("ContextFilterPlugin",)})


def _adk_app(pieces: Sequence[Piece]) -> Piece:
    body = [f"    {line}" for piece in pieces for line in piece.lines]
    lines = ("app = App(", "    name=NAME,", "    root_agent=AGENT,", *body, ")")
    return Piece(lines, imports={"google.adk.apps.app": ("App",)})


GOOGLE_ADK = Framework(
    "google-adk",
    "2.13",
    {"summarise": _events_compaction, "drop": _context_filter},
    _adk_app,
    frozenset({"summarise", "drop"}),
)

_EDIT_BETA, _COMPACT_BETA = "context-management-2025-06-27", "compact-2026-01-12"
"""Beta features that a request must enable."""


def _thinking_edit(part: Part) -> Piece:
    keep = f'{{"type": "thinking_turns", "value": {max(1, part.keep or 0)}}}'
    omissions = ("waiting for the threshold, and user turns: assistant turns are counted at each request",)
    return Piece(_entry("clear_thinking_20251015", keep=keep), omissions)


def _compact_edit(part: Part) -> Piece:
    omissions = [f"{_newest(part)}: everything before the summary is dropped"]
    if part.threshold < _SMALLEST:
        omissions.append(f"the threshold of {part.threshold:,}: the minimum is {_SMALLEST:,}")
    return Piece(_entry("compact_20260112", trigger=_input_tokens(max(part.threshold, _SMALLEST))), omissions)


def _results_edit(part: Part) -> Piece:
    settings = {"trigger": _input_tokens(part.threshold), "keep": f'{{"type": "tool_uses", "value": {part.keep}}}'}
    if part.strategy == "clear_tool_uses":
        savings = part.settings["clear_at_least"]
        settings |= {"clear_at_least": _input_tokens(savings)} if savings else {}
        settings |= {"exclude_tools": json.dumps(part.exclusions)} if part.exclusions else {}
        settings |= {"clear_tool_inputs": "True"} if part.settings["clear_inputs"] else {}
    return Piece(_entry("clear_tool_uses_20250919", **settings))


def _nearest_edit(part: Part) -> Piece:
    """Return an edit that clears tool results, the nearest equivalent because no edit drops messages."""
    keep = max(1, (part.keep if part.keep is not None else _KEEP) // _STEP)
    omissions = (f"{part.strategy}: no edit drops messages, so all tool results but the newest {keep:,} are cleared",)
    settings = {"trigger": _input_tokens(part.threshold), "keep": f'{{"type": "tool_uses", "value": {keep}}}'}
    return Piece(_entry("clear_tool_uses_20250919", **settings), omissions)


def _input_tokens(number: int) -> str:
    return f'{{"type": "input_tokens", "value": {number}}}'


def _entry(kind: str, **values: str) -> tuple[str, ...]:
    return "{", f'    "type": "{kind}",', *(f'    "{key}": {value},' for key, value in values.items()), "},"


def _anthropic_request(pieces: Sequence[Piece]) -> Piece:
    """Return a request. The edit that clears thinking has to be the first one."""
    order = sorted(pieces, key=lambda piece: not any("clear_thinking" in line for line in piece.lines))
    edits = [f"            {line}" for piece in order for line in piece.lines]
    types = [line for line in edits if '"type": "cl' in line or '"type": "compact_' in line]
    betas = dict.fromkeys(_COMPACT_BETA if "compact_" in line else _EDIT_BETA for line in types)
    lines = (
        "response = Anthropic().beta.messages.create(",
        "    model=MODEL,",
        "    max_tokens=MAX_TOKENS,",
        "    messages=MESSAGES,",
        f"    betas={json.dumps(list(betas))},",
        "    context_management={",
        '        "edits": [',
        *edits,
        "        ],",
        "    },",
        ")",
    )
    return Piece(lines, imports={"anthropic": ("Anthropic",)})


ANTHROPIC = Framework(
    "anthropic",
    "2.12",
    {
        "summarise": _compact_edit,
        "drop": _nearest_edit,
        "clear results": _results_edit,
        "clear thinking": _thinking_edit,
    },
    _anthropic_request,
    frozenset({"drop", "clear results"}),
)


def _newest(part: Part) -> str:
    return f"the newest {part.keep:,}, verbatim" if part.keep is not None else "verbatim messages"
