"""The bench of `inspector restore` lists facts with rules of its own, and counts what a text gives back."""

from __future__ import annotations

from pathlib import Path

from inspector.formats import load
from tests.benchmarks.give_back import cases_in, is_apart, totals
from tests.benchmarks.give_back_facts import core_words, facts_before, only_looks
from tests.formats.written import Scribe, calls, says


def _transcript(folder: Path) -> Path:
    """A session in which a command and a file were lost, and a prompt and a command are in the summary."""
    scribe = Scribe(common={"cwd": "/pier"})
    scribe.ask("u1", "Count the lamps on the pier.")
    for number, command in enumerate(("make lamps", "make bulbs --all", "make lamps", "ls -la"), 1):
        scribe.reply(f"a{number}", f"m{number}", calls(f"c{number}", "Bash", command=command))
        scribe.answer(f"r{number}", f"c{number}", "41 lamps")
    scribe.reply("a5", "m5", calls("c5", "Read", file_path="/pier/src/lanterns.py"))
    scribe.answer("r5", "c5", "LAMPS = 41")
    scribe.add("system", "s1", parentUuid=None, logicalParentUuid="r5", subtype="compact_boundary", compactMetadata={})
    scribe.ask("u2", "The user wrote: Count the lamps on the pier. `make lamps` works.", isCompactSummary=True)
    scribe.reply("a8", "m8", calls("c8", "Bash", command="cd /pier && make bulbs --all 2>&1 | tail -3"))
    scribe.answer("r8", "c8", "41 bulbs")
    scribe.reply("a9", "m9", says("On we go."))
    return scribe.write(folder / "log.jsonl")


def test_the_bench_counts_what_was_kept_lost_needed_and_given_back(tmp_path: Path) -> None:
    _transcript(tmp_path)
    [case] = cases_in([tmp_path], bool)
    counts = {cls: (row.stated, row.kept, row.lost, row.needed, row.back[2_400]) for cls, row in case.rows.items()}
    assert counts["prompt"] == (1, 1, 0, 0, 0)
    assert counts["command"] == (3, 1, 2, 1, 2)
    assert counts["command that acts"] == (2, 1, 1, 1, 1)
    assert counts["file read"] == (1, 0, 1, 0, 1)
    assert totals([case])["compactions"] == 1
    assert case.tokens[600] <= 600 and not case.noise.get(2_400)


def test_a_fact_is_listed_once_with_its_last_result(tmp_path: Path) -> None:
    facts = facts_before(load(_transcript(tmp_path))[0].messages[:12])
    assert [fact.text for fact in facts if fact.cls == "command"] == ["make bulbs --all", "make lamps", "ls -la"]


def test_commands_are_compared_by_their_words() -> None:
    assert core_words("cd /a/b && A=1 go test ./x/... 2>&1 | tail -3") == ("go", "test", "...")
    assert only_looks("git log -3 | grep 'a && b'") and not only_looks("git log && make")


def test_a_repository_is_in_one_half() -> None:
    assert is_apart("owner+name", ["name"]) and not is_apart("owner+name", ["other"])
    assert is_apart("owner+name", []) == is_apart("owner+name", [])
