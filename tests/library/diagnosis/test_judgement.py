"""The verdict on a session is true: whatever is recorded, each of its numbers is that of the windows themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inspector.core.conversation import Problem, Session
from inspector.engine.window import problems
from inspector.formats import UnreadableError, find, load
from inspector.library import Workbench
from inspector.library.diagnosis import Case, Findings, judge, look_back, survey, verdict
from inspector.library.diagnosis.fact_names import fact_name
from inspector.llm.tokens import estimate_sizes
from tests.driving import SAMPLES
from tests.formats.written import Scribe
from tests.generated import Ask, Call, Helper, Inject, Reply, Step, Summary, conversations, recorded, sized
from tests.library.diagnosis.sentences import Checker
from tests.places import DATA, ROOT

MOST_BYTES = 2_000_000
MANY = 3
"""Sessions of each file that are looked at: those of one file are alike."""
FILES = [path for path in find(DATA) if path.stat().st_size < MOST_BYTES] if DATA.is_dir() else []
ASKED = Ask("The plan is in /srv/tides/plan-7741.csv.")
AGAIN = Reply("I open /srv/tides/plan-7741.csv again.")
FRESH = Summary("Goal: sort the tides.", fresh=True)


def unreported(steps: Sequence[Step]) -> Session:
    """A session without usage, in a format that records compactions."""
    session = replace(recorded(steps), format="claude-code")
    return session.with_messages(tuple(replace(message, usage=None) for message in session))


def benched(*steps: Step, limit: int = 200_000) -> Workbench:
    session = unreported(steps)
    return Workbench(session, sized(session, limit))


def check(bench: Workbench) -> None:
    """The verdicts on all agents of a bench, without findings and with them, at every turn that has its own."""
    for agent in bench.session.agents:
        overview, findings = survey(bench, agent), look_back(bench, agent)
        assert findings is not None
        Checker(bench, agent).check(verdict(bench, agent))
        checker = Checker(bench, agent, findings)
        for turn in (0, 1, *overview.timeline.compactions, *findings.turns):
            checker.check(judge(overview, findings, turn), turn)


@given(conversations(14), st.integers(1, 9_000))
def test_every_number_of_a_verdict_is_that_of_the_windows(session: Session, limit: int) -> None:
    check(Workbench(session, sized(session, limit)))


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
def test_every_number_is_true_of_the_sample_sessions(path: Path) -> None:
    for session in load(path)[:MANY]:
        check(Workbench(session, estimate_sizes(session)))


@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded sessions are not at hand (../shared/data)")
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DATA))[:60])
def test_every_number_is_true_of_recorded_sessions(path: Path) -> None:
    try:
        sessions = load(path)[:MANY]
    except UnreadableError:
        return
    for session in sessions:
        check(Workbench(session, estimate_sizes(session)))


def test_a_compaction_whose_loss_was_needed_leads_to_the_reply() -> None:
    bench = benched(ASKED, Reply("I read it."), FRESH, Ask("Go on."), AGAIN, Ask("And now?"))
    answer = verdict(bench, findings=look_back(bench))
    assert "; 1 later reply contains facts that the recorded context lacks: plan-7741.csv" in answer.text
    assert (answer.kind, answer.key) == ("compacted", "r")
    assert answer.target is not None and answer.target.turn == 3
    assert bench.window(3).messages[-2].id == answer.target.message
    assert "plan-7741.csv" not in verdict(bench).text, "its cost is unknown before somebody looked"


def test_what_was_read_again_says_more_than_what_was_only_said() -> None:
    read = Reply("I look.", (Call(reads="/srv/tides/plan-7741.csv"),))
    bench = benched(ASKED, read, FRESH, Ask("Go on."), read, Ask("And now?"))
    findings = look_back(bench)
    assert findings is not None and [need.is_lookup for need in findings.needs] == [True]
    assert "; 1 later reply re-fetched dropped sources: plan-7741.csv" in verdict(bench, findings=findings).text
    assert "re-fetched dropped sources" in judge(survey(bench), findings, findings.needs[0].turn).text
    answer = Case(survey(bench), findings).answers()[0]
    assert any("re-fetched plan-7741.csv, first read in message 3" in sentence for sentence in answer.sentences)


@pytest.mark.parametrize(
    ("lines", "is_again"), [((1, 40), False), ((61, 9), False), ((60, 1), True), ((30, 500), True), (None, True)]
)
def test_other_lines_of_a_file_are_not_read_again(lines: tuple[int, int] | None, is_again: bool) -> None:
    first, then = (Call(reads="/srv/tides/plan.csv", lines=part) for part in ((41, 20), lines))
    bench = benched(Ask("Sort the tides."), Reply("I look.", (first,)), FRESH, Ask("Go on."), Reply("I look.", (then,)))
    findings = look_back(bench)
    assert findings is not None and bool(findings.lookups) is is_again


def test_what_an_encrypted_summary_kept_cannot_be_told() -> None:
    bench = benched(ASKED, Reply("I read it."), FRESH, Ask("Go on."), AGAIN)
    sealed = Findings(sealed=frozenset({2}))
    assert "its summary is encrypted: its contents are unknown" in verdict(bench, findings=sealed).text
    assert "its summary is encrypted" in judge(survey(bench), sealed, 2).text


def test_a_compaction_that_cost_nothing_is_said_to_have_cost_nothing() -> None:
    bench = benched(ASKED, Reply("I read it."), FRESH, Ask("Go on."), Reply("Yes."))
    answer = verdict(bench, findings=look_back(bench))
    assert "no later reply re-fetched a dropped source" in answer.text and answer.key == "c"


def test_a_compaction_that_leaves_more_than_there_was_is_said_to() -> None:
    bench = benched(ASKED, Reply("I read it."), FRESH, Ask("rows " * 900), Reply("So."))
    answer = Case(survey(bench), look_back(bench) or Findings()).answers()[0]
    assert answer.sentences[0].endswith(", more than before.")
    assert ", more than before" in verdict(bench).text


def test_several_compactions_are_counted() -> None:
    bench = benched(ASKED, Reply("I read it."), FRESH, Reply("So."), FRESH, AGAIN, Ask("And now?"))
    findings = look_back(bench)
    assert verdict(bench, findings=findings).text.startswith("compacted 2 times, last at turn 3: ")
    assert findings is not None and findings.of(3).needs == () and len(findings.of(2).needs) == 1


def test_a_context_that_does_not_fit_is_too_large_since_a_turn() -> None:
    bench = benched(Ask(), Reply(calls=(Call(result="rows " * 900),)), Reply("So."), Ask(), limit=1_000)
    answer = verdict(bench)
    assert answer.text.startswith("too large for a window of 1,000 since turn 2: ") and answer.key == "s"
    known = Workbench(replace(bench.session, model="gpt-4o"), bench.sizes)
    assert verdict(known).text.startswith("too large for gpt-4o since turn 2: ")


def test_what_takes_most_is_named() -> None:
    bench = benched(Ask(), Reply(calls=(Call(result="rows " * 900),)), Reply("So."))
    assert ", query orders alone ≈1," in verdict(bench).text
    assert verdict(bench).text.startswith("never compacted; now ≈1,203 tokens; tool results take ")
    known = Workbench(replace(bench.session, model="gpt-4o"), bench.sizes)
    assert verdict(known).text.startswith("never compacted; now 1% full; tool results take ")


def test_before_all_is_counted_nothing_is_said_that_counting_may_change() -> None:
    bench = benched(ASKED, Reply("I read it."), FRESH, Reply("So."), limit=10)
    counting = bench.with_sizes(replace(bench.sizes, is_partial=True))
    assert verdict(counting).text == "compacted at turn 2 · c: jump to it"
    whole = benched(Ask(), Reply(), limit=10)
    assert verdict(whole.with_sizes(replace(whole.sizes, is_partial=True))).text == "never compacted"
    assert verdict(replace(whole, partial=True)).kind == "reading"


def test_an_agent_has_a_verdict_of_its_own() -> None:
    bench = benched(ASKED, Reply("I read it."), Helper(), FRESH, Reply("So."))
    assert verdict(bench).kind == "compacted"
    assert verdict(bench, "helper").text.startswith("never compacted") and "2 agents" in verdict(bench, "helper").text


def test_what_can_not_be_judged_is_said() -> None:
    assert verdict(benched()).kind == "empty"
    broken = benched(Ask(), Reply())
    broken.session = replace(broken.session, problems=(Problem("no JSON", 3),))
    assert verdict(broken).key == "!" and "the file has 1 problem" in verdict(broken).text


def test_the_context_as_it_now_stands_is_no_turn() -> None:
    large = benched(Ask(), Reply(), Ask("rows " * 900), limit=1_000)
    assert verdict(large).text.startswith("too large for a window of 1,000 now: ")
    cut = benched(ASKED, Reply("I read it."), FRESH)
    assert verdict(cut).text.startswith("compacted after the last turn: ")


def test_a_verdict_on_what_is_seen_through_plans_says_that_it_is_about_the_recording() -> None:
    bench = benched(Ask(), Reply(calls=(Call(result="rows " * 900),)), Reply("So."), Ask())
    plan = bench.preview(strategy="mask_observations").plan
    assert plan is not None
    bench.apply(plan)
    assert verdict(bench).text.startswith("without plans: never compacted; ")


def test_hostile_names_stay_on_their_line() -> None:
    path = "/srv/" + "a\u202eb" * 60 + "/plan-7741.csv"
    bench = benched(Ask(f"It is in {path}."), Reply("I read it."), FRESH, Reply(f"I open {path}."), Ask())
    bench.session = replace(bench.session, model="gpt\n\x1b[31m4o " * 40)
    check(bench)
    assert "\u202e" not in verdict(bench, findings=look_back(bench)).text


def test_looking_back_ends_when_nobody_waits_for_it() -> None:
    bench = benched(ASKED, Reply("I read it."), FRESH, AGAIN)
    assert look_back(bench, cancelled=lambda: True) is None


@pytest.mark.parametrize(
    ("fact", "name"),
    [
        ("/srv/tides/plan-7741.csv", "plan-7741.csv"),
        ("repos/harbour/pulls/12/comments", "12/comments"),
        ("https://example.org/harbour/pull/12", "pull/12"),
        ("/srv/tides/", "srv/tides"),
        ("/plan", "plan"),
        ("read / write", "read / write"),
    ],
)
def test_a_fact_is_named_by_what_tells_it_apart(fact: str, name: str) -> None:
    assert fact_name(fact) == name


def test_a_file_that_is_read_for_the_first_time_was_not_lost() -> None:
    read = Reply("I look.", (Call(reads="/srv/tides/plan-7741.csv"),))
    for first, lookups in (
        (Reply("I read it."), 0),
        (Reply("No.", (replace(read.calls[0], is_error=True),)), 0),
        (read, 1),
    ):
        findings = look_back(benched(ASKED, first, FRESH, Ask("Go on."), read, read, Ask("And now?")))
        assert findings is not None and len(findings.lookups) == lookups


def test_a_fact_that_the_context_spells_otherwise_is_in_it() -> None:
    told = Summary("The plan is Plan 7741 (CSV).", fresh=True)
    findings = look_back(benched(ASKED, Reply("I read it."), told, Ask("Go on."), AGAIN, Ask("And now?")))
    assert findings is not None and not findings.needs


def cleared(path: Path) -> Workbench:
    """A session of Claude Code out of whose window two results were cleared before its second reply."""
    scribe = Scribe()
    scribe.ask("u1", "Count the boxes.")
    call = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "box-1"}}
    scribe.reply("a1", "msg_1", call)
    answer = {"type": "tool_result", "tool_use_id": "c1", "content": "forty scans " * 20}
    scribe.add("user", "r1", message={"role": "user", "content": [answer]})
    facts = {"compactedToolIds": ["c1"]}
    scribe.add("system", "n1", subtype="microcompact_boundary", content="cleared", microcompactMetadata=facts)
    scribe.reply("a2", "msg_2", {"type": "text", "text": "Forty."})
    [session] = load(scribe.write(path))
    return Workbench(session, estimate_sizes(session))


def test_results_that_were_cleared_without_a_summary_are_told(tmp_path: Path) -> None:
    bench = cleared(tmp_path / "x.jsonl")
    overview = survey(bench)
    assert overview.clearings == (2,) and not overview.timeline.compactions
    forgot = Case(overview, Findings()).answers()[0].sentences
    assert forgot == (
        "Older results were cleared from its window once before turn 2, without a summary.",
        "It was never compacted, so no compaction dropped anything else.",
    )


RECORDINGS = ROOT / "tests" / "formats" / "recordings" / "claude-contexts"
CODEX = ROOT / "tests" / "formats" / "recordings" / "codex"


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        (
            "a-result-after-a-compaction-does-not-bring-its-call-back",
            "compacted at turn 2: 90,000 → 20,000",
            "At turn 2 90,000 tokens became 20,000.",
        ),
        (
            "a-parent-that-is-not-in-the-file-begins-a-context",
            "never compacted; the chain of messages breaks before turn 2; ",
            "It forgot everything before turn 2: the chain of messages breaks there, as after a lost resume.",
        ),
        (
            "a-session-begins-with-the-compaction-of-another-file",
            "compacted before turn 1 from 700,123, the dropped messages are not in this file; ",
            "The session begins with a compaction from 700,123 tokens to 30,000."
            " The dropped messages are not in this file.",
        ),
    ],
)
def test_what_claude_code_recorded_of_a_lost_context_is_told(name: str, words: str, sentence: str) -> None:
    session = load(RECORDINGS / f"{name}.jsonl")[0]
    bench = Workbench(session, estimate_sizes(session))
    bench = bench.with_sizes(replace(bench.sizes, is_partial=False))
    findings = look_back(bench)
    assert findings is not None and not findings.needs
    assert verdict(bench, findings=findings).text.startswith(words)
    assert sentence in Case(survey(bench), findings).answers()[0].sentences
    is_orphan = name.startswith("a-result")
    assert bool(problems(bench.window(None))) is is_orphan


def test_a_rewind_is_called_one_and_names_its_branch() -> None:
    session = unreported([Ask("Count."), Reply("I do."), Ask("Go on."), Reply("Yes."), Ask("Again."), Reply("No.")])
    last = session.messages[-2]
    back = tuple(replace(message, parent=1) if message is last else message for message in session)
    bench = Workbench(session.with_messages(back), sized(session, 200_000))
    assert "a rewind to message 2 before turn 3 left the branch of messages 3 to 4" in verdict(bench).text


def test_a_compaction_that_keeps_replies_is_one() -> None:
    (session,) = load(CODEX / "replies-that-a-compaction-keeps-are-no-turns.jsonl")
    assert "compacted at turn 3: 9,500 → 3,000" in verdict(Workbench(session, sized(session, 100_000))).text


def test_a_context_that_began_again_is_not_called_a_rewind() -> None:
    session = unreported([Ask("Count."), Reply("I do."), Ask("Again."), Reply("No.")])
    cleared = tuple(replace(message, parent=-1) if message.text == "Again." else message for message in session)
    bench = Workbench(session.with_messages(cleared), sized(session, 200_000))
    words = verdict(bench).text
    assert (
        "the context began again before turn 2, and left the branch of messages 1 to 2" in words
        and "rewind" not in words
    )


def test_messages_that_left_without_a_summary_are_told() -> None:
    session = unreported([Ask("Count."), Reply("I do."), Ask("Go on."), Reply("Yes."), Ask("Again."), Reply("No.")])
    session = replace(session, format="codex")
    first, *_ = places = [place for place, message in enumerate(session) if message.text == "Again."]
    assert len(places) == 1
    anew = tuple(replace(message, parent=-1) if at == first else message for at, message in enumerate(session))
    session = session.with_messages(anew)
    bench = Workbench(session, sized(session, 200_000))
    assert verdict(bench).text.startswith(
        "never compacted; messages were dropped from its window once before turn 3; now "
    )
    check(bench)


def test_which_summaries_are_encrypted_is_told_by_their_turns() -> None:
    bench = benched(ASKED, Reply("I read it."), FRESH, Ask("Go on."), AGAIN, Ask("And now?"))
    for turns, words in (
        ((2,), "The summary of turn 2 is encrypted, so its"),
        ((2, 3), "The summaries of turns 2, 3 are encrypted, so their"),
    ):
        sentences = Case(survey(bench), Findings(sealed=frozenset(turns))).answers()[0].sentences
        assert sentences[-1].startswith(f"{words} contents ")


def test_nothing_is_answered_of_a_session_in_which_nothing_is_recorded() -> None:
    session = Session("empty", "Nothing", "x", ())
    assert Case(survey(Workbench(session, estimate_sizes(session))), Findings()).answers() == ()


def test_what_a_program_put_in_is_not_called_what_was_asked() -> None:
    bench = benched(Ask("Count."), Reply("I look."), Inject("forty scans " * 40), Reply("Forty."))
    assert "injected messages take" in verdict(bench).text
