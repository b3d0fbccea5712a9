"""The keys in force: the table of keys with the changes of the user's settings file.

`[keys]` in settings.toml gives a verb another key, as in `drop = "ctrl+x"`, or several, as in `next_hit = ["n", "f3"]`.
An entry that cannot be used is ignored and costs one sentence at the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from inspector.core.settings import read_settings, settings_path
from inspector.core.text import one_line
from inspector.ui.key_names import is_typed, key_name, shown_key
from inspector.ui.keymap import PLACES, VERBS, uses


@dataclass(frozen=True)
class Keymap:
    """The keys of every verb."""

    remaps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keys that replace the default ones of a verb, as Textual names them."""
    problems: tuple[str, ...] = ()
    """Sentences about entries of the settings file that were ignored."""

    def keys(self, verb: str) -> tuple[str, ...]:
        """Return the keys of a verb as Textual names them."""
        return self.remaps.get(verb) or VERBS[verb].keys

    def key(self, verb: str) -> str:
        """Return the main key of a verb as it is printed on a keyboard."""
        return shown_key(self.keys(verb)[0])

    @cached_property
    def _main_keys(self) -> Mapping[str, str]:
        return {verb: self.key(verb) for verb in VERBS}

    def text(self, template: str, **values: object) -> str:
        """Fill a sentence such as "{strategy}: try a strategy" with keys.

        Args:
            template: Sentence with the names of verbs, and of `values`, in braces.
            **values: Other texts to fill in.
        """
        return template.format(**{**self._main_keys, **values})


_in_force: list[Keymap] = [Keymap()]


def keymap() -> Keymap:
    """Return the keys in force. They are the defaults until an app has read the settings file."""
    return _in_force[0]


def use_keymap(keymap: Keymap) -> None:
    """Put other keys in force, for all apps of this process."""
    _in_force[0] = keymap


def key_of(verb: str) -> str:
    """Return the main key in force of a verb, as it is printed on a keyboard."""
    return keymap().key(verb)


def with_keys(template: str, **values: object) -> str:
    """Fill a sentence such as "{strategy}: try a strategy" with the keys in force."""
    return keymap().text(template, **values)


def load_keymap(path: Path | None = None) -> Keymap:
    """Return the table of keys with the changes in a settings file.

    Args:
        path: The settings file. Default: `settings_path()`.
    """
    path = path or settings_path()
    try:
        entries = read_settings(path).get("keys", {})
    except (OSError, ValueError) as error:
        return Keymap(problems=(f"{one_line(str(error))}. The default keys are used.",))
    where = f"{path}, [keys]"
    if not isinstance(entries, dict):
        return Keymap(problems=(f'{where}: write a table of verbs, such as [keys] and drop = "ctrl+x" below it.',))
    remaps: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for verb, value in entries.items():
        keys, problem = _parse_entry(verb, value)
        if problem:
            problems.append(f"{where}: {problem}")
        else:
            remaps[verb] = keys
    problems += [f"{where}: {problem}" for problem in _drop_collisions(remaps)]
    return Keymap(remaps, tuple(problems))


def _parse_entry(verb: str, value: object) -> tuple[tuple[str, ...], str]:
    """Return the keys of an entry of the settings file, and a sentence if it cannot be used."""
    name = one_line(verb)
    if verb not in VERBS:
        near = get_close_matches(verb, VERBS, 1)
        hint = f"did you mean {near[0]}?" if near else "`inspector keys` lists all verbs."
        return (), f"there is no verb {name}; {hint}"
    values = value if isinstance(value, list) else [value]
    texts = [text for text in values if isinstance(text, str)]
    if not texts or len(texts) < len(values):
        return (), f'{name} needs a key in quotes, or a list of keys, such as {name} = ["x", "ctrl+x"].'
    keys = tuple(key_name(text) for text in texts)
    if "" in keys:
        wrong = one_line(texts[keys.index("")])
        return (), f"{name} = “{wrong}” is not a key; write a character, or a name such as ctrl+x, f5 or space."
    if problem := _typing_problem(verb, keys):
        return (), problem
    return keys, ""


def _typing_problem(verb: str, keys: tuple[str, ...]) -> str:
    """Return a sentence if a verb could not be used, or a character not be typed, in a text field."""
    places = [place for place in PLACES.values() if place.types and verb in (use[0] for use in place.uses)]
    if any(verb in place.first for place in PLACES.values()) and (places or verb in PLACES["app"].first):
        is_blocked = any(map(is_typed, keys))
    else:
        is_blocked = bool(places) and all(map(is_typed, keys))
    if not is_blocked or all(map(is_typed, VERBS[verb].keys)):
        return ""
    return f"{verb} is also used in text fields, where a character is typed; use a key such as ctrl+x or f5."


def _drop_collisions(remaps: dict[str, tuple[str, ...]]) -> Iterator[str]:
    """Remove remaps until no key has two verbs at one place, and yield a sentence for each removed one."""
    while collision := _collision(Keymap(remaps)):
        place, key, verbs = collision
        verb = [verb for verb in remaps if verb in verbs][-1]
        other = verbs[0] if verbs[1] == verb else verbs[1]
        del remaps[verb]
        default = " ".join(map(shown_key, VERBS[verb].keys))
        yield (
            f"{verb} keeps {default}, because {shown_key(key)} is {other} in {PLACES[place].title}; "
            f"choose another key, or change {other} as well."
        )


def _collision(keymap: Keymap) -> tuple[str, str, tuple[str, str]] | None:
    """Return a place, a key, and two verbs that have this key there; None if every key is unique."""
    for place in PLACES:
        owners: dict[str, str] = {}
        for verb, _, _ in uses(place):
            for key in keymap.keys(verb):
                if owners.setdefault(key, verb) != verb:
                    return place, key, (owners[key], verb)
    return None
