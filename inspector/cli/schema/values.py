"""Values that many outputs hold, and how an output is made.

Annotations are evaluated here, not kept as text: `NotRequired` is known only then, and text takes longer to import.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict, TypeVar, cast

Record = TypeVar("Record")

Tokens = Annotated[int, "tokens"]
Dollars = Annotated[float, "US dollars"]
Share = Annotated[float, "from 0 to 1"]
Settings = Annotated[Mapping[str, Any], "by name; inspector strategies NAME tells what each is"]
Problems = Annotated[Sequence[str], "what a provider would refuse, each a sentence; empty where it is valid"]
RecordedSo = Annotated[
    bool, "whether all of `problems` were recorded so, in a request that the provider took: it was sent in another form"
]
Missed = Annotated[Sequence[str], "a sentence for each gate (`--fail-…`) that is not met"]


Fit = Annotated[str, "which presets do not fit this session, and one that does, in a sentence; empty where all fit"]


class FailureOutput(TypedDict):
    """What every command prints when it ends with 1 or 2, unless its own output has `errors`."""

    errors: Annotated[Sequence[str], "what went wrong, each a sentence"]


class CostRecord(TypedDict):
    """Dollars, by what they are paid for; the parts add up to the cost."""

    input: Annotated[Dollars, "for tokens that were sent fresh"]
    cache_read: Annotated[Dollars, "for tokens that were read from the cache"]
    cache_write: Annotated[Dollars, "for tokens that were written to the cache of five minutes, or to the only one"]
    cache_write_1h: Annotated[Dollars, "for tokens that were written to the cache of an hour"]
    output: Annotated[Dollars, "for output as it was reported"]
    output_estimated: Annotated[Dollars, "for output that was not reported, or not to its end: an estimate"]
    surcharge: Annotated[Dollars, "what the price of long requests adds to these"]
    summaries: Annotated[Dollars, "for summaries that a compression asked for, by the session's model"]
    recalls: Annotated[Dollars, "for calls that would have fetched from the archive what had not come back by itself"]


class KeptRecord(TypedDict):
    """How many facts are where."""

    retained: Annotated[int, "in the window"]
    named: Annotated[int, "in it only as bare values in the list of a summary"]
    recoverable: Annotated[int, "out of it, in an archive from which the policy brings back"]
    lost: int


def record(kind: type[Record], source: object, /, **values: object) -> Record:
    """A value of a `TypedDict`: keys as given; every other required key from the attribute of `source` of that name."""
    required: frozenset[str] = kind.__required_keys__  # type: ignore[attr-defined]  # of every TypedDict
    items = {
        key: values[key] if key in values else getattr(source, key)
        for key in kind.__annotations__
        if key in values or key in required
    }
    return cast(Record, items)
