"""Command lines and settings as nobody would write them: any option with any value, and files of settings."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from inspector.engine.compression.presets.environment import VARIABLES
from inspector.engine.facts import CLASSES
from inspector.engine.strategies import STRATEGIES
from inspector.engine.strategies.knobs import Knob

PRESETS = (
    "balanced",
    "conservative",
    "early",
    "late",
    "environment",
    "mine",
    "tight",
    "none",
    "recorded",
    "\ud800",
    "",
)
PROVIDERS = ("openai", "openai-responses", "anthropic", "cohere")
EXPORTS = ("env", "aloop", "toml", "langchain", "strands", "openai-agents", "google-adk", "anthropic", "x")
NUMBERS = ("0", "1", "2", "3", "7", "100", "20000", "-1", "1e3", "0.5", "9" * 30, "nan", "inf", "", "x", "१")
Words = list[str]


def knob_value(rng: Random, knob: Knob) -> str:
    if rng.random() < 0.15:
        return rng.choice((*NUMBERS, "true", "no", "a;b", "'", "\x1b[2J"))
    if knob.choices:
        return rng.choice(knob.choices)
    if isinstance(knob.default, bool):
        return rng.choice(("true", "false"))
    if isinstance(knob.default, int):
        return str(rng.choice((0, 1, 2, 5, 50, 1_000, 100_000, int(knob.low), int(knob.high))))
    if isinstance(knob.default, float):
        return str(rng.choice((knob.low, knob.high, knob.default)))
    return str(rng.choice((knob.default, "", "read", "Bash,Read", "path/to a thing")))


def settings(rng: Random, name: str) -> Words:
    knobs = STRATEGIES[name].knobs if name in STRATEGIES else ()
    chosen = [knob for knob in knobs if rng.random() < 0.3]
    return [f"{knob.name}={knob_value(rng, knob)}" for knob in chosen]


def strategy(rng: Random) -> str:
    return rng.choice((*STRATEGIES, *STRATEGIES, "sliding", ""))


def by_strategy(rng: Random) -> Words:
    name = strategy(rng)
    return ["--strategy", name, *(word for pair in settings(rng, name) for word in ("--set", pair))]


def stage(rng: Random) -> str:
    name = strategy(rng)
    return " ".join([name, *settings(rng, name)])


def way(rng: Random) -> Words:
    match rng.randrange(4):
        case 0:
            return [word for _ in range(rng.randrange(1, 4)) for word in ("--stage", stage(rng))]
        case 1:
            return ["--preset", rng.choice(PRESETS), *rng.choice(([], ["--force"]))]
    return by_strategy(rng)


def option(name: str, *values: str) -> Callable[[Random], Words]:
    """An option that is given now and then, as a flag where it has no values."""
    return lambda rng: [] if rng.random() < 0.6 else [name, rng.choice(values)] if values else [name]


TURN = option("--turn", *NUMBERS)
AGENT = option("--agent", "main", "a1", "x", "")
LIMIT = option("--limit", *NUMBERS)
GATES = (option("--fail-over", *NUMBERS), option("--fail-invalid"))
WEIGHT = option("--weight", *(f"{name}={number}" for name in CLASSES for number in ("0", "3", "-1", "x")))
PRESET = option("--preset", *PRESETS)
GRID = option(
    "--grid", "threshold=1,50", "ratio=0.1,0.9", "keep_recent=0,5", "strategy=fifo,auto", "x=1", "=", "threshold="
)
SORT = option("--sort", "cost", "retained", "regrets", "path", "peak", "nothing")
OPTIONS: dict[str, tuple[Callable[[Random], Words], ...]] = {
    "": (LIMIT,),
    "ls": (),
    "discover": (option("--most", *NUMBERS),),
    "import": (),
    "show": (TURN, AGENT, LIMIT, option("--recorded"), *GATES),
    "compress": (way, TURN, AGENT, LIMIT, option("--all"), option("--apply"), *GATES),
    "diff": (by_strategy, TURN, AGENT, option("--side-by-side"), option("--full")),
    "check": (option("--provider", *PROVIDERS), TURN, AGENT, option("--all-turns"), option("--recorded")),
    "count": (AGENT,),
    "export": (option("--to", *PROVIDERS), TURN, AGENT, LIMIT, by_strategy),
    "replay": (
        PRESET,
        PRESET,
        option("--threshold", *NUMBERS, "60%", "+9"),
        WEIGHT,
        option("--facts"),
        option("--all"),
        AGENT,
    ),
    "tune": (PRESET, GRID, GRID, SORT, option("--fail-regrets", *NUMBERS), WEIGHT, AGENT, *GATES),
    "compare": (PRESET, PRESET, TURN, option("--all"), WEIGHT, AGENT, LIMIT),
    "probe": (
        option("--depths", "0.5", "0,1", "", "x", "2"),
        option("--seed", *NUMBERS),
        option("--classes"),
        TURN,
        LIMIT,
    ),
    "undo": (AGENT,),
    "pin": (TURN, AGENT, option("--undo")),
    "drop": (TURN, AGENT),
}
WITHOUT_SESSION = (
    lambda rng: ["presets", *rng.choice(([], ["show", rng.choice(PRESETS), *option("--to", *EXPORTS)(rng)]))],
    lambda rng: ["presets", "save", "mine", *by_strategy(rng), *option("--threshold", *NUMBERS, "60%", "+9")(rng)],
    lambda rng: ["presets", "remove", rng.choice(PRESETS)],
    lambda rng: ["strategies", *rng.choice(([], [strategy(rng)]))],
    lambda rng: ["search", rng.choice(("user", "the", '"', "a OR", "NEAR(", "*", "\x00", "漢", "' --"))],
)


def line(rng: Random, session: str) -> Words:
    """The words of one command on a session, named as a path, as one of several in it, or by an id."""
    if rng.random() < 0.06:
        words: Words = rng.choice(WITHOUT_SESSION)(rng)
        return words
    name = rng.choice((*OPTIONS, "show", "compress", "compress"))
    target = session if rng.random() < 0.9 else rng.choice((f"{session}#2", f"{session}#0", "s1", session[:-1]))
    words = [name, target] if name else [target]
    if name in ("pin", "drop"):
        words.append(rng.choice(("1", "1-3", "99", "m1", "x", "3-1", "#2")))
    if name == "probe":
        words += ["--passes", "2", "-s", stage(rng)]
    if name == "tune":
        words += ["--jobs", "1"]
    if name == "compare" and rng.random() < 0.3:
        words.append(session)
    words += [word for make in OPTIONS[name] for word in make(rng)]
    return words + (["--json"] if rng.random() < 0.5 else [])


PRESET_FILE = """[tight]
strategy = "sliding_window"
threshold = 2000
ratio = 0.2
keep_recent = 2

[mine]
strategy = "pipeline"
threshold = 1
about = "for nothing"

[mine.settings]
stages = "dedupe; fifo max_messages=3"
"""
PRICES = """["gpt-4o"]
input = 1.0
output = 4.0

[default]
input = 0.5
output = 1
cache_read = 0.1
cache_write = 1.25
"""
CONFIG = """# memory
export MEMORY_ENABLED=true
MEMORY_COMPRESSION_THRESHOLD=900
MEMORY_COMPRESSION_RATIO = "0.3"
MEMORY_COMPRESSION_STRATEGY='selective' # what else
"""
FILES = {"presets.toml": PRESET_FILE, "settings/inspector/prices.toml": PRICES, ".aloop/config": CONFIG}
"""Settings by where they lie in the folder of a case."""


def variables(rng: Random) -> dict[str, str]:
    """Some `MEMORY_*` variables, and a terminal of any width."""
    values = ("", "1", "0", "0.5", "true", "no", "-5", "fifo", "SLIDING_WINDOW", "x", "9" * 40, "nan", "\x1b[2J")
    found = {name: rng.choice(values) for name in VARIABLES if rng.random() < 0.1}
    return found | {"COLUMNS": rng.choice(("80", "80", "1", "39", "120", "500", "x", "-3", "0"))}
