"""What lies over a screen: dialogs that ask, and readers that show one thing whole.

Each loads when it is first shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.lazy import lazy_names

if TYPE_CHECKING:
    from inspector.ui.dialogs.bookmarks import BookmarksScreen
    from inspector.ui.dialogs.choice import ValueScreen
    from inspector.ui.dialogs.commands import CommandDialog, ThemeDialog
    from inspector.ui.dialogs.diff import DiffScreen
    from inspector.ui.dialogs.export import ExportScreen
    from inspector.ui.dialogs.help import Help
    from inspector.ui.dialogs.layers import LayersScreen
    from inspector.ui.dialogs.lost import LostScreen
    from inspector.ui.dialogs.origin import OriginScreen, SummaryReader
    from inspector.ui.dialogs.picker import Picker
    from inspector.ui.dialogs.problems import ProblemsScreen
    from inspector.ui.dialogs.reader import Reader
    from inspector.ui.dialogs.save_preset import SavePreset
    from inspector.ui.dialogs.sizes import SizesScreen
    from inspector.ui.dialogs.stages import StagesScreen

__all__ = [
    "BookmarksScreen",
    "CommandDialog",
    "DiffScreen",
    "ExportScreen",
    "Help",
    "LayersScreen",
    "LostScreen",
    "OriginScreen",
    "Picker",
    "ProblemsScreen",
    "Reader",
    "SavePreset",
    "SizesScreen",
    "StagesScreen",
    "SummaryReader",
    "ThemeDialog",
    "ValueScreen",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "inspector.ui.dialogs.bookmarks": "BookmarksScreen",
        "inspector.ui.dialogs.commands": "CommandDialog ThemeDialog",
        "inspector.ui.dialogs.diff": "DiffScreen",
        "inspector.ui.dialogs.export": "ExportScreen",
        "inspector.ui.dialogs.help": "Help",
        "inspector.ui.dialogs.layers": "LayersScreen",
        "inspector.ui.dialogs.lost": "LostScreen",
        "inspector.ui.dialogs.origin": "OriginScreen SummaryReader",
        "inspector.ui.dialogs.picker": "Picker",
        "inspector.ui.dialogs.problems": "ProblemsScreen",
        "inspector.ui.dialogs.reader": "Reader",
        "inspector.ui.dialogs.save_preset": "SavePreset",
        "inspector.ui.dialogs.sizes": "SizesScreen",
        "inspector.ui.dialogs.stages": "StagesScreen",
        "inspector.ui.dialogs.choice": "ValueScreen",
    },
)
