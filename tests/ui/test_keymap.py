"""The table of keys: all bindings are made from it, a verb has one key, and users change keys in their settings."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import _character_to_key

import inspector.ui
from inspector.core.settings import settings_path
from inspector.ui.app import InspectorApp
from inspector.ui.bindings import active_keys
from inspector.ui.dialogs.help import Help
from inspector.ui.key_names import character_name, key_name, shown_key
from inspector.ui.key_remaps import Keymap, key_of, load_keymap, use_keymap, with_keys
from inspector.ui.keymap import PLACES, VERBS, uses
from inspector.ui.screens.inspect import Inspect
from inspector.ui.widgets.key_bar import KeyBar
from inspector.ui.widgets.text_view import TextView
from tests.driving import SAMPLES, chat, press, settled
from tests.fuzz.steps import subclasses

for module in pkgutil.walk_packages(inspector.ui.__path__, "inspector.ui."):
    importlib.import_module(module.name)
NODES: list[type[DOMNode]] = [
    kind for kind in subclasses(DOMNode) if kind.__module__.startswith("inspector.ui.") and "BINDINGS" in vars(kind)
]


@pytest.fixture(autouse=True)
def default_keys() -> None:
    use_keymap(Keymap())


@pytest.fixture
def settings() -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = settings_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


# the table


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_every_binding_comes_from_the_table(node: type[DOMNode]) -> None:
    rows = {(verb, action) for place in PLACES.values() for verb, action, _ in place.uses}
    for binding in vars(node)["BINDINGS"]:
        assert isinstance(binding, Binding) and binding.id is not None
        assert tuple(binding.key.split(",")) == VERBS[binding.id].keys, "a verb has the same keys everywhere"
        assert (binding.id, binding.action) in rows


def test_every_action_exists() -> None:
    """The action of each row is a method of each class that binds it, or of the screen or app that it names."""
    for node in NODES:
        for binding in vars(node)["BINDINGS"]:
            target, _, action = (
                binding.action.rpartition(".") if "." in binding.action.split("(")[0] else ("", "", binding.action)
            )
            name = f"action_{action.partition('(')[0]}"
            assert hasattr({"": node, "app": InspectorApp}.get(target, node), name) or target == "screen", binding


@pytest.mark.parametrize("place", PLACES)
def test_no_key_has_two_verbs_at_one_place(place: str) -> None:
    owners: dict[str, str] = {}
    for verb, _, _ in uses(place):
        for key in VERBS[verb].keys:
            assert owners.setdefault(key, verb) == verb, key
    own = [verb for verb, _, _ in PLACES[place].uses]
    assert len(own) == len(set(own)) and {*PLACES[place].first} <= {*own}


def test_every_verb_is_used_and_has_a_label() -> None:
    assert {verb for place in PLACES.values() for verb, _, _ in place.uses} == {*VERBS}
    assert all(verb.label and verb.keys and len(verb.label.split()) <= 3 for verb in VERBS.values())


def test_what_removes_something_has_an_upper_case_key() -> None:
    assert VERBS["drop"].keys == ("D",)
    assert not {"D"} & {key for name, verb in VERBS.items() if name != "drop" for key in verb.keys}


async def test_what_is_bound_on_a_running_screen_is_what_the_table_says() -> None:
    app = InspectorApp([str(SAMPLES / "three-agents.jsonl")], look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for mode in ("sessions", "inspect", "replay", "tune", "memory", "agents", "live", "overview"):
            await press(pilot, *VERBS[mode].keys)
            screen = app.screen
            focused = screen.focused
            assert focused is not None, mode
            declared = {verb for verb, _, _ in uses(mode)}
            for node, found in screen._binding_chain:
                for key, (binding, *_) in found.key_to_bindings.items():
                    if binding.id is not None:
                        assert binding.id in declared, f"{node} binds {binding.id} on {mode}"
                        assert key in VERBS[binding.id].keys


# names of keys


def test_characters_have_textuals_names() -> None:
    for code in range(0x21, 0x7F):
        assert character_name(chr(code)) == _character_to_key(chr(code))


@pytest.mark.parametrize("verb", VERBS)
def test_a_shown_key_can_be_written_into_the_settings(verb: str) -> None:
    arrows = {"←": "left", "→": "right", "↑": "up", "↓": "down"}
    for key in VERBS[verb].keys:
        text = shown_key(key)
        for arrow, name in arrows.items():
            text = text.replace(arrow, name)
        assert key_name(text) == key


@pytest.mark.parametrize("text", ["", "  ", "f99", "ctrl+", "ab", "hyper+x", "\x1b", "question"])
def test_what_is_no_key(text: str) -> None:
    assert key_name(text) == ""


# changed keys


def test_without_settings_the_defaults_hold(settings: Callable[[str], Path]) -> None:
    assert load_keymap() == Keymap()
    settings('theme = "inspector-dark"\n')
    assert load_keymap() == Keymap()


def test_keys_are_changed_swapped_and_listed(settings: Callable[[str], Path]) -> None:
    settings('[keys]\ndrop = "ctrl+x"\nnext_hit = ["?", "f3"]\nhelp = "f1"\nlost = "d"\ndiff = "x"\n')
    keymap = load_keymap()
    assert not keymap.problems
    assert keymap.keys("drop") == ("ctrl+x",) and keymap.keys("next_hit") == ("question_mark", "f3")
    assert keymap.text("{lost} {diff} {help} {drop} {pin}") == "d x f1 ctrl+x p"


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ('dorp = "x"', "there is no verb dorp; did you mean drop?"),
        ('zzz = "x"', "there is no verb zzz; `inspector keys` lists all verbs."),
        ('drop = "f99"', "drop = “f99” is not a key; write a character, or a name such as ctrl+x, f5 or space."),
        ("drop = 4", 'drop needs a key in quotes, or a list of keys, such as drop = ["x", "ctrl+x"].'),
        ("drop = []", 'drop needs a key in quotes, or a list of keys, such as drop = ["x", "ctrl+x"].'),
        ('drop = "x"', "drop keeps D, because x is lost in Inspect; choose another key, or change lost as well."),
        ('back = "x"', "back is also used in text fields, where a character is typed; use a key such as ctrl+x or f5."),
    ],
)
def test_an_entry_that_cannot_be_used_costs_one_sentence(
    settings: Callable[[str], Path], entries: str, sentence: str
) -> None:
    path = settings(f'[keys]\n{entries}\npin = "P"\n')
    keymap = load_keymap()
    assert keymap.problems == (f"{path}, [keys]: {sentence}",)
    assert keymap.remaps == {"pin": ("P",)}, "the other entries hold"


@pytest.mark.parametrize("text", ["keys = 3\n", "[keys\n", "\x00"])
def test_a_settings_file_that_makes_no_sense_costs_one_sentence(settings: Callable[[str], Path], text: str) -> None:
    path = settings(text)
    keymap = load_keymap()
    assert not keymap.remaps and len(keymap.problems) == 1 and str(path) in keymap.problems[0]


def test_control_characters_of_the_settings_do_not_reach_the_screen(settings: Callable[[str], Path]) -> None:
    settings('[keys]\n"a\\u001b[31m" = "x"\ndrop = "\\u001b]0;x\\u0007"\n')
    assert all(sentence.isprintable() for sentence in load_keymap().problems)


async def test_changed_keys_work_and_are_shown(settings: Callable[[str], Path]) -> None:
    settings('[keys]\ndrop = "Q"\nstrategy = "f6"\npin = "x"\nlost = "p"\n')
    app = InspectorApp([str(SAMPLES / "support-ticket.json")], look_around=False)
    async with app.run_test(size=(160, 50)) as pilot:
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, Inspect)
        await press(pilot, "ctrl+home", "down", "down", "D")
        assert not screen.state.stack, "the default key has no effect any more"
        await press(pilot, "Q")
        assert [plan.strategy for plan in screen.state.stack] == ["by hand"]
        bar = screen.query_one(KeyBar).render().plain
        assert "Q drop" in bar and "f6 strategy" in bar and "x pin" in bar
        assert (key_of("drop"), with_keys("{strategy}")) == ("Q", "f6")
        await press(pilot, "?")
        lines = app.screen.query_one(TextView).lines
        text = " ".join(run for line in lines if isinstance(line, tuple) for run, _ in line)
        assert "f6" in text and "Q" in text.split() and "D" not in text.split()


async def test_problems_are_told_at_the_start(settings: Callable[[str], Path]) -> None:
    path = settings('[keys]\ndrop = "x"\n')
    app = InspectorApp([str(SAMPLES / "support-ticket.json")], look_around=False)
    async with app.run_test(notifications=True) as pilot:
        await pilot.pause()
        notes = [note.message for note in app._notifications]
        assert any(note.startswith(f"{path}, [keys]: drop keeps D") for note in notes)


# help


async def test_help_begins_with_the_part_that_has_the_focus() -> None:
    app = InspectorApp([str(SAMPLES / "three-agents.jsonl")], look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for mode in ("1", "2", "3", "4", "5", "6", "7", "8"):
            await press(pilot, mode)
            screen = app.screen
            titles = [group.title for group in active_keys(screen, "Here")]
            assert titles[-2:] == ["Here", "Everywhere"]
            assert titles[0] == "Here: the part with the focus", mode
            bound = {binding.id for _, binding in screen._bindings if binding.description}
            groups = {group.title: group.keys for group in active_keys(screen, "Here")}
            assert len(groups["Here"]) == len(bound - {None})
            await press(pilot, "?")
            assert isinstance(app.screen, Help)
            shown = [line for line in app.screen.query_one(TextView).lines if isinstance(line, tuple)]
            assert shown[0][0][0].endswith("the part with the focus")
            await press(pilot, "escape")


async def test_a_click_on_a_key_hint_runs_its_verb(write_chat: Path) -> None:
    app = InspectorApp([str(write_chat)], look_around=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        bar = app.screen.query_one(KeyBar)
        at = bar.render().plain.index("s strategy")
        await pilot.click(bar, offset=(at, 0))
        await settled(pilot)
        assert type(app.screen).__name__ == "Picker"


@pytest.fixture
def write_chat(tmp_path: Path) -> Path:
    import json

    path = tmp_path / "scans.json"
    path.write_text(json.dumps(chat()), encoding="utf-8")
    return path


def test_the_page_of_keys_is_current() -> None:
    from inspector.cli.key_reference import key_reference
    from tests.places import ROOT

    page: Any = ROOT / "docs" / "keys.md"
    assert page.read_text(encoding="utf-8") == key_reference(), "make docs"
