"""Requests and plans as tasks, and failures as programs of many languages print them."""

from __future__ import annotations

import pytest

from inspector.engine.facts import Source, extract, text_classes
from inspector.engine.facts.noise import is_noise
from tests.engine.facts.conversations import message


def tasks(text: str, role: str = "user") -> set[str]:
    return {
        fact.text
        for fact in extract(message("m", text, "user" if role == "user" else "assistant"))
        if fact.cls == "task"
    }


def test_a_prompt_with_several_requests_states_each_of_them_as_a_task() -> None:
    prompt = (
        "Move the loader into its own module. Then also update the docs, and can you bump the version in setup.cfg?"
    )
    assert tasks(prompt) == {
        "Move the loader into its own module.",
        "Then also update the docs, and can you bump the version in setup.cfg?",
    }


@pytest.mark.parametrize(
    "prompt",
    [
        "Move the loader into its own module.",  # the current request, not a list of tasks
        "Read the ledger and tell me the total. Thanks a lot for the help.",
        "create mode 100644 src/load.py\ncreate mode 100644 src/save.py",
        "```\nadd the first row\nremove the last row\n```\nWhat does this do?",
        "What is a shard? Why would anyone use it?",
    ],
)
def test_one_request_output_and_questions_are_no_list_of_tasks(prompt: str) -> None:
    assert tasks(prompt) == set()


def test_rules_within_a_prompt_of_requests_stay_rules() -> None:
    prompt = "Rename the table to berths. Write a migration for it. Do not touch the old ledger."
    assert tasks(prompt) == {"Rename the table to berths.", "Write a migration for it."}


def test_a_few_requests_within_a_long_pasted_text_are_not_taken_for_tasks() -> None:
    pasted = " ".join(f"The crane number {n} stands at the pier." for n in range(40))
    assert tasks(f"{pasted} Deploy the crane at night. Build the hull by day.") == set()


def test_the_numbered_steps_of_a_plan_are_tasks_and_instructions_for_the_reader_are_none() -> None:
    steps = "1. Rename the loader module\n2. Update the imports of the tests"
    assert tasks(f"Here is the plan:\n{steps}", "agent") == {
        "Rename the loader module",
        "Update the imports of the tests",
    }
    assert tasks(f"To run it, you need to:\n{steps}", "agent") == set()
    assert tasks(f"Getting started is easy! Here are the steps:\n{steps}", "agent") == set()
    assert tasks(f"This change will:\n{steps}", "agent") == set()


@pytest.mark.parametrize(
    ("plan", "steps"),
    [
        (
            "### Phase 2 — next week\n\n1. **Rename the loader** — one import\n2. **Build a ledger page** — in `docs/`",
            {"Rename the loader — one import", "Build a ledger page — in `docs/`"},
        ),
        (
            "## Rollout\n\n- `load.py` - Remove the old cache\n- **Upstream** (later) — Add the crane preset",
            {"`load.py` - Remove the old cache", "Upstream (later) — Add the crane preset"},
        ),
        (
            "## Phase 1: Move the loader\nIt has one caller.\n\n## Phase 2: Delete the old ledger\nNothing reads it.",
            {"Move the loader", "Delete the old ledger"},
        ),
    ],
)
def test_the_points_below_the_heading_of_a_plan_are_tasks(plan: str, steps: set[str]) -> None:
    assert tasks(plan, "agent") == steps


@pytest.mark.parametrize("heading", ["## What the crane can do", "## Steps to reproduce", "## Changes made"])
def test_the_points_below_other_headings_are_no_tasks(heading: str) -> None:
    assert tasks(f"{heading}\n\n- Rename the loader module\n- Update the imports of the tests", "agent") == set()


def test_a_rule_how_to_work_is_no_request() -> None:
    prompt = "Rename the table to berths. Use the harbour documentation and specifications. We want to avoid new ports."
    assert tasks(prompt) == set()


def test_words_with_slashes_are_no_line_of_code() -> None:
    assert (
        len(tasks("Read the ledger and list every crane/berth/hull in it. Write a short report about the port.")) == 2
    )


@pytest.mark.parametrize(
    "line",
    [
        "File not found: /srv/berths/ledger.csv",
        "E       assert set() == {8070, 8100}",
        "AssertionError [ERR_ASSERTION]: Expected values to be equal",
        "error connecting to ports.example.com",
        "`tests/test_crane.py::test_lift` - Exit code 1 (expected 0)",
        "The test is failing with a SystemExit(1) at line 79",
    ],
)
def test_more_failures_of_tools_are_errors(line: str) -> None:
    assert text_classes(line, "output") == {"error"}


@pytest.mark.parametrize(
    "line", ["E       Use -v to get more diff", 'No matches found for pattern "crane" in path "src"']
)
def test_hints_and_empty_searches_are_no_errors(line: str) -> None:
    assert text_classes(line, "output") == set()


@pytest.mark.parametrize(
    "sentence",
    [
        "The simplest fix is to copy the ledger instead of importing it.",
        "I've decided the first step is to edit `README.md`.",
        "Let me keep the second helper, since two commands use it.",
    ],
)
def test_choices_of_an_agent_are_decisions(sentence: str) -> None:
    assert "decision" in text_classes(sentence)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("Counts of tokens are accepted loosely by the estimator.", "output"),
        ("I'll patch it so the column grows to the right instead of wrapping.", "speech"),
        ("We want to avoid loading the berths twice.", "typed"),
    ],
)
def test_descriptions_and_aims_are_no_decisions(sentence: str, source: Source) -> None:
    assert "decision" not in text_classes(sentence, source)


@pytest.mark.parametrize(
    "text",
    [
        "The assertions of the second test need updating.",
        "The last section should probably be renamed.",
        "One test bug is left from the refactoring.",
        "I'll need to thread the option through both callers.",
        "Next step: Write the changelog entry.",
        "Needs a listener that closes the hatch.",
    ],
)
def test_open_work_in_free_words_is_a_task(text: str) -> None:
    assert "task" in text_classes(text)


@pytest.mark.parametrize(
    "text",
    [
        "Let me check whether the docs need updating.",
        "Still to verify",
        "When someone asks for help, I will:\n- Read the guide of the harbour first",
    ],
)
def test_looking_into_work_and_headings_are_no_tasks(text: str) -> None:
    assert "task" not in text_classes(text)


FAILURES = (
    "go: go.mod file not found in current directory or any parent directory",
    "Zeitwerk::NameError: could not load the class Berth",
    "scripts/build: 19: cd: can't cd to pier",
    "CMake Error at CMakeLists.txt:43 (include):",
    "Harbour.cs(18,32): error CS0122: 'Crane' is inaccessible due to its protection level",
    "'vitest' is not recognized as an internal or external command",
    "app.rb:275:in `load': can't find gem berth (>= 0.a)",
    "Error response from daemon: pull access denied for berth",
    '  Warning  Failed     54s   kubelet   Failed to pull image "berth"',
    "  Warning  BackOff    33s   kubelet   Back-off restarting failed container",
    "  Warning  FailedScheduling  9s  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.",
    "psycopg2.errors.UniqueViolation: duplicate row for berth 7",
    "Execution failed for task ':app:compileJava'.",
    "> Task :reports:publish FAILED",
    "  > SDK location not found. Define location with sdk.dir",
    "Failures: 2, Errors: 0, Skipped: 1",
    "E       assert 3 == 4",
    "!!!!!!!!!! stopping after 1 failures !!!!!!!!!!",
    "Process finished with non-zero exit value 1",
    "fatal: [berth1]: FAILED! => unreachable",
    'Get "https://proxy.example.org/berth": x509: certificate signed by unknown authority',
    "called `Option::unwrap()` on a `None` value",
    "╷ │ Error: Reference to undeclared resource",
    "✕ loads the ledger (5 ms)",
    "PHP Fatal error:  Uncaught Error: Class 'Berth' not found",
    "incompatible types: String cannot be converted to Berth",
    "zsh: no matches found: berth[0]",
    "Permission to use the crane has been rejected.",
)


@pytest.mark.parametrize("line", FAILURES)
def test_failures_of_many_tools_are_errors(line: str) -> None:
    assert "error" in text_classes(line, "output")


@pytest.mark.parametrize(
    "line",
    [
        "2. **Guard:** If the flag is off, returns `404 Not Found` (inert by default).",
        "75: - `429 Too Many Requests` → exponential back-off",
        "- a checkpoint is available, but its expansion failed",
        "load returns None if the row is not found in the table",
        "test result: ok. 7 passed; 0 failed; 0 ignored",
        '  Normal   Pulled     14m   kubelet   Successfully pulled image "berth"',
        '{"stdout": "7", "exitCode": 0}',
        "String: assert result.exit_code == 1",
        "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
        "> Run with --stacktrace option to get the stack trace.",
        "These are failed approaches, and why they failed.",
    ],
)
def test_documents_successes_and_hints_are_no_errors(line: str) -> None:
    assert "error" not in text_classes(line, "output")


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("The error suggests that the berth has no name.", True),
        ("The issue is that the loader closes the file twice.", True),
        ("The override isn't taking effect in the second run.", True),
        ("This shows the exact point where the error occurs.", False),
        ("Error handling across the views is centralised.", False),
    ],
)
def test_failures_that_agents_report(text: str, is_error: bool) -> None:
    assert ("error" in text_classes(text)) is is_error


@pytest.mark.parametrize(
    ("source", "cls", "text"),
    [
        ("typed", "constraint", "The session file is append-only."),
        ("typed", "constraint", "Clarified that the index always points to a message."),
        ("typed", "constraint", "it must point at the second berth no? please look"),
        ("typed", "decision", "consider the values we are using for the berth"),
        ("typed", "decision", "I'd rather it not spell those words out."),
        ("speech", "decision", "I'll take the next small step rather than a big one."),
        ("speech", "decision", "I can describe why a berth was chosen."),
    ],
)
def test_reports_questions_and_announcements_are_neither_rules_nor_choices(source: Source, cls: str, text: str) -> None:
    assert cls not in text_classes(text, source)


def test_addresses_of_standard_formats_are_never_missed() -> None:
    assert is_noise("url", "http://www.apple.com/DTDs/PropertyList-1.0.dtd", 1)
    assert is_noise("url", "http://www.w3.org/2000/svg", 1)
    assert not is_noise("url", "https://example.org/w3.org/board", 1)


def test_literals_and_placeholders_are_no_symbols() -> None:
    facts = {
        (fact.cls, fact.text) for fact in extract(message("m", "Returns `None` for `<output_path>`, see `load_row`."))
    }
    assert ("symbol", "load_row") in facts
    assert not facts & {("symbol", "None"), ("symbol", "output_path")}
