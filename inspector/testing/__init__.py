"""Checks for the authors of plugins: what each format, memory store, strategy, provider, exporter and command must do.

Each check raises AssertionError with a sentence, and needs no test framework:

    from inspector.testing import check_strategy
    from my_plugin import EVERY_OTHER

    def test_every_other() -> None:
        check_strategy(EVERY_OTHER)
"""

from inspector.core.lazy import lazy_face

__getattr__, __dir__, __all__ = lazy_face(__name__)
