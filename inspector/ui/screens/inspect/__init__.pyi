from inspector.ui.screens.inspect.screen import Inspect as Inspect
