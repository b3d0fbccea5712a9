"""The reference of the app's keys as Markdown, read from the table of keys.

`make docs` writes it to `docs/keys.md`; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.ui.key_names import shown_key
from inspector.ui.key_places import Place
from inspector.ui.keymap import PLACES, VERBS

_OPENING = """# Keys

A verb has the same key on every screen. `?` shows the keys of the current screen, the focused part first, and
`inspector keys` prints all of them with your own changes. Verbs that remove something have upper-case keys or ask.

## Change keys

Give verbs other keys in `[keys]` of the settings file, which `inspector keys` names:

```toml
[keys]
drop = "ctrl+x"
next_hit = ["n", "f3"]
```

Write a key as the character that it types (`x`, `D`, `?`), or by name: `space`, `enter`, `esc`, `tab`, `up`, `f5`,
`ctrl+x`, `shift+left`. The first key of a list is the one that is shown. An entry with an unknown verb, an unknown key,
or a key that another verb has on the same screen is ignored, and a sentence at the start says what to change.

## Verbs
"""


def key_reference() -> str:
    """Return the whole page."""
    pages = [_OPENING, *_verb_table()]
    pages += ["## Screens and dialogs", ""]
    for place in PLACES.values():
        pages += _place_section(place)
    return "\n".join(pages)


def _verb_table() -> Iterator[str]:
    yield from ("| verb | keys | group |", "|---|---|---|")
    for name, verb in VERBS.items():
        yield f"| `{name}` | {_codes(verb.keys)} | {verb.group} |"
    yield ""


def _place_section(place: Place) -> Iterator[str]:
    """Yield the table of a screen or dialog; nothing if all its keys are those of its parts."""
    rows = [f"| {_codes(VERBS[verb].keys)} | {effect} |" for verb, _, effect in place.uses if effect]
    if len(rows) > 1 or (rows and place.uses[0][2] not in ("Back", "Close")):
        yield from (f"### {place.title}", "", "| keys | effect |", "|---|---|", *rows, "")


def _codes(keys: Iterable[str]) -> str:
    return " ".join(f"`{shown_key(key)}`" for key in keys)


if __name__ == "__main__":
    print(key_reference(), end="")
