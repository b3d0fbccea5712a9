"""The output of `inspector ask`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from inspector.cli.schema.values import Errors, json_output
from inspector.core.json_objects import Dollars, Tokens


@json_output()
class AskedCallOutput:
    """A tool call of a reply. It was not executed."""

    name: str
    arguments: Annotated[str, "JSON text"]
    object: Annotated[str, "path, address, command or query that it is about, or else its arguments"]


@json_output()
class AskedUsageOutput:
    """Tokens of a call of a model."""

    input: Tokens
    output: Tokens
    cache_read: Tokens
    cache_write: Tokens


@json_output()
class ReplyOutput:
    """A model's reply to one context."""

    context: Annotated[str, "name of the context"]
    sample: Annotated[int, "number of the reply to the same context, from 1"]
    text: str
    calls: Sequence[AskedCallOutput]
    usage: Annotated[AskedUsageOutput | None, "null without a reply"]
    cost: Annotated[Dollars, "of this call; for a kept reply, of the earlier one"]
    same_as_recorded: Annotated[
        bool | None, "true for the same step as the recorded reply; null without one of both, or with a question"
    ]
    kept: Annotated[str, "time at which a kept reply came; empty for a new one"]
    tokens: Annotated[Tokens, "of the context"]
    note: Annotated[str, "about the context, in a sentence; empty for none"]
    problem: Annotated[str, "why there is no reply, in a sentence; empty for a reply"]


@json_output()
class AskOutput:
    """Replies of a model to the contexts of one turn."""

    session: Annotated[str, "the session's id"]
    agent: str
    turn: int
    model: str
    host: str
    api: Annotated[str, "provider whose requests were sent"]
    question: Annotated[str | None, "null if the turn's own request was sent"]
    recorded: Annotated[ReplyOutput | None, "the recorded reply; null for the current context"]
    replies: Sequence[ReplyOutput]
    calls: Annotated[int, "calls that were made, without kept replies"]
    cost: Annotated[Dollars, "of these calls"]
    errors: Errors
