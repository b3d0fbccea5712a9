"""Detector of older messages that are replaced by a summary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.report.findings import Detection, Subject
from inspector.report.source.conditions import bound_names, condition_of
from inspector.report.source.detectors.cutting import is_spliced
from inspector.report.source.detectors.detections import detect, limits_of, places_of
from inspector.report.source.expressions import dotted, identifiers, mentions, tail_name, walk
from inspector.report.source.models_called import asks_a_model
from inspector.report.source.modules import Scope
from inspector.report.source.subjects import MessageLists, message_dict

_SUMMARY = re.compile(r"summar|condens|compact|distil", re.IGNORECASE)
# e.g. "summarize_history", "_maybe_compact"
_MAKES = re.compile(
    r"^_?(?:a|async_)?(?:generate_|create_|run_|call_|get_|make_|perform_|do_|maybe_|llm_|auto_)?"
    r"(?:summar(?:y|ize|ise)|compact|condense|compress|distil)(?:_|$)",
    re.IGNORECASE,
)
"""Functions that create a summary."""
# e.g. "summary_prompt", "compaction_config"
_NOT_MADE = re.compile(r"config|error|event|schema|callback|usage|prompt|snapshot|boundary|candidates|len$|index|count")
# e.g. "summary", "condensed_messages", "ConversationSummary"
_RESULT = re.compile(
    r"(?:^|_)(?:summary|summaries|summarized|condensed|compacted|compaction|compressed)(?:_(?!to|ratio|prompt|llm)|$)|"
    r"Summary",
    re.IGNORECASE,
)
"""Typical names of summaries that replace messages."""
# e.g. "apply_summary", "replace_with_new_summary"
_HANDS_ON = re.compile(
    r"(?:apply|update|replace|insert|write|add|set|put|swap)(?:_[a-z]{1,12}){0,3}_summary$", re.IGNORECASE
)
"""Functions that store a summary in place of messages."""
_PUTS = re.compile(r"_?a?(?:set|replace|save|update)")


def detect_summaries(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect summaries that are created and replace the summarised messages."""
    call = _summary_call(scope)
    if call is None:
        yield from _views(scope, lists)
        return
    put = _replacement(scope, lists) or _handed_on(scope, call, lists)
    asks = asks_a_model(call) and bool(_SUMMARY.search(scope.name))
    subject = put[1] if put else _summarised(scope, call, lists) if asks else None
    if subject is None:
        return
    condition = condition_of(scope, call)
    detail, unset = limits_of(scope, bound_names(condition.node))
    words = f"replaces older {subject.name} by a summary" if put else f"summarises {subject.name} with a model"
    against = () if put else ("no code here replaces the messages by the summary",)
    yield detect(
        scope, "eviction", "summarization", words, call, put[0] if put else None, condition.node,
        subject=subject, is_firm=put is not None, trigger=condition.trigger, detail=detail, against=unset + against,
        places=_places(scope, put[0]) if put else frozenset({f"result {scope.bare_name}"}),
    )  # fmt: skip


def _places(scope: Scope, node: ast.AST) -> frozenset[str] | None:
    """Return the places of a list that a node replaces; None if a function that stores the summary is called."""
    if not isinstance(node, ast.Call):
        return places_of(scope, node)
    if _HANDS_ON.search(tail_name(node.func)):
        return None
    is_put = _PUTS.match(tail_name(node.func)) and node.args
    return places_of(scope, node.args[0] if is_put else node)


def _views(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect lists that are built from an earlier summary and the messages after it."""
    for node, value in [*scope.assignments, *((node, node.value) for node in scope.of(ast.Return) if node.value)]:
        is_view = _holds_summary(value) and not is_spliced(scope, value)
        rest = next((part for part in walk(value) if _is_rest(part)), None) if is_view else None
        subject = lists.subject(rest) if isinstance(rest, ast.expr) else None
        if subject is not None:
            words = f"sends a summary in place of older {subject.name}"
            places = places_of(scope, value if isinstance(node, ast.expr) else node)
            yield detect(scope, "eviction", "summarization", words, value, subject=subject, places=places)
            return


def _is_rest(node: ast.AST) -> bool:
    """Return True if an expression is a list from a position on."""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.lower is not None


def _summary_call(scope: Scope) -> ast.Call | None:
    """Return the call that creates a summary, by its name, or because a model is asked to summarise."""
    calls = [call for call in scope.of(ast.Call) if not message_dict(call)]
    makers = (call for call in calls if _MAKES.match(name := tail_name(call.func)) and not _NOT_MADE.search(name))
    if (call := next(makers, None)) is not None:
        return call
    if _SUMMARY.search(scope.bare_name) or any(mentions(call, _SUMMARY) for call in calls):
        return next((call for call in calls if asks_a_model(call)), None)
    return None


def _summarised(scope: Scope, call: ast.Call, lists: MessageLists) -> Subject | None:
    """Return the messages that are summarised: an argument of the call, an iterated list, or a parameter."""
    nodes: list[ast.expr] = [*call.args, *(item.value for item in call.keywords)]
    nodes += [node.iter for node in scope.of(ast.For)] + [node.iter for node in scope.of(ast.comprehension)]
    nodes += [ast.Name(argument.arg, ast.Load()) for argument in scope.arguments]
    return next((subject for node in nodes if (subject := lists.subject(node))), None)


def _replacement(scope: Scope, lists: MessageLists) -> tuple[ast.AST, Subject] | None:
    """Return the node that replaces a message list by one with a summary, and the list."""
    places = (
        *_assigned(scope, lists),
        *_passed(scope, lists),
        *_refilled(scope, lists),
        *_reset(scope, lists),
        *_returned(scope, lists),
    )
    return next(((node, subject) for node, subject in places if subject is not None), None)


def _handed_on(scope: Scope, call: ast.Call, lists: MessageLists) -> tuple[ast.AST, Subject] | None:
    """Return a later call that stores the summary, and the message list concerned."""
    for other in scope.of(ast.Call):
        if other is not call and _HANDS_ON.search(tail_name(other.func)):
            sent = (*other.args, *(item.value for item in other.keywords))
            subjects = [subject for node in sent if (subject := lists.subject(node))]
            subject = subjects[0] if subjects else _summarised(scope, call, lists)
            return (other, subject) if subject else None
    return None


def _assigned(scope: Scope, lists: MessageLists) -> Iterator[tuple[ast.AST, Subject | None]]:
    for target, value in scope.assignments:
        if _holds_summary(value):
            home = target.value if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice) else target
            yield target, lists.subject(home)


def _passed(scope: Scope, lists: MessageLists) -> Iterator[tuple[ast.AST, Subject | None]]:
    """Yield calls that insert a summary, or that set a list with a summary."""
    for call in scope.of(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(attr="insert", value=home), args=[_, element]):
                if mentions(element, _RESULT):
                    yield call, lists.subject(home)
            case ast.Call(args=[argument, *_]) if _PUTS.match(tail_name(call.func)) and _holds_summary(argument):
                yield call, lists.subject(call.func.value if isinstance(call.func, ast.Attribute) else argument)


def _refilled(scope: Scope, lists: MessageLists) -> Iterator[tuple[ast.AST, Subject | None]]:
    """Yield calls that clear a list which is filled again afterwards."""
    cleared: dict[str, ast.Call] = {}
    for call in scope.of(ast.Call):
        match call.func:
            case ast.Attribute(attr="clear", value=home):
                cleared[dotted(home)] = call
            case ast.Attribute(attr="append" | "extend" | "insert", value=home) if dotted(home) in cleared:
                yield cleared[dotted(home)], lists.subject(home)


def _reset(scope: Scope, lists: MessageLists) -> Iterator[tuple[ast.AST, Subject | None]]:
    """Yield updates of a LangGraph state that remove messages and add others."""
    for node in scope.of(ast.List):
        if len(node.elts) > 1 and any(
            isinstance(part, ast.Call) and tail_name(part.func) == "RemoveMessage" for part in node.elts
        ):
            leaves = (lists.subject(ast.Name(name, ast.Load())) for name in identifiers(node))
            yield node, next(filter(None, leaves), Subject("messages", is_named=True))


def _returned(scope: Scope, lists: MessageLists) -> Iterator[tuple[ast.AST, Subject | None]]:
    for node in scope.of(ast.Return):
        if node.value is not None and _holds_summary(node.value):
            leaves = [leaf for leaf in walk(node.value) if isinstance(leaf, ast.expr)]
            yield node, next((subject for leaf in leaves if (subject := lists.subject(leaf))), None)


def _holds_summary(value: ast.expr) -> bool:
    """Return True if a list is assembled from a summary and other elements."""
    match value:
        case ast.BinOp(op=ast.Add()) | ast.List(elts=[_, *_]):
            return any(_RESULT.search(name) for name in identifiers(value))
        case ast.Call(func=ast.Name(id="list"), args=[ast.BinOp() | ast.List() as inner]):
            return _holds_summary(inner)
    return False
