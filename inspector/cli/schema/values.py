"""Keys that the outputs of several commands share, and the decorator for outputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar, dataclass_transform

from inspector.core.json_objects import json_object

_Object = TypeVar("_Object")

Number = Annotated[int | None, "place in the log, from 1; null for a message that a plan has made"]
Files = Annotated[Sequence[str], "all files that were written: the request, and its companion"]
Notes = Annotated[
    Sequence[str], "what was put right in the request and what did not fit, each a sentence; none where none is made"
]
LostCounts = Annotated[
    Mapping[str, int] | None,
    "facts of the recorded window that are in no way in it any more, by class; null for a log too long to count them",
]
Problems = Annotated[Sequence[str], "what a provider would refuse, each a sentence; empty where it is valid"]
RecordedSo = Annotated[
    bool, "whether all of `problems` were recorded so, in a request that the provider took: it was sent in another form"
]
Errors = Annotated[Sequence[str], "what could not be read, each a sentence"]
Missed = Annotated[Sequence[str], "a sentence for each gate (`--fail-…`) that is not met"]
Fit = Annotated[str, "which presets do not fit this session, and one that does, in a sentence; empty where all fit"]


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
    """What every command prints when it ends with 1 or 2, unless its own output has `errors`."""

    errors: Annotated[Sequence[str], "what went wrong, each a sentence"]
