"""Outputs of the commands that list presets and strategies, and what other outputs say of a preset."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from inspector.cli.schema.values import Settings, Share
from inspector.formats import Feature


class PolicyRecord(TypedDict):
    """When and how a preset compresses."""

    strategy: str
    threshold: Annotated[
        int | str,
        'above which a window is compressed: tokens, or as text a share of the model\'s window ("60%") '
        'or tokens beyond what always stays ("+20000")',
    ]
    ratio: Annotated[Share, "size of a summary beside what it stands for"]
    keep_recent: Annotated[int, "messages at the end that stay as they are"]
    enabled: bool
    preserve_system: Annotated[bool, "false where a manager may compress system messages too"]
    settings: Settings


class PresetRecord(PolicyRecord):
    """A policy under a name."""

    name: str
    about: str


class ListedPresetRecord(PresetRecord):
    """A preset, and where it comes from."""

    origin: Literal["built-in", "own", "environment"]


class PresetsOutput(TypedDict):
    """All presets."""

    presets: Sequence[ListedPresetRecord]
    path: Annotated[str, "the file of your own"]
    errors: Annotated[Sequence[str], "what could not be read, each a sentence"]


class PresetShowOutput(PresetRecord):
    """A preset; with `--to`, as settings for another program."""

    to: NotRequired[str]
    text: NotRequired[str]


class PresetSaveOutput(PresetRecord):
    """A preset that was saved."""

    path: str
    replaced: Annotated[bool, "whether there was one of that name"]


class PresetRemoveOutput(TypedDict):
    """The name of a preset that was removed."""

    removed: str
    path: str


class SettingRecord(TypedDict):
    """What can be set of a strategy. One of some words has `choices`, a number its bounds."""

    name: str
    about: str
    default: Annotated[Any, "null where it depends on the window"]
    choices: NotRequired[Sequence[str]]
    low: NotRequired[float]
    high: NotRequired[float]
    step: NotRequired[float]


class StrategyRecord(TypedDict):
    """A way of compressing."""

    name: str
    cost: Literal["free", "lossy", "needs a model"]
    about: str
    settings: Sequence[SettingRecord]


class StrategiesOutput(TypedDict):
    """The strategies that there are, or the one that was named."""

    strategies: Sequence[StrategyRecord]


class FormatRecord(TypedDict):
    """A format that can be opened."""

    name: Annotated[str, "as `format` says it elsewhere"]
    title: str
    holds: Annotated[Sequence[Feature], "what it records beside messages and calls"]
    lacks: Annotated[Sequence[Feature], "what it cannot say"]
    place: Annotated[str, "where the program keeps such files; empty for no place of its own"]
    page: Annotated[str, "where it is described; empty for none"]


class FormatsOutput(TypedDict):
    """The formats that can be opened."""

    formats: Sequence[FormatRecord]
