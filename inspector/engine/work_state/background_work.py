"""Background commands, servers and sub-agents: when they start, and when they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.core.conversation import LISTED, Message
from inspector.core.text import lazy_pattern, plural, word_set
from inspector.engine.commands import commands_in, core_words, joined, plain_command
from inspector.engine.facts import content_words, sentences_of
from inspector.engine.work_state.effect_values import CallEffects
from inspector.engine.work_state.message_steps import steps_of
from inspector.engine.work_state.result_news import ResultNews
from inspector.engine.work_state.state_items import StateItem, WorkState

_RUNNING = frozenset(("running", "started", "pending", "in_progress"))
_KILLS = lazy_pattern(
    r"(?:^|[;&|(\s])(?:kill|pkill|killall|fuser -k|(?:docker|podman)(?:-| )compose (?:down|stop|rm)|(?:docker"
    r"|podman) (?:container )?(?:stop|kill|rm)|(?:npx )?kill-port|tmux kill-(?:session|server|window)|pm2 (?:stop"
    r"|delete|kill)|systemctl (?:--user )?stop|(?:jupyter|supabase|minikube|colima|overmind|vagrant|brew services"
    r"|pg_ctl|rabbitmqctl|redis-cli|nginx|apachectl)(?: \S+){0,4}? (?:stop|shutdown|halt)|screen -X quit"
    r"|screen -S \S{1,80} -X quit|taskkill|Stop-Process)\b"
)
_KILLED = lazy_pattern(r"(?:pkill|killall)\s+(?:-\S+\s+)*['\"]?([^'\"|;&]+)")
_DETACHES = lazy_pattern(
    r"(?:docker|podman|nerdctl) (?:run|start)\b(?=.* (?:-\w{0,9}d\w{0,9}|--detach)\b)|(?:docker|podman)(?:-"
    r"| )compose (?:\S+ )*up\b(?=.* (?:-d|--detach)\b)|pm2 start\b|systemctl (?:--user )?start\b"
    r"|(?:auto)?ssh (?=.*(?<!\S)-\w{0,6}f)|(?:minikube|colima|supabase|pg_ctl|brew services) (?:\S+ ){0,4}?start\b"
    r"|vagrant up\b|(?:\S+ ){1,6}--?daemon(?:ize)?\b"
)
"""Start of a command that returns at once, while its process goes on."""
_OPENS = lazy_pattern(r"^tmux new(?:-session)?\b.* -\w{0,4}d|^screen -\w{0,4}d")
_COMPOSE = lazy_pattern(
    r"(?:docker|podman)(?:-| )compose((?: -\S+(?: [^-\s]\S*)?){0,6}) up\b(?!.* --(?:build|force-recreate))(.*)"
)
"""Start of containers without building or recreating them, with its options and services."""
_PORT = lazy_pattern(
    r"(?:--?p(?:ort)?[ =]?|PORT=|:)(\d{2,5})\b|\b(\d{2,5}):\d{2,5}\b|\b(?:http\.server|serve|server|port) (\d{2,5})\b"
)
"""A port on which a command listens."""
_SCRIPTS = lazy_pattern(r"(?:npm|pnpm|yarn|bun|make|just|task|rake|foreman|overmind|(?:ba|z)?sh|\./\S+)\b")
"""Start of a command that runs programs whose names it does not show."""
_GONE = lazy_pattern(
    r"(?i)\b(?:server|tunnel|process|container|session|terminal|watcher|backend|frontend|app|api|service|proxy|daemon"
    r"|forward\w*|connection|notebook|emulator|laptop|machine)(?:[’']s)? (?:(?:is|are|was|has|went|got|have|just"
    r"|already|now|must|probably|be|been) ){0,3}(?:dead|down|gone|died|crashed|killed|stopped|rebooted|restarted|slept"
    r"|off)\b|\bi(?:[’']ve| have| had to)? (?:just |already )?(?:killed?|stopped?|closed?|shut down|terminated?"
    r"|rebooted?|quit|turned off) "
)
"""Words of a user who reports that a process is gone: "my laptop slept, the tunnel is dead"."""
_DOUBTS = lazy_pattern(r"(?i)\b(?:if|when\w*|could|would|might|may|sometimes|occasionally|never|not)\b|n[’']t\b|\?$")
"""Words of a sentence that reports nothing for certain."""
_ARTICLES = frozenset(("the", "a", "an"))
_LAUNCHERS = lazy_pattern(
    r"^(?:(?:npx|bunx|pnpx|uvx)(?: -y| --yes)? |bundle exec |(?:uv|poetry|pipenv|pdm|hatch|rye) run "
    r"|python[\d.]{0,5} -m |python[\d.]{0,5} (?=\S{1,80}\.py\b)|pnpm exec |yarn exec |(?:npm|pnpm|yarn"
    r"|bun) (?:run )?(?=[\w:-]{2,40}(?: |$)))"
)
"""Programs before a command that launch it."""
_FINITE = word_set("test spec build install lint check compile migrate fmt format sleep git gh curl")
"""Words of background commands that end by themselves, so that running them again is usual."""


def with_process(state: WorkState, call: CallEffects, news: ResultNews, message: str, turn: int) -> WorkState:
    """Return the state with the process or sub-agent that a call started, if it goes on.

    Args:
        state: State before the result of the call.
        call: Effects of the call.
        news: Contents of the result.
        message: Id of the message with the result.
        turn: Turn of the result.
    """
    if news.failed:
        return state
    if call.agent:
        is_async = bool(news.started) and "agent" in news.answer.lower()
        item = StateItem("running", news.started, call.agent, "sub-agent", news.started, message, turn)
        return state.put(item) if is_async else state
    detached = list(_detached_in(call.command))
    goes_on = call.background or (bool(news.started) and not news.is_over)
    for command in detached or ([plain_command(call.command)] if goes_on else []):
        text = _placed(command, call, state)
        item = StateItem("running", news.started or text[:200], text, "running", news.started, message, turn)
        state = state.put(item) if text else state
    return state


def _detached_in(line: str) -> Iterator[str]:
    """Yield the commands of a shell line that go on after it: those before `&`, in containers, and in new terminals."""
    for words, operator in commands_in(line):
        inner = words[-1] if words[0] in ("tmux", "screen") and _OPENS.search(" ".join(words)) else ""
        if inner and " " in inner:
            yield plain_command(inner)
        elif operator == "&" or inner or _DETACHES.match(" ".join(words)):
            yield plain_command(" ".join(words))


def _placed(command: str, call: CallEffects, state: WorkState) -> str:
    """Return a command, with the folder that it runs in if the work is in another one; "" for none."""
    place, folder = _places(call, state)
    return f"cd {place} && {command}" if command and folder and place != folder else command


def starts_of(call: CallEffects, now: WorkState, before: WorkState) -> frozenset[str]:
    """Return the texts that the process of a call has as an item of the state, wherever that is.

    Args:
        call: The call.
        now: The state before the call.
        before: The state in which the item is sought.
    """
    commands = [*_detached_in(call.command), plain_command(call.command)]
    commands.extend([f"docker compose{match[1]} up" for match in map(_COMPOSE.match, commands) if match])
    place, folder = _places(call, now)
    is_here = place in (folder, before.text("where", "folder"))
    placed = (f"cd {place} && {command}" for command in commands if command)
    return frozenset(map(start_key, (*placed, *(filter(None, commands) if is_here else ()))))


def start_key(text: str) -> str:
    """Return a command without the programs that only launch it: `npx`, `bundle exec`, `python -m`, and paths."""
    folder, _, command = text.removesuffix(" &").rpartition(" && ") if text.startswith("cd ") else ("", "", text)
    if services := _COMPOSE.match(command):
        names = (word for word in services[2].split() if word[0] != "-")
        return " ".join((folder, "docker compose", services[1].strip(), "up", *sorted(names))).strip()
    command = _LAUNCHERS.sub("", command.removesuffix(" &"))
    first, _, rest = command.partition(" ")
    return f"{folder} {first.rsplit('/', 1)[-1]} {' '.join(sorted(_plain_values(rest.split())))}".strip()


def _plain_values(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command, with an option and its value as the value alone: `-l info` is `--level=info`."""
    for word, following in zip(words, [*words[1:], "-"], strict=False):
        name, equals, value = word.partition("=")
        if name.startswith("--") and equals:
            yield value
        elif not word.startswith("-") or following.startswith("-"):
            yield word


def ends_by_itself(item: StateItem) -> bool:
    """Return True if a background command is likely to end by itself: tests, builds, but not watchers."""
    is_finite = any(word in item.text.lower() for word in _FINITE)
    return item.state != "sub-agent" and is_finite and "watch" not in item.text


def agents_started(messages: Iterable[Message]) -> str:
    """Return how many sub-agents some messages start, and what for."""
    calls = (call for message in messages if message.is_reply for call in steps_of(message).calls)
    names = [call.agent for call in calls if call.agent]
    return f"{plural(len(names), 'sub-agent')} started: {', '.join(names)}"


def is_same_agent(description: str, running: str) -> bool:
    """Return True if the descriptions of two sub-agents have the same words, apart from articles."""
    words, other = (set(text.lower().replace(".", " ").split()) - _ARTICLES for text in (description, running))
    return words == other


def is_same_server(command: str, running: str) -> bool:
    """Return True if a command starts a program that runs already, on a port that it has."""
    ports = _ports_of(running)
    if not ports:
        return False
    program = _program_of(running)
    return any(
        ports & _ports_of(" ".join(words)) and _program_of(" ".join(words)) == program
        for words, _ in commands_in(command)
    )


def _ports_of(command: str) -> frozenset[str]:
    return frozenset(match[1] or match[2] or match[3] for match in _PORT.finditer(command))


def _program_of(command: str) -> str:
    """Return the program or script that a command runs, without what launches it."""
    words = next((words for words, _ in commands_in(command) if words[0] not in ("cd", "pushd")), None)
    core = core_words(words) if words else [""]
    if core[0].startswith(("python", "node", "ruby", "bash", "sh")) and len(core) > 1:
        return next((word for word in core[1:] if not word.startswith("-")), core[0])
    return core[0].split(".")[0]


def _places(call: CallEffects, state: WorkState) -> tuple[str, str]:
    """Return the folder that the command of a call runs in, and the folder of the work."""
    folder = state.text("where", "folder")
    place = joined(folder, call.folder) if call.folder else folder
    for words, _ in commands_in(call.command):
        if words[0] in ("cd", "pushd") and len(words) > 1:
            place = joined(place, words[1])
    return place.rstrip("/"), folder.rstrip("/")


def note_process(state: WorkState, name: str, word: str, message: str, turn: int) -> WorkState:
    """Return the state with a command that a recording lists as running, or without a process that has ended.

    Args:
        state: The state before.
        name: Id of the process, or the listed command.
        word: Its recorded state.
        message: Id of the message.
        turn: Turn of the message.
    """
    if word != LISTED:
        return end_processes(state, name, message, word)
    if any(name in item.text for item in state.of("running")):
        return state
    return state.put(StateItem("running", name, name, "running", "", message, turn))


def end_processes(state: WorkState, process: str, message: str, word: str, line: str = "") -> WorkState:
    """Return the state without the processes that a message ends.

    Args:
        state: The state before.
        process: Id of a process; "" to find the processes by `line`.
        message: Id of the message.
        word: Their new state. Words such as "running" end nothing.
        line: A shell line, which may stop processes by name. One that stops any other process ends all of them,
            because which one it stops is unknown. A name that no process has ends those that a script started, such
            as `npm run dev`.
    """
    if word in _RUNNING:
        return state
    if process:
        ending = [item for item in state.of("running") if process in (item.name, item.detail)]
    elif (running := state.of("running")) and _KILLS.search(line):
        ending = _stopped_by(line, running)
    else:
        return state
    for item in ending:
        state = state.end(item, message, word)
    return state


def without_reported(state: WorkState, text: str, message: str) -> WorkState:
    """Return the state without the processes that words of a user report as gone: by name, or else all of them."""
    said = sentences_of(text) if state.of("running") else ()
    for words in (content_words(one) for one in said if _GONE.search(one) and not _DOUBTS.search(one)):
        running = [item for item in state.of("running") if item.state != "sub-agent"]
        named = [item for item in running if words & content_words(item.text.replace("-", " ").replace(":", " "))]
        for item in named or running:
            state = state.end(item, message, "gone")
    return state


def without_missing(state: WorkState, command: str, message: str) -> WorkState:
    """Return the state without the processes that a failing `pgrep` did not find."""
    line = command.replace("pgrep", "pkill", 1) if command.startswith("pgrep ") else ""
    return end_processes(state, "", message, "ended", line)


def _stopped_by(line: str, running: Sequence[StateItem]) -> list[StateItem]:
    """Return the processes that a shell line stops, or may stop."""
    named = [words for match in _KILLED.finditer(line) for words in [match[1].strip()] if words]
    if not named:
        return list(running)
    ending = [item for item in running if any(_is_named(item.text, name) for name in named)]
    return ending or [item for item in running if _SCRIPTS.match(plain_command(item.text))]


def _is_named(command: str, name: str) -> bool:
    return (
        name in command
        or any(name == words[0].rsplit("/", 1)[-1] for words, _ in commands_in(command))
        or (command.split(" ", 1)[0] in name)
    )
