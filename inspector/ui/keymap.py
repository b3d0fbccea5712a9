"""The table of keys: verbs with their keys, and the verbs of every screen, dialog and list.

Bindings, key bars, help, `inspector keys` and docs/keys.md are made from this table. It imports no Textual, so that the
command line can print it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inspector.ui.dialog_places import DIALOG_PLACES
from inspector.ui.key_places import SCREEN_PLACES, Place, Use


@dataclass(frozen=True, slots=True)
class Verb:
    """Something a key does, under the same key on every screen."""

    keys: tuple[str, ...]
    """Default keys as Textual names them. The first one is shown."""
    label: str
    """One to three words for a key bar."""
    group: str


def _group(name: str, **verbs: tuple[str, str]) -> dict[str, Verb]:
    """Return the verbs of a group, given their keys with spaces in between, and their labels."""
    return {verb: Verb(tuple(keys.split()), label, name) for verb, (keys, label) in verbs.items()}


VERBS: Mapping[str, Verb] = {
    **_group(
        "Everywhere",
        help=("question_mark", "help"),
        palette=("ctrl+p", "commands"),
        back=("escape", "back"),
        close=("q", "close"),
        quit=("ctrl+q", "quit"),
        sessions=("1", "sessions"),
        inspect=("2", "inspect"),
        replay=("3", "replay"),
        tune=("4", "tune"),
        memory=("5", "memory"),
        agents=("6", "agents"),
        live=("7", "live"),
        overview=("8", "overview"),
    ),
    **_group(
        "Move",
        up=("up k", "up"),
        down=("down j", "down"),
        page_up=("pageup", "page up"),
        page_down=("pagedown", "page down"),
        top=("g ctrl+home", "top"),
        bottom=("G ctrl+end", "bottom"),
        left=("left", "left"),
        right=("right", "right"),
        far_left=("shift+left", "far left"),
        far_right=("shift+right", "far right"),
        first=("home", "first"),
        last=("end", "last"),
        switch_view=("tab", "next view"),
        previous_view=("shift+tab", "previous view"),
        next_compaction=("c", "compaction"),
        previous_compaction=("C", "previous compaction"),
        next_finding=("r", "finding"),
        previous_finding=("R", "previous finding"),
        next_agent=("full_stop", "agent"),
        previous_agent=("comma", "previous agent"),
        go_to=("colon", "go to"),
        zoom=("Z", "zoom"),
    ),
    **_group(
        "Open",
        open=("enter", "open"),
        toggle=("space", "toggle"),
        origin=("o", "origin"),
        lost=("x", "lost"),
        next_loss=("X", "if it compacted"),
        work_state=("V", "state"),
        memories=("E", "memories"),
        sources=("A", "sources"),
        ask=("at", "ask a model"),
        diff=("d", "diff"),
        fill=("z", "what fills it"),
        problems=("exclamation_mark", "problems"),
        plans=("l", "plans"),
        history=("H", "history"),
        refresh=("f5", "refresh"),
        editor=("O", "editor"),
    ),
    **_group(
        "Find",
        find=("slash", "find"),
        find_everywhere=("F", "find everywhere"),
        next_hit=("n", "next"),
        previous_hit=("N", "previous"),
        filter=("f", "filter"),
        sort=("S", "sort"),
        invert_sort=("I", "invert sort"),
        columns=("L", "columns"),
        on_this_machine=("h", "this machine"),
        bookmark=("b", "bookmark"),
        bookmarks=("B", "bookmarks"),
        copy=("y", "copy"),
        copy_all=("Y", "copy all"),
    ),
    **_group(
        "Change",
        strategy=("s", "strategy"),
        next_setting=("tab", "next setting"),
        previous_setting=("shift+tab", "previous setting"),
        more=("plus equals_sign", "more"),
        less=("minus", "less"),
        much_more=("greater_than_sign", "much more"),
        much_less=("less_than_sign", "much less"),
        type=("t", "type"),
        apply=("a", "apply"),
        undo=("u", "undo"),
        redo=("U", "redo"),
        reset_all=("0", "reset all"),
        model=("M", "by model"),
        pin=("p", "pin"),
        drop=("D", "drop"),
        save=("w", "save"),
        export=("e", "export"),
        **{"try": ("T", "try")},
        insert=("i", "insert"),
        promote=("right_square_bracket", "promote"),
        demote=("left_square_bracket", "demote"),
        move_up=("K shift+up", "move up"),
        move_down=("J shift+down", "move down"),
        weights=("W", "weights"),
        hide_secrets=("ctrl+s", "hide secrets"),
        replace=("ctrl+r", "replace"),
        remove=("ctrl+d", "remove"),
    ),
    **_group(
        "Compare",
        mark=("m", "mark"),
        compare=("v", "compare"),
        sweep=("asterisk", "sweep"),
        over_sessions=("P", "over sessions"),
    ),
    **_group("Answer", yes=("y", "yes"), no=("n", "no")),
}

PLACES: Mapping[str, Place] = {**SCREEN_PLACES, **DIALOG_PLACES}
"""Every place by name, in the order of docs/keys.md."""


def uses(place: str) -> Iterator[Use]:
    """Yield the uses that have an effect at a place: its own, those it extends, and those of the app."""
    yield from PLACES[place].uses
    for other in PLACES[place].extends:
        yield from uses(other)
    if not PLACES[place].is_modal and place != "app":
        yield from PLACES["app"].uses


def effects(verb: str) -> dict[str, str]:
    """Return the effects of a verb by the titles of the places where it is described."""
    return {place.title: use[2] for place in PLACES.values() for use in place.uses if use[0] == verb and use[2]}
