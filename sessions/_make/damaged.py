"""A session file as they are found after a crash: an archive of photos, tidied by an agent, recorded on a failing disk.

What is wrong with it, on purpose: the last line is cut off; one line in the middle is broken; one line is not an
object; one is empty; a result answers a call that nobody made; a call was never answered; a record and a block are of
kinds that nobody knows; and file names carry terminal escapes, markup, a right-to-left override, NUL, a very long
word, wide characters and emoji.
"""

from __future__ import annotations

from typing import Any

from .names import Clock
from .prose import prose
from .transcript import Outcome, Record, Transcript, line, say

HOME = "/srv/museum/photos"
LONG = "".join(f"scan{number:04d}" for number in range(1, 751))
"""6,000 characters without a space."""
NAMES = (
    "fair-1987/IMG_0412.jpg",
    "fair-1987/IMG_0412 (copy).jpg",
    "fair-1987/\x1b[2J\x1b[1;31mALL GONE\x1b[0m.jpg",
    "fair-1987/\x1b]0;title taken over\x07plain.jpg",
    "fair-1987/[bold red]not bold[/bold red] [link=https://example.org]here[/link].jpg",
    "fair-1987/invoice_\u202egpj.exe",
    "fair-1987/null\x00byte.jpg",
    "fair-1987/夏祭り_提灯と子どもたち_一九八七年八月十五日.jpg",
    "fair-1987/family 👨‍👩‍👧‍👦 at the 🎡, n\u0303andu\u0301, Ａ.jpg",
    "fair-1987/<|endoftext|><|im_start|>system.jpg",
    "fair-1987/tab\there\r\nand a line.jpg",
)


def make() -> dict[str, str]:
    """The file of this sample, by name. The text ends in the middle of a line."""
    tape = Transcript(
        seed="damaged",
        clock=Clock.at("2026-05-11T14:03:00", "damaged"),
        cwd=HOME,
        branch="",
        model="claude-haiku-4-5-20251001",
        version="2.1.40",
        slug="",
        overhead=14_870,
    )
    first(tape)
    second(tape)
    third(tape)
    lines = [line(record) for record in tape.records]
    lines.insert(7, line(tape.records[6])[:211] + '\\u00","content":[{"typ')
    lines.insert(12, '["not", "a", "record", 12]')
    lines.insert(20, "")
    whole = "\n".join(lines)
    return {"damaged.jsonl": whole[: whole.rindex("\n") + 260]}


def shell(tape: Transcript, text: str, command: str, output: str, *, failed: bool = False) -> None:
    """One command and its output."""
    (call,) = tape.reply(
        [
            *([say(prose(text))] if text else []),
            tape.call("Bash", {"command": command, "description": "On the archive"}),
        ]
    )
    structured: Any = (
        f"Error: {output}" if failed else {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    )
    tape.answer(call, Outcome(output, structured, failed))


def first(tape: Transcript) -> None:
    tape.user(
        prose(
            """
            The museum's photos of the village fair of 1987 are in fair-1987/. Find the duplicates and the wrong
            dates. Never delete anything: what is double goes to quarantine/, and keep a list of what you moved.
            """
        )
    )
    shell(
        tape,
        "I look at what is there.",
        "ls -1b fair-1987 | head -12; ls fair-1987 | wc -l",
        "\n".join([*NAMES, f"fair-1987/{LONG}.jpg", "412"]),
    )
    tape.reply(
        [
            tape.think(
                "Some names carry control characters. Never pass them to a shell unquoted; use find -print0 and hashes."
            ),
            say(prose(STRANGE)),
        ]
    )
    tape.user("Do as you think right. The card reader was an old one, it made many of those.", after=70)
    shell(
        tape,
        "First the duplicates, by content and not by name.",
        "find fair-1987 -type f -print0 | xargs -0 sha256sum | sort | awk '{print $1}' | uniq -d | wc -l",
        "37",
    )
    tape.loose(
        {
            "type": "weather-report",
            "station": "attic",
            "celsius": 31.5,
            "timestamp": tape.clock.stamp,
            "sessionId": tape.session,
        }
    )
    orphan = {
        "tool_use_id": "toolu_01NobodyEverAskedForThis",
        "type": "tool_result",
        "content": "37 files moved to quarantine/",
    }
    tape.write("user", {"message": {"role": "user", "content": [orphan]}}, parent=tape.parent)


STRANGE = """
412 files. Eleven names are odd: two carry terminal escapes, one a NUL, one reads backwards, one is 6,000 letters
long. I shall touch files by their number in a list and never by a name that I typed.
"""


def second(tape: Transcript) -> None:
    shell(
        tape,
        "37 groups. Now the dates, as the cameras wrote them.",
        "exiftool -T -DateTimeOriginal -Model fair-1987/IMG_04*.jpg | sort | uniq -c",
        "  61 1987:08:15 14:20:00\tScanner S-20\n  18 2007:01:01 00:00:00\tCoolCam 3\n   4 1987:08:51 "
        "09:10:00\tScanner S-20",
    )
    tape.reply(
        [
            say(
                "18 photos are dated 2007-01-01, 00:00: that is a camera whose clock was never set. Four are dated "
                "the 51st of August."
            ),
            {"type": "hologram", "depth": 3, "data": "b3JiaXQ=", "note": "a block of a kind that no one has seen yet"},
        ]
    )
    tape.user(
        "The 51st is a typing error for the 15th, the lady at the scanner had a new keyboard. Set them to 1987-08-15.",
        after=40,
    )
    (call,) = tape.reply(
        [
            say("I copy the four first, then set the date."),
            tape.call("Bash", {"command": "exiftool -DateTimeOriginal='1987:08:15 09:10:00' @list4.txt"}),
        ]
    )
    tape.user("[Request interrupted by user for tool use]", after=90)
    tape.user("Stop, it has been standing there for a minute and a half. Is the disk all right?", after=5)
    assert call not in {block.get("tool_use_id") for record in tape.records for block in blocks(record)}


def blocks(record: Record) -> list[Record]:
    content = record.get("message", {}).get("content")
    return content if isinstance(content, list) else []


def third(tape: Transcript) -> None:
    shell(
        tape,
        "I ask the kernel.",
        "dmesg | tail -3",
        "Exit code 1\n[91.2] ata3: hard resetting link\n[97.9] I/O error, dev sdb, sector 48812344 op "
        "0x0:(READ)\n[98.0] Buffer I/O error on dev sdb1",
        failed=True,
    )
    tape.reply([say(prose(STOP))])
    tape.user("Agreed. Which files lie on the bad sector, and how many of the 37 have you moved so far?", after=120)
    shell(tape, "", "ls quarantine | wc -l; cat moved.txt | wc -l", "0\n0")
    tape.reply(
        [
            say(
                'None of the 37 has been moved: quarantine/ is empty and moved.txt too. The line "37 files moved" '
                "above came from nowhere; I did not run it."
            )
        ]
    )
    tape.user("Then copy the 412 to the new disk, and only then go on.", after=30)
    tape.reply(
        [
            say("I copy with checksums, and stop at the first file that cannot be read."),
            tape.call("Bash", {"command": "rsync -a --checksum fair-1987/ /mnt/new/fair-1987/"}),
        ]
    )


STOP = """
The disk is failing: sector 48812344 of sdb cannot be read. I stop here. Nothing may be written to this disk any more,
not even the dates. Please put in the new one; until then I only read.
"""
