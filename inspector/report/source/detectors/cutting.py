"""Detectors of message lists that are shortened: slices, bounded deques, and removal of the oldest messages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from inspector.report.findings import Detection, Subject, Trigger
from inspector.report.source.conditions import Condition, bound_names, condition_of, is_about_tokens
from inspector.report.source.detectors.detections import detect, limits_of
from inspector.report.source.expressions import dotted, identifiers, is_zero, keyword, number_of, tail_name, walk
from inspector.report.source.modules import Scope
from inspector.report.source.subjects import MessageLists

Shape = Literal["newest", "oldest", "rest", "all but the newest", ""]
Use = Literal["stored", "returned", "assigned", "passed", "iterated", ""]
# e.g. "trim_messages", "condense_history"
_TRIMS = re.compile(
    r"trim|evict|truncat|prune|reduce|shrink|window|limit|compact|clip|drop|forget|condens", re.IGNORECASE
)
_SHORTENS = re.compile(r"trim|evict|truncat|prune|reduce|shrink|compact|condens", re.IGNORECASE)
"""Functions that remove excess content."""
# e.g. "log_messages", "format_preview"
_SHOWS = re.compile(
    r"log|debug|print|repr|preview|format_|warn|info|assert|str$|display|render|telemetry", re.IGNORECASE
)


def detect_slices(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect slices that drop part of a message list."""
    for node in scope.of(ast.Subscript):
        if not isinstance(node.slice, ast.Slice) or isinstance(node.ctx, ast.Store) or node.slice.step:
            continue
        shape, subject = _shape_of(node.slice), lists.subject(node.value)
        if shape and subject:
            yield from _slice_detection(scope, node, subject, shape)


def _slice_detection(scope: Scope, node: ast.Subscript, subject: Subject, shape: Shape) -> Iterator[Detection]:
    assert isinstance(node.slice, ast.Slice)
    if is_spliced(scope, node):
        condition = condition_of(scope, node)
        if condition.trigger == "tokens" and shape == "oldest":
            words = f"replaces one of {subject.name} by less"
            cut = _Cut(scope, node, subject, node.slice.upper, condition, _use_of(scope, node))
            yield cut.detection(words, True)
        return
    yield from _cut_detection(scope, node, subject, shape)


def _cut_detection(scope: Scope, node: ast.Subscript, subject: Subject, shape: Shape) -> Iterator[Detection]:
    assert isinstance(node.slice, ast.Slice)
    bound = node.slice.lower if shape in ("newest", "rest") else node.slice.upper
    cut = _Cut(scope, node, subject, bound, condition_of(scope, node), _use_of(scope, node))
    if isinstance(node.ctx, ast.Del):
        if shape in ("oldest", "newest"):
            yield cut.detection(f"del drops the {shape} of {subject.name}", True)
    elif shape == "newest":
        if cut.is_window:
            yield cut.detection(f"keeps the newest of {subject.name} by number", cut.is_kept)
    elif cut.is_cut_off and shape == "rest":
        yield cut.detection(f"drops the beginning of {subject.name}", cut.is_meant)
    elif cut.is_trimming and shape in ("oldest", "rest"):
        what = "beginning" if shape == "oldest" else "rest"
        yield cut.detection(f"keeps the {what} of {subject.name}", cut.condition.trigger == "tokens")


# e.g. "start_index", "last_seen", "new_messages"
_MARKS = re.compile(
    r"start|index|offset|len|new|seen|prev|persist|cursor|position|already|processed|skip|boundary|split", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A slice of a message list, with its bound, its condition and its use."""

    scope: Scope
    node: ast.Subscript
    subject: Subject
    bound: ast.expr | None
    condition: Condition
    use: Use

    @property
    def is_cut_off(self) -> bool:
        """True if the list itself loses its beginning."""
        return self.use == "stored" and not self.goes_on

    @property
    def goes_on(self) -> bool:
        """True if the slice only selects new messages since a position, or skips one, without a size check."""
        trims, number = bool(_TRIMS.search(self.scope.bare_name)), number_of(self.bound)
        if self.condition.trigger and _line(self.condition.node) < _line(self.bound):
            return number == 1 and self.condition.trigger != "tokens" and not trims
        if self.bound is not None and number is None and not trims:
            return any(_MARKS.search(name) for name in identifiers(self.bound))
        return number == 1 and not trims

    @property
    def is_trimming(self) -> bool:
        """True if the scope is named like one that shortens lists and checks a size."""
        trims = bool(_TRIMS.search(self.scope.name) or "max_tokens" in self.scope.name)
        return trims and bool(self.condition.trigger) and self.use in ("stored", "returned")

    @property
    def is_kept(self) -> bool:
        """True if the result is used further: stored, returned, or returned under another name."""
        return self.use in ("stored", "returned") or _reaches(self.scope, self.node)

    @property
    def is_meant(self) -> bool:
        """True if a size is checked first, or the scope is named like one that shortens lists."""
        return bool(self.condition.trigger or _TRIMS.search(self.scope.name))

    @property
    def is_window(self) -> bool:
        """True if the newest messages are selected as a context, rather than to inspect the last few."""
        number = number_of(self.bound)
        if self.use == "" or _SHOWS.search(self.scope.bare_name):
            return False
        if number is not None and abs(number) <= 2:
            return self.use == "stored"
        return True

    def detection(self, words: str, is_firm: bool) -> Detection:
        bound, condition = self.bound, self.condition
        detail, unset = limits_of(self.scope, bound_names(bound) + bound_names(condition.node))
        by_tokens = bound is not None and is_about_tokens(bound)
        trigger: Trigger = condition.trigger or ("tokens" if by_tokens else "messages")
        number = number_of(bound)
        if number is not None and abs(number) > 1:
            detail = detail or f"{abs(number):g}"
        return detect(
            self.scope, "eviction", "token window" if trigger == "tokens" else "window", words, self.node,
            condition.node, subject=self.subject, is_firm=is_firm, trigger=trigger, detail=detail,
            against=unset + _keeps_the_log(self.node, self.use),
        )  # fmt: skip


def is_spliced(scope: Scope, node: ast.AST) -> bool:
    """Return True if an expression with a slice also has the rest of the list: an element is inserted or replaced."""
    homes = [above for above in (node, *scope.ancestors(node)) if isinstance(above, ast.BinOp | ast.List)]
    parts = [part for part in walk(homes[-1]) if isinstance(part, ast.Subscript)] if homes else []
    pairs = [(ast.dump(part.value), part.slice) for part in parts if isinstance(part.slice, ast.Slice)]
    return any(
        name == other and one.lower is None and rest.upper is None
        for name, one in pairs
        for other, rest in pairs
        if one is not rest
    )


def _line(node: ast.AST | None) -> int:
    return getattr(node, "lineno", 0)


def _keeps_the_log(node: ast.Subscript, use: Use) -> tuple[str, ...]:
    """Return a limitation if the slice is of a field that itself keeps all messages."""
    if isinstance(node.ctx, ast.Del) or not isinstance(node.value, ast.Attribute) or use == "stored":
        return ()
    return (f"{dotted(node.value)} itself is not changed",)


def _shape_of(part: ast.Slice) -> Shape:
    lower, upper = part.lower, part.upper
    if upper is None and lower is not None:
        if _is_negative(lower):
            return "" if number_of(lower) == -1 else "newest"
        return "" if is_zero(lower) else "rest"
    if lower is None and upper is not None:
        if _is_negative(upper):
            return "" if number_of(upper) == -1 else "all but the newest"
        return "oldest"
    return ""


def _is_negative(node: ast.expr) -> bool:
    """Return True if a bound counts from the end."""
    match node:
        case ast.UnaryOp(op=ast.USub()):
            return True
        case ast.BinOp(left=left, op=ast.Sub() | ast.Mult()):
            return _is_negative(left) or (isinstance(left, ast.Call) and tail_name(left.func) == "len")
    return False


def _use_of(scope: Scope, node: ast.Subscript) -> Use:
    """Return how a slice is used."""
    for above in scope.ancestors(node):
        match above:
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                return "stored" if _same_list(target, node.value) else "assigned"
            case ast.Return() | ast.Yield():
                return "returned"
            case ast.For(iter=inner) | ast.comprehension(iter=inner):
                return "iterated" if inner is node or tail_name(inner) == tail_name(node) else ""
            case ast.Call(func=function) if not _is_transparent(function):
                return "" if _SHOWS.search(dotted(function)) or dotted(function) == "len" else "passed"
            case ast.Compare() | ast.If() | ast.While() | ast.JoinedStr() | ast.stmt():
                return ""
    return ""


def _is_transparent(function: ast.expr) -> bool:
    return tail_name(function) in ("list", "tuple", "deepcopy", "copy", "cast", "deque")


def _same_list(target: ast.expr, value: ast.expr) -> bool:
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
        target = target.value
    return bool(tail_name(target)) and tail_name(target) == tail_name(value)


def _reaches(scope: Scope, node: ast.Subscript) -> bool:
    """Return True if the scope returns a name that a slice is assigned to."""
    names = [
        target.id
        for above in scope.ancestors(node)
        if isinstance(above, ast.Assign)
        for target in above.targets
        if isinstance(target, ast.Name)
    ]
    returned = {tail_name(leaf) for item in scope.of(ast.Return) for leaf in _leaves(item.value)}
    return any(name in returned for name in names)


def _leaves(node: ast.expr | None) -> Iterator[ast.expr]:
    """Yield the lists that a returned value is assembled from."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (left, right)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            yield from elements
        case ast.expr():
            yield node


def detect_pops(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect messages that are removed from a list one by one while it is too long."""
    for node, target, which in (*_popped(scope), *_deleted(scope)):
        subject = lists.subject(target)
        condition = condition_of(scope, node) if subject else Condition()
        if subject is None or not _is_eviction(scope, node, which, condition):
            continue
        detail, unset = limits_of(scope, bound_names(condition.node))
        copies = (f"{subject.name} is a copy here",) if _is_copy(scope, target) else ()
        words = f"drops the {which} of {subject.name} one by one"
        yield detect(
            scope, "eviction", _pop_kind(scope, condition), words, node, condition.node, subject=subject,
            is_firm=bool(condition.trigger), trigger=condition.trigger, detail=detail, against=unset + copies,
        )  # fmt: skip


def _is_eviction(scope: Scope, node: ast.AST, which: str, condition: Condition) -> bool:
    """Return True if an element is removed because the list is too long, rather than to be used, moved or fixed."""
    in_loop = any(isinstance(above, ast.For | ast.While) for above in scope.ancestors(node))
    trims = in_loop and bool(_SHORTENS.search(scope.bare_name))
    if which == "newest":
        return condition.trigger == "tokens"
    if which == "middle":
        return trims or (condition.trigger == "tokens" and in_loop)
    return trims or bool(condition.trigger)


def _pop_kind(scope: Scope, condition: Condition) -> str:
    if condition.trigger == "tokens":
        return "token window"
    return "window" if "Window" in scope.owner else "fifo"


def _popped(scope: Scope) -> Iterator[tuple[ast.AST, ast.expr, str]]:
    """Yield each call that removes one element, with the list and the position of the element."""
    for call in scope.of(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(attr="popleft", value=target), args=[]):
                yield call, target, "oldest"
            case ast.Call(func=ast.Attribute(attr="pop", value=target), args=[index], keywords=[]):
                if not isinstance(index, ast.Constant) or isinstance(index.value, int):
                    yield call, target, "oldest" if is_zero(index) else "middle"
            case ast.Call(func=ast.Attribute(attr="pop", value=target), args=[]):
                yield call, target, "newest"


def _deleted(scope: Scope) -> Iterator[tuple[ast.AST, ast.expr, str]]:
    """Yield each deletion of one element, with the list and the position of the element."""
    items = ((node, item) for node in scope.of(ast.Delete) for item in node.targets)
    for node, item in items:
        if isinstance(item, ast.Subscript) and is_zero(item.slice):
            yield node, item.value, "oldest"
        elif isinstance(item, ast.Subscript) and not isinstance(item.slice, ast.Slice | ast.Constant):
            yield node, item.value, "middle"


def _is_copy(scope: Scope, target: ast.expr) -> bool:
    """Return True if a local list was created as a copy of another one."""
    if not isinstance(target, ast.Name):
        return False
    return any(
        isinstance(item.value, ast.Call) and tail_name(item.value.func) in ("list", "copy", "deepcopy")
        for item in scope.of(ast.Assign)
        if any(isinstance(name, ast.Name) and name.id == target.id for name in item.targets)
    )


def detect_deques(scope: Scope, lists: MessageLists) -> Iterator[Detection]:
    """Detect deques of messages with a maximum length."""
    for call in scope.of(ast.Call):
        size = _deque_size(call)
        subject = lists.subject(_assigned_to(scope, call)) if size is not None else None
        if size is None or subject is None:
            continue
        detail, unset = limits_of(scope, bound_names(size))
        number = number_of(size)
        words = f"{subject.name} is a deque that drops the oldest by itself"
        yield detect(
            scope, "eviction", "window", words, call, subject=subject, trigger="messages",
            detail=detail or (f"{number:g}" if number else ""), against=unset,
        )  # fmt: skip


def _deque_size(call: ast.Call) -> ast.expr | None:
    """Return the maximum length of a deque, or None if it is unbounded or not a deque."""
    if tail_name(call.func) != "deque":
        return None
    size = keyword(call, "maxlen") or (call.args[1] if len(call.args) > 1 else None)
    return None if isinstance(size, ast.Constant) and size.value is None else size


def _assigned_to(scope: Scope, node: ast.AST) -> ast.expr | None:
    """Return the target that the expression containing a node is assigned to, or None."""
    for above in scope.ancestors(node):
        match above:
            case ast.Assign(targets=[target, *_]) | ast.AnnAssign(target=target):
                return target
    return None
