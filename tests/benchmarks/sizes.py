"""How large a recording may be: read, counted, opened, searched; beside the limit that is measured in the same run.

usage: python -m tests.benchmarks.sizes [NAME …]     (without one, all; the last two of the list take minutes)

A line says what was measured, how that compares with what is wanted, and below, where the time goes. Times of work in
this process are processor seconds, the best of a few; those of the app are of the wall.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import orjson

from inspector.analysis.context_loss import loss_history
from inspector.analysis.usage_breakdown import break_down_usage
from inspector.core.conversation import Session
from inspector.engine.facts import FactIndex
from inspector.engine.window import at_turn
from inspector.engine.work_state import WorkHistory
from inspector.formats import load
from inspector.formats.building.log_builder import LogBuilder
from inspector.library import Library, Opener
from inspector.llm.models import load_count, load_encoding
from inspector.llm.tokens.counting import TokenizerCounter, stretches
from inspector.llm.tokens.session_counting import count_session
from inspector.llm.tokens.sizes import estimate_sizes
from inspector.store import Store
from tests.benchmarks.big_log import keys, write_log
from tests.benchmarks.conversations import NOUNS
from tests.terminal import WINDOW_SHOWN, inspector, percentile, running

BEST_OF = 3
SCALE = 1
"""All sizes are divided by this: 1 to measure, more to see that everything runs."""
PRESSED = 72
"""Keys that are pressed at each state of the app."""
COMMANDS = ("show LOG", "why LOG", "top LOG", "lost LOG", "find LOG lock", "diff LOG", "report LOG", "replay LOG")
ROWS = """
from textual.app import App
from textual.widgets import OptionList
class Rows(App):
    def compose(self):
        yield OptionList(*[f"row {number}" for number in range(100_000)])
Rows().run()
"""


def best(work: Callable[[], object], times: int = BEST_OF) -> float:
    """Processor seconds of the quickest of some runs."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def say(name: str, value: str, wanted: str = "", is_met: bool = True) -> None:
    verdict = f"{'ok' if is_met else 'MISSED':<7} wanted: {wanted}" if wanted else ""
    print(f"{name:<52} {value:<48} {verdict}".rstrip(), flush=True)


def where(work: Callable[[], object], most: int = 5) -> None:
    """The functions of ours, or of libraries, in which the time goes; shares of the whole."""
    profile = cProfile.Profile()
    profile.runcall(work)
    stats: Any = pstats.Stats(profile)
    rows = sorted(((row[2], place) for place, row in stats.stats.items()), reverse=True)[:most]
    shares = (f"{own / max(stats.total_tt, 1e-9):.0%} {Path(file).name}:{name}" for own, (file, _, name) in rows)
    print(f"    the time goes to: {', '.join(shares)}", flush=True)


def importing(folder: Path) -> None:
    """Reading, normalising and storing, beside the JSON parser alone."""
    log = _log(folder)
    lines = log.read_bytes().splitlines()
    parser = best(lambda: [orjson.loads(line) for line in lines])
    reader = best(lambda: load(log))
    numbers = iter(range(100))

    def keep() -> None:
        with Store(folder / f"import-{next(numbers)}.db") as store:
            for session in load(log):
                store.add(session)

    whole = best(keep)
    say("JSON parser alone", f"{parser:.2f} s, {log.stat().st_size / 1e6 / parser:.0f} MB/s")
    for name, seconds in (("read and normalised", reader), ("read, normalised and stored", whole)):
        speed = parser / seconds
        say(name, f"{seconds:.2f} s, {speed:.2f} of the parser's speed", "1/3", speed > 1 / 3)
    where(keep)


def counting(folder: Path) -> None:
    """Counting a session, beside tiktoken alone on the same texts, and the fast extra beside tiktoken."""
    (session,) = load(_log(folder, 4_000))
    texts = [piece for message in session for piece in stretches(message.text)]
    encode = load_encoding("o200k_base").encode_ordinary
    alone = best(lambda: [len(encode(text)) for text in texts])
    counter = TokenizerCounter("o200k_base")
    say("tiktoken alone", f"{alone:.2f} s")
    fast = load_count("o200k_base")
    has_extra = "toktok" in sys.modules
    held = LogBuilder()
    for number, text in enumerate(texts):
        held.add(f"m{number}", {"role": "user", "content": text})
    memory = replace(session, messages=tuple(held.messages))
    for name in ("with the extra fast", "by tiktoken") if has_extra else ("by tiktoken",):
        for what, log in (("texts in memory are counted", memory), ("a file is read and counted", session)):
            whole = best(partial(_count, log, counter))
            ratio = whole / alone
            say(f"{what} {name}", f"{whole:.2f} s, {ratio:.2f} of tiktoken's time", "1.2", ratio < 1.2)
        where(partial(_count, session, counter))
        say("    of it, reading the file again and parsing it", f"{best(lambda: [m.parts for m in session]):.2f} s")
        sys.modules["toktok"] = None  # type: ignore[assignment]  # as if it were not installed
        load_count.cache_clear()
    quicker = best(lambda: [fast(text) for text in texts])
    same = [len(encode(text)) for text in texts] == [fast(text) for text in texts]
    if has_extra:
        value = f"{alone / quicker:.1f} times as fast, counts {'equal' if same else 'DIFFER'}"
        say("the extra fast", value, "3", same and alone > 3 * quicker)


def folding(folder: Path) -> None:
    """The fold to the state of the work, beside the pass that counts with tiktoken. Both read the file."""
    (session,) = load(_log(folder, 4_000))
    sys.modules["toktok"] = None  # type: ignore[assignment]  # as if it were not installed
    load_count.cache_clear()
    counter = TokenizerCounter("o200k_base")
    counter.count("")
    count = best(partial(_count, session, counter), 1)
    state = WorkHistory(session)
    first = best(state.at_turn, 1)
    say("the fold, of the pass that counts", f"{first:.2f} s, {first / count:.2f} of it", "0.1", first < 0.1 * count)
    again = best(lambda: WorkHistory(session).at_turn())
    say("the fold, with the steps of messages at hand", f"{again:.2f} s, {again / count:.2f} of it")


def _count(session: Session, counter: TokenizerCounter) -> None:
    for _ in count_session(session, counter):
        pass


def opening(folder: Path) -> None:
    """A stored session of 100,000 messages."""
    path = folder / "opening.db"
    with Library(path, required=True) as library:
        session_id = next(iter(library.import_targets([str(_log(folder, 50_000))]))).addition
        assert session_id is not None

        def first() -> None:
            next(iter(Opener(library.store, shows_tail=True).steps(session_id.id)))

        def whole() -> None:
            next(iter(Opener(library.store).steps(session_id.id)))

        seconds = best(first)
        count = len(library.required_store.load(session_id.id).messages)
        name = f"a stored session of {count:,} messages opens"
        say(name, f"{seconds:.2f} s to its newest context", "0.5 s", seconds < 0.5)
        say("all of it is there after", f"{best(whole):.2f} s")
        where(whole)
        searched = best(lambda: library.required_store.search("lamp gate", 20))
        say(f"full text over {count:,} messages", f"{1000 * searched:.0f} ms")


def searching(folder: Path) -> None:
    """Full text over a million messages."""
    rng = random.Random(3)
    with Store(folder / "search.db") as store:
        for number in range(20):
            store.add(load(_chat(folder / f"chat-{number}.jsonl", rng, number))[0])
        for words in ("n7x4242", f"{NOUNS[0]} {NOUNS[1]}", NOUNS[0]):
            for session_id in (None, "s7"):
                seconds = min(_timed(partial(store.search, words, 50, session_id)) for _ in range(5))
                name = f"full text over 1,000,000{', in a session' if session_id else ''}: {words!r}"
                say(name, f"{1000 * seconds:.0f} ms", "100 ms", seconds < 0.1)


def _chat(path: Path, rng: random.Random, number: int, messages: int = 50_000) -> Path:
    """A transcript of short messages, each with a word of its own."""
    with path.open("w", encoding="utf-8") as file:
        for place in range(messages // SCALE):
            role = "assistant" if place % 2 else "user"
            text = f"{' '.join(rng.choices(NOUNS, k=12))} n{number}x{place}"
            parent = f"{number}-{place - 1}" if place else None
            record: dict[str, Any] = {"type": role, "uuid": f"{number}-{place}", "parentUuid": parent}
            record |= {"sessionId": f"s{number}", "message": {"role": role, "content": text}}
            file.write(json.dumps(record) + "\n")
    return path


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def views(folder: Path) -> None:
    """What eats a window of 20,000 messages, and what the compactions of the log lost."""
    (chat,) = load(_chat(folder / "chat.jsonl", random.Random(3), 0, 20_000))
    window = at_turn(chat, estimate_sizes(chat))
    tree = best(lambda: break_down_usage(window, chat, "tool"))
    say(f"what eats a window of {len(window.messages):,} messages", f"{tree:.2f} s")
    where(lambda: break_down_usage(window, chat, "tool"))
    (session,) = load(_log(folder))
    sizes, index = estimate_sizes(session), FactIndex(session)
    seconds = best(lambda: loss_history(session, sizes, index), 1)
    say(f"what {len(session.compactions)} compactions lost", f"{seconds:.1f} s")
    where(lambda: loss_history(session, sizes, FactIndex(session)))


def frames(folder: Path) -> None:
    """The first useful frame (the bars, and rows) of 51 and 500 MB, and the memory while the app counts and after."""
    os.environ["INSPECTOR_DB"] = str(folder / "frames.db")
    with running([inspector(), str(_log(folder, 100))]) as terminal:  # which compiles the program
        terminal.wait_for(*WINDOW_SHOWN, limit=120)
    for steps, limit, room in ((8_500, 1.0, 200.0), (84_000, 3.0, 400.0)):
        log = _log(folder, steps)
        os.environ["INSPECTOR_DB"] = str(folder / f"frames-{steps}.db")
        with running([inspector(), str(log)]) as terminal:
            seconds = terminal.wait_for(*WINDOW_SHOWN, limit=120)
            name = f"first useful frame of {log.stat().st_size / 1e6:.0f} MB"
            say(name, f"{seconds:.2f} s", f"{limit:g} s", seconds < limit)
            largest, end = 0.0, time.monotonic() + steps / 400 / SCALE
            while time.monotonic() < end:
                terminal.settle(0.5, 1)
                largest = max(largest, terminal.memory(alone=True))
            own = terminal.memory(alone=True)
            say("memory of the app", f"{own:.0f} MB, {largest:.0f} at most", f"{room:g} MB", own < room)


def pressing(folder: Path) -> None:
    """Keys at 100,000 messages, beside a list of as many rows."""
    moves = list(islice(cycle(["left", "right", "home", "end", "up", "down"]), PRESSED))
    with running([sys.executable, "-c", ROWS]) as terminal:
        terminal.wait_for("row 5", limit=60)
        bare = keys(terminal, moves)
    log = _log(folder, 50_000)
    os.environ["INSPECTOR_DB"] = str(folder / "keys.db")
    with running([inspector(), str(log)]) as terminal:
        terminal.wait_for(*WINDOW_SHOWN, limit=120)
        busy = keys(terminal, moves)
        terminal.settle(3, 90 / SCALE)
        quiet = keys(terminal, moves)
    visits = {"a list of 100,000 rows": bare, "100,000 messages, counting": busy, "100,000 messages": quiet}
    for name, times in visits.items():
        p95 = percentile(times, 0.95)
        say(f"keys, {name}", f"p50 {percentile(times, 0.5):.0f} ms, p95 {p95:.0f} ms", "50 ms", p95 < 50)


def discovery(folder: Path) -> None:
    """Five thousand sessions of a tool, in a process of its own: the home folder is another one."""
    for number in range(5_000 // SCALE):
        path = folder / ".claude" / "projects" / f"-p{number % 50}" / f"s{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        record = {"type": "user", "cwd": "/p", "message": {"role": "user", "content": f"Task {number}"}}
        reply = {"type": "assistant", "message": {"role": "assistant", "content": "x" * 30_000}}
        path.write_text(f"{json.dumps(record)}\n{json.dumps(reply)}\n{json.dumps(reply)}\n", encoding="utf-8")
    code = (
        "import time; from inspector.library import found_entries; start = time.perf_counter();"
        "print(len(list(found_entries())), time.perf_counter() - start)"
    )
    place = {name: value for name, value in os.environ.items() if name != "CLAUDE_CONFIG_DIR"} | {"HOME": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=place, capture_output=True, text=True, check=True)
    count, seconds = done.stdout.split()
    say(f"{int(count):,} sessions are discovered", f"{float(seconds):.2f} s", "1 s", float(seconds) < 1)


def commands(folder: Path) -> None:
    """What commands take on 2,000, 8,000 and 32,000 messages: time in proportion to the input, and no more."""
    for command in COMMANDS:
        _run(command, folder, 100)  # which compiles what it needs
        seconds = [_run(command, folder, steps) for steps in (1_000, 4_000, 16_000)]
        growth = (seconds[2] - seconds[1]) / max(seconds[1] - seconds[0], 1e-9) / 4
        value = f"{', '.join(f'{number:.2f}' for number in seconds)} s, {growth:.1f} times as much a message"
        say(f"inspector {command}", value, "1.5 times", growth < 1.5)


def _run(command: str, folder: Path, steps: int) -> float:
    """Processor seconds of a command on a log of so many replies, with a store of its own."""
    words = [str(_log(folder, steps)) if word == "LOG" else word for word in command.split()]
    place = os.environ | {"INSPECTOR_DB": str(folder / f"{words[0]}-{steps}.db")}
    before = _seconds_of_children()
    subprocess.run([inspector(), *words], env=place, capture_output=True)
    return _seconds_of_children() - before


def _seconds_of_children() -> float:
    """Processor seconds of the processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _log(folder: Path, steps: int = 10_000) -> Path:
    """A log of so many replies, written once."""
    path = folder / f"log-{steps}.jsonl"
    if not path.exists():
        write_log(path, max(steps // SCALE, 30))
    return path


PARTS = (importing, counting, folding, views, discovery, opening, searching, commands, pressing, frames)


def main() -> None:
    names = sys.argv[1:] or [part.__name__ for part in PARTS]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its bytecode
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
        for part in PARTS:
            if part.__name__ in names:
                print(f"-- {part.__name__}: {part.__doc__}", flush=True)
                part(Path(folder))


if __name__ == "__main__":
    main()
