"""Conversations with a compaction each, of several kinds of work and in several formats, to test a judge on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.formats.written import Scribe, calls, says, write_lines

Step = tuple[str, str]
"""A speaker, "user", "agent" or "tool", and what is said: of a tool, the file that is read, and its content."""


@dataclass(frozen=True)
class Work:
    """Some work before a compaction, and the summary of it."""

    name: str
    steps: tuple[Step, ...]
    summary: str


FERRY = Work(
    "ferry",
    (
        ("user", "Fix the ferry timetable importer. Never delete rows of src/timetable/archive.py without a backup."),
        ("agent", "I will read the importer and look for the rounding of departure times."),
        (
            "tool",
            "src/timetable/importer.py\ndef round_departure(minutes):\n    return minutes // 5 * 5\n"
            "MAX_STOPS = 40  # longest island route\n",
        ),
        ("agent", "The importer rounds departures down in round_departure(), so the 9:58 ferry is listed at 9:55."),
        ("user", "Departures must be rounded up, and the harbour table must keep its ids such as HB-20417."),
        (
            "agent",
            "We decided to round departures up in src/timetable/importer.py and to keep floats out of the table.",
        ),
        (
            "tool",
            "tests/timetable/test_rounding.py\nAssertionError: expected 10:00, got 9:55\n1 failed, 17 passed in 3.2s\n",
        ),
        (
            "agent",
            "The rounding test in tests/timetable/test_rounding.py fails because the minute is computed twice.",
        ),
        ("user", "Do not change the island fares in config/fares.toml, they are 12.50 EUR by contract."),
        (
            "agent",
            "The fares in config/fares.toml stay untouched. Next, I need to add a test for night ferries after 23:30.",
        ),
        ("tool", "config/fares.toml\nisland_fare = 1250\ncurrency = EUR\nsurcharge_percent = 15\n"),
        (
            "agent",
            "The surcharge of 15 percent applies to vehicles longer than 7.5 metres only, says config/fares.toml.",
        ),
    ),
    "The user wants the ferry timetable importer fixed.\n\n"
    "Rules:\n"
    "- Never delete rows of src/timetable/archive.py without a backup\n"
    "- Departures must be rounded up, and the harbour table must keep its ids such as HB-20417\n"
    "- Do not change the island fares in config/fares.toml: they are 12.50 EUR by contract\n\n"
    "Work so far:\n"
    "- The importer in src/timetable/importer.py rounds departures down in round_departure(), so the 9:58 ferry is"
    " listed at 9:55. We decided to round departures up there and to keep floats out of the table.\n"
    "- The rounding test in tests/timetable/test_rounding.py fails: expected 10:00, got 9:55\n"
    "- The surcharge of 15 percent in config/fares.toml applies to vehicles longer than 7.5 metres only\n\n"
    "Next: add a test for night ferries after 23:30.",
)
ARCHIVE = Work(
    "archive",
    (
        (
            "user",
            "Move the scanned letters to the new archive server. Always keep the originals on /mnt/scans/originals.",
        ),
        ("agent", "I list the scans first and check how many letters have no date."),
        ("tool", "/mnt/scans/index.csv\nletters: 1843\nwithout date: 212\nlargest: 48.6 MB\n"),
        ("agent", "The index /mnt/scans/index.csv counts 1843 letters, and 212 letters have no date."),
        ("user", "Letters before 1890 must not be compressed, because the ink fades in JPEG."),
        ("agent", "We chose lossless PNG for letters before 1890 and JPEG with quality 85 for all newer letters."),
        ("tool", "tools/convert_letters.py\nOSError: disk quota exceeded on /mnt/archive/letters\n"),
        ("agent", "The conversion tools/convert_letters.py stopped: the quota of /mnt/archive/letters is exceeded."),
        ("user", "Ask Mrs. Okafor at okafor@letters.example for more space. Only she may raise the quota."),
        ("agent", "I wrote to okafor@letters.example and asked for a quota of 900 GB for the archive server."),
        ("tool", "https://archive.letters.example/status\nserver: ready\nqueue_length = 37\n"),
        (
            "agent",
            "The status page https://archive.letters.example/status shows 37 letters in the queue of the server.",
        ),
        ("agent", "Still to do: verify the checksums of the moved letters with tools/verify_letters.py."),
    ),
    "The scanned letters move to the new archive server.\n\n"
    "Constraints\n"
    "1. Always keep the originals on /mnt/scans/originals.\n"
    "2. Letters before 1890 must not be compressed, because the ink fades in JPEG.\n"
    "3. Only Mrs. Okafor (okafor@letters.example) may raise the quota.\n\n"
    "Decisions: we chose lossless PNG for letters before 1890 and JPEG with quality 85 for all newer letters.\n\n"
    "State: the index /mnt/scans/index.csv counts 1843 letters, of which 212 letters have no date. The conversion with"
    " tools/convert_letters.py stopped because the quota of /mnt/archive/letters is exceeded. A quota of 900 GB for the"
    " archive server was asked of okafor@letters.example. The status page https://archive.letters.example/status shows"
    " 37 letters in the queue.\n\n"
    "Open: verify the checksums of the moved letters with tools/verify_letters.py.",
)
ORCHARD = Work(
    "orchard",
    (
        ("user", "Plan the watering of the orchard. The pump must not run between 11:00 and 16:00."),
        ("agent", "I read the sensors of all rows and the plan of last week first."),
        ("tool", "sensors/moisture.json\nrow_12_moisture = 18.4\nrow_13_moisture = 31.7\nbattery_volts = 3.62\n"),
        ("agent", "Row 12 is too dry with a moisture of 18.4 in sensors/moisture.json, and row 13 is fine with 31.7."),
        ("user", "Pears never get more than 22 litres each. Apples take what is left in tank T-4471."),
        (
            "agent",
            "We agreed that pears are watered first, with 22 litres each, and apples from tank T-4471 afterwards.",
        ),
        ("tool", "plans/watering.yaml\nvalve open_valve(row=12)\nTimeoutError: valve 12 did not answer in 30 s\n"),
        ("agent", "The valve of row 12 did not answer within 30 seconds, so open_valve() raised a TimeoutError."),
        ("user", "Do not replace valve 12 before the technician has looked at it on 2026-05-19."),
        ("agent", "The technician looks at valve 12 on 2026-05-19, so plans/watering.yaml skips row 12 until then."),
        ("tool", "plans/budget.txt\nwater used: 5,310 litres\nlimit: 8,000 litres\n"),
        ("agent", "By plans/budget.txt the orchard used 5,310 litres of water, and the limit is 8,000 litres."),
        ("agent", "Next, I need to write the schedule for the apples of rows 20 to 26 into plans/apples.yaml."),
    ),
    "Watering plan of the orchard, as agreed with the user. The pump must not run between 11:00 and 16:00. Pears never"
    " get more than 22 litres each; they are watered first, and apples take what is left in tank T-4471 afterwards.\n"
    "Row 12 is too dry with a moisture of 18.4 in sensors/moisture.json; row 13 is fine with 31.7. The valve of row 12"
    " did not answer within 30 seconds: open_valve() raised a TimeoutError. Do not replace valve 12 before the"
    " technician has looked at it on 2026-05-19; plans/watering.yaml skips row 12 until then.\n"
    "By plans/budget.txt the orchard used 5,310 litres of water of a limit of 8,000 litres.\n"
    "What remains: write the schedule for the apples of rows 20 to 26 into plans/apples.yaml.",
)
WORKS = (FERRY, ARCHIVE, ORCHARD)


def claude_code(path: Path, work: Work) -> Path:
    """Write work as a transcript of Claude Code."""
    scribe = Scribe(session=work.name)
    for place, (who, text) in enumerate(work.steps):
        head, _, rest = text.partition("\n")
        if who == "user":
            scribe.ask(f"u{place}", text)
        elif who == "agent":
            scribe.reply(f"u{place}", f"m{place}", says(text))
        else:
            scribe.reply(f"u{place}c", f"m{place}", calls(f"c{place}", file_path=head))
            scribe.answer(f"u{place}r", f"c{place}", rest)
    scribe.add("system", "boundary", subtype="compact_boundary", content="Conversation compacted")
    scribe.ask("summary", work.summary, isCompactSummary=True)
    scribe.reply("after", "after", says("I go on from there."))
    return scribe.write(path)


def codex(path: Path, work: Work) -> Path:
    """Write work as a rollout of Codex with a readable compaction."""
    records: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": work.name}}]
    for place, (who, text) in enumerate(work.steps):
        head, _, rest = text.partition("\n")
        if who == "tool":
            call = {
                "type": "function_call",
                "call_id": f"c{place}",
                "name": "shell",
                "arguments": f'{{"cmd": "cat {head}"}}',
            }
            records.append({"type": "response_item", "payload": call})
            answer = {"type": "function_call_output", "call_id": f"c{place}", "output": rest}
            records.append({"type": "response_item", "payload": answer})
        else:
            role, kind = ("user", "input_text") if who == "user" else ("assistant", "output_text")
            said = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
            records.append({"type": "response_item", "payload": said})
    records.append({"type": "compacted", "payload": {"message": work.summary}})
    after = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "I go on from there."}],
    }
    records.append({"type": "response_item", "payload": after})
    return write_lines(path, [{"timestamp": "2026-01-02T03:04:05.000Z", **record} for record in records])


def pi(path: Path, work: Work) -> Path:
    """Write work as a session of pi. Results are told by the agent, so that there are words alone."""
    records: list[dict[str, Any]] = [{"type": "session", "id": work.name, "cwd": "/tmp", "provider": "anthropic"}]
    for who, text in work.steps:
        message: dict[str, Any] = {"role": "user" if who == "user" else "assistant"}
        records.append({"type": "message", "message": message | {"content": [{"type": "text", "text": text}]}})
    records.append({"type": "compaction", "summary": work.summary, "firstKeptEntryIndex": len(records)})
    after = {"role": "assistant", "content": [{"type": "text", "text": "I go on from there."}]}
    records.append({"type": "message", "message": after})
    return write_lines(path, records)


WRITERS = {"claude-code": claude_code, "codex": codex, "pi": pi}


def write_all(folder: Path) -> list[Path]:
    """Write every work in another format."""
    pairs = zip(WORKS, WRITERS.items(), strict=True)
    return [write(folder / f"{name}-{work.name}.jsonl", work) for work, (name, write) in pairs]
