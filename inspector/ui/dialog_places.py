"""The verbs of every dialog and of the screens that open over another one."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.ui.key_places import KNOBS, Place, Use


def _closing(*verbs: str, action: str = "dismiss") -> tuple[Use, ...]:
    """Return help and the uses that close a dialog: back, close, and the verbs that opened it."""
    asks = () if "help" in verbs else (("help", "app.help", ""),)
    return (*asks, ("back", action, "Back"), *((verb, action, "") for verb in ("close", *verbs)))


DIALOG_PLACES: Mapping[str, Place] = {
    "prompt": Place(
        "Typing a search, a destination or a note",
        (
            ("back", "press('escape')", "Close the line"),
            ("switch_view", "press('tab')", "In a search: show only matches, or all messages"),
            ("down", "press('down')", "In a search: next match"),
            ("up", "press('up')", "In a search: previous match"),
            ("remove", "press('remove')", "In a note: remove the bookmark"),
        ),
        extends=(),
        is_modal=True,
        types=True,
    ),
    "session_search": Place(
        "Sessions: search",
        (("back", "dismiss", "Back"), ("down", "to_hits", "Go to the results")),
        extends=("list", "list_ends"),
        types=True,
    ),
    "import": Place(
        "Sessions: import",
        (
            ("open", "take_one", "Import only the session under the cursor"),
            ("apply", "take_all", "Import all"),
            ("no", "dismiss(None)", ""),
            *_closing(action="dismiss(None)"),
        ),
        is_modal=True,
    ),
    "columns": Place(
        "Sessions: columns",
        (
            ("toggle", "switch", "Show or hide the column"),
            ("move_up", "shift(-1)", "Move the column up"),
            ("move_down", "shift(1)", "Move the column down"),
            ("reset_all", "reset", "Show the usual columns"),
            *_closing("columns", action="close"),
        ),
        extends=("list", "list_ends"),
        is_modal=True,
    ),
    "unsupported": Place("Sessions: unsupported files", _closing("open"), extends=("list", "text"), is_modal=True),
    "reader": Place(
        "Reading a message",
        (
            ("find", "find", "Find words"),
            ("next_hit", "hit(1)", "Next match"),
            ("previous_hit", "hit(-1)", "Previous match"),
            ("copy", "copy", "Copy the text"),
            ("copy_all", "copy", ""),
            ("editor", "outside", "Open the text in your editor or pager"),
            ("switch_view", "raw", "The raw record, or the text"),
            ("back", "back", "Back"),
            ("close", "dismiss", ""),
            ("open", "dismiss", ""),
        ),
        extends=("list", "text"),
    ),
    "summary_reader": Place(
        "Reading a summary", (("origin", "origin", "The messages that the summary replaced"),), extends=("reader",)
    ),
    "origin": Place(
        "The messages of a summary",
        (("origin", "other", "The summary, or the messages of an earlier summary"), *_closing()),
    ),
    "bookmarks": Place("Bookmarks", (("drop", "remove", "Remove the bookmark"), *_closing("bookmarks"))),
    "work_state": Place("State of the work", _closing("work_state")),
    "next_loss": Place(
        "If it compacted now",
        (("copy", "copy", "Copy the note for the tool, so that its summary keeps the facts"), *_closing("next_loss")),
    ),
    "sources": Place(
        "Sources of a reply",
        (
            ("ask", "ask", "Ask a model which messages the reply depends on; nothing is sent before you agree"),
            ("yes", "send", "Send the requests that are listed, and pay for them"),
            ("more", "samples(1)", "More replies to each part of the context"),
            ("less", "samples(-1)", "Fewer replies to each part of the context"),
            ("much_more", "limit(1)", "Raise the limit of money"),
            ("much_less", "limit(-1)", "Lower the limit of money"),
            ("type", "write", "Type a text whose presence or absence in the reply is explained"),
            ("hide_secrets", "hide", "Hide or send secrets"),
            *_closing("sources", action="back"),
        ),
        extends=("list", "list_ends"),
    ),
    "ask": Place(
        "Ask a model",
        (
            ("yes", "send", "Send the requests that are listed, and pay for them"),
            ("toggle", "choose", "Choose the context, or leave it out"),
            ("more", "samples(1)", "More replies to each context"),
            ("less", "samples(-1)", "Fewer replies to each context"),
            ("much_more", "limit(1)", "Raise the limit of money"),
            ("much_less", "limit(-1)", "Lower the limit of money"),
            ("type", "write", "Type a question to ask at the end"),
            (
                "editor",
                "edit",
                "Edit the message under the cursor of Inspect, else the current request, and ask with the new text",
            ),
            ("hide_secrets", "hide", "Hide or send secrets"),
            ("page_down", "scroll(1)", "Scroll the replies down"),
            ("page_up", "scroll(-1)", "Scroll the replies up"),
            *_closing("ask", action="back"),
        ),
        extends=("list", "list_ends"),
        first=("page_down", "page_up"),
    ),
    "same_steps": Place(
        "Ask a model under presets",
        (
            ("yes", "send", "Send the requests that are listed, and pay for them"),
            ("more", "turns(1)", "Ask more turns"),
            ("less", "turns(-1)", "Ask fewer turns"),
            ("much_more", "limit(1)", "Raise the limit of money"),
            ("much_less", "limit(-1)", "Lower the limit of money"),
            *_closing("ask", action="back"),
        ),
        extends=("list", "list_ends"),
    ),
    "window_memories": Place(
        "Memories of a turn",
        (
            ("editor", "edit", "Open the file in your editor, at the line of the item"),
            ("copy", "copy", "Copy the text of the item"),
            ("page_down", "scroll(1)", "Scroll down"),
            ("page_up", "scroll(-1)", "Scroll up"),
            *_closing("memories"),
        ),
        extends=("list", "list_ends"),
    ),
    "lost": Place(
        "Lost facts",
        (
            ("next_finding", "need", "Go to the turn that needed the fact"),
            ("filter", "filter", "Show the next class of facts only"),
            ("diff", "diff", "Compare before and after, message by message"),
            ("copy", "copy", "Copy the lost facts as text for the agent"),
            *_closing("lost"),
        ),
        extends=("list", "loss_list"),
    ),
    "loss_list": Place(
        "Lost facts: list",
        (("first", "go(0)", ""), ("last", "go(-1)", ""), ("toggle", "fold", "Fold or unfold a group")),
        extends=(),
    ),
    "diff": Place(
        "Diff",
        (("switch_view", "side_by_side", "Unified, or side by side"), *_closing("diff")),
        extends=("list", "text"),
    ),
    "turn_diff": Place(
        "Diff of two turns",
        (
            ("left", "since(-1)", "Compare with an earlier turn"),
            ("right", "since(1)", "Compare with a later turn"),
            ("far_left", "since(-10)", "Compare with the turn ten earlier"),
            ("far_right", "since(10)", "Compare with the turn ten later"),
        ),
        extends=("diff",),
    ),
    "fill": Place(
        "What fills the window",
        (
            ("switch_view", "group(1)", "Group by tool, file, kind or turn, or list the files read more than once"),
            ("previous_view", "group(-1)", "Previous grouping"),
            ("right", "unfold", "Unfold"),
            ("left", "fold", "Fold"),
            ("toggle", "toggle_fold", ""),
            ("sort", "sort", "Largest first, or most repeated reads first"),
            ("try", "try_remedy", "Try the strategy that removes it"),
            *_closing("fill", action="dismiss(None)"),
        ),
        first=("switch_view", "previous_view"),
    ),
    "plans": Place(
        "Plans",
        (
            ("undo", "undo", "Undo the newest plan"),
            ("redo", "undo(True)", "Redo the plan that was undone last"),
            ("lost", "look", "Facts lost by the plan"),
            *_closing("plans", action="dismiss(None)"),
        ),
        is_modal=True,
    ),
    "questions": Place(
        "Questions for going on",
        (
            ("origin", "read", "Read the message that states the answer"),
            ("next_compaction", "compression(1)", "Next compression"),
            ("previous_compaction", "compression(-1)", "Previous compression"),
            *_closing("lost"),
        ),
        extends=("list", "loss_list"),
    ),
    "problems": Place(
        "Problems",
        (
            ("switch_view", "provider", "Check another provider"),
            *_closing("problems", action="dismiss(None)"),
        ),
        extends=("list", "text"),
        is_modal=True,
        first=("switch_view",),
    ),
    "choice": Place(
        "Choosing from a list",
        (
            ("up", "move(-1)", ""),
            ("down", "move(1)", ""),
            ("page_up", "move(-8)", ""),
            ("page_down", "move(8)", ""),
            ("back", "dismiss(None)", "Close"),
        ),
        is_modal=True,
        types=True,
    ),
    "strategy_choice": Place(
        "Inspect: strategy",
        (("switch_view", "lost", "Show the facts that the choice would lose"), ("back", "dismiss(None)", "Close")),
        extends=("choice",),
        is_modal=True,
        types=True,
    ),
    "value": Place("Typing a value", (("back", "dismiss(None)", "Close"),), extends=(), is_modal=True, types=True),
    "stages": Place(
        "Pipeline",
        (
            ("insert", "add", "Add a stage after this one"),
            ("drop", "remove", "Remove the stage"),
            ("move_up", "shift(-1)", "Move the stage up"),
            ("move_down", "shift(1)", "Move the stage down"),
            *KNOBS,
            *_closing(action="dismiss(None)"),
        ),
        is_modal=True,
        first=("move_up", "move_down", *(verb for verb, _, _ in KNOBS)),
    ),
    "write": Place(
        "Writing a file",
        (("replace", "replace", "Replace the existing file"), ("back", "dismiss(None)", "Close")),
        extends=(),
        is_modal=True,
        types=True,
    ),
    "export": Place(
        "Export",
        (
            ("switch_view", "switch", "Next format"),
            ("hide_secrets", "hide", "Hide or show secrets"),
            ("up", "budget(100)", "Longer briefing"),
            ("down", "budget(-100)", "Shorter briefing"),
            ("page_up", "budget(1000)", ""),
            ("page_down", "budget(-1000)", ""),
        ),
        extends=("write",),
        is_modal=True,
        types=True,
        first=("switch_view", "hide_secrets"),
    ),
    "question": Place(
        "Question",
        (
            ("yes", "dismiss(True)", "Yes"),
            ("open", "dismiss(True)", ""),
            ("no", "dismiss(False)", "No"),
            *_closing(action="dismiss(False)"),
        ),
        extends=(),
        is_modal=True,
    ),
    "help": Place("Help", _closing("help"), extends=("list", "text"), is_modal=True),
    "preset_choice": Place(
        "Replay: preset",
        (("strategy", "next", "Next preset"), ("back", "dismiss(None)", "Close")),
        is_modal=True,
    ),
    "sweep": Place("Tune: sweep", (("back", "dismiss(())", "Close"),), extends=(), is_modal=True, types=True),
    "preset_export": Place(
        "Tune: export",
        (
            ("switch_view", "target(1)", "Next framework"),
            ("previous_view", "target(-1)", "Previous framework"),
            ("up", "scroll(-1)", ""),
            ("down", "scroll(1)", ""),
        ),
        extends=("write",),
        is_modal=True,
        types=True,
        first=("switch_view", "previous_view"),
    ),
    "weights": Place(
        "Weights of the fact classes",
        (
            ("more", "turn(1)", "More weight"),
            ("less", "turn(-1)", "Less weight"),
            ("much_more", "turn(10)", "Much more weight"),
            ("much_less", "turn(-10)", "Much less weight"),
            ("right", "turn(1)", ""),
            ("left", "turn(-1)", ""),
            ("far_right", "turn(10)", ""),
            ("far_left", "turn(-10)", ""),
            ("undo", "reset", "Reset the class"),
            ("redo", "redo", "Restore the weights from before the reset"),
            ("reset_all", "reset_all", "Reset all classes"),
            *_closing("weights", action="dismiss(None)"),
        ),
        is_modal=True,
    ),
    "inject": Place(
        "Memory: insert",
        (
            ("apply", "put", "Insert the text into the window"),
            ("open", "put", ""),
            ("find", "to_words", "Change the query"),
            ("more", "budget(250)", "More tokens"),
            ("less", "budget(-250)", "Fewer tokens"),
            ("much_more", "limit(1)", "More memories"),
            ("much_less", "limit(-1)", "Fewer memories"),
            ("down", "to_text", "Go to the text"),
            ("back", "dismiss(None)", "Back"),
        ),
        types=True,
    ),
    "stores": Place(
        "Memory: stores",
        (
            ("left", "previous", "To the stores"),
            ("right", "next", "To the items"),
            ("switch_view", "next", ""),
            ("previous_view", "previous", ""),
            ("find", "search", "Search the items of all stores"),
            ("editor", "edit", "Open the file in your editor, at the line of the item"),
            ("copy", "copy", "Copy the patch of the finding, or the text of the item"),
            ("sessions", "sessions", "List the sessions that loaded the item"),
            ("page_down", "scroll(1)", "Scroll down"),
            ("page_up", "scroll(-1)", "Scroll up"),
            ("refresh", "read", "Read the stores again"),
            *_closing("on_this_machine"),
        ),
        extends=("list", "list_ends"),
    ),
    "notes": Place(
        "Memory: notes",
        (
            ("left", "version(-1)", "Previous version"),
            ("right", "version(1)", "Next version"),
            ("page_down", "scroll(1)", "Scroll down"),
            ("page_up", "scroll(-1)", "Scroll up"),
            ("toggle", "scroll(1)", ""),
            ("refresh", "read", "Read the notes again"),
            *_closing("history"),
        ),
        extends=("list", "list_ends"),
    ),
}
