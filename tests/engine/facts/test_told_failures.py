"""Failures, choices and open work that people and agents tell in their own words."""

from __future__ import annotations

import pytest

from inspector.engine.facts import SentenceClass, Source, text_classes


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("the search still doesn't find old entries", "typed"),
        ("I still see the grey one", "typed"),
        ("the second total looks incorrect", "typed"),
        ("moving it broke the footer", "typed"),
        ("it keeps jumping back to the start", "typed"),
        ("my notes from Tuesday are gone", "typed"),
        ("there are two failures in the tide suite", "typed"),
        ("why am I seeing three gauges?", "typed"),
        ("nothing happens when I press the bell", "typed"),
        ("it seems to be worse now", "typed"),
        ("I still don't see the third gauge in the list", "typed"),
        ("Looking at the chart again, the issue is that the tide starts an hour late.", "speech"),
        ("The tide check is hanging instead of returning a list.", "speech"),
        ("Error: unknown (4): could not reach the gauge", "typed"),
        ("⨯ sync failed after 2s error=the disk is full", "typed"),
        ("The request hit an encoding error halfway.", "speech"),
        ("`tide_name` doesn't treat accents correctly.", "speech"),
        ("I couldn't find the chart in this folder.", "speech"),
        ("The entry is no longer valid.", "speech"),
        ("Error: Internal checksum of the tide table differs", "output"),
        ("Rebasing (2/9)error: could not apply 12ab34f... add the bell", "output"),
        ("Permission for this step was denied by the guard", "output"),
    ],
)
def test_a_failure_in_own_words_is_found(text: str, source: Source) -> None:
    assert "error" in text_classes(text, source)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("It broke my heart to leave the island.", "typed"),
        ("are you still there?", "typed"),
        ("Is there a bug in the gauge?", "typed"),
        ("I couldn't find any issues.", "speech"),
        ("If the gauge doesn't load correctly, restart it.", "speech"),
        ("error: integer", "output"),
    ],
)
def test_talk_questions_and_cases_are_no_failures(text: str, source: Source) -> None:
    assert "error" not in text_classes(text, source)


@pytest.mark.parametrize(
    ("text", "source", "cls"),
    [
        ("No code changes", "typed", "constraint"),
        ("Use the short form instead of the long one.", "typed", "constraint"),
        ("Everyone should have their own list.", "typed", "constraint"),
        ("Skipped the second chart per your call.", "speech", "decision"),
        ("Skipping the survey — nobody reads it.", "speech", "decision"),
        ("I'll first finish the importer, then update the docs.", "speech", "task"),
        ("no need to cache it, just read the file", "typed", "decision"),
        ("Since nobody reads it, we'll leave the old table as is.", "speech", "decision"),
        ("Rather than touching the reader, I'll add a helper next to it.", "speech", "decision"),
        ("Option 2 seems cleanest.", "speech", "decision"),
        ("I did not push the branch yet.", "speech", "task"),
        ("Also need to move the bell to the top of the class.", "speech", "task"),
        ("Note: you'll need to update the address in the client.", "speech", "task"),
    ],
)
def test_a_rule_a_choice_and_open_work_in_own_words_are_found(text: str, source: Source, cls: SentenceClass) -> None:
    assert cls in text_classes(text, source)
