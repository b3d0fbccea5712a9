"""Keys that the outputs of several commands share, and the decorator for outputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar, dataclass_transform

from inspector.core.json_objects import json_object

_Object = TypeVar("_Object")

Number = Annotated[int | None, "position in the log, from 1; null for a message that a plan created"]
Files = Annotated[Sequence[str], "all written files: the request, and its sidecar"]
Notes = Annotated[
    Sequence[str], "repairs of the request and parts that do not fit, each a sentence; empty without a request"
]
LostCounts = Annotated[
    Mapping[str, int] | None,
    (
        "facts of the recorded window that it no longer contains in any form, by class; null for a log too "
        "long to count them"
    ),
]
Problems = Annotated[Sequence[str], "problems that the provider would reject, each a sentence; empty if it is valid"]
RecordedSo = Annotated[
    bool,
    (
        "true if all of `problems` are in the recording of requests that the provider accepted, because "
        "they were sent in another form"
    ),
]
Errors = Annotated[Sequence[str], "unreadable parts, each a sentence"]
Missed = Annotated[Sequence[str], "a sentence for each gate (`--fail-…`) that failed"]
Fit = Annotated[str, "the presets that do not fit this session, and one that does, in a sentence; empty if all fit"]


@dataclass_transform(kw_only_default=True)
def json_output(keys: str = "", *, inline: str = "", optional: str = "") -> Callable[[type[_Object]], type[_Object]]:
    """Return a decorator that turns a class into a dataclass and marks it as a JSON object.

    Outputs are made once and printed, so they get no comparison and no `repr`: that is what takes time at import.

    Args:
        keys: As in `json_object`.
        inline: As in `json_object`.
        optional: As in `json_object`.
    """

    def make(kind: type[_Object]) -> type[_Object]:
        light: type[_Object] = dataclass(kw_only=True, eq=False, repr=False, match_args=False)(kind)
        return json_object(keys=keys, inline=inline, optional=optional)(light)

    return make


@json_output()
class FailureOutput:
    """The output of a command that ends with 1 or 2, unless its own output has `errors`."""

    errors: Annotated[Sequence[str], "failures, each a sentence"]
