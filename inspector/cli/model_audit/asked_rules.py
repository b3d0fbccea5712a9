"""The options of `memory audit --model`, and what its output says about the requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any

import click

from inspector.cli.call_options import call_options
from inspector.cli.command_errors import UsageError
from inspector.cli.schema.values import json_output
from inspector.core.json_objects import Dollars, Tokens


@json_output()
class AskedRulesOutput:
    """The requests to a model that compared the memories."""

    model: str
    host: str
    rules: Annotated[int, "rules and memories that were compared by the model"]
    requests: Annotated[int, "lists of rules, each in one request"]
    kept: Annotated[int, "requests whose answer was kept from an earlier run and not paid again"]
    tokens: Annotated[Tokens, "estimated tokens of the requests that were not answered before"]
    expected_cost: Annotated[Dollars, "estimated before the requests were sent"]
    calls: Annotated[int, "requests that the model answered now; 0 with `--dry-run`"]
    cost: Annotated[Dollars, "of these calls"]
    findings: Annotated[int, "findings that the model reported and the audit did not have"]
    invalid: Annotated[int, "pairs in its answers that were left out, because they name or quote no rules of the list"]


@dataclass(frozen=True)
class ModelOptions:
    """Values of the options of `memory audit --model`."""

    model: str
    dry_run: bool
    yes: bool
    max_cost: float
    most: int
    api: str | None


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--model` and the options of its calls. The command receives `asked`, None without `--model`."""

    @wraps(command)
    def with_asked(
        *args: Any,
        model: str | None,
        dry_run: bool,
        yes: bool,
        max_cost: float,
        max_output: int,
        api: str | None,
        **rest: Any,
    ) -> Any:
        if dry_run and not model:
            raise UsageError("--dry-run requires --model.")
        options = ModelOptions(model, dry_run, yes, max_cost, max_output, api) if model else None
        return command(*args, asked=options, **rest)

    for option in (
        click.option(
            "--dry-run", is_flag=True, help="With --model: show the size and price of the requests, and send nothing."
        ),
        click.option(
            "--model",
            metavar="NAME",
            help="Also let this model compare the rules, for contradictions and duplicates that need knowledge.",
        ),
    ):
        with_asked = option(with_asked)
    return call_options(with_asked)
