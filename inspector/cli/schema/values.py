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
Missed = Annotated[Sequence[str], "a sentence for each gate (`--fail-…`) that is not met"]


class FailureOutput(TypedDict):
    """What every command prints when it ends with 1 or 2, unless its own output has `errors`."""

    errors: Annotated[Sequence[str], "what went wrong, each a sentence"]


class KeptRecord(TypedDict):
    """How many facts are in the window, out of it but to be found again, and lost."""

    retained: int
    recoverable: int
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
