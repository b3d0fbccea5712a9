"""The app: its screens, the store, and the background work that connects them."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.screen import Screen
from textual.widget import AwaitMount
from textual.worker import Worker, WorkerState, get_current_worker

from inspector import library as libraries, store
from inspector.analysis import experiments
from inspector.core.crash import error_message
from inspector.core.settings import save_setting
from inspector.ui import dialogs, screens
from inspector.ui.bindings import bindings
from inspector.ui.dialogs.overlay import close_overlay
from inspector.ui.hints import PACE, HintBook, show_hint, switch_hints
from inspector.ui.key_remaps import with_keys
from inspector.ui.last_place import PlaceKeeper
from inspector.ui.library_controller import IMPORTING, LibraryController
from inspector.ui.opening_screen import OpeningScreen
from inspector.ui.screen_loading import load_screens
from inspector.ui.screens.navigation import WeighedScreen
from inspector.ui.tabs import TABS
from inspector.ui.terminal_app import (
    Ending,
    TerminalApp,
    clear_notices,
    covers_tabs,
    save_screenshot,
    without_fonts,
)
from inspector.ui.workers.jobs import Busy, ScreenJobs, WriteQueue

if TYPE_CHECKING:
    from inspector.engine.facts import Weights
    from inspector.library import Library, Step, Workbench
    from inspector.ui.depths import Depth
    from inspector.ui.messages import ChangePlans, CompareSessions, ImportFiles, OpenTarget, ReplayPreset, Weighed
    from inspector.ui.screens.inspect import Inspect

_REFINE = 1.0
"""Seconds between two updates with better token counts."""


class InspectorApp(TerminalApp):
    """The app: opens sessions, saves them in the store, and shows one screen at a time."""

    TITLE = "Inspector"
    CSS_PATH = "inspector.tcss"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "opening": lambda: OpeningScreen(),
        "sessions": lambda: screens.Sessions(),
        "inspect": lambda: screens.Inspect(),
        "replay": lambda: screens.ReplayScreen(),
        "tune": lambda: screens.Tune(),
        "memory": lambda: screens.MemoryScreen(),
        "agents": lambda: screens.AgentsScreen(),
        "live": lambda: screens.LiveScreen(),
        "overview": lambda: screens.OverviewScreen(),
    }
    DEFAULT_MODE = "sessions"
    ALLOW_SELECT = False
    """Selection is off: the widgets draw lines, and Textual fails on a click on a notice that is being removed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("app")

    def __init__(
        self,
        targets: Sequence[str] = (),
        library: Library | None = None,
        limit: int = 0,
        look_around: bool = True,
        ending: Ending = lambda _app, _code: None,
        depth: Depth = "truecolor",
    ) -> None:
        """Create the app.

        Args:
            targets: Paths, `path#n` or stored session IDs.
            library: Source of stored sessions. Without one, or without a store in it, nothing is saved.
            limit: Context window in tokens that overrides the models' own; 0 keeps theirs.
            look_around: True to offer sessions from the agents' own folders.
            ending: Called with the app and the exit status on a failure, before the app closes; ensures that it closes.
            depth: Colour depth of the terminal.
        """
        self.direct = len(targets) == 1 and not Path(targets[0]).is_dir()
        """True if exactly one session was named: it is opened at once, and the library is listed afterwards."""
        if self.direct:
            self.DEFAULT_MODE = "opening"  # type: ignore[misc]  # read once, by the next line
        super().__init__(ending, depth)
        self.targets = tuple(targets)
        self.library = library
        self.store = library.store if library else None
        self.team = library.team if library else None
        self.outputs = library.outputs if library else libraries.Outputs()
        self.limit = limit
        listed = () if self.direct else self.targets
        self.sessions = LibraryController(
            ScreenJobs(self), self, self.show_library, library, listed, look_around, limit
        )
        self.writes = WriteQueue(self.store, partial(self.call_on_app_thread, partial(_show_failure, self)))
        self.hints: HintBook | None = None
        """Hints that explain symbols when they first appear; None to show none."""
        self.places = PlaceKeeper()
        self._warned_of = ""
        """Unfinished work that the user was last warned about when quitting."""
        self.weights: dict[str, Weights] = {}
        """Weights of the fact classes that the user has changed, by session ID."""

    def on_mount(self) -> None:
        if self.hints is not None:
            self.set_interval(PACE, partial(show_hint, self, self.hints))
        if self.direct:
            self.early_keys.begin()
            self.call_after_refresh(self.open, self.targets[0])
        else:
            self.call_after_refresh(self.sessions.list_sessions)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        yield SystemCommand("Theme", "Light, dark and others", self.action_change_theme)
        yield SystemCommand("Screenshot", "Save the screen as an SVG picture", self.action_picture)
        yield SystemCommand("Quit", with_keys("Leave Inspector (key {close}; {quit} from anywhere)"), self.action_quit)
        for tab in TABS:
            yield SystemCommand(tab.name, f"{tab.about} (key {tab.key})", partial(self.action_mode, tab.mode))
        if self.hints is not None:
            yield SystemCommand("Hints", "Turn them off, or on again", partial(switch_hints, self, self.hints))
        yield SystemCommand("Help", with_keys("Keys and symbols of this screen (key {help})"), self.action_help)

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, dialogs.CommandDialog):
            dialog = dialogs.CommandDialog(self.screen, self.get_system_commands(self.screen))
            self.push_screen(dialog, lambda command: command and self.call_later(command))

    def action_change_theme(self) -> None:
        self.push_screen(dialogs.ThemeDialog(self.available_themes.values(), self.theme), self.set_theme)

    def set_theme(self, name: str | None) -> None:
        """Apply a theme and save it as the default. None, from a dismissed dialog, changes nothing."""
        if name is None:
            return
        self.theme = name
        try:
            save_setting("theme", name)
        except (OSError, ValueError) as error:
            self.notify(f"Cannot save the theme: {error}. It applies until you quit.", severity="warning")

    def action_picture(self) -> None:
        """Save a screenshot in the working directory, taken after the command palette has closed."""
        self.call_after_refresh(lambda: self.notify(save_screenshot(self.export_screenshot())))

    def base(self, mode: str) -> Screen[Any] | None:
        """Return the base screen of a mode, or None if it has not been mounted yet."""
        stack = self._screen_stacks.get(mode)
        return stack[0] if stack and stack[0].is_mounted else None

    async def inspect(self) -> Inspect:
        """Switch to the Inspect screen and return it."""
        await self.switch_mode("inspect")
        screen = self._screen_stacks["inspect"][0]
        assert isinstance(screen, screens.Inspect)
        await AwaitMount(screen, [screen])  # a key may have started to show it just before
        return screen

    async def action_mode(self, mode: str) -> None:
        if not self.has_session and any(tab.mode == mode and tab.needs_session for tab in TABS):
            self.notify(f"No session is open yet: {self.sessions.first_step()}.")
            return
        if mode == self.current_mode and covers_tabs(self.screen):
            await close_overlay(self.screen)  # the highlighted tab leads to the screen that this one covers
            return
        if mode != self.current_mode and self.is_remark:
            clear_notices(self)
        await self.switch_mode(mode)
        self.show_library()
        self.show_bench()

    def show_bench(self) -> None:
        """Pass the open session from Inspect to the screen in front, if that screen shows whole sessions."""
        inspect, mode = _inspect(self.base("inspect")), self.current_mode
        front = self.base(mode)
        if mode == "memory" and isinstance(front, screens.MemoryScreen):
            front.open_in(inspect.state if inspect else None)
        if inspect is None or mode not in ("replay", "tune", "agents"):
            return
        bench, agent = inspect.state.bench, inspect.state.agent
        weights = self.weights.get(bench.session.id, experiments.USUAL)
        if mode == "replay" and isinstance(front, screens.ReplayScreen):
            front.open(bench, agent, weights)
        elif mode == "tune" and isinstance(front, screens.Tune):
            front.controller.set_weights(weights)
            front.controller.open(bench, agent)
        elif mode == "agents" and isinstance(front, screens.AgentsScreen):
            front.open(bench, self.sessions.team_titles)

    def action_help_quit(self) -> None:
        """Answer ctrl+c, which copies in text fields and does not quit."""
        self.notify(with_keys("{quit} quits Inspector."))

    async def action_leave(self) -> None:
        """Close the dialog or screen in front; on a base screen quit, after a warning if work would be lost."""
        if len(self.screen_stack) > 1:
            await close_overlay(self.screen)
        elif (work := _unfinished(self)) and work != self._warned_of:
            self._warned_of = work
            self.notify(with_keys("{work} Press {close} again to quit anyway.", work=work), severity="warning")
        else:
            await self.action_quit()

    def action_help(self) -> None:
        if not isinstance(self.screen, dialogs.Help):
            self.push_screen(dialogs.Help(self.screen))

    def show_library(self) -> None:
        screen = self.base("sessions")
        if screen is not None and isinstance(screen, screens.Sessions):
            screen.show_result(self.sessions)
        if self.current_mode == "live" and isinstance(live := self.base("live"), screens.LiveScreen):
            live.offer(self.sessions, self.limit)
        if self.current_mode == "overview" and isinstance(front := self.base("overview"), screens.OverviewScreen):
            front.open(self.sessions.readable, self.sessions.state.entries.values())

    def on_import_files(self, message: ImportFiles) -> None:
        self.sessions.import_files(message.paths)

    async def on_open_target(self, message: OpenTarget) -> None:
        if message.target:
            self.early_keys.begin()
            self.open(message.target, message.message, message.words)
        else:
            (await self.inspect()).go_to_message(message.message, words=message.words)

    @work(thread=True, group="open", exclusive=True, exit_on_error=False)
    def open(self, target: str, message: str = "", words: str = "") -> None:
        """Open a target in a thread: show the first window once the file is read, then refine it.

        Args:
            target: A path, `path#n` or a stored session ID.
            message: ID of a message to jump to, at the first turn whose window contains it.
            words: Search terms to highlight in that message.
        """
        worker = get_current_worker()
        self.places.opening = target
        opener = libraries.Opener(
            self.store,
            self.limit,
            keeps=self.team is None,  # a team's sessions are not copied
            shows_tail=True,
            refine=_REFINE,
            write=self.writes.add,
            team=self.team,
            helper_from=libraries.LARGE_SESSION_BYTES,
        )
        try:
            for step in opener.steps(target, is_cancelled=lambda: worker.is_cancelled):
                if worker.is_cancelled:
                    return
                self.call_on_app_thread(self.show_step, step, message, words)
                if step.first:
                    load_screens()  # before messages are counted, so that the next key finds its dialog
        except libraries.OpenError as error:
            self.call_on_app_thread(self.show_step, libraries.Step(problem=str(error)), message)
        except store.StoreError as error:
            self.call_on_app_thread(self.show_step, libraries.Step(problem=f"{error}."), message)

    async def show_step(self, step: Step, message: str, words: str = "") -> None:
        """Show the progress of an opening.

        Args:
            step: Latest step of the opening.
            message: ID of the message to jump to; empty for none.
            words: Search terms to highlight in that message.
        """
        _show_notes(self, step)
        screen = await self.inspect() if step.first else _inspect(self.base("inspect"))
        if screen is not None:
            screen.busy = Busy(step.activity, step.share) if step.activity else None
            if step.bench and step.first:
                call_on_app_thread = partial(self.call_on_app_thread, self.set_stored_plans)
                screen.open(libraries.PlanStacks(step.bench, self.writes.add, call_on_app_thread), message, words)
                self.has_session = True
            elif step.bench:
                _set_bench(self, screen, step.bench)
            is_nothing_open = step.problem and not screen.controller.is_open
            if mode := "sessions" if is_nothing_open else self.places.mode(screen, step):
                await self.action_mode(mode)
        if self.direct and not step.activity:
            self.sessions.list_sessions()

    def call_on_app_thread(self, handler: Callable[..., Any], *values: Any) -> None:
        """Call a handler on the app's own thread. Does nothing once the app is closing."""
        if self.is_running and not self._exit:
            try:
                self.call_from_thread(handler, *values)
            except RuntimeError:
                return

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report an unexpected failure of a worker and keep the app running."""
        if event.state is WorkerState.ERROR:
            error = event.worker.error
            if error is not None:
                self.notify(error_message(error), severity="error")

    async def on_replay_preset(self, message: ReplayPreset) -> None:
        await self.action_mode("replay")
        if isinstance(self.screen, screens.ReplayScreen):
            self.screen.controller.show_preset(message.preset)

    def on_change_plans(self, message: ChangePlans) -> None:
        """Push a plan made on another screen onto the open session's stack, or undo or redo one."""
        inspect = _inspect(self.base("inspect"))
        if inspect is None or inspect.state.agent != message.agent:
            return
        if message.plan is None:
            inspect.controller.undo(message.is_redo)
        else:
            inspect.controller.put_plan(message.plan)
        self.show_bench()

    def on_compare_sessions(self, message: CompareSessions) -> None:
        both = screens.two_sessions((message.one, message.other), self.library, self.limit)
        self.push_screen(screens.CompareScreen(both, "sessions"))

    def on_weighed(self, message: Weighed) -> None:
        self.weights |= dict.fromkeys(message.sessions, message.weights)
        for stack in self._screen_stacks.values():
            for screen in stack:
                if isinstance(screen, WeighedScreen):
                    screen.weigh(message.sessions, message.weights)

    def set_stored_plans(self, old: Workbench, new: Workbench) -> None:
        """Show the stored plans after a change was rejected, and discard summaries a model wrote for other plans."""
        screen = _inspect(self.base("inspect"))
        if screen is not None and screen.controller.set_stored_plans(old, new):
            self.show_bench()

    async def on_unmount(self) -> None:
        self.sessions.close()
        self.places.save(self.current_mode)
        await to_thread(self.writes.close)

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """Return the screen as SVG that loads no fonts from a server."""
        return without_fonts(super().export_screenshot(title=title, simplify=simplify))


def _inspect(screen: Screen[Any] | None) -> Inspect | None:
    """Return a screen as the Inspect screen, or None if it is another one. Imports Inspect only if needed."""
    return screen if screen is not None and isinstance(screen, screens.Inspect) else None


def _unfinished(app: InspectorApp) -> str:
    """Return a sentence about the work that quitting now would stop, or an empty string."""
    inspect, busy = _inspect(app.base("inspect")), app.sessions.state.busy
    if inspect is not None and inspect.controller.writer.busy:
        return "The model is still writing a summary."
    return "Files are still being imported." if busy is not None and busy.what == IMPORTING else ""


def _show_notes(app: InspectorApp, step: Step) -> None:
    """Show problems and remarks of the opened target.

    A target of the command line that cannot be opened, and other sessions in its file, are added to the library.
    """
    if step.problem:
        app.early_keys.drop()
        if app.direct:
            app.sessions.add_targets(app.targets)  # its row goes on stating the problem
        app.notify(app.places.problem(step.problem), severity="error")
    elif app.direct and step.siblings:
        app.sessions.add_targets(app.targets)
        text = "This is the first of {count:,} sessions in the file. {sessions}: list them."
        app.notify(with_keys(text, count=step.siblings + 1))
    elif step.notes:
        app.notify(" ".join(step.notes))


def _show_failure(app: InspectorApp, error: Exception) -> None:
    app.notify(f"Cannot save the setting: {error}.")


def _set_bench(app: InspectorApp, screen: Inspect, bench: Workbench) -> None:
    """Replace the workbench of the open session with a refined one."""
    if screen.controller.set_bench(bench):
        _show_failure(app, store.StaleError())
    app.show_bench()
