"""`keys`: the keys of the app, with the user's own in place of the default ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Annotated

import click

from inspector.cli.command_errors import BAD_INPUT
from inspector.cli.options import json_option
from inspector.cli.output import echo, echo_json, paint, warn, width
from inspector.cli.schema.values import json_output
from inspector.core.settings import settings_path
from inspector.core.text import clip, pad, visible
from inspector.ui.key_names import shown_key
from inspector.ui.key_remaps import Keymap, load_keymap
from inspector.ui.keymap import VERBS, effects

_KEYS, _VERB = 16, 22
"""Cells of the first two columns."""


@json_output()
class VerbOutput:
    """A verb with its keys."""

    verb: Annotated[str, "its name in `[keys]` of the settings file"]
    keys: Annotated[Sequence[str], "as printed on a keyboard, the main one first"]
    default: Annotated[Sequence[str], "keys without the settings file"]
    label: Annotated[str, "one to three words"]
    group: str
    effects: Annotated[Mapping[str, str], "its effect, by screen or dialog"]


@json_output()
class KeysOutput:
    """All verbs of the app with their keys."""

    keys: Sequence[VerbOutput]
    path: Annotated[str, "the settings file"]
    errors: Annotated[Sequence[str], "entries of the settings file that are ignored, each a sentence"]


@click.command(epilog='Change keys in [keys] of the settings file, such as drop = "ctrl+x" or next_hit = ["n", "f3"].')
@json_option
def keys(as_json: bool) -> int:
    """List the keys of the app, with your own from settings.toml."""
    keymap, path = load_keymap(), settings_path()
    for problem in keymap.problems:
        warn(problem)
    if as_json:
        echo_json(KeysOutput(keys=_verbs(keymap), path=str(path), errors=keymap.problems))
    else:
        echo("\n".join(_key_table(_verbs(keymap), str(path))))
    return BAD_INPUT if keymap.problems else 0


def _verbs(keymap: Keymap) -> list[VerbOutput]:
    return [
        VerbOutput(
            verb=name,
            keys=list(map(shown_key, keymap.keys(name))),
            default=list(map(shown_key, verb.keys)),
            label=verb.label,
            group=verb.group,
            effects=effects(name),
        )
        for name, verb in VERBS.items()
    ]


def _key_table(verbs: Sequence[VerbOutput], path: str) -> Iterator[str]:
    """Yield the lines of the table, in groups. A changed key is marked and followed by the default one."""
    room = max(20, width() - _KEYS - _VERB - 4)
    for group, members in groupby(verbs, lambda verb: verb.group):
        yield paint(group, "strong")
        for verb in members:
            is_own = verb.keys != verb.default
            default = paint(f"  (default: {' '.join(verb.default)})", "dim") if is_own else ""
            keys = paint(pad(" ".join(verb.keys), _KEYS), "warn" if is_own else "accent")
            effects = clip("; ".join(dict.fromkeys(verb.effects.values())), room)
            yield f"  {keys} {pad(verb.verb, _VERB)} {effects}{default}"
        yield ""
    yield paint(f"Change keys in [keys] of {visible(path)}.", "dim")
