"""Several views side by side.

Lesson 00 uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hierrag_lessons import checks
from hierrag_lessons.evaluation.pieces import Located
from hierrag_lessons.model import Passage
from hierrag_lessons.showing.colours import EDGE
from hierrag_lessons.showing.views import markup
from hierrag_lessons.showing.views.passages import PassageView
from hierrag_lessons.showing.views.view import View, count
from hierrag_lessons.text.invisible import one_line

_ROW = f"{markup.PLAIN}display:flex;flex-wrap:wrap;gap:8px;margin:6px 0 0 0;"
# Three columns fit beside JupyterLab's file browser on a screen 1280 pixels wide; a phone shows one.
_COLUMN = f"{markup.PLAIN}flex:1 1 180px;min-width:0;border:1px solid {EDGE};border-radius:4px;padding:6px 8px;"
_SCROLLED = f"{markup.PLAIN}max-height:30em;overflow:auto;"


@dataclass(frozen=True, repr=False)
class SideBySide(View):
    """Several views as columns, which scroll, and wrap on a narrow screen; see :func:`side_by_side`."""

    columns: Mapping[str, View]

    @property
    def caption(self) -> str:
        """How many columns there are."""
        return f"{count(len(self.columns), 'column')}: {', '.join(self.columns)}"

    def body_html(self) -> str:
        """The columns, each with its name and caption above what scrolls."""
        columns = []
        for name, view in self.columns.items():
            head = f"<div><strong>{markup.note(name)}</strong></div><div>{markup.note(view.caption)}</div>"
            # What scrolls can be reached and scrolled with the keyboard, and says what it is when it is reached.
            names = f'tabindex="0" role="region" aria-label="{markup.attribute(name)}"'
            columns.append(
                f'<div style="{_COLUMN}">{head}<div {names} style="{_SCROLLED}">{view.body_html()}</div></div>'
            )
        return f'<div style="{_ROW}">{"".join(columns)}</div>'

    def body_text(self) -> str:
        """The columns, one below the other."""
        return "\n\n".join(f"=== {one_line(name)} ===\n{view!r}" for name, view in self.columns.items())


def side_by_side(columns: Mapping[str, View | Sequence[Passage]], gold: Sequence[Located] = ()) -> SideBySide:
    """Compare views, or lists of passages, in columns, each with its name and caption on top.

    ``gold`` is marked in the lists of passages, and their captions state the recall:
    ``side_by_side({"flat 200": a, "parent-child": b}, question.evidence)``.

    Raises ``ValueError`` where there is no column, or where ``gold`` is given and no column is a list of passages.
    """
    checks.instance("columns", columns, Mapping)
    if not columns:
        raise ValueError("columns is empty; give at least one name with a view or a list of passages")
    if gold and all(isinstance(column, View) for column in columns.values()):
        raise ValueError("gold is given, but every column is a view already; give the gold to each PassageView")
    return SideBySide({k: v if isinstance(v, View) else PassageView(v, gold) for k, v in columns.items()})
