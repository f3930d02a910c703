"""Write the generated parts of the READMEs and of the workshop's page: ``python -m tools.pages``.

A generated part stands between ``<!-- name:start -->`` and ``<!-- name:end -->``. Numbers come from the results files,
checksums from the files themselves; a test fails where a page says something else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import partial

from benchmarks.results import read
from hierrag_lessons.model import Language
from hierrag_lessons.reading import DATA_DIR, load_corpus
from hierrag_lessons.text.tokens import VOCABULARY_FILE
from tools import answer_tables, grand_pages, opening, public_tables, workshop
from tools.markdown import table
from tools.notebooks import ROOT, lessons

LANGUAGES: dict[Language, str] = {"en": "English texts", "zh": "Chinese texts"}


PLACES = {
    "leaf": "one leaf",
    "section": "one section",
    "part": "one part",
    "document": "one document",
    "documents": "several documents",
}
"""Where a question's evidence lies, and what the tables call it."""


def retrievers() -> str:
    """Recall of every retriever by where the evidence lies, from ``benchmarks/results/retrievers.json``."""
    found = read("retrievers")
    parts = []
    for language, entry in found["languages"].items():
        for budget in map(str, found["budgets"]):
            groups = list(entry["questions"])
            rows = []
            for name, measured in entry["retrievers"].items():
                recalls = {group: measured["recall"][group][budget] for group in groups}
                shown = [f"{recalls[group]['mean']:.2f}" for group in groups[1:]]
                whole = "{mean:.2f} ({low:.2f}–{high:.2f})".format(**recalls["all"])
                against = measured.get("against_flat", {}).get("all", {}).get(budget)
                change = "–" if against is None else "{difference:+.3f} ({low:+.3f} to {high:+.3f})".format(**against)
                rows.append((name, whole, change, *shown, f"{recalls['all']['context_tokens']:,}"))
            counted = [f"{PLACES.get(group, group)} ({entry['questions'][group]})" for group in groups]
            title = f"{LANGUAGES[language]}, {int(budget):,} tokens"
            parts.append(table((title, counted[0], "difference from flat", *counted[1:], "tokens used"), rows))
    return "\n\n".join(parts)


def changes() -> str:
    """The question that each retriever rescued and the one it spoiled, from ``benchmarks/results/retrievers.json``."""
    parts = []
    for language, entry in read("retrievers")["languages"].items():
        rows = []
        for name, measured in entry["retrievers"].items():
            if "rescued" in measured:
                cells = [
                    f"`{change['id']}` {change['flat']:.2f} → {change['recall']:.2f}" if change else "none"
                    for change in (measured["rescued"], measured["spoiled"])
                ]
                rows.append((name, *cells))
        parts.append(table((LANGUAGES[language], "rescued", "spoiled"), rows))
    return "\n\n".join(parts)


def indexes() -> str:
    """Size of each index by level, and its build time, from ``benchmarks/results/retrievers.json``."""
    parts = []
    for language, entry in read("retrievers")["languages"].items():
        rows = []
        for kind, costs in entry["indexes"].items():
            over = f"{costs['build_over_embedding']:.2f}"
            for level in costs["storage"]:
                sizes = [level[f"{part}_bytes"] / 1000 for part in ("text", "vector", "other")]
                counts = (level["level"], level["nodes"], level["vectors"])
                rows.append((kind, *(f"{number:,}" for number in counts), *(f"{size:,.0f}" for size in sizes), over))
                kind, over = "", ""
        header = ("level", "nodes", "vectors", "text, kB", "vectors, kB", "other, kB", "build over embedding")
        parts.append(table((LANGUAGES[language], *header), rows))
    return "\n\n".join(parts)


def latency() -> str:
    """Milliseconds per query, from ``benchmarks/results/retrieval.json``."""
    found = read("retrieval")["leaves"]
    names = list(dict.fromkeys(name for entry in found.values() for name in entry["milliseconds"]))
    rows = []
    for name in names:
        cells = []
        for entry in found.values():
            times = entry["milliseconds"].get(name)
            cells += ["–"] * 3 if times is None else [f"{times[key]:,.1f}" for key in ("p50", "p90", "over_numpy")]
        rows.append((name, *cells))
    header = [f"{int(leaves):,} leaves, {key}" for leaves in found for key in ("p50", "p90", "times the NumPy product")]
    return table(("milliseconds", *header), rows)


def index_types() -> str:
    """Vector indexes against exact search, from ``benchmarks/results/index_types.json``."""
    found = read("index_types")
    header = ("index", "lists looked into", "recall", "p50, ms", "p95, ms", "s to build", "MB")
    parts = []
    texts = [(f"{found['texts']['leaves']:,} sentences of texts", found["texts"]["found"])] if "texts" in found else []
    sizes = [(f"{int(leaves):,} synthetic leaves", rows) for leaves, rows in found["leaves"].items()]
    for title, entries in [*texts, *sizes]:
        rows = []
        for entry in entries:
            looked = f"{min(entry['probes'], entry['lists'])} of {entry['lists']}" if entry["probes"] else "all"
            figures = (f"{entry['recall']:.3f}", f"{entry['p50']:.1f}", f"{entry['p95']:.1f}")
            rows.append(
                (entry["index"], looked, *figures, f"{entry['seconds_to_build']:.1f}", f"{entry['megabytes']:.0f}")
            )
        parts.append(table((f"{title}: {header[0]}", *header[1:]), rows))
    return "\n\n".join(parts)


def candidates() -> str:
    """What candidates lose against all units, and what both keep in memory, from ``results/multi_level.json``."""
    found = read("multi_level")
    rows = []
    for language, entry in found["collections"].items():
        recalls = [f"{share:.3f}" for share in entry["recall"].values()]
        memory = [f"{size:.1f}" for size in entry["kilobytes_a_unit"].values()]
        rows.append((LANGUAGES[language], f"{entry['units']:,}", f"{entry['queries']:,}", *recalls, *memory))
    best = [f"of the best {count}, among the candidates" for count in found["collections"]["en"]["recall"]]
    header = ("core and archive", "units", "questions", *best, "kB a unit, all in memory", "kB a unit, candidates")
    build = f"To build the index takes {found['build_over_embedding']:.2f} times as long as to embed its English units."
    return f"{table(header, rows)}\n\n{build}"


def install() -> str:
    """What an installation costs, from ``benchmarks/results/install.json``."""
    found = read("install")
    rows = [
        ("download", f"{found['download_bytes'] / 1e9:.1f} GB"),
        ("on the disk", f"{found['disk_bytes'] / 1e9:.1f} GB"),
        ("to install", f"{found['setup_seconds']:,} s"),
        ("the first `make tour`", f"{found['first_tour_seconds']:,} s"),
        ("every later one", f"{found['next_tour_seconds']:,} s"),
    ]
    return table((f"on a machine with {found['machine']['cores']} cores", ""), rows)


def vocabulary() -> str:
    """Tokens of the course's texts in both vocabularies, from ``benchmarks/results/vocabulary.json``."""
    rows = []
    for language, entry in read("vocabulary")["languages"].items():
        ours, theirs = entry["tokens"]["hierrag_16k"], entry["tokens"]["cl100k_base"]
        rows.append((language, f"{entry['characters']:,}", f"{ours:,}", f"{theirs:,}", f"{ours / theirs:.2f}"))
    return table(("the course's texts", "characters", "tokens", "tokens of cl100k_base", "ratio"), rows)


def corpora() -> str:
    """Size of each text, from ``benchmarks/results/baselines.json``."""
    rows = [
        (name, *(f"{entry[unit]:,}" for unit in ("documents", "characters", "words", "han")))
        for name, entry in read("baselines")["corpora"].items()
    ]
    return table(("text", "documents", "characters", "words in Latin script", "Chinese characters"), rows)


def archive() -> str:
    """Documents and characters of the core and of its archive."""
    rows = []
    for language in ("en", "zh"):
        sizes = []
        for collection in ("core", "all"):
            documents = load_corpus(language, collection)
            sizes += [f"{len(documents):,}", f"{sum(len(document.text) for document in documents):,}"]
        rows.append((LANGUAGES[language], *sizes))
    return table(("", "core: documents", "characters", "with the archive: documents", "characters"), rows)


def baselines() -> str:
    """Questions and the recall of plain retrieval, by type and by file, from ``benchmarks/results/baselines.json``."""
    found = read("baselines")
    parts = []
    for title, groups in (("type", found["types"]), ("file", found["files"]), ("language", found["languages"])):
        rows = []
        for name, entry in [*groups.items(), *([("all", found["all"])] if title == "language" else [])]:
            recalls = [entry["recall"][mode] for mode in ("text", "vector")]
            cells = ["–" if recall is None else f"{recall:.2f}" for recall in recalls]
            rows.append((name, str(entry["questions"]), str(entry["dev"]), *cells))
        parts.append(table((title, "questions", "of them dev", "BM25", "MiniLM"), rows))
    return "\n\n".join(parts)


SOURCES = {"en": "English", "zh": "Chinese", "python": "Python reference"}


def questions() -> str:
    """The questions by split, place of the evidence and tier, and their shape beside public sets'."""
    found = read("questions")
    rows = []
    for source, entry in found["sources"].items():
        count = entry["counts"]
        cells = [count["split"]["dev"], count["split"]["test"], count["collection"].get("all", 0)]
        cells += [count["geometry"][where] for where in (*PLACES, "None")]
        cells += [count["tier"].get(tier, 0) for tier in ("easy", "medium", "hard")]
        rows.append((SOURCES[source], f"{entry['users']:,}", *map(str, cells)))
    places = (*PLACES.values(), "unanswerable")
    header = ("in users' words", "questions", "dev", "test", "on the archive too", *places, "easy", "medium", "hard")
    shapes = [
        (f"{SOURCES[source]}, {wording}", shape)
        for source, entry in found["sources"].items()
        for wording, shape in entry["shapes"].items()
    ] + list(found["public"].items())
    measured = [
        (name, f"{s['answerable']:,}", f"{s['length']:.1f}", f"{s['pieces']:.2f}", f"{s['overlap']:.2f}")
        for name, s in shapes
    ]
    described = (
        "answerable questions",
        "number",
        "words, or Chinese characters",
        "pieces of evidence",
        "overlap of words",
    )
    readers = [
        (SOURCES[source], *(f"{entry['agreement'][name]:g}" for name in ("questions", "recall", "precision", "f1")))
        for source, entry in found["sources"].items()
        if "agreement" in entry
    ]
    agreed = ("a second reader against the gold", "questions", "recall", "precision", "F1")
    pool = ("passages", "pieces", "pieces_with", "alternatives", "deeper_questions", "deeper_wholly")
    pools = [
        (SOURCES[source], *(f"{entry['pool'][name]:,}" for name in pool)) for source, entry in found["sources"].items()
    ]
    judged = (
        "judged",
        *("passages", "pieces of evidence", "with an alternative", "alternatives"),
        *("questions judged twice as deep", "alternatives that only these brought"),
    )
    return "\n\n".join((table(header, rows), table(described, measured), table(judged, pools), table(agreed, readers)))


def development() -> str:
    """What plain methods find of the development questions, from ``benchmarks/results/development.json``."""
    found = read("development")
    parts = []
    for source, entry in found["sources"].items():
        for metric, what in (("recall", "recall"), ("complete", "complete evidence")):
            for wording, methods in entry[metric].items():
                if not methods or not next(iter(methods.values())):
                    continue
                rows = []
                for name, groups in methods.items():
                    budgets = [f"{groups['all'][str(budget)]:.2f}" for budget in found["budgets"]]
                    places = [f"{groups[place]['2000']:.2f}" if place in groups else "–" for place in PLACES]
                    rows.append((name, *budgets, *places, f"{entry['unjudged'][name]:.0%}"))
                title = f"{SOURCES[source]}, {wording} wording ({entry['questions'][wording]}): {what}"
                at = [f"{budget:,} tokens" for budget in found["budgets"]]
                first, *others = PLACES.values()
                parts.append(table((title, *at, f"2,000 tokens: {first}", *others, "unjudged in the best ten"), rows))
    return "\n\n".join(parts)


def headline() -> str:
    """Six methods on one public set with intervals, from ``benchmarks/results/public.json``."""
    return table(*public_tables.headline(read("public")))


def final() -> str:
    """Ten methods on the test questions, from ``benchmarks/results/grand.json``."""
    return table(*grand_pages.final(read("grand")))


def grand() -> str:
    """Every row of the grand comparison, from ``benchmarks/results/grand.json``."""
    return "\n\n".join(table(*made) for made in grand_pages.every_row(read("grand")))


def tracks() -> str:
    """Ways through the course, with the minutes of their lessons."""
    return opening.tracks(lessons())


def public_overview() -> str:
    """Recall of each retriever on each public set, from ``benchmarks/results/public.json``."""
    report = read("public")
    return f"{table(*public_tables.overview(report))}\n\n{public_tables.standing(report)}"


def public() -> str:
    """Each retriever on each public set with intervals and differences, from ``benchmarks/results/public.json``."""
    return "\n\n".join(table(*made) for made in public_tables.every_method(read("public")))


def ablation() -> str:
    """What each part of multi-level scoring brings, from ``benchmarks/results/public.json``."""
    return "\n\n".join(table(*made) for made in public_tables.ablation(read("public")))


def power() -> str:
    """The smallest difference in recall that the test questions show, from ``benchmarks/results/development.json``."""
    found = read("development")
    rows = []
    for source, entry in found["power"].items():
        cells = [f"{entry[str(budget)]:.3f}" for budget in found["budgets"]]
        rows.append((SOURCES.get(source, source), f"{entry['questions']:,}", *cells, f"{entry['mean']:.3f}"))
    budgets = [f"{budget:,} tokens" for budget in found["budgets"]]
    return table(("smallest difference shown", "answerable test questions", *budgets, "mean of the budgets"), rows)


def checksums() -> str:
    """SHA-256 of every data file but the page itself, and of the vocabulary, which is a part of the package."""
    files = sorted(path for path in DATA_DIR.rglob("*") if path.is_file() and path.name != "README.md")
    files += sorted(VOCABULARY_FILE.parent.iterdir())
    rows = [
        (f"`{path.relative_to(ROOT).as_posix()}`", f"{path.stat().st_size:,}", f"`{_sha256(path.read_bytes())}`")
        for path in files
    ]
    return table(("file", "bytes", "sha256"), rows)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


PARTS: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"headline": headline, "final": final, "install": install, "tracks": tracks, "vocabulary": vocabulary},
    "benchmarks/README.md": {
        "retrievers": retrievers,
        "changes": changes,
        "indexes": indexes,
        "latency": latency,
        "index_types": index_types,
        "candidates": candidates,
        "answers": answer_tables.answers,
        "development": development,
        "overview": public_overview,
        "public": public,
        "ablation": ablation,
        "grand": grand,
    },
    "data/README.md": {
        "corpora": corpora,
        "archive": archive,
        "baselines": baselines,
        "questions": questions,
        "power": power,
        "checksums": checksums,
    },
    "notebooks/WORKSHOP.md": {name: partial(workshop.made, name) for name in workshop.PLANS},
}


def fill(page: str) -> str:
    """The text of a page with its generated parts made anew. Raises ``ValueError`` where a marker is missing."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for name, make in PARTS[page].items():
        start, end = f"<!-- {name}:start -->", f"<!-- {name}:end -->"
        if text.count(start) != 1 or text.count(end) != 1:
            raise ValueError(f"{page} needs the lines {start} and {end}, once each")
        content = make()
        text = re.sub(f"{start}.*?{end}", lambda _: f"{start}\n{content}\n{end}", text, flags=re.DOTALL)  # noqa: B023
    return text


def main() -> None:
    """Write all pages."""
    for page in PARTS:
        (ROOT / page).write_text(fill(page), encoding="utf-8")


if __name__ == "__main__":
    main()
