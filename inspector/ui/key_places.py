"""The verbs of every screen, and of the parts that several screens share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Use = tuple[str, str, str]
"""A verb, the action that it runs, and its effect as a sentence; without a sentence it is left out of help."""


@dataclass(frozen=True, slots=True)
class Place:
    """A screen, a dialog or a part of one, with the verbs that it binds."""

    title: str
    uses: tuple[Use, ...]
    extends: tuple[str, ...] = ("list",)
    """Other places whose verbs are available here: a base class, or a part that can have the focus."""
    is_modal: bool = False
    """True if the keys of the app have no effect here."""
    types: bool = False
    """True if text is typed here, so that a key that types a character cannot be the only one of a verb."""
    first: tuple[str, ...] = ()
    """Verbs that are handled before the focused part sees the key."""


_TURNS: Sequence[Use] = (
    ("left", "turn(-1)", "Previous turn"),
    ("right", "turn(1)", "Next turn"),
    ("far_left", "turn(-10)", "Ten turns back"),
    ("far_right", "turn(10)", "Ten turns forward"),
    ("first", "turn(-1000000000)", "First turn"),
    ("last", "turn(1000000000)", "The context as it is now"),
    ("next_compaction", "compaction(1)", "Next compaction"),
    ("previous_compaction", "compaction(-1)", "Previous compaction"),
)
KNOBS: Sequence[Use] = (
    ("next_setting", "knob(1)", "Next setting"),
    ("previous_setting", "knob(-1)", "Previous setting"),
    ("more", "turn_knob(1)", "Raise the value"),
    ("less", "turn_knob(-1)", "Lower the value"),
    ("much_more", "turn_knob(10)", "Raise the value by ten steps"),
    ("much_less", "turn_knob(-10)", "Lower the value by ten steps"),
    ("type", "write_knob", "Type the value"),
)
_AGENTS: Sequence[Use] = (
    ("next_agent", "agent(1)", "Next agent"),
    ("previous_agent", "agent(-1)", "Previous agent"),
)

SCREEN_PLACES: Mapping[str, Place] = {
    "app": Place(
        "Everywhere",
        (
            ("help", "help", "Help"),
            ("palette", "command_palette", "Command palette: run any command by name"),
            ("close", "leave", "Close the dialog or screen in front; on a screen with tabs, quit"),
            ("quit", "quit", "Quit from anywhere"),
            ("sessions", "mode('sessions')", "Sessions"),
            ("inspect", "mode('inspect')", "Inspect"),
            ("replay", "mode('replay')", "Replay"),
            ("tune", "mode('tune')", "Tune"),
            ("memory", "mode('memory')", "Memory"),
            ("agents", "mode('agents')", "Agents"),
            ("live", "mode('live')", "Live"),
            ("overview", "mode('overview')", "Overview"),
        ),
        extends=(),
        first=("quit", "palette"),
    ),
    "list": Place(
        "Lists and texts",
        (
            ("up", "move(-1)", "Previous line"),
            ("down", "move(1)", "Next line"),
            ("page_up", "page(-1)", "Page up"),
            ("page_down", "page(1)", "Page down"),
            ("top", "go(0)", "First line"),
            ("bottom", "go(-1)", "Last line"),
            ("open", "open", "Open the line"),
            ("zoom", "zoom", "Zoom this panel; again, or esc: all panels"),
        ),
        extends=(),
    ),
    "text": Place("Texts", (("toggle", "page(1)", ""),), extends=()),
    "list_ends": Place("Lists without turns", (("first", "go(0)", ""), ("last", "go(-1)", "")), extends=()),
    "opening_list": Place("Lists that open", (("open", "screen.open", ""),), extends=()),
    "sessions": Place(
        "Sessions",
        (
            ("open", "open", "Open the session"),
            ("find", "filter", "Find sessions by title, project, model, format or path"),
            ("find_everywhere", "search", "Search the text of all sessions"),
            ("sort", "sort", "Sort by the next column; a click on its head does the same"),
            ("invert_sort", "sort(True)", "Sort in reverse"),
            ("columns", "columns", "Choose the columns and their order"),
            ("on_this_machine", "machine", "Show or hide the sessions found on this machine"),
            ("mark", "mark", "Mark the session to compare another one with it"),
            ("compare", "compare", "Compare the session with the marked one"),
            ("over_sessions", "over_sessions", "Compare the presets over the listed sessions"),
            ("insert", "import", "Import the listed sessions into the store"),
            ("drop", "remove_stored", "Remove the stored session for good, with its plans and memories"),
            ("try", "demo", "Try the sample sessions, with a tour"),
            ("back", "clear", "Clear the filter"),
        ),
        extends=("list", "list_ends"),
    ),
    "inspect": Place(
        "Inspect",
        (
            *_TURNS,
            ("next_finding", "need(1)", "Next reply that needed something already dropped"),
            ("previous_finding", "need(-1)", "Previous reply that needed something already dropped"),
            *_AGENTS,
            ("go_to", "on_list('place')", "Go to a message or a turn by its number"),
            ("open", "open", "Read the message, or unfold a group"),
            ("toggle", "on_list('fold')", "Fold or unfold the messages that are removed"),
            ("origin", "origin", "From a summary to its messages, or from a message to its summary"),
            ("lost", "lost", "Facts lost in a compaction or by the plans"),
            ("next_loss", "on_list('next_loss')", "If it compacted now: the facts at risk, and a note that keeps them"),
            ("work_state", "on_list('state')", "The state of the work: folder, rules, tasks, plans, processes"),
            ("memories", "on_list('memories')", "The memories in the window: rules, notes, recalled items, summaries"),
            ("sources", "on_list('sources')", "The sources of the reply: the messages that state its values"),
            ("ask", "on_list('ask')", "Ask a model: its replies to this context and to changed ones"),
            ("diff", "lost(True)", "Compare before and after the plans, or with an earlier turn"),
            ("fill", "on_list('sizes')", "What fills the window, and which files were read more than once"),
            ("problems", "problems", "Problems of the request and of the file"),
            ("plans", "layers", "The plans that are applied"),
            ("find", "on_list('find')", "Find words, or messages by kind, tool or size"),
            ("next_hit", "on_list('hit')", "Next match"),
            ("previous_hit", "on_list('hit_before')", "Previous match"),
            ("sort", "on_list('sort')", "Sort the messages by size, or by time"),
            ("bookmark", "on_list('bookmark')", "Bookmark the message, with a note"),
            ("bookmarks", "on_list('bookmarks')", "The bookmarks of this session"),
            ("copy", "on_list('copy')", "Copy the command, path or text of the message"),
            ("copy_all", "on_list('copy_all')", "Copy the whole message"),
            ("editor", "on_list('outside')", "Open the message in your editor or pager"),
            ("strategy", "strategy", "Pick a strategy or a preset to try"),
            *KNOBS,
            ("apply", "apply", "Apply the plan"),
            ("undo", "undo", "Undo the newest plan"),
            ("redo", "undo(True)", "Redo the plan that was undone last"),
            ("model", "write_summary", "Let a model write the summary"),
            ("pin", "by_hand('pinned')", "Pin or unpin the message"),
            ("drop", "by_hand('dropped')", "Drop the message"),
            ("save", "save", "Save the strategy and its settings as a preset"),
            ("export", "export", "Export the window"),
            ("back", "back", "Stop trying, or back to the library"),
        ),
    ),
    "replay": Place(
        "Replay",
        (
            ("toggle", "play", "Play or pause"),
            ("more", "speed(1)", "Play faster"),
            ("less", "speed(-1)", "Play slower"),
            *_TURNS,
            ("next_finding", "regret(1)", "Next regret"),
            ("previous_finding", "regret(-1)", "Previous regret"),
            *_AGENTS,
            ("strategy", "preset", "Choose the preset"),
            ("open", "open", "Open the turn's window, or the message that needed the lost fact"),
            ("origin", "source", "Read the message that stated the lost fact"),
            (
                "lost",
                "questions",
                "Questions for going on and invented statements at the compression, with their evidence",
            ),
            ("weights", "weights", "Weights of the fact classes"),
            ("back", "back", "Back to Inspect"),
        ),
        extends=("list", "opening_list"),
    ),
    "tune": Place(
        "Tune",
        (
            ("open", "open", "Replay the preset of the row"),
            *KNOBS,
            ("undo", "undo", "Reset the row"),
            ("redo", "undo(True)", "Restore the settings from before the reset"),
            ("mark", "mark", "Mark the row to compare others with it"),
            ("compare", "compare", "Compare the row with the marked one, or with the recording"),
            ("sweep", "sweep", "Sweep a grid of settings around the row"),
            ("over_sessions", "over_sessions", "Compare the presets over the sessions that the library lists"),
            ("lost", "questions", "Questions for going on and invented statements of the row, with their evidence"),
            ("ask", "ask", "Ask a model under each preset: the share of same steps"),
            ("drop", "clear", "Remove the rows that a sweep added"),
            ("sort", "sort", "Sort by the next column; a click on its head does the same"),
            ("invert_sort", "turn_order", "Sort in reverse"),
            ("weights", "weights", "Weights of the fact classes"),
            *_AGENTS,
            ("save", "save", "Save the row as a preset"),
            ("export", "export", "Export the preset of the row for another framework"),
            ("back", "back", "Stop a sweep, or back to Inspect"),
        ),
        extends=("list", "list_ends", "opening_list"),
    ),
    "compare": Place(
        "Compare",
        (
            *_TURNS,
            ("diff", "difference", "First turn that differs"),
            ("switch_view", "pane(1)", "Next lane or list"),
            ("previous_view", "pane(-1)", "Previous lane or list"),
            ("open", "open", "Open the turn's window, or the message that stated the fact"),
            ("lost", "questions", "Questions for going on and invented statements of the side, with their evidence"),
            ("weights", "weights", "Weights of the fact classes"),
            ("ask", "ask", "Ask a model under both presets: the share of same steps"),
            ("back", "back", "Stop the work, or back"),
        ),
        extends=("list", "opening_list"),
    ),
    "memory": Place(
        "Memory",
        (
            ("left", "next_tier(-1)", "Previous tier"),
            ("right", "next_tier(1)", "Next tier"),
            ("switch_view", "next_tier(1)", ""),
            ("previous_view", "next_tier(-1)", ""),
            ("promote", "promote", "Promote: keep the item longer"),
            ("demote", "demote", "Demote: move the item one tier closer to the prompt"),
            ("find", "search", "Search the persistent tier"),
            ("insert", "inject", "Preview the memories that a query would insert into the window, and insert them"),
            ("pin", "pin", "Pin or unpin the item"),
            ("drop", "forget", "Delete the memory, after a question"),
            ("open", "open", "Go to the message that the item comes from"),
            ("toggle", "view", "Read the whole item"),
            ("history", "overlay('notes')", "The notes of working-memory agents, version by version"),
            ("on_this_machine", "overlay('stores')", "The memory stores of other programs, with findings"),
            ("undo", "undo", "Undo the newest plan"),
            ("redo", "undo(True)", "Redo the plan that was undone last"),
            ("down", "to_hits", ""),
            ("back", "back", "End the search, or back to Inspect"),
        ),
        extends=("list", "list_ends"),
    ),
    "agents": Place(
        "Agents",
        (
            ("open", "open", "Open the message in Inspect, at its turn"),
            ("toggle", "read", "Read the whole message"),
            ("origin", "other", "Go to the message at the other end"),
            ("switch_view", "pane", "Between lanes and list"),
            ("filter", "list", "Next list"),
            ("next_finding", "mark(1)", "Next message of the kind that the list shows"),
            ("previous_finding", "mark(-1)", "Previous message of that kind"),
            *_AGENTS,
            ("back", "back", "Back to Inspect"),
        ),
        extends=("list", "list_ends", "opening_list"),
    ),
    "live": Place(
        "Live",
        (
            ("open", "open", "Follow the session, or open the message in Inspect"),
            ("toggle", "pause", "Pause or resume"),
            ("apply", "turn_preset(True)", "Turn the preset of the recording on"),
            ("undo", "turn_preset(False)", "Turn it off, so that requests are sent unchanged"),
            ("bottom", "newest", "Go to the newest message, and stay there"),
            ("work_state", "work_state", "The state of the work now: folder, rules, tasks, plans, processes"),
            ("next_loss", "next_loss", "If it compacted now: the facts at risk, and a note that keeps them"),
            ("copy", "copy_note", "Copy a note for the tool that keeps the facts at risk in its next compaction"),
            ("back", "back", "Back to the list of sessions, or to the library"),
        ),
        extends=("list", "list_ends"),
    ),
    "overview": Place(
        "Overview",
        (
            ("open", "open", "List the sessions of the row, or open the session"),
            (
                "switch_view",
                "group(1)",
                "Group by the next kind: project, week, model, tool, MCP server, file and more",
            ),
            ("previous_view", "group(-1)", "Group by the previous kind"),
            ("filter", "period", "Next period: all times, 1 year, 90 days, 30 days"),
            ("refresh", "add_up", "Add up the stored sessions that have no totals yet"),
            ("back", "back", "Back to the groups, or to the library"),
        ),
        extends=("list", "list_ends"),
    ),
}
