from inspector.ui.dialogs.ask_dialog import ask_screen as ask_screen
from inspector.ui.dialogs.bookmarks_dialog import BookmarksScreen as BookmarksScreen
from inspector.ui.dialogs.choice_dialog import ValueScreen as ValueScreen
from inspector.ui.dialogs.command_palette import CommandDialog as CommandDialog, ThemeDialog as ThemeDialog
from inspector.ui.dialogs.diff_dialog import TurnDiff as TurnDiff
from inspector.ui.dialogs.export_dialog import ExportScreen as ExportScreen
from inspector.ui.dialogs.help import Help as Help
from inspector.ui.dialogs.layers import LayersScreen as LayersScreen
from inspector.ui.dialogs.lost_dialog import LostScreen as LostScreen
from inspector.ui.dialogs.memories_dialog import memories_screen as memories_screen
from inspector.ui.dialogs.message_reader import Reader as Reader
from inspector.ui.dialogs.next_loss_dialog import NextLossScreen as NextLossScreen
from inspector.ui.dialogs.origin import OriginScreen as OriginScreen, SummaryReader as SummaryReader
from inspector.ui.dialogs.picker import Picker as Picker
from inspector.ui.dialogs.problems_dialog import ProblemsScreen as ProblemsScreen
from inspector.ui.dialogs.question import Confirmation as Confirmation
from inspector.ui.dialogs.questions_dialog import QuestionsScreen as QuestionsScreen
from inspector.ui.dialogs.save_preset import SavePreset as SavePreset
from inspector.ui.dialogs.sizes_dialog import SizesScreen as SizesScreen
from inspector.ui.dialogs.sources_dialog import sources_screen as sources_screen
from inspector.ui.dialogs.stages import StagesScreen as StagesScreen
from inspector.ui.dialogs.state_dialog import WorkStateScreen as WorkStateScreen
from inspector.ui.dialogs.steps_dialog import steps_screen as steps_screen
