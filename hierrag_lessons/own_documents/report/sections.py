"""The parts of a report, each a function from what was measured to HTML.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Iterator

from hierrag_lessons.embedding import CachedEmbedder, SentenceTransformerEmbedder
from hierrag_lessons.evaluation import Cell, Table
from hierrag_lessons.model import Language
from hierrag_lessons.own_documents.candidates import LABELLED, POOLED
from hierrag_lessons.own_documents.compare import Comparison
from hierrag_lessons.own_documents.diagnosis import Diagnosis
from hierrag_lessons.own_documents.folder import Folder
from hierrag_lessons.own_documents.methods import YARDSTICK, own_methods
from hierrag_lessons.own_documents.report import svg
from hierrag_lessons.own_documents.report.elements import code, escaped, folded, paragraph, table
from hierrag_lessons.own_documents.silver import SILVER, SILVER_LIMITS

_NAMES = {
    "markdown": "Markdown or web pages",
    "text": "plain text or PDF",
    "dialogue": "dialogues",
    "en": "English",
    "zh": "Chinese",
}
_PLACEHOLDERS: dict[Language, str] = {"en": "a question of your own", "zh": "你的问题"}
_DRAWN = (
    "sentence window ±2",
    "parent-child 600/200",
    "auto-merging, over one half",
    "leaf and section",
    "every level",
)


def advice(comparison: Comparison, folder: Folder) -> str:
    """What to take, first of all, and on what that rests."""
    found, asked = comparison.recommendation, comparison.asked
    silver = sum(question.type == SILVER for question in asked)
    facts = (
        f"{len(comparison.documents)} documents with {comparison.tokens:,} tokens, {len(asked)} questions with an "
        f"answer, {len(comparison.measured)} methods, contexts of {', '.join(f'{b:,}' for b in comparison.budgets)} "
        "tokens. Recall is the share of the evidence that stands in the context, the mean over these sizes. The "
        f"yardstick is {YARDSTICK!r}: vectors and words over chunks of at most 200 tokens, cut at headings. Embedded "
        f"by {', '.join(repr(embedder.name) for embedder in comparison.embedders.values())}."
    )
    parts = [
        f"<h1>Which method for {escaped(repr(folder.path.resolve().name))}?</h1>",
        f'<div class="advice{"" if found.decided else " open"}">{escaped(found.text)}</div>',
        paragraph(facts, "soft"),
        paragraph(_costs(comparison), "soft"),
    ]
    if silver:
        kind = "All questions are" if silver == len(asked) else f"{silver} of the {len(asked)} questions are"
        parts.append(f'<div class="card"><strong>{kind} silver.</strong> {escaped(SILVER_LIMITS)}</div>')
    if any(question.id.startswith(LABELLED) for question in asked):
        parts.append(paragraph(POOLED, "soft"))
    return "".join(parts)


def _costs(comparison: Comparison) -> str:
    """What the recommended method, and the best one, take."""
    names = dict.fromkeys([comparison.recommendation.method, comparison.recommendation.best, YARDSTICK])
    most = f"{comparison.budgets[-1]:,}"
    told = [
        f"{one.name!r} takes {_two_figures(one.storage_bytes / 1e6):g} MB for {one.vectors:,} vectors, "
        f"{one.query_ms:,.0f} ms a question, and {one.prompt_tokens:,.0f} tokens in a prompt of {most} tokens of text"
        for one in (comparison.measured[name] for name in names if name in comparison.measured)
    ]
    return f"{'; '.join(told)}."


def program(comparison: Comparison, folder: Folder) -> str:
    """The lines of Python that use the method."""
    method = own_methods()[comparison.recommendation.method]
    first = comparison.asked[0]
    question = _PLACEHOLDERS[first.language] if first.type == SILVER else first.question
    embedder = comparison.embedders[first.language]
    made = repr(embedder) if isinstance(embedder, SentenceTransformerEmbedder) else ""
    if isinstance(embedder, CachedEmbedder) and getattr(embedder.embedder, "bf16", False):
        made = f"default_embedder({first.language!r}, bf16=True)"
    lines = method.code(str(folder.path), first.language, question, comparison.budgets[-1], made)
    other = [language for language in comparison.embedders if language != first.language]
    said = (
        "The methods are measured on the passages' text. The prompt counts numbers and headings as well, and writes a "
        f"heading once for neighbours below it: all of it has at most {comparison.budgets[-1]:,} tokens."
    )
    if other:
        said += f" Documents in another language need an index of their own: the same lines with {other[0]!r}."
    said += " The index is gone at the end of the block; Index.create, in lesson 02, makes one that stays."
    return f"<h2>The lines that use it</h2>{code(lines)}{paragraph(said, 'soft')}"


def results(comparison: Comparison) -> str:
    """Differences with intervals, the curves, and one table of quality, time and storage."""
    chosen, decided = comparison.recommendation.method, comparison.recommendation.decided
    complete = {row["method"]: row["complete"] for row in comparison.complete.records()}
    rows: list[tuple[Cell, ...]] = []
    for row in comparison.recall.records():
        one = comparison.measured[str(row["method"])]
        against: Cell = None
        if row["difference"] is not None:
            ends = (float(str(row[name])) for name in ("difference", "low", "high"))
            against = "{:+z.2f}\u00a0({:+z.2f}\u00a0to\u00a0{:+z.2f})".format(*ends)
        verdict = svg.verdict(row, decided) if row["verdict"] else "yardstick"
        costs = (round(one.query_ms), one.storage_bytes / 1e6, one.vectors)
        figures = (*(_two_figures(cost) for cost in costs), round(one.prompt_tokens))
        rows.append((one.name, row["recall"], against or "", verdict, complete[one.name], *figures))
    best_flat = max((row for row in rows if str(row[0]).startswith("flat")), key=lambda row: float(str(row[1])))[0]
    drawn = [name for name in dict.fromkeys([YARDSTICK, str(best_flat), *_DRAWN]) if name in comparison.measured]
    if chosen not in drawn:
        drawn[1] = chosen
    columns = (
        "method",
        "recall",
        "difference",
        "verdict",
        "complete",
        "ms a query",
        "MB",
        "vectors",
        "prompt tokens",
    )
    caption = (
        f"{comparison.recall.caption}. Complete: share of questions with at least 95 % of the evidence. MB and "
        "vectors are those of the index, which some methods share, before files are compressed. Prompt tokens: what "
        f"{comparison.budgets[-1]:,} tokens of text have with the "
        "numbers and headings that a prompt needs; methods are compared without them"
    )
    by_budget = _by_budget(comparison)
    return (
        f"<h2>What was measured</h2>{svg.intervals(comparison.recall, decided)}"
        + paragraph(
            "Each line is a 95 % interval. The best of many methods looks a little better than it is, because it was "
            "chosen for that; "
            + (
                "the verdicts are adjusted for it after Holm, the intervals are not."
                if decided
                else "nothing is decided, so no method is called ahead or behind."
            ),
            "soft",
        )
        + (svg.curves(comparison.curve, drawn) if len(comparison.budgets) > 1 else "")
        + table(columns, rows, caption, chosen)
        + folded("Recall at each size of the context", table(by_budget.columns, by_budget.rows, "", chosen))
        + folded("What each method does", _methods(comparison))
    )


def _methods(comparison: Comparison) -> str:
    methods = own_methods()
    rows = [(name, methods[name].about, f"{methods[name].lesson:02}") for name in comparison.measured]
    return table(("method", "what it does", "lesson"), rows, "", comparison.recommendation.method)


def _two_figures(value: float) -> int | float:
    """9.14 as 9.1, 543.2 as 543: more figures are not measured."""
    return round(value) if value >= 10 else float(f"{value:.2g}")


def _by_budget(comparison: Comparison) -> Table:
    cells: dict[str, list[Cell]] = {}
    for row in comparison.curve.records():
        cells.setdefault(str(row["method"]), []).append(row["recall"])
    columns = ("method", *(f"{budget:,}" for budget in comparison.budgets))
    return Table(columns, tuple((name, *values) for name, values in cells.items()))


def documents(comparison: Comparison, folder: Folder) -> str:
    """What was read, what was not, and why."""
    read = folder.documents
    said = [
        f"{number} {name}" for of, name in _NAMES.items() if (number := sum(of in (d.kind, d.language) for d in read))
    ]
    parts = ["<h2>Documents</h2>", paragraph(f"{len(read)} documents are read: {', '.join(said)}.")]
    parts += [paragraph(f"Left out of the comparison: {line}.") for line in comparison.left_out]
    if folder.unread:
        rows = [(item.path, item.reason) for item in folder.unread]
        caption = f"{len(rows)} files are not read"
        parts.append(table(("file", "reason"), rows, caption))
    else:
        parts.append(paragraph("Every file of the folder is read."))
    return "".join(parts)


def chunks(diagnosis: Diagnosis) -> str:
    """How long the chunks are, what they cut through, and what the embedder does not read."""
    names = {"tables cut": "tables cut %", "pairs cut": "pairs cut %", "too long": "too long %", "unread": "unread %"}
    columns = [names.get(name, "tiny %" if name == "tiny" else name) for name in diagnosis.chunks.columns]
    return (
        f"<h2>Chunks</h2>{svg.histograms(diagnosis.sizes)}"
        + table(columns, [_whole(row) for row in diagnosis.chunks.rows], diagnosis.chunks.caption)
        + paragraph(" ".join(_warnings(diagnosis)), "soft")
    )


def _whole(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The row with its medians, which may end in .5, as whole numbers."""
    return (*row[:2], *(round(float(str(cell))) for cell in row[2:5]), *row[5:])


def _warnings(diagnosis: Diagnosis) -> Iterator[str]:
    rows = diagnosis.chunks.records()
    unread = [row for row in rows if float(str(row["unread"] or 0)) > 0.01]
    if unread:
        worst = max(unread, key=lambda row: float(str(row["unread"])))
        yield (
            f"Of {worst['chunker']} the embedder does not read {float(str(worst['unread'])):.0%}: vectors of such "
            "chunks know only their beginning."
        )
    torn = [row for row in rows if float(str(row["tables cut"] or 0)) > 0]
    if torn:
        yield f"{len(torn)} of {len(rows)} chunkers cut through tables."
    if not unread and not torn:
        yield "No table is cut, and the embedder reads at least 99 % of every kind of chunk."


def tree(diagnosis: Diagnosis) -> str:
    """How many children parents have, and what a search through coarse levels cannot exceed."""
    families, ceilings = diagnosis.families, diagnosis.ceilings
    columns = [f"{name} %" if name in ("only one", "four to eight") else name for name in families.columns]
    sections = [row for row in families.records() if row["parents"] == "sections"]
    number = sum(int(str(row["number"])) for row in sections)
    alone = round(sum(int(str(row["number"])) * float(str(row["only one"])) for row in sections))
    only = (
        f"{alone:,} of the {number:,} sections of both trees have a single leaf: merging gains nothing there."
        if alone
        else "Every section of both trees has two leaves or more, so that there is something to merge everywhere."
    )
    return (
        "<h2>Trees</h2>"
        + table(columns, families.rows, families.caption)
        + paragraph(only, "soft")
        + table(ceilings.columns, ceilings.rows, ceilings.caption)
    )
