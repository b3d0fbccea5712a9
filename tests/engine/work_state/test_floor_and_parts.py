"""Users who keep the floor, take only parts of what is proposed, or report what has ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.engine.work_state import WorkState
from inspector.engine.work_state.instruction_rules import rules_of_instruction
from inspector.engine.work_state.open_questions import offers_in, offers_run, question_in
from inspector.engine.work_state.picked_steps import left_out
from tests.engine.work_state.scripts import (
    ROOT,
    Edit,
    Run,
    Say,
    Skill,
    Step,
    User,
    Where,
    Write,
    followed,
    session_of,
    transition_of,
)
from tests.engine.work_state.test_consequences import ENGLISH, FORMS, SUMMARY

STEPS = ("Write the totals to a table", "Put varnishd in front of the shop", "Purge by tag")
IN_STEPS = Say("I'd go about it like this:\n\n" + "\n".join(f"{place}. {step}" for place, step in enumerate(STEPS, 1)))
SLOW: tuple[Step, ...] = (User("The start page needs four seconds."), IN_STEPS)
PARTS = User("The basket is missing: gift notes, express shipping, invoices by mail.")
TUNNEL = Run("ssh -f -N -L 7000:db.internal:5432 gate")
APART: tuple[Step, ...] = (
    Where(ROOT, "main"),
    User("Speed up the export. On its own branch, please."),
    Run("git switch -c faster-export", "Switched to a new branch 'faster-export'"),
    Where(ROOT, "faster-export"),
    Edit(f"{ROOT}/src/export.py"),
    SUMMARY,
    Run("git switch main", "Switched to branch 'main'"),
    Where(ROOT, "main"),
    Run("git commit -am 'Write rows at once'", "[main 5f0c1d2] Write rows at once"),
)
SPANISH: tuple[Step, ...] = (
    User("El informe de ventas sale vacío, ¿puedes mirar por qué?"),
    Say("Claro, primero miro la consulta que usa el informe para las ventas."),
    Say("La consulta filtra por un año que ya no existe en la tabla."),
)
PODMAN: tuple[Step, ...] = (
    User("The runners are full."),
    Say("I'd move the jobs to Podman with a rootless socket."),
    User("No, Podman isn't allowed on those hosts. Delete the old caches."),
)
WIN = Run("npm run build:win", "error: cannot find nsis", 1)
FAULTS: dict[str, tuple[str, tuple[Step, ...]]] = {
    "a step skipped by its number": (
        "refused_plan_carried_out",
        (*SLOW, User("Skip step 2, nobody here wants to run that."), SUMMARY, Write(f"{ROOT}/ops/varnishd.yaml")),
    ),
    "only the first": (
        "refused_plan_carried_out",
        (*SLOW, User("Just do the first one for now."), SUMMARY, Write(f"{ROOT}/ops/varnishd.yaml")),
    ),
    "refused program": ("refused_plan_carried_out", (*PODMAN, SUMMARY, Run("podman machine init", "ok"))),
    "part without a verb": (
        "dropped_task_carried_out",
        (
            PARTS,
            User("Invoices by mail are off your plate, Tom does those."),
            SUMMARY,
            Write(f"{ROOT}/invoices_mail.py"),
        ),
    ),
    "part dropped in German": (
        "dropped_task_carried_out",
        (
            User("Im Warenkorb fehlen: Geschenknotiz, Expressversand, Rechnung per Mail."),
            User("Die Geschenknotiz können wir uns sparen."),
            SUMMARY,
            Write(f"{ROOT}/geschenknotiz.py"),
        ),
    ),
    "part named without a list": (
        "dropped_task_carried_out",
        (
            User("Write the newsletter form, and while you're there, double opt-in."),
            User("Leave out double opt-in, the provider has it."),
            SUMMARY,
            Write(f"{ROOT}/double_opt_in.py"),
        ),
    ),
    "read while the user had the floor": (
        "acted_while_waiting",
        (
            User("Rename the bucket."),
            User("Hang on, the nightly copy is still running."),
            Say("Sure."),
            Run("cat a"),
            SUMMARY,
            Edit(f"{ROOT}/src/bucket.py"),
        ),
    ),
    "before it goes out": (
        "acted_while_waiting",
        (
            User("Write the mail to the customers."),
            Write(f"{ROOT}/mail.md"),
            Say("It is in mail.md."),
            User("I'd like to read it once more before it goes out."),
            Say("Of course."),
            SUMMARY,
            Run("python send_mail.py --all", "sent 812"),
        ),
    ),
    "a yes is needed": (
        "acted_while_waiting",
        (
            User("The disk is nearly full."),
            Say("Deleting the old snapshots frees 80 GB, but I'd want your explicit ok first."),
            SUMMARY,
            Run("aws s3 rm s3://snapshots --recursive", "delete: 1"),
        ),
    ),
    "a few minutes": (
        "acted_while_waiting",
        (
            User("Move the column."),
            User("Oh, give me an hour, Ines is in that file."),
            SUMMARY,
            Edit(f"{ROOT}/src/columns.py"),
        ),
    ),
    "tunnel": ("started_twice", (User("Count the orders through the tunnel."), TUNNEL, SUMMARY, TUNNEL)),
    "own branch left": ("outside_folder", APART),
    "scratch copy": (
        "outside_folder",
        (
            Where(ROOT, "main"),
            User("Try the new resolver in a scratch copy, I'm in the middle of something here."),
            Run(f"cp -r {ROOT} /tmp/shop-try", ""),
            SUMMARY,
            Edit(f"{ROOT}/src/resolver.py"),
        ),
    ),
    "other letters": (
        "language_changed",
        (
            User("Why are thumbnails blurry?"),
            Say("Sharp upscales thumbnails twice, once per size."),
            Say("Retina thumbnails suffer most: four resizes, plus quality 60."),
            SUMMARY,
            Say("缩略图现在只缩放一次，原来的模糊问题已经解决，所有尺寸都重新生成了。"),
        ),
    ),
    "short name of a target": (
        "result_contradicted",
        (User("Does it build everywhere?"), WIN, SUMMARY, Say("Yes, the Windows build works again.")),
    ),
}
TRAPS: dict[str, tuple[Step, ...]] = {
    "all steps": (*SLOW, User("Good, all three."), SUMMARY, Write(f"{ROOT}/ops/varnishd.yaml")),
    "program only asked": (*PODMAN, SUMMARY, Run("podman ps --all", "no containers")),
    "part asked for after all": (
        PARTS,
        User("Forget the gift notes."),
        User("Hm, marketing insists on gift notes, so build them after all."),
        SUMMARY,
        Write(f"{ROOT}/gift_notes.py"),
    ),
    "part with a fault": (
        PARTS,
        User("The express shipping has a strange price in the old shop, keep that in mind."),
        SUMMARY,
        Write(f"{ROOT}/express_shipping.py"),
    ),
    "tunnel reported as gone": (
        User("Count the orders through the tunnel."),
        TUNNEL,
        User("I closed my laptop over lunch, so the tunnel is dead."),
        SUMMARY,
        TUNNEL,
    ),
    "branch to be merged": tuple(
        User("Speed up the export. On its own branch, then merge it to main.") if isinstance(step, User) else step
        for step in APART
    ),
    "language asked for in that language": (*SPANISH, User("Sigue respondiendo en inglés."), SUMMARY, ENGLISH),
    "language asked for in Japanese": (
        User("画像が表示されない理由を調べてください。"),
        Say("はい、まずサーバーの設定を確認します。"),
        User("続きは英語でお願いします。"),
        SUMMARY,
        ENGLISH,
    ),
    "target that builds": (
        User("Does it build everywhere?"),
        WIN,
        Run("npm run build:win", "done"),
        SUMMARY,
        Say("Yes, the Windows build works again."),
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FAULTS)
def test_it_is_found(name: str, form: str, tmp_path: Path) -> None:
    kind, script = FAULTS[name]

    assert kind in [one.kind for one in followed(session_of(script, form, tmp_path))]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", TRAPS)
def test_nothing_is_reported(name: str, form: str, tmp_path: Path) -> None:
    assert not followed(session_of(TRAPS[name], form, tmp_path))


def _state(folder: Path, *steps: Step) -> WorkState:
    """The state before the compaction that follows some steps, in Claude Code's records."""
    return transition_of(session_of((*steps, SUMMARY), "claude-code", folder)).before


def test_a_picked_option_approves_the_plan(tmp_path: Path) -> None:
    plan = Write(f"{ROOT}/plans/export.md", "# Faster export\n\n1. Stream the rows\n2. Drop the cache")
    asked = Say("The plan is in plans/export.md. 1. Do it all now, or 2. step by step. Which one?")

    assert [one.state for one in _state(tmp_path, User("Plan it."), plan, asked, User("1")).of("plan")] == ["approved"]


def test_a_typed_command_is_no_request(tmp_path: Path) -> None:
    state = _state(tmp_path, User("Fix the footer."), Say("Done."), User("/exit\n ⎿  Bye!"))

    assert state.text("request", "latest") == "Fix the footer."


def test_a_rule_of_an_instruction_is_lifted_for_one_request(tmp_path: Path) -> None:
    skill = Skill("review", "# Review\n\nDo NOT commit.\n")
    lifted = (User("/review"), skill, Say("Two findings."), User("Commit it."))

    assert not _state(tmp_path, *lifted).of("rule")
    again = _state(tmp_path, *lifted, Say("Committed."), User("And the second one?"))
    assert [rule.text for rule in again.of("rule")] == ["Do NOT commit."]


@pytest.mark.parametrize(
    "reply",
    [
        "The key is here:\n\n```text\nname? value?\n```",
        "I wrote a verse for the footer:\n\nWho walks the aisles at night\nWhose cart is never right?\nThe basket bot",
        "Both files are translated. Please let me know if there is anything else!",
        "If you have further questions, please let me know!",
        "> what is this for?\n\nThat was the old comment, I removed it.",
    ],
)
def test_it_asks_nothing(reply: str) -> None:
    assert not question_in(reply)


def test_offers_are_read_once() -> None:
    assert offers_in("It takes 19 hours. Should I start it?") == ["start it?"]
    assert offers_run("It takes 19 hours. Should I start it?")
    assert not offers_run("Should I use tabs?")


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("Only the second one, please.", [STEPS[0], STEPS[2]]),
        ("Do it, but not the last step.", [STEPS[2]]),
        ("Lass den zweiten Schritt.", [STEPS[1]]),
        ("Step 1 and step 3 only.", [STEPS[1]]),
        ("Looks good.", []),
        ("Why the second one?", []),
    ],
)
def test_steps_are_left_out(answer: str, left: list[str]) -> None:
    assert left_out(answer, STEPS) == left


def test_a_point_that_cannot_be_negated_is_no_rule() -> None:
    text = "## Rules\n\n**Never:**\n\n- Skip the review\n- Accept nothing less than all of it\n- Don't guess names\n"

    assert rules_of_instruction(text) == ("Never skip the review", "Don't guess names")


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("Everything is ready for the flood test. Say the word.", "Say the word."),
        ("I still need your router login to go on.", "I still need your router login to go on."),
        ("The diff is above. I won't open the gate before you have read it.", "won't open the gate"),
        ("Why did the gate jam? Because the hinge was dry. It moves now.", ""),
        ("What stopped the pump? The cause was a leaf. It runs again.", ""),
    ],
)
def test_a_reply_that_waits_asks_and_one_that_answers_itself_does_not(reply: str, question: str) -> None:
    found = question_in(reply)
    assert question in found and bool(found) == bool(question)
