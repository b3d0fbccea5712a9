"""The formats by their names, and reading a file of any of them."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from inspector.core.conversation import Problem, Session
from inspector.core.gc_tuning import skip_young_gc
from inspector.core.text import word_set
from inspector.formats.base import Format, FormatMatch
from inspector.formats.readers.agents_sdk import AgentsSDK
from inspector.formats.readers.aider import Aider
from inspector.formats.readers.aider_requests import AiderRequests
from inspector.formats.readers.atif import ATIF
from inspector.formats.readers.beam import BEAM
from inspector.formats.readers.chat_exports import ChatGPT, ClaudeAI, DeepSeek
from inspector.formats.readers.claude_code.claude_code import ClaudeCode
from inspector.formats.readers.cline.cline import Cline
from inspector.formats.readers.codex.codex import Codex
from inspector.formats.readers.continue_sessions import Continue
from inspector.formats.readers.copilot.copilot_chat import CopilotChat
from inspector.formats.readers.copilot.copilot_cli import CopilotCLI
from inspector.formats.readers.crush import Crush
from inspector.formats.readers.cursor import Cursor
from inspector.formats.readers.droid import Droid
from inspector.formats.readers.gemini_cli import GeminiCLI
from inspector.formats.readers.goose.goose import Goose
from inspector.formats.readers.group_chat import GroupChat
from inspector.formats.readers.inspect_eval import InspectEval
from inspector.formats.readers.kimi import Kimi
from inspector.formats.readers.kiro import Kiro
from inspector.formats.readers.langfuse import Langfuse
from inspector.formats.readers.langgraph import LangGraph
from inspector.formats.readers.langsmith import LangSmith
from inspector.formats.readers.letta import Letta
from inspector.formats.readers.letta_code import LettaCode
from inspector.formats.readers.llm_logs import LLMLogs
from inspector.formats.readers.locomo import LoCoMo
from inspector.formats.readers.markdown import ConversationMarkdown
from inspector.formats.readers.mini_swe_agent import MiniSWEAgent
from inspector.formats.readers.open_telemetry import OpenTelemetry
from inspector.formats.readers.openclaw import OpenClaw
from inspector.formats.readers.opencode.opencode import OpenCode
from inspector.formats.readers.openhands.openhands import OpenHands
from inspector.formats.readers.openhands.openhands_sdk import OpenHandsSDK
from inspector.formats.readers.orchestration import Orchestration
from inspector.formats.readers.pi import Pi
from inspector.formats.readers.qwen_code import QwenCode
from inspector.formats.readers.requests.requests import RequestFormat
from inspector.formats.readers.sharegpt import ShareGPT
from inspector.formats.readers.specstory import SpecStory
from inspector.formats.readers.swe_agent import SWEAgent
from inspector.formats.readers.tau2 import Tau2
from inspector.formats.readers.unknown import UnknownDatabase, UnknownJSON
from inspector.formats.reading.archive_members import read_members, visible_members
from inspector.formats.reading.sample import Content, Sample, describe_sample, lines_of, open_content
from inspector.formats.reading.source import Progress, UnreadableError, open_source
from inspector.formats.sidecar import is_companion, is_companion_file, request_path
from inspector.formats.unsupported import find_unsupported
from inspector.llm.providers import DIALECTS

_ALL: tuple[Format, ...] = (
    ClaudeCode(),
    Codex(),
    CopilotCLI(),
    GeminiCLI(),
    QwenCode(),
    OpenCode(),
    Goose(),
    Pi(),
    OpenClaw(),
    Crush(),
    Continue(),
    Droid(),
    Cursor(),
    Kimi(),
    Kiro(),
    Cline(),
    CopilotChat(),
    ChatGPT(),
    DeepSeek(),
    ClaudeAI(),
    AgentsSDK(),
    LLMLogs(),
    LangGraph(),
    LangSmith(),
    Langfuse(),
    OpenTelemetry(),
    ATIF(),
    SWEAgent(),
    MiniSWEAgent(),
    Tau2(),
    BEAM(),
    OpenHands(),
    OpenHandsSDK(),
    InspectEval(),
    Letta(),
    LettaCode(),
    ConversationMarkdown(),
    Aider(),
    AiderRequests(),
    SpecStory(),
    ShareGPT(),
    LoCoMo(),
    GroupChat(),
    Orchestration(),
    *map(RequestFormat, DIALECTS),
    UnknownJSON(),
    UnknownDatabase(),
)
FORMATS: Mapping[str, Format] = {entry.name: entry for entry in _ALL}

_SUFFIXES = word_set(".json .jsonl .ndjson .gz .zip .tar .tgz .db .sqlite .sqlite3 .eval .traj .af") | {""}
_MARKDOWN = frozenset([".md", ".history"])
_LARGE_FILE_BYTES = 8 << 20
"""Bytes from which on a file is long enough for its tail to be shown first."""


_CONFIDENT = 0.3
"""Confidence below which a format is taken only with a word about it."""
_COMMON = word_set(
    "blocks content conversations data history info kind message messages model part request response role session "
    "sessionId thread_id tools"
)
"""Fields that tell nothing of what a file is near to: many have them."""
_MIN_SHARED = 2
"""Others that a file has to have for a format to be near: one alone among many of its own may mean anything."""
_MIN_SHARE = 0.5
"""Share of a file's records that its format has to understand."""
_MAX_SHARE = 0.9
"""Share of them below which is told first how few were understood."""


def rank(sample: Sample) -> list[tuple[FormatMatch, Format]]:
    """The formats that a file with this sample may be of, the likeliest first; of equals, the first registered."""
    candidates = ((entry.recognize(sample), entry) for entry in _ALL if sample.shape in entry.shapes)
    return sorted((pair for pair in candidates if pair[0].confidence), key=lambda pair: -pair[0].confidence)


def format_of(sample: Sample) -> Format | None:
    """The format that a file with this sample is most likely of; None where it is of none."""
    return next((entry for _, entry in rank(sample)), None)


def load(path: str | Path, progress: Progress | None = None) -> list[Session]:
    """The sessions in a file. `progress` is called now and then with the bytes done and the bytes in all.

    Raises `UnreadableError`, and nothing else, when there is no conversation to be had; a file that is broken in part
    gives what can be read, with the rest in `Session.problems`.
    """
    try:
        return _load(path, progress)
    except RecursionError as error:
        raise UnreadableError(path, f"{path} is nested too deeply to be read: choose another file.") from error
    except MemoryError as error:
        size = f"{Path(path).stat().st_size / 1e6:,.0f} MB"
        text = f"There is not enough memory to read {path} ({size}): close other programs, or open a part of it."
        raise UnreadableError(path, text) from error


def _load(path: str | Path, progress: Progress | None) -> list[Session]:
    """`load`, but for what the memory has no room for."""
    content = open_content(path, progress)
    if content.sample.shape == "archive" and not rank(content.sample) and (names := _recordings_in(content)):
        return read_members(content, names, _sessions_in, progress)
    return _sessions_in(content, progress)


def _recordings_in(content: Content) -> list[str]:
    """The files in an archive that may hold conversations, by their names; those that belong to others are told."""
    names = visible_members(content)
    if len(names) == 1:
        return names
    some = {name: Path(name) for name in names if Path(name).suffix.lower() in _SUFFIXES | _MARKDOWN}
    paths = set(map(Path, names))
    wholes = {name: {kind.whole(path) for kind in _ALL} for name, path in some.items()}
    own = [name for name in some if paths.isdisjoint(filter(None, wholes[name]))]
    if parts := len(some) - len(own):
        which = "1 file in the archive belongs" if parts == 1 else f"{parts:,} files in the archive belong"
        content.problems.add(f"{which} to another, which is read without: unpack it, and open the folder")
    return own


def _sessions_in(content: Content, progress: Progress | None = None) -> list[Session]:
    """The sessions of an opened file. Raises as `load`."""
    path = content.source.path
    if is_companion(content.value):
        request = request_path(Path(path)) or "an exported request"
        raise UnreadableError(path, f"{path} is what Inspector keeps beside {request}: open that.")
    if unsupported_file := find_unsupported(content.sample):
        advice = f"open {unsupported_file.instead}" if unsupported_file.instead else "choose another file"
        raise UnreadableError(path, f"{path} is {unsupported_file.what}: {advice}.")
    ranks = rank(content.sample)
    if not ranks:
        raise _unknown_format(content)
    try:
        with _no_garbage_collection():
            sessions = ranks[0][1].read(content, progress)
    except OSError as error:
        raise UnreadableError(path, f"{path} could not be read to its end ({error.strerror}): try again.") from error
    return _with_doubts(content, ranks, sessions)


def _with_doubts(
    content: Content, ranks: Sequence[tuple[FormatMatch, Format]], sessions: list[Session]
) -> list[Session]:
    """The sessions, with what speaks against the format said first, and what is wrong with the file in the first.

    Raises UnreadableError where too much speaks against it.
    """
    recognition, best = ranks[0]
    coverage, path = content.coverage, content.source.path
    if coverage.share < _MIN_SHARE:
        raise UnreadableError(
            path,
            f"{path} looks like {best.title} (it has {recognition.reason}), but of its {coverage.records:,} records "
            f"{coverage.rejected:,} are none of these; the first is {coverage.first}. Choose another file.",
        )
    prose = coverage.prose / max(1, content.source.size)
    if prose > 1 - _MIN_SHARE:
        raise UnreadableError(
            path,
            f"{path} looks like {best.title} (it has {recognition.reason}), but {prose:.0%} of it stands on lines that "
            f"are no JSON; the first is line {coverage.first_prose:,}. Choose another file.",
        )
    doubts = []
    if coverage.share < _MAX_SHARE:
        doubts.append(f"only {coverage.share:.0%} of the {coverage.records:,} records could be read as {best.title}")
    if recognition.confidence < _CONFIDENT:
        doubts.append(f"this was read as {best.title}, because it has {recognition.reason}: that is a guess")
    twins = [entry.title for other, entry in ranks[1:] if other.confidence == recognition.confidence]
    if twins:
        doubts.append(f"this was read as {best.title}; it could as well be {' or '.join(twins)}")
    first, *others = sessions
    problems = [problem for problem in content.problems.all() if problem not in first.problems]
    first = replace(first, problems=(*first.problems, *problems)) if problems else first
    if not doubts:
        return [first, *others]
    problems_first = tuple(map(Problem, doubts))
    return [replace(session, problems=(*problems_first, *session.problems)) for session in (first, *others)]


def _unknown_format(content: Content) -> UnreadableError:
    """Why a file of no known format is not opened, with the format that is nearest to it."""
    sample, path = content.sample, content.source.path
    if content.failure and not sample.head.strip():
        return content.failure
    shared = [(len(entry.fields & _fields_in(sample) - _COMMON), entry) for entry in _ALL]
    count, nearest = max(shared, key=itemgetter(0))
    what = f"{path} holds {describe_sample(sample)}, which is none of the formats known here"
    if count >= _MIN_SHARED or (count and 2 * count >= len(_fields_in(sample))):
        fields = ", ".join(sorted(nearest.fields & _fields_in(sample) - _COMMON))
        return UnreadableError(
            path, f"{what}; {nearest.title} are nearest (they have {fields}, too): choose another file."
        )
    if content.failure:
        return content.failure
    return UnreadableError(path, f"{what}: inspector formats lists them. Choose another file.")


def _fields_in(sample: Sample) -> frozenset[str]:
    """The names of the fields of a file's first records, or of the columns and tables of a database."""
    columns = (frozenset([name, *names]) for name, names in sample.tables.items())
    return frozenset().union(*sample.objects, *columns)


def tail(path: str | Path) -> Session | None:
    """The newest context of a long file, for a first frame while the rest is read.

    None for short files, for formats that have no such end, and where none is found. Raises nothing: what is wrong with
    the file is told when all of it is read.
    """
    try:
        if Path(path).stat().st_size < _LARGE_FILE_BYTES:
            return None
        content = open_content(path)
        best = format_of(content.sample)
        return best.tail(content) if best else None
    except (OSError, UnreadableError, RecursionError):
        return None


def stays_in_file(path: str | Path) -> bool:
    """Whether the texts of a file's messages are read from there when they are asked for, and not held in memory.

    Reads the beginning only. False, too, for what cannot be read.
    """
    try:
        content = lines_of(open_source(path))
    except (OSError, UnreadableError, RecursionError):
        return False
    best = format_of(content.sample) if content and content.source.data is None else None
    return best is not None and best.leaves_texts


def files_of(path: Path) -> list[Path]:
    """The files that `load` reads for one: the file itself, and those that belong to it."""
    return [path, *dict.fromkeys(part for kind in _ALL for part in kind.parts(path))]


def is_log(path: str | Path) -> bool:
    """Whether a file holds a recording in a form that no export has: records one a line, or several conversations.

    A single request is no log: it may be an export.
    """
    try:
        content = open_content(path)
        best = format_of(content.sample)
    except (UnreadableError, RecursionError):
        return False
    shape = content.sample.shape
    if best is None:
        return shape == "lines" or (shape == "archive" and bool(_recordings_in(content)))
    return shape in ("lines", "list") or not best.is_request


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """No search for garbage while a session is built: all of it stays, and searching takes a fifth of the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        skip_young_gc()  # to search the new ones takes as long as making them
        gc.enable()


def _may_hold_some(path: Path) -> bool:
    """Whether a file in a folder may hold conversations. Markdown is mostly something else, so it is looked at."""
    suffix = path.suffix.lower()
    if suffix not in _MARKDOWN:
        return suffix in _SUFFIXES
    try:
        return format_of(open_content(path).sample) is not None
    except UnreadableError:
        return False


def _files_below(root: Path, pass_over: Callable[[Path], object] | None = None) -> Iterator[Path]:
    """All files of a folder and of those in it, but for hidden ones; `pass_over` gets what may not be looked into."""
    onerror = (lambda error: pass_over(Path(error.filename))) if pass_over else None
    for folder, folders, files in os.walk(root, onerror=onerror):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in files if not name.startswith("."))


def passed_over(folder: str | Path) -> list[Path]:
    """The files of a folder that `find` leaves out because recordings have other names, in order."""
    others = (file for file in _files_below(Path(folder)) if not _may_hold_some(file))
    return sorted(file for file in others if file.is_file() and not is_companion_file(file))


def find(path: str | Path, pass_over: Callable[[Path], object] | None = None) -> list[Path]:
    """The files that may hold conversations: a file itself; of a folder, all below it that may, in order.

    `pass_over` gets each folder that the system does not let us look into.
    Hidden folders are left out, and so are companions of exports and the files of sub-agents that
    are read with their session's own file.
    Whether a file really holds a conversation is told by `load`.
    """
    root = Path(path)
    if not root.is_dir():
        return [root]
    paths = [file for file in _files_below(root, pass_over) if _may_hold_some(file) and file.is_file()]
    all_paths = set(paths)
    alone = [path for path in paths if all_paths.isdisjoint(filter(None, (kind.whole(path) for kind in _ALL)))]
    return sorted(path for path in alone if not is_companion_file(path))
