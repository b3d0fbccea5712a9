"""The keys that Tune offers for the row under the cursor."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.screens.tune.controller import TuneState
from inspector.ui.screens.tune.preset_rows import PresetRow
from inspector.ui.widgets.key_bar import Key


def offered_keys(state: TuneState, row: PresetRow | None) -> tuple[Key, ...]:
    """Return the keys of Tune that have an effect now, the most important first."""
    questions = Key("lost", "questions") if row is not None and row.has_compressions else None
    keys = (*_keys_of_row(state, row), questions, *_keys_of_session(state))
    keys = (*keys, *_keys_of_preset(row), *_keys_to_leave(state))
    return tuple(key for key in keys if isinstance(key, Key))


def _keys_of_row(state: TuneState, row: PresetRow | None) -> Iterator[Key | object]:
    simulated = row is not None and row.is_simulation
    yield Key("open", "replay")
    yield simulated and Key("less more", "setting")
    yield simulated and Key("next_setting")
    if row is not None and (state.mark >= 0 or not row.is_recording):
        yield Key("compare", "compare")
    yield Key("mark", "unmark" if row and row.number == state.mark else "mark")
    yield state.has_sweep and Key("back", "stop the sweep")
    yield simulated and Key("sweep", "sweep")
    yield Key("ask", "ask a model")


def _keys_of_session(state: TuneState) -> Iterator[Key | object]:
    yield state.table.has_facts and Key("weights")
    yield len(state.context.bench.session.agents) > 1 and Key("next_agent", "agent")
    yield Key("sort", "sort")


def _keys_of_preset(row: PresetRow | None) -> Iterator[Key | object]:
    if row is not None:
        yield row.is_changed and Key("undo", "undo")
        yield row.is_simulation and Key("save", "save")
        yield row.is_simulation and Key("export", "export")


def _keys_to_leave(state: TuneState) -> Iterator[Key | object]:
    yield any(row.is_of_sweep for row in state.table.rows) and Key("drop", "clear sweep")
    yield not state.has_sweep and Key("back", "inspect")
    yield Key("over_sessions")
