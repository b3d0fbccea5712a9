"""Summaries that tell edits as they were, and the wrong way round."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.analysis.replay import probes_of
from inspector.engine.work_state import fates_of
from tests.engine.work_state.scripts import ROOT, Compact, Say, Step, Tool, User, session_of, transition_of

EDITS = (
    ("conf/kiln.toml", "[fire]\nmax_temp = 1240\nfan = true", "[fire]\nmax_temp = 1225\nfan = true"),
    ("src/timer.ts", "export const SOAK_MINUTES = 12;", "export const SOAK_MINUTES = 18;"),
    ("src/api.py", 'return get(f"/v1/glazes/{name}")', 'return get(f"/v2/glazes/{name}")'),
    ("src/Shelf.java", "  private int potCount;", "  private int bowlCount;"),
    ("docs/x.md", "The body needs red clay.", "The body needs white clay."),
)
TALK = Say("The kiln is set as the notes ask for, and a first firing can start once the shelf is full. " * 8)


def _edit(form: str, path: str, old: str, new: str) -> Tool:
    if form == "claude-code":
        return Tool("Edit", {"file_path": f"{ROOT}/{path}", "old_string": old, "new_string": new}, "updated")
    lines = (f"{sign}{line}" for sign, text in (("-", old), ("+", new)) for line in text.split("\n"))
    patch = "\n".join(("*** Begin Patch", f"*** Update File: {path}", "@@", *lines, "*** End Patch"))
    return Tool("apply_patch", {"input": patch}, "Success.")


def _invented(statement: str, form: str, folder: Path, *more: Step) -> list[str]:
    edits = [_edit(form, *edit) for edit in EDITS]
    script = (User("Set up the kiln."), *edits, *more, TALK, Compact(f"Set up the kiln.\n- {statement}\n- Rest: open."))
    rows = fates_of(transition_of(session_of(script, form, folder)))
    return [row.item.removeprefix("- ") for row in rows if row.fate == "invented"]


@pytest.mark.parametrize("form", ["claude-code", "codex"])
@pytest.mark.parametrize(
    ("told", "reversed_"),
    [
        ("max_temp was lowered from 1240 to 1225.", "max_temp was raised from 1225 to 1240."),
        ("The limit max_temp is now 1225 (was 1240).", "The limit max_temp is now 1240 (was 1225)."),
        ("SOAK_MINUTES: 12 → 18.", "SOAK_MINUTES: 18 → 12."),
        ("Changed SOAK_MINUTES from 12 to 18.", "Changed SOAK_MINUTES from 18 to 12."),
        ("SOAK_MINUTES is 18 now.", "SOAK_MINUTES is 12 now."),
        ("The name goes to `/v2/glazes/` rather than `/v1/glazes/`.", "It calls `/v1/glazes/`, not `/v2/glazes/`."),
        ("`potCount` became `bowlCount`.", "`bowlCount` became `potCount`."),
        ("Replaced red clay with white clay.", "Replaced white clay with red clay."),
    ],
)
def test_an_edit_that_is_told_the_wrong_way_round_is_invented(
    told: str, reversed_: str, form: str, tmp_path: Path
) -> None:
    assert _invented(told, form, tmp_path) == []
    assert _invented(reversed_, form, tmp_path) == [reversed_]


@pytest.mark.parametrize(
    "statement",
    [
        "The timeout of the server went from 18 to 12 seconds.",
        "Before the edit max_temp was 1240.",
        "A note asked for red clay, not for sand.",
    ],
)
def test_statements_about_other_values_are_not_compared_with_edits(statement: str, tmp_path: Path) -> None:
    assert _invented(statement, "claude-code", tmp_path) == []


def test_an_edit_that_was_undone_can_be_told_both_ways(tmp_path: Path) -> None:
    path, old, new = EDITS[1]
    undo = _edit("claude-code", path, new, old)
    assert _invented("Changed SOAK_MINUTES from 18 back to 12.", "claude-code", tmp_path, undo) == []


def test_the_old_value_of_a_change_is_no_answer(tmp_path: Path) -> None:
    steps = (User("Set kiln_shelf = 4, please."), Say("Done."), User("No, make it kiln_shelf = 6."), Say("Done."))
    for summary, is_answered in (("kiln_shelf is 6 instead of 4.", True), ("kiln_shelf is 4 instead of 6.", False)):
        transition = transition_of(session_of((*steps, Compact(summary)), "claude-code", tmp_path))
        values = [one.is_answered for one in probes_of(transition, ()) if one.kind == "value"]
        assert values == [is_answered]
