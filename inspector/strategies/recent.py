"""What counts as recent, the same for every strategy that keeps the newest messages."""

from __future__ import annotations

from inspector.window.window import Window


def recent(window: Window, keep: int) -> frozenset[int]:
    """Places of the last `keep` messages (system messages not counted), widened outward to whole groups.

    Where words from the user stand shortly before (within half of `keep` again), the recent part begins there, so
    that it starts with a question and not in the middle of an answer. `keep` 0 means none.
    """
    if keep <= 0:
        return frozenset()
    spoken = [index for index, message in enumerate(window.messages) if message.role != "system"]
    newest = whole_groups(window, spoken[-keep:])
    start = min(newest, default=0)
    before = spoken[: spoken.index(start)] if newest else []
    for index in reversed(before[-(keep // 2) :] if keep // 2 else []):
        message = window.messages[index]
        if message.role == "user" and message.kind == "said" and window.messages[start].role != "user":
            return whole_groups(window, [each for each in spoken if each >= index])
    return newest


def whole_groups(window: Window, indices: list[int]) -> frozenset[int]:
    groups = window.groups
    numbers = {groups.of[index] for index in indices}
    return frozenset(member for number in numbers for member in groups.members[number])
