"""Detectors of token counting: by a tokenizer, by text length, or from reported usage."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.report.findings import Detection
from inspector.report.source.detectors.detections import detect
from inspector.report.source.expressions import dotted, mentions, number_of, tail_name, walk
from inspector.report.source.modules import Scope

_TOKEN = re.compile(r"token", re.IGNORECASE)
_TIKTOKEN = ("get_encoding", "encoding_for_model", "encoding_name_for_model")
_TOKENIZES = ("encode", "encode_batch", "encode_ordinary", "tokenize", "from_pretrained", "apply_chat_template")
_TOKENIZER = re.compile(r"tokenizer|(?:^|_)enc(?:oding|oder)?$", re.IGNORECASE)
_ASKED = re.compile(r"messages|models|client|litellm|input_tokens")
"""Parts of provider clients that have a method to count tokens."""
_COUNTS = re.compile(r"count|num_tokens|token_len|get_token")
_REPORTED = frozenset(
    {
        "input_tokens",
        "prompt_tokens",
        "total_tokens",
        "prompt_token_count",
        "total_token_count",
        "inputTokens",
        "totalTokens",
    }
)
_USAGE = re.compile(r"usage|metadata|metrics", re.IGNORECASE)
_TOKENS_PER_PIECE = (0.25, 0.75, 1.3, 1.33)
"""Usual factors from characters or words to tokens."""
_RATIO = re.compile(r"chars?_per_token|token_?ratio|characters_per", re.IGNORECASE)
_LENGTH = re.compile(r"chars?|len|text|size|bytes", re.IGNORECASE)


def detect_counting(scope: Scope) -> Iterator[Detection]:
    """Detect calls of tiktoken, of a model's tokenizer, and of a provider's token counting, one of each kind."""
    kinds: set[str] = set()
    for call in scope.of(ast.Call):
        kind, words = _counter(scope, call)
        if kind and kind not in kinds:
            kinds.add(kind)
            yield detect(scope, "tokens", kind, words, call, detail=_library(scope, kind))


def _counter(scope: Scope, call: ast.Call) -> tuple[str, str]:
    name = dotted(call.func)
    receiver, _, verb = name.rpartition(".")
    if verb in _TIKTOKEN and "tiktoken" in scope.module.imports | _local_imports(scope):
        return "tiktoken", "counts tokens with tiktoken"
    is_method = verb in _TOKENIZES and _TOKENIZER.search(receiver)
    is_tokenizer = is_method or (_TOKENIZER.search(verb) and "get" not in verb)
    if is_tokenizer and _is_measured(scope, call):
        return "tokenizer", "takes the length of a tokenizer's output"
    return _library_count(verb, receiver)


def _library_count(verb: str, receiver: str) -> tuple[str, str]:
    if verb == "token_counter" and receiver.endswith("litellm"):
        return "tokenizer", "counts tokens with litellm's tokenizer"
    if verb in ("count_tokens", "get_num_tokens", "token_counter") and _ASKED.search(receiver):
        return "api", "asks the provider for the tokens of a request"
    if verb == "count" and receiver.endswith("input_tokens"):
        return "api", "asks the provider for the tokens of a request"
    return "", ""


def _local_imports(scope: Scope) -> frozenset[str]:
    return frozenset(alias.name for node in scope.of(ast.Import) for alias in node.names)


def _library(scope: Scope, kind: str) -> str:
    names = (
        ("tiktoken",) if kind == "tiktoken" else ("transformers", "tokenizers", "anthropic", "litellm", "sentencepiece")
    )
    return next((name for name in names if name in scope.module.imports), "")


def _is_measured(scope: Scope, call: ast.Call) -> bool:
    """Return True if the length of a call's result is taken, or the enclosing function counts tokens."""
    above = next(scope.ancestors(call), None)
    if isinstance(above, ast.Attribute):
        above = next(scope.ancestors(above), None)
    is_len = isinstance(above, ast.Call) and tail_name(above.func) == "len"
    return is_len or bool(_COUNTS.search(scope.bare_name))


def detect_estimates(scope: Scope) -> Iterator[Detection]:
    """Detect text lengths that are divided by a number of characters per token."""
    for node in scope.of(ast.BinOp):
        if not isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mult) or not _is_estimate(scope, node):
            continue
        number = number_of(node.right) if not mentions(node.right, _RATIO) else None
        detail = f"{number:g} characters a token" if number and number > 1 else ""
        yield detect(scope, "tokens", "estimate", "estimates tokens from a length", node, detail=detail)
        return


def _is_estimate(scope: Scope, node: ast.BinOp) -> bool:
    number, divides = number_of(node.right), not isinstance(node.op, ast.Mult)
    has_length = any(isinstance(inner, ast.Call) and tail_name(inner.func) == "len" for inner in walk(node.left))
    is_length = has_length or mentions(node.left, _LENGTH)
    if divides and mentions(node.right, _RATIO):
        return is_length
    if number is None or not is_length:
        return False
    is_ratio = 2 <= number <= 6 if divides else has_length and number in _TOKENS_PER_PIECE
    return is_ratio and (bool(_TOKEN.search(scope.bare_name)) or _is_token_value(scope, node))


def _is_token_value(scope: Scope, node: ast.BinOp) -> bool:
    """Return True if a value is assigned to, passed as or compared with something named like tokens."""
    for above in scope.ancestors(node):
        match above:
            case ast.Assign(targets=[target]) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
                return bool(_TOKEN.search(tail_name(target)))
            case ast.keyword(arg=str(name)):
                return bool(_TOKEN.search(name))
            case ast.Compare():
                return mentions(above, _TOKEN)
            case ast.stmt():
                return False
    return False


def detect_usage(scope: Scope) -> Iterator[Detection]:
    """Detect reported tokens that are compared with a limit or stored, but not those that are only passed on."""
    names = {tail_name(target) for target, value in scope.assignments if _reads_usage(value)}
    compare = next((node for node in scope.of(ast.Compare) if _compares_usage(node, names)), None)
    if compare is not None:
        words = "compares the reported tokens with a limit"
        yield detect(scope, "tokens", "api", words, compare)
        return
    for target, value in scope.assignments:
        if isinstance(target, ast.Attribute) and _TOKEN.search(target.attr) and _reads_usage(value):
            words = f"keeps the reported tokens in {target.attr}"
            yield detect(scope, "tokens", "api", words, target, is_firm=False)
            return


def _compares_usage(node: ast.Compare, names: set[str]) -> bool:
    """Return True if reported tokens are compared with anything but zero, directly or through a local name."""
    sides = (node.left, *node.comparators)
    if not any(isinstance(op, ast.Gt | ast.GtE | ast.Lt | ast.LtE) for op in node.ops):
        return False
    reported = any(_reads_usage(side) or (isinstance(side, ast.Name) and side.id in names) for side in sides)
    return reported and not any(number_of(side) == 0 for side in sides)


def _reads_usage(node: ast.expr) -> bool:
    """Return True if an expression reads the reported token usage of a reply."""
    for inner in walk(node):
        match inner:
            case ast.Attribute(attr=name, value=value) if name in _REPORTED and _USAGE.search(dotted(value)):
                return True
            case ast.Call(func=ast.Attribute(attr="get", value=value), args=[ast.Constant(value=str(name)), *_]):
                if name in _REPORTED and _USAGE.search(dotted(value)):
                    return True
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name))) if name in _REPORTED:
                return bool(_USAGE.search(tail_name(value)))
    return False
