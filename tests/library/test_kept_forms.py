"""Kept results can be written and read: the annotations of their classes are resolved when the program runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from inspector.analysis.context_loss import LossHistory
from inspector.analysis.experiments import kept_results
from inspector.core.conversation import Message
from inspector.core.plain_values import Link, PlainValues
from inspector.library.bench import kept_replays
from inspector.library.diagnosis import evidence, tool_advice
from tests.places import ROOT

if TYPE_CHECKING:
    from decimal import Decimal

FORMS: Mapping[str, Callable[[], PlainValues[Any]]] = {
    "analysis/experiments/kept_results.py": kept_results._form,
    "library/bench/kept_losses.py": lambda: PlainValues(LossHistory, {Message: Link(id, id)}),
    "library/bench/kept_replays.py": kept_replays._form,
    "library/diagnosis/evidence.py": lambda: PlainValues(evidence.Findings),
    "library/diagnosis/tool_advice.py": lambda: PlainValues(tuple[tool_advice._Reread, ...]),
}
"""How the results of each module are written."""


@dataclass(frozen=True)
class Unresolved:
    amount: Decimal


@pytest.mark.parametrize("module", FORMS)
def test_annotations_of_kept_results_are_resolved(module: str) -> None:
    form = FORMS[module]()
    assert callable(form.fields) and callable(form.value)


def test_every_module_that_keeps_results_is_tested() -> None:
    folder = ROOT / "inspector"
    modules = [path for path in folder.rglob("*.py") if "PlainValues(" in path.read_text(encoding="utf-8")]
    modules += [path for path in folder.rglob("*.py") if " kept_value(" in path.read_text(encoding="utf-8")]
    names = {path.relative_to(folder).as_posix() for path in modules}
    assert names - {"core/plain_values.py"} == FORMS.keys()


def test_an_import_for_the_type_checker_alone_is_refused_with_its_class() -> None:
    with pytest.raises(TypeError, match=r"Unresolved.*'Decimal' is not defined"):
        PlainValues(Unresolved)
