"""What a guest gets from the whole index, by every public way, is what an index without the hidden documents gives.

The ways are found by introspection: a new retriever, tool or look-up that is not tried here fails a test.
"""

import inspect
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest

import hierrag_lessons
from hierrag_lessons import agents, queries, retrievers
from hierrag_lessons.agents import FixedPolicy, OutlinePolicy, RetrievalTools, Session, ToolRetriever, outline
from hierrag_lessons.agents.tools import TOOLS
from hierrag_lessons.chunkers import SentenceChunker, StructureChunker, build_hierarchy, make_units
from hierrag_lessons.context import retrieve_contexts
from hierrag_lessons.model import Document, Hierarchy, Node, allows
from hierrag_lessons.production import (
    Pipeline,
    PipelineConfig,
    ShortenedRetriever,
    detect_changed_order,
    detect_eager_merges,
    detect_scattered_hits,
    detect_storage,
    head_and_tail,
    make_record,
    storage_ratios,
)
from hierrag_lessons.queries import (
    FeedbackRewriter,
    MultiQueryRetriever,
    NamedPlaceRetriever,
    find_places,
    to_filter,
)
from hierrag_lessons.queries.contents import contents_of
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    CoarseToFineRetriever,
    DiverseRetriever,
    EntityGraphRetriever,
    FlatRetriever,
    FourLevelRetriever,
    HybridRetriever,
    IndexLevel,
    LevelConfig,
    MultiLevelRetriever,
    ParentChildRetriever,
    RerankingRetriever,
    SegmentRetriever,
    SentenceWindowRetriever,
    SummaryTreeRetriever,
    expand,
    grow_hits,
    resolve,
)
from hierrag_lessons.store import Index, OfDocument, Tree, Units
from hierrag_lessons.store.selecting import column_values, read_documents, select
from hierrag_lessons.store.units import MOST_IN_MEMORY
from hierrag_lessons.summaries import build_four_levels, build_summary_tree
from tests.fakes import WordHashEmbedder, hierarchy
from tests.retrievers.test_batches import Lengths

COLUMNS = {"group": OfDocument(str), "readers": OfDocument(list[str]), "year": int, "edition": str, "speaker": str}
GUEST = {"group": ["guests"]}
OPEN = {
    "pets": "# Article 1 Cats\n\nCats of Velmora sleep all day. They hunt mice in Halvane.\n\n# Article 2 Dogs\n\nDogs "
    "run on the beach at night. The MR-7 feeds dogs of Velmora.\n\nTable 1: Dogs\n\n| dog | age |\n|---|---|\n"
    "| Rex | 7 |",
    "lake": "# Article 1 Fish\n\nFish swim in the deep lake of Halvane. Boats of Ostrava wait for rain.\n\n# Article 3 "
    "Boats\n\nThe MR-9 came with Ostrava. Boats sleep at night. Gulls eat fish and mice.",
    "barn": "# Article 4 Roof\n\nThe roof of the old barn is red. Cats watch dogs run from the roof. Rain fell on "
    "Velmora in 2020.\n\n# Article 5 Hill\n\nA hill stands behind the barn. Dogs of Halvane run over the hill.",
}
# The same words, names and headings as the open ones, so that they fit every question, and words of their own.
SHUT = {
    "vault": "# Article 7 Vault\n\nThe zqkey of Velmora opens Halvane Works. Dogs run with zqswordfish at night.\n\n"
    "# Article 2 Zqdogs\n\nZqdogs of Ostrava sleep in the MR-7. Cats hunt zqmice.\n\nTable 1: Zqtable\n\n"
    "| dog | zq |\n|---|---|\n| 1 | 2 |",
    "vault/pets": OPEN["pets"].replace("beach", "zqbeach").replace("Rex", "Zqrex"),
    "vault of nobody": "# Article 9 Zqnobody\n\nVelmora links Ostrava, MR-9 and Halvane. Fish swim in the zqlake in "
    "1999.",
}
MARK = re.compile(r"zq|vault|zeta|(?<![\d.])1999\b", re.IGNORECASE)
ASKED = [
    "Where do dogs run at night?",
    "What does Article 2 say of dogs in 2020?",
    "What does Article 7 of the vault say?",
    "zqswordfish zqkey of Velmora",
    "Show table 1",
    "MR-7 of Velmora and MR-9 of Ostrava in edition zeta",
    "What happened in 1999 in Halvane Works?",
    "cats mice fish boats rain roof hill barn",
    "vault/pets",
    "",
]


def documents(texts, **fields):
    return [Document(name, text, "markdown", metadata=fields) for name, text in texts.items()]


def opened():
    return documents(OPEN, group="guests", readers=["Ann"], year=2020, edition="1.2", speaker="Ann Lee")


def shut():
    made = documents(SHUT, group="board", readers=["Cid", "Zqbob"], year=1999, edition="zeta", speaker="Zq Lee")
    return [*made[:2], replace(made[2], metadata={})]


def units_of(document):
    made = make_units(build_hierarchy(document, [StructureChunker(40, 8), SentenceChunker(14)]))
    return replace(made, searched=frozenset(range(1, len(made.levels))))


TREES: dict[str, Callable] = {
    "units": units_of,
    "summaries": lambda document: build_summary_tree(
        document, [SentenceChunker(14)], embedder=WordHashEmbedder(), max_tokens=30
    ),
    "four levels": build_four_levels,
    "words": lambda document: replace(hierarchy(document), searched=frozenset({1, 2})),
}


@dataclass(frozen=True)
class World:
    """For each kind of tree the whole index as the guest sees it, and one that never held the hidden documents."""

    whole: dict[str, Index]
    clean: dict[str, Index]

    @property
    def guest(self):
        return {kind: index.permitted(GUEST) for kind, index in self.whole.items()}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder, sides = tmp_path_factory.mktemp("permissions"), ({}, {})
    for kind, make in TREES.items():
        for number, side in enumerate(sides):
            index = side[kind] = Index.create(folder / f"{kind}{number}", WordHashEmbedder(), columns=COLUMNS)
            hidden, seen = shut() if number == 0 else [], opened()
            # Hidden ones stand before, between and behind the others.
            index.add([make(document) for document in [*hidden[:1], seen[0], *hidden[1:2], *seen[1:], *hidden[2:]]])
    return World(*sides)


# --- every public way ------------------------------------------------------------------------------------------------

# Each from an index to a retriever; those in BY_WORDS rank by LanceDB's BM25, the others must not tell it apart.
RETRIEVERS = {
    "FlatRetriever": ("units", FlatRetriever),
    "SentenceWindowRetriever": ("units", lambda index: SentenceWindowRetriever(index, level=3)),
    "ParentChildRetriever": ("units", lambda index: ParentChildRetriever(index, 2)),
    "AutoMergingRetriever": ("units", lambda index: AutoMergingRetriever(index, 3, leaves=4, score="rescored")),
    "SegmentRetriever": ("units", lambda index: SegmentRetriever(index, 2, penalty=0.2)),
    "MultiLevelRetriever": ("units", MultiLevelRetriever),
    "EntityGraphRetriever": ("units", EntityGraphRetriever),
    "OutlinePolicy": ("units", OutlinePolicy),
    "CoarseToFineRetriever": (
        "units",
        lambda index: CoarseToFineRetriever(
            [
                LevelConfig("section", IndexLevel(index, 1), 3),
                LevelConfig("leaf", IndexLevel(index, 2), 9, constrain_by="previous"),
            ]
        ),
    ),
    "NamedPlaceRetriever": ("units", lambda index: NamedPlaceRetriever(FlatRetriever(index), index)),
    "MultiQueryRetriever": (
        "units",
        lambda index: MultiQueryRetriever(FlatRetriever(index), FeedbackRewriter(FlatRetriever(index))),
    ),
    "RerankingRetriever": ("units", lambda index: RerankingRetriever(FlatRetriever(index), Lengths(), 9)),
    "DiverseRetriever": ("units", lambda index: DiverseRetriever(FlatRetriever(index), WordHashEmbedder())),
    "ShortenedRetriever": (
        "units",
        lambda index: ShortenedRetriever(FlatRetriever(index), partial(head_and_tail, max_tokens=8)),
    ),
    "ToolRetriever": ("units", lambda index: ToolRetriever(FixedPolicy(RetrievalTools(index)))),
    "SummaryTreeRetriever": ("summaries", SummaryTreeRetriever),
    "FourLevelRetriever": ("four levels", FourLevelRetriever),
}
BY_WORDS = {
    "HybridRetriever": lambda index: HybridRetriever(index, 2, {1: 0.5}),
    "FlatRetriever": lambda index: FlatRetriever(index, mode="text"),
    "FlatRetriever, both": lambda index: FlatRetriever(index, mode="hybrid"),
    "ParentChildRetriever": lambda index: ParentChildRetriever(index, 2, mode="text"),
    "AutoMergingRetriever": lambda index: AutoMergingRetriever(index, 2, mode="hybrid"),
    "ToolRetriever": lambda index: ToolRetriever(FixedPolicy(RetrievalTools(index, mode="text"))),
}


def steps(retriever, question):
    """What each level of a coarse-to-fine search says of itself."""
    return [
        (step.state, step.constraint, step.where, step.found, step.kept) for step in retriever.trace(question).levels
    ]


def session_of(index, *calls, **options):
    session = Session(RetrievalTools(index, **options), 50, 4000)
    for name, arguments in calls:
        session.call(name, json.dumps(arguments))
    return session


def tools(index, question):
    calls = [("search", {"query": question or "dogs"}), ("outline", {}), ("outline", {"id": "pets"})]
    nodes = [node.node_id for node in index.tree().by_id.values()]
    calls += [(name, {"id": node_id}) for name in ("outline", "read", "neighbours") for node_id in nodes[:9]]
    return [(call.headline, call.data) for call in session_of(index, *calls).calls]


def hits_of(index, question):
    return index.search(question, 6, level=2)


# From an index of units and a question to whatever it tells, which `repr` shows in full.
OTHERS = {
    "FeedbackRewriter": lambda index, asked: FeedbackRewriter(FlatRetriever(index), words=50)(asked),
    "FixedPolicy": lambda index, asked: repr(FixedPolicy(RetrievalTools(index)).run(asked or "dogs")),
    "RetrievalTools": tools,
    "Session": lambda index, asked: repr(
        session_of(index, ("outline", {}), ("search", {"query": asked or "dogs"}), level=2).record(asked, "me", "steps")
    ),
    "IndexLevel": lambda index, asked: IndexLevel(index, 2).search_batch([asked], 5, None),
    "LevelConfig": lambda index, asked: steps(RETRIEVERS["CoarseToFineRetriever"][1](index), asked),
    "the trace of a merge": lambda index, asked: RETRIEVERS["AutoMergingRetriever"][1](index).trace(asked),
    "the trace of all levels": lambda index, asked: MultiLevelRetriever(index).trace(asked, 9),
    "the walk of a policy": lambda index, asked: OutlinePolicy(index).walk(asked),
    "names of a graph": lambda index, asked: sorted(
        EntityGraphRetriever(index).names(asked + " Velmora Halvane Works")
    ),
    "Pipeline": lambda index, asked: Pipeline(PipelineConfig(), index).ask(asked),
    "detect_changed_order": lambda index, asked: detect_changed_order(AutoMergingRetriever(index), [asked]),
    "detect_eager_merges": lambda index, asked: detect_eager_merges(
        AutoMergingRetriever(index, 3, threshold=0.1), [asked]
    ),
    "detect_scattered_hits": lambda index, asked: detect_scattered_hits(AutoMergingRetriever(index, 3), [asked]),
    "detect_storage": lambda index, asked: detect_storage(index, most=1),
    "storage_ratios": lambda index, asked: storage_ratios(index),
    "expand": lambda index, asked: expand(index, hits_of(index, asked), top=0),
    "grow_hits": lambda index, asked: grow_hits(index, hits_of(index, asked), 9, 9),
    "resolve": lambda index, asked: resolve(index, hits_of(index, asked)),
    "outline": lambda index, asked: [outline(index), *(outline(index, entry.node.node_id) for entry in outline(index))],
    "to_filter": lambda index, asked: to_filter(find_places(asked + " in 1999, 2020, edition zeta by Zq Lee"), index),
    "contents": lambda index, asked: [
        contents_of(index).locate(place, asked) for place in find_places(asked + " Article 7, Article 2, table 1")
    ],
    "retrieve_contexts": lambda index, asked: retrieve_contexts(FlatRetriever(index), [asked], [30]),
    "make_record": lambda index, asked: make_record(
        asked, FlatRetriever(index).retrieve(asked), [], key="ours", milliseconds=1
    ),
    "select": lambda index, asked: [
        select(index, where) for where in (None, {"year": 1999}, {"doc_id": list(SHUT)}, {"readers": ["Ann", "Cid"]})
    ],
    "column_values": lambda index, asked: [column_values(index, name) for name in COLUMNS],
    "read_documents": lambda index, asked: read_documents(index),
}
ONLY_THROUGH_A_RETRIEVER = {"Method", "LevelTrace", "Retriever", "ToolAgent", "evaluate", "score_retrievers"}

LOOK_UPS = {
    "columns": lambda index: index.columns,
    "doc_ids": lambda index: [index.doc_ids(), index.doc_ids({"year": 1999}), index.doc_ids({"group": "board"})],
    "count": lambda index: [index.count(level) for level in (None, 0, 1, 2, 3)],
    "levels": lambda index: index.levels,
    "depth": lambda index: index.depth,
    "document": lambda index: [index.document(name) for name in index.doc_ids()],
    "text": lambda index: [index.text(name) for name in index.doc_ids()],
    "slices": lambda index: index.slices([(name, (0, 9)) for name in OPEN]),
    "nodes": lambda index: index.nodes([node.node_id for node in select(index, None)]),
    "parents": lambda index: index.parents(select(index, None)),
    "families": lambda index: index.families(select(index, None)),
    "children": lambda index: index.children(select(index, None)),
    "lineages": lambda index: index.lineages(select(index, None), 0),
    "descendants": lambda index: index.descendants(select(index, None)),
    "neighbours": lambda index: [index.neighbours(node, 9, 9) for node in select(index, None, 2)],
    "windows": lambda index: index.windows(select(index, None), 60, 60),
    "search": lambda index: [index.search(asked, 2000) for asked in ASKED],
    "search_batch": lambda index: index.search_batch(ASKED, 99, level=2),
    "search_each": lambda index: index.search_each([("vector", 1), ("vector", None)], ASKED, 7),
    "storage": lambda index: index.storage(),
    "embed": lambda index: index.embed(ASKED).tolist(),
    "snapshot": lambda index: index.snapshot().doc_ids(),
    "permitted": lambda index: [index.permitted({"readers": who}).doc_ids() for who in ("Ann", "Cid", [])],
    "units": lambda index: [
        told.tolist() if isinstance(told, np.ndarray) else told
        for units in [index.units()]
        for told in (
            *(units.rows.to_pylist(), units.vectors, units.counts.toarray(), dict(units.columns), *units.above),
            *(units.documents, units.sizes, units.follows, units.language, units.inside({"year": [1999, 2020]})),
            *(units.nearest(units.vectors[0], 9, None), units.nodes(range(len(units))), len(units)),
            *(units.vectors_at(slice(None)), sorted(places.tolist() for places, _ in units.vector_blocks())),
        )
    ],
    "tree": lambda index: [
        *index.tree().levels,
        sorted(index.tree().documents.items()),
        sorted(index.tree().by_id),
        sorted(map(str, index.tree().children.items())),
        sorted(index.tree().inside({"year": [1999, 2020]})),
        sorted(index.tree().lineage([*index.tree().by_id, *SHUT])),
        index.tree().language,
    ],
}
NOT_READ = {
    "add": "refused by a view",
    "delete": "refused by a view",
    "create": "makes an index",
    "open": "opens the whole index, as its owner",
    "path": "the folder, which only its owner may open",
    "embedder": "no document is in it",
    "language": "declared",
    "allowed": "the guest's own rights",
    "remember": "keeps what is made of the view itself",
    "version": "counts all commits, as the docstring says",
    "explain": "shows the whole table's plan, as the docstring says",
    "check_level": "tried below",
    "check_where": "looks at declared columns only",
}


SLOW = {"CoarseToFineRetriever", "NamedPlaceRetriever", "ToolRetriever", "MultiQueryRetriever", "AutoMergingRetriever"}


def test_every_public_way_is_tried():
    takes = re.compile(r"\b(Index|Retriever|LevelRetriever|RetrievalTools|Tree|Units|Agent|LevelConfig)\b")
    found = set()
    for name in dir(hierrag_lessons):
        value = getattr(hierrag_lessons, name)
        if (inspect.isclass(value) and not issubclass(value, Exception)) or inspect.isfunction(value):
            parameters = inspect.signature(value).parameters.values()
            if hasattr(value, "retrieve_batch") or any(takes.search(str(each.annotation)) for each in parameters):
                found.add(name)
    assert found <= {*RETRIEVERS, *BY_WORDS, *OTHERS, *ONLY_THROUGH_A_RETRIEVER}
    assert {name for room in (agents, queries, retrievers) for name in room.__all__ if name.endswith("Retriever")} <= {
        *RETRIEVERS,
        *BY_WORDS,
    }
    public = {name for name in dir(Index) if not name.startswith("_")} | {"path", "embedder", "language", "allowed"}
    assert public == {*LOOK_UPS, *NOT_READ}
    assert set(TOOLS) == {"search", "outline", "read", "neighbours"}  # `tools` calls them all
    told = inspect.getsource(inspect.getmodule(test_every_public_way_is_tried))
    for kind in (Tree, Units):
        names = {*kind.__dataclass_fields__, *(name for name in vars(kind) if not name.startswith("_"))}
        unseen = names - {"declared", "table", "row_ids"}  # columns, how it is read, and where rows lie
        assert [name for name in unseen if f".{name}" not in told] == []


def sure(told):
    """What was told, in full: fields of nodes and metadata, and no more digits of a score than are sure."""
    return re.sub(r"\d\.\d{6,}(e-?\d+)?", lambda found: f"{float(found[0]):.5f}", repr(told))


@pytest.mark.parametrize("name", RETRIEVERS)
@pytest.mark.parametrize("where", [None, {"year": [2020, 1999]}, {"doc_id": ["pets", "vault"]}], ids=str)
def test_a_retriever_finds_what_an_index_without_the_rest_gives(world, name, where):
    kind, make = RETRIEVERS[name]
    guest, clean = make(world.guest[kind]), make(world.clean[kind])
    for k in (9,) if name in SLOW else (1, 9):
        found, expected = guest.retrieve_batch(ASKED, k, where), clean.retrieve_batch(ASKED, k, where)
        assert any(found)
        assert sure(found) == sure(expected)
        for own, other in zip(found, expected, strict=True):
            assert [h.node.fields for p in own for h in p.hits] == [h.node.fields for p in other for h in p.hits]
        assert not MARK.search(repr(found))
    assert sure(make(world.whole[kind]).retrieve_batch(ASKED, 9)) != sure(clean.retrieve_batch(ASKED, 9))


@pytest.mark.parametrize("name", OTHERS)
def test_whatever_else_is_told_is_what_an_index_without_the_rest_tells(world, name):
    guest, clean, whole = (side["units"] for side in (world.guest, world.clean, world.whole))
    told = [[OTHERS[name](index, asked) for asked in ASKED[:7]] for index in (guest, clean, whole)]
    assert sure(told[0]) == sure(told[1])
    if name not in ("detect_changed_order", "detect_scattered_hits", "make_record"):
        assert sure(told[2]) != sure(told[1]), "the whole index tells more, so there is something to hide"


@pytest.mark.parametrize("name", LOOK_UPS)
@pytest.mark.parametrize("kind", TREES)
def test_a_look_up_tells_what_an_index_without_the_rest_tells(world, name, kind):
    guest, clean = world.guest[kind], world.clean[kind]
    if name == "units" and kind != "units":
        assert len(guest.units()) == 0
        return
    assert sure(LOOK_UPS[name](guest)) == sure(LOOK_UPS[name](clean))


@pytest.mark.parametrize("kind", TREES)
def test_a_level_is_refused_in_the_same_words(world, kind):
    said = []
    for index in (world.guest[kind], world.clean[kind]):
        with pytest.raises(ValueError, match="level 9 is not searchable") as caught:
            index.check_level(9)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_vectors_that_stay_in_the_table_are_the_guests_too(world, monkeypatch):
    monkeypatch.setattr("hierrag_lessons.store.units.MOST_IN_MEMORY", 0)
    assert MOST_IN_MEMORY > 0
    guest, clean = (MultiLevelRetriever(side["units"].permitted(GUEST)) for side in (world.whole, world.clean))
    assert guest.index.units().vectors is None
    assert sure(guest.retrieve_batch(ASKED, 9)) == sure(clean.retrieve_batch(ASKED, 9))


# --- BM25, which counts the words of all documents -------------------------------------------------------------------


def words_of(seed, number):
    rng = random.Random(seed)
    return [
        " ".join(rng.choices(["dog", "cat", "fish", "lake", "hill", "roof", "rain", "boat", "gull", "barn"], k=12))
        for _ in range(number)
    ]


def reordered(text):
    """The same words in every leaf of four, in another order."""
    given = text.split()
    return " ".join(word for place in range(0, len(given), 4) for word in reversed(given[place : place + 4]))


@pytest.fixture(scope="module")
def by_words(tmp_path_factory):
    """The guest's documents among hidden ones, and among others of which only the counts of words are the same."""
    folder, made = tmp_path_factory.mktemp("words"), []
    seen = [Document(f"open {i}", text, metadata={"group": "guests"}) for i, text in enumerate(words_of(1, 9))]
    hidden = [Document(f"vault {i}", text, metadata={"group": "board"}) for i, text in enumerate(words_of(2, 9))]
    others = [Document(f"else {9 - i}", reordered(each.text), metadata={"group": "x"}) for i, each in enumerate(hidden)]
    for name, rest in (("hidden", hidden), ("others", others)):
        index = Index.create(folder / name, WordHashEmbedder(), columns={"group": OfDocument(str)})
        trees = [replace(hierarchy(document), searched=frozenset({1, 2})) for document in [*rest[:5], *seen, *rest[5:]]]
        index.add(trees)
        made.append(index.permitted({"group": "guests"}))
    return made


@pytest.mark.parametrize("name", BY_WORDS)
def test_of_hidden_texts_only_the_counts_of_words_come_into_a_score(by_words, name):
    asked = ["dog cat", "fish in a lake", "roof rain rain", "vault", "hill barn gull boat", ""]
    found, expected = (BY_WORDS[name](index).retrieve_batch(asked, 20) for index in by_words)
    assert any(found)
    assert sure(found) == sure(expected)
    assert {passage.doc_id[:5] for passages in found for passage in passages} == {"open "}


# --- a hundred thousand tries ----------------------------------------------------------------------------------------

TRIES = 100_000
_HOSTILE = [
    "' OR 1=1 --",
    "guests' OR group = 'board",
    '"; DROP TABLE nodes',
    "guests\x1fboard",
    "%",
    "_",
    "*",
    "../vault",
    "\x00",
    "\u202evault",
    "vault\u200b",
    "VAULT",
    "group:board",
    "{'group': 'board'}",
    "\ud800",
    "字",
    "guests OR board",
]


def crafted(rng, number):
    """Questions of hidden words, names, headings, years, ids and what looks like a filter."""
    words = [
        *" ".join(SHUT.values()).split(),
        *SHUT,
        *_HOSTILE,
        "Article 7",
        "table 1",
        "in 1999",
        "edition zeta",
        "dogs",
    ]
    return [" ".join(rng.choices(words, k=rng.randint(1, 6))) for _ in range(number)]


def check_seen(passages):
    """Count what was found, of which nothing is hidden."""
    for passage in passages:
        for hit in passage.hits:
            assert hit.doc_id in OPEN
            assert not MARK.search(hit.node.text + hit.node.context + hit.node.node_id + repr(hit.node.fields))
        assert passage.doc_id in OPEN
        assert not MARK.search(passage.text + passage.context + repr(passage.metadata))


def try_questions(world, rng):
    tried = 0
    for name, (kind, make) in RETRIEVERS.items():
        asked = crafted(rng, 100 if name in SLOW else 1000)
        for passages in make(world.guest[kind]).retrieve_batch(asked, 3):
            check_seen(passages)
        tried += len(asked)
    for make in BY_WORDS.values():
        asked = crafted(rng, 60)
        for passages in make(world.guest["units"]).retrieve_batch(asked, 3):
            check_seen(passages)
        tried += len(asked)
    rewrite = FeedbackRewriter(FlatRetriever(world.guest["units"]), words=50)
    for asked in crafted(rng, 200):
        assert not MARK.search(" ".join(each.removeprefix(asked) for each in rewrite(asked)))
    return tried + 200


def pairs(world, rng, number):
    """Ids of hidden nodes, cut and changed, each with one that was never there and looks the same."""
    hidden = [node.node_id for node in select(world.whole["units"].permitted({"doc_id": list(SHUT)}), None)]
    made = []
    for _ in range(number):
        node_id = rng.choice(hidden)
        if rng.random() < 0.5:
            node_id += rng.choice([*_HOSTILE, " ", "0", ":0-1", "\n"])
        made.append((node_id, node_id.replace("vault", "vaunt")))
    return made


def try_calls(world, rng):
    """Each tool with ids of hidden nodes: the answer is that to a missing one, word for word."""
    tried, guest = 0, world.guest["units"].snapshot()
    for name, number in (("outline", 12_000), ("neighbours", 12_000), ("read", 700), ("search", 200)):
        session = Session(RetrievalTools(guest), 10**6, 10**6)
        for hidden, missing in pairs(world, rng, number):
            argument = "query" if name == "search" else "id"
            answers = [session.call(name, json.dumps({argument: given})) for given in (hidden, missing)]
            assert name == "search" or answers[0] == answers[1], (name, hidden)
            assert not MARK.search(answers[0].replace(hidden, ""))
            session.calls.clear()
            tried += 2
        check_seen(session.passages)
    return tried


def try_ids(world, rng):
    """Look-ups with made-up nodes and with filters by id, thousands in one query."""
    tried, guest = 0, world.guest["units"]
    for _ in range(2):
        for given in zip(*pairs(world, rng, 2500), strict=True):
            nodes = [
                Node(name, name.split(":")[0], rng.randint(0, 3), 0, 9, "", "", name, rng.randint(0, 5))
                for name in given
            ]
            assert guest.children(nodes) == []
            assert not any(guest.descendants(nodes[:300]).values())
            assert not any(guest.windows(nodes[:300], 2, 2))
            for field in ("node_id", "doc_id", "parent_id"):
                assert select(guest, {field: list(given)}) == []
            tried += 2500 + 300 + 300 + 3 * 2500
    for hidden, missing in pairs(world, rng, 150):
        for ask in (
            guest.document,
            guest.text,
            lambda name: guest.nodes([name]),
            lambda name: guest.slices([(name, (0, 1))]),
        ):
            said = []
            for name in (hidden, missing, hidden.split(":")[0], missing.split(":")[0]):
                with pytest.raises(KeyError) as caught:
                    ask(name)
                said.append(caught.value.args[0].replace(repr(name), ""))
                tried += 1
            assert len(set(said)) == 1
    return tried


def try_documents(world, rng, folder):
    """Documents with values that are nearly those of the guest: seen is what the permission's meaning lets through."""
    values = ["guests", "board", "Guests", "guests ", " guests", "guest", "", None, "guests,board", "ɡuests", *_HOSTILE]
    index = Index.create(folder / "crafted", WordHashEmbedder(), columns=COLUMNS)
    made = []
    for number in range(3000):
        fields = {"group": rng.choice(values), "readers": rng.choices(["Ann", "Bob", *_HOSTILE], k=rng.randint(0, 3))}
        hidden = Document(f"{number}", "dogs run", metadata=fields)
        made.append(Hierarchy(hidden, ((Node(f"{number}", f"{number}", 0, 0, 8, "dogs run"),),)))
    index.add(made)
    rights = [
        {"group": "guests"},
        {"readers": "Ann"},
        {"readers": ["Bob", "' OR 1=1 --"]},
        {"group": [], "readers": "Ann"},
    ]
    for allowed in rights:
        view = index.permitted(allowed)
        seen = sorted(
            tree.document.doc_id
            for tree in made
            if all(allows(wanted, tree.document.metadata.get(name)) for name, wanted in allowed.items())
        )
        assert view.doc_ids() == seen
        assert sorted({hit.doc_id for hit in view.search("dogs run", 4000, mode="hybrid")}) == seen
    return len(made) * len(rights)


def test_a_hundred_thousand_tries_show_nothing_hidden(world, tmp_path):
    rng = random.Random(20)
    tried = {
        "questions": try_questions(world, rng),
        "calls": try_calls(world, rng),
        "ids": try_ids(world, rng),
        "documents": try_documents(world, rng, tmp_path),
    }
    assert sum(tried.values()) >= TRIES, tried
