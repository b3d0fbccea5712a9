"""`inspector replay`: the JSON that others build on, and the text that fits a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.analysis.experiments import TrialResult
from inspector.analysis.replay import SummaryStatement
from inspector.cli.text.statements_text import statements_of_rows
from inspector.engine.compression.presets import Preset, save
from inspector.formats import load
from inspector.llm.tokens import TokenCount
from tests.cli.calling import HOSTILE, chat, hostile_chat, inspect, transcript, written
from tests.engine.work_state.scripts import INVENTING, session_of
from tests.places import SESSIONS

KEYS = {
    *("preset", "turns", "compressions", "peak", "tokens_sent", "cost", "cost_uncached"),
    *("retention", "regrets", "valid"),
}


@pytest.fixture(autouse=True)
def _small() -> None:
    save(Preset("small", 1_500, 0.2, 4))


def replayed(*words: object) -> Any:
    ended = inspect("replay", *words, "--json")
    assert ended.code == 0, ended.err
    return ended.json


def test_json_has_the_keys_that_were_promised(log: Path) -> None:
    found = replayed(log, "--preset", "small")
    assert found.keys() >= KEYS
    assert (found["preset"], found["turns"], found["valid"], found["agent"]) == ("small", 13, True, "main")
    first = found["compressions"][0]
    assert first.keys() >= {"turn", "before", "after", "strategy", "covered"}
    assert first["before"] > 1_500 >= first["after"]
    assert first["strategy"] == "sliding_window"
    assert first["covered"] > 0
    assert found["peak"] <= found["tokens_sent"]
    assert found["cost"] <= found["cost_uncached"]
    assert all(kept.keys() == {"retained", "named", "recoverable", "lost"} for kept in found["retention"].values())
    assert all(regret.keys() >= {"turn", "fact", "class", "lost_at", "message"} for regret in found["regrets"])


def test_facts_and_regrets_are_told_in_both() -> None:
    path = SESSIONS / "research.json"
    found = replayed(path, "--preset", "aggressive")
    text = inspect("replay", path, "--preset", "aggressive", "--all").out
    for name, kept in found["retention"].items():
        numbers = f"{kept['retained']:>9,}{kept['named']:>6,}{kept['recoverable']:>12,}{kept['lost']:>7,}"
        assert f"  {name:<11}{numbers}" in text
    assert f"{len(found['regrets'])} regrets: a reply of the recorded session needed a lost fact" in text
    assert sum(line.startswith("! ") for line in text.splitlines()) == len(found["regrets"])
    assert all(regret["lost_at"] <= regret["turn"] for regret in found["regrets"])
    assert "more; --all lists them" in inspect("replay", path, "--preset", "aggressive", "--facts").out


def test_the_statements_that_a_summary_invents_and_revives_are_listed_with_their_evidence(tmp_path: Path) -> None:
    path = session_of(INVENTING, "claude-code", tmp_path).path
    found = replayed(path, "--preset", "recorded")
    statements = [one for questions in found["questions"] for one in questions["statements"]]
    assert [one["fate"] for one in statements].count("invented") == found["invented"] == 1
    assert [one["fate"] for one in statements].count("revived") == found["revived"] == 1
    invented = next(one for one in statements if one["fate"] == "invented")
    assert invented["statement"] == "The user asked to drop the old exports."
    assert invented["before"].startswith("The exports of March are old")
    text = inspect("replay", path, "--preset", "recorded").out
    assert "1 invented statement and 1 revived statement in summaries" in text
    number = next(n for n, one in enumerate(load(path)[0].messages, 1) if one.id == invented["message"])
    assert invented["statement"] in text and f"closest before (#{number}): The exports of March" in text
    row = inspect("tune", path, "--preset", "none", "--json").json["rows"][0]
    assert row["preset"] == "recorded" and row["statements"] == statements
    assert "recorded: 1 invented statement and 1 revived" in inspect("tune", path, "--preset", "none").out
    assert "invented statement" not in inspect("replay", path, "--preset", "none").out


def test_of_the_statements_of_many_rows_the_first_six_are_listed_and_the_others_counted() -> None:
    stated = tuple(SummaryStatement(n, "invented", f"The user asked for {n}.", "", "") for n in range(1, 5))
    row = TrialResult(Preset("early"), 9, 1, 9, 9, 1.0, 1.0, 1.0, statements=stated)
    text = "\n".join(statements_of_rows([row] * 3, {}))
    assert text.count("early: 4 invented statements in summaries") == 3
    assert text.count("The user asked for") == text.count("no sentence before it is close") == 6
    assert "… 2 more; --json" in text and "… 4 more; --json" in text


def test_what_was_read_again_is_told_of_the_recordings_own_compactions() -> None:
    path = SESSIONS / "coding-agent.jsonl"
    found = replayed(path, "--preset", "recorded")["needed_again"]
    assert found.keys() == {"compactions", "gone", "kept", "excess", "interval", "telling"}
    assert (found["compactions"], found["excess"], found["telling"]) == (0, None, False)
    assert (
        "Read again: unknown, because no compaction is followed by 20 turns"
        in inspect("replay", path, "--preset", "recorded").out
    )
    assert replayed(path, "--preset", "balanced")["needed_again"] is None
    rows = inspect("tune", path, "--preset", "balanced", "--json").json["rows"]
    assert [row["needed_again"] for row in rows] == [found, None, None]


def test_each_absent_fact_is_traced_to_the_message_that_told_it() -> None:
    path = SESSIONS / "coding-agent.jsonl"
    found = replayed(path, "--preset", "balanced", "--facts")
    counts = {state: sum(each["state"] == state for each in found["facts"]) for state in ("recoverable", "lost")}
    kept = found["retention"].values()
    assert counts == {state: sum(each[state] for each in kept) for state in counts}
    assert counts["lost"]
    text = path.read_text(encoding="utf-8")
    assert all(each["message"].partition("#")[0] in text for each in found["facts"])
    assert "balanced: " in inspect("replay", path, "--facts").out


def test_frames_add_up_to_what_was_sent(log: Path) -> None:
    found = replayed(log, "--preset", "small", "--frames")
    assert "frames" not in replayed(log, "--preset", "small")
    frames = found["frames"]
    assert [frame["turn"] for frame in frames] == list(range(1, 15))
    assert [frame["sent"] for frame in frames] == [True] * 13 + [False]
    assert all(frame["total"] == sum(frame["sections"].values()) for frame in frames)
    assert sum(frame["total"] for frame in frames if frame["sent"]) == found["tokens_sent"]
    assert sum(frame["cost"] for frame in frames) == pytest.approx(found["cost"])
    compressed = [frame["turn"] for frame in frames if frame["compression"] is not None]
    assert compressed == [made["turn"] for made in found["compressions"]]


def test_none_and_recorded_are_presets_too(log: Path) -> None:
    none, own = replayed(log, "--preset", "none"), replayed(log, "--preset", "recorded")
    assert (none["compressions"], own["compressions"]) == ([], [])
    assert none["tokens_sent"] == own["tokens_sent"] > replayed(log, "--preset", "small")["tokens_sent"]


def test_what_the_recording_compacted_itself_is_told() -> None:
    path = SESSIONS / "coding-agent.jsonl"
    found = replayed(path, "--preset", "recorded")
    assert [made["strategy"] for made in found["compressions"]] == ["recorded"]
    assert "the recording itself" in inspect("replay", path, "--preset", "recorded").out


def test_without_a_preset_it_is_balanced(log: Path) -> None:
    assert replayed(log) == replayed(log, "--preset", "balanced")


def test_several_presets_are_rows(log: Path) -> None:
    found = replayed(log, "--preset", "small", "--preset", "none")
    rows = [{"version": 1, **row} for row in found["rows"]]
    assert rows == [replayed(log, "--preset", "small"), replayed(log, "--preset", "none")]
    lines = inspect("replay", log, "--preset", "small", "--preset", "none").out.splitlines()
    assert [line.split()[1] for line in lines if line.endswith("✓")] == ["small", "none"]


def test_single_settings_of_a_preset_are_changed(log: Path) -> None:
    found = replayed(log, "--preset", "small", "--set", "ratio=0.5", "--threshold", 2_000)
    assert found["preset"] == "small ratio=0.5 threshold=2000"
    policy = {key: found["policy"][key] for key in ("strategy", "ratio", "threshold", "keep_recent", "settings")}
    assert policy == {
        "strategy": "sliding_window",
        "ratio": 0.5,
        "threshold": 2_000,
        "keep_recent": 4,
        "settings": {},
    }
    assert all(made["before"] > 2_000 for made in found["compressions"])


def test_a_strategy_is_replayed_without_a_preset(log: Path) -> None:
    found = replayed(log, "--strategy", "mask_observations", "--set", "keep=2", "--threshold", 1_500)
    assert (found["preset"], found["policy"]["settings"]) == ("mask_observations", {"keep": 2})
    assert {made["strategy"] for made in found["compressions"]} == {"mask_observations"}
    stages = ("--stage", "dedupe", "--stage", "trim_outputs longest=100")
    piped = replayed(log, *stages, "--threshold", 1_500)
    assert piped["policy"]["settings"] == {"stages": "dedupe; trim_outputs longest=100"}


def test_the_text_shows_the_chart_the_compressions_and_the_sums(log: Path) -> None:
    found = replayed(log, "--preset", "small")
    text = inspect("replay", log, "--preset", "small").out
    lines = text.splitlines()
    assert "small  sliding_window · threshold 1,500 · keep_recent 4 · ratio 0.2" in lines
    assert any(line.startswith("   1,500 ") and "┄" in line for line in lines)
    assert sum(line.count("◆") for line in lines if line.startswith("         ")) >= 1
    for made in found["compressions"]:
        sizes = [f"{TokenCount(made[side], made[f'{side}_how'])!s:>11}" for side in ("before", "after")]
        assert f"◆ {made['turn']:>6,} {sizes[0]} {sizes[1]} {made['covered']:>8,}" in text
    peak, sent = (TokenCount(found[key], found["certainty"]) for key in ("peak", "tokens_sent"))
    assert f" {peak} tokens" in text and f" {sent} tokens" in text
    assert "✓ valid" in text
    assert "Prices of gpt-4o" in text


def test_a_strategy_from_which_all_comes_back_has_another_sign(log: Path) -> None:
    settings = ("--strategy", "vector_swap", "--set", "keep_last=4", "--set", "k=1", "--threshold", 1_500)
    assert all(made["reversible"] for made in replayed(log, *settings)["compressions"])
    text = inspect("replay", log, *settings).out
    assert "◇ reversibly" in text
    assert "◆" not in text


def test_long_lists_are_folded_unless_all_is_asked_for(tmp_path: Path) -> None:
    log = written(tmp_path / "long.json", chat(steps=60))
    made = replayed(log, "--preset", "small")["compressions"]
    assert len(made) > 12
    short, whole = inspect("replay", log, "--preset", "small"), inspect("replay", log, "--preset", "small", "--all")
    assert f"  … {len(made) - 12:,} more; --all lists them" in short.out
    assert sum(line.startswith("◆ ") for line in short.out.splitlines()) == 12
    assert sum(line.startswith("◆ ") for line in whole.out.splitlines()) == len(made)


def test_another_agent_is_replayed_by_name() -> None:
    path = SESSIONS / "three-agents.jsonl"
    assert replayed(path, "--agent", "coder-1")["turns"] == 4
    assert "agent coder-1" in inspect("replay", path, "--agent", "coder-1").out
    assert inspect("replay", path, "--agent", "coder").code == 2


def test_nothing_is_stored(log: Path) -> None:
    inspect("replay", log, "--preset", "small")
    assert inspect("show", log, "--json").json["plans"] == []


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_line_fits_the_terminal(width: int, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    hostile = written(tmp_path / "hostile.json", hostile_chat())
    for path in (log, hostile, written(tmp_path / "long.json", chat(steps=150))):
        text = inspect("replay", path, "--preset", "small").out
        assert max(map(len, text.splitlines())) <= width


def test_what_a_transcript_says_cannot_command_the_terminal(tmp_path: Path) -> None:
    save(Preset("odd", 30, 0.2, 0, about=HOSTILE.replace("\ud800", "")))
    log = written(tmp_path / "hostile.json", hostile_chat())
    for words in (["--preset", "odd"], ["--preset", "odd", "--preset", "none"]):
        assert not set(inspect("replay", log, *words).out) & set("\x1b\x07\x9b\u202e\x00\u200b")


def test_a_session_that_no_model_answered_is_told(tmp_path: Path) -> None:
    log = written(tmp_path / "asked.json", {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello?"}]})
    ended = inspect("replay", log)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "Nothing to replay: the agent main has no model calls in this session.\n"


def test_a_transcript_without_its_prompt_is_replayed(tmp_path: Path) -> None:
    log = written(tmp_path / "run.jsonl", transcript(turns=6))
    found = replayed(log, "--preset", "none", "--frames")
    assert [frame["sections"]["system"] > 0 for frame in found["frames"]] == [True] * 7


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--preset", "smal"], "Did you mean small?"),
        (["--preset", "recordd"], "Did you mean recorded?"),
        (["--preset", "small", "--strategy", "fifo"], "--preset cannot be combined with --strategy"),
        (["--preset", "small", "--stage", "dedupe"], "--stage cannot be combined with --preset"),
        (["--preset", "none", "--set", "ratio=0.3"], "The preset none does not compress, so it has no settings."),
        (["--preset", "small", "--set", "depth=3"], "There is no setting 'depth'"),
        (["--strategy", "slide"], "There is no strategy 'slide'"),
        (["--frames"], "--frames requires --json."),
        (["--threshold", "0"], "See: inspector replay --help"),
        (["--agent", "nobody"], "There is no agent 'nobody' in this session"),
    ],
)
def test_wrong_words_are_told_in_one_sentence(log: Path, words: list[str], says: str) -> None:
    ended = inspect("replay", log, *words)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_the_recording_has_the_regrets_that_why_names() -> None:
    file = SESSIONS / "coding-agent.jsonl"
    regrets = inspect("replay", file, "--preset", "recorded", "--json").json["regrets"]
    needed = inspect("why", file, "--json").json["needed"]
    assert [regret["turn"] for regret in regrets] == [need["turn"] for need in needed] != []
