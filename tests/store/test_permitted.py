"""A permitted view of an index: what it names, that it is frozen, and that what it hides is as if it were not there."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import lancedb
import pytest

import hierrag_lessons.store
from hierrag_lessons.agents import RetrievalTools, Session
from hierrag_lessons.model import AllOf, Document, Prefix
from hierrag_lessons.queries import FeedbackRewriter, MultiQueryRetriever, NamedPlaceRetriever
from hierrag_lessons.retrievers import (
    CoarseToFineRetriever,
    EntityGraphRetriever,
    FlatRetriever,
    IndexLevel,
    LevelConfig,
    ParentChildRetriever,
)
from hierrag_lessons.store import Index, OfDocument
from hierrag_lessons.store.selecting import column_values, read_documents, select
from tests.fakes import WordHashEmbedder, hierarchy

COLUMNS = {
    "group": OfDocument(str),
    "readers": OfDocument(list[str]),
    "grade": OfDocument(int),
    "topic": str,
    "page": int,
    "source": OfDocument(str),
}
FIELDS = {
    "open": {"group": "guests", "readers": ["Ann", "Bob"], "grade": 1, "topic": "pets", "file": "a.md"},
    "also open": {"group": "guests", "readers": ["Bob"], "grade": 2, "topic": "secret", "file": "b.md"},
    "shut": {"group": "board", "readers": ["Cid"], "grade": 3, "topic": "secret", "file": "c.md"},
    "of nobody": {},
}


def tree(doc_id, text="", **fields):
    return hierarchy(Document(doc_id, text or f"dogs of {doc_id} run on a beach", metadata=fields))


def made_in(folder):
    made = Index.create(folder / "index", WordHashEmbedder(), columns=COLUMNS)
    made.add(tree(name, **fields) for name, fields in FIELDS.items())
    return made


@pytest.fixture
def index(tmp_path):
    return made_in(tmp_path)


@pytest.fixture(scope="module")
def only_read(tmp_path_factory):
    return made_in(tmp_path_factory.mktemp("permitted"))


@pytest.mark.parametrize(
    ("allowed", "seen"),
    [
        ({"group": "guests"}, ["also open", "open"]),
        ({"group": ["guests", "board"], "grade": range(2, 9)}, ["also open", "shut"]),
        ({"group": Prefix("g")}, ["also open", "open"]),
        ({"readers": "Ann"}, ["open"]),
        ({"readers": AllOf(("Ann", "Bob"))}, ["open"]),
        ({"readers": ["Bob", "Cid"]}, ["also open", "open", "shut"]),
        ({"doc_id": Prefix("o")}, ["of nobody", "open"]),
        ({"source": ["a.md", "c.md"]}, ["open", "shut"]),
        ({"group": []}, []),
        ({"group": set()}, []),
        ({"grade": range(0)}, []),
        ({"doc_id": []}, []),
        ({"readers": ()}, []),
    ],
    ids=str,
)
def test_a_view_shows_what_is_permitted_and_nothing_else(only_read, allowed, seen):
    view = only_read.permitted(allowed)
    hits = view.search("dogs of open shut", 50, mode="hybrid", level=2)
    assert sorted({hit.doc_id for hit in hits}) == view.doc_ids() == view.snapshot().doc_ids() == seen
    assert [document.doc_id for document in read_documents(view)] == seen
    assert sorted(view.tree().documents) == sorted({node.doc_id for node in select(view, None)}) == seen
    assert sum(each.nodes for each in view.storage()) == view.count() == sum(len(list(tree(name))) for name in seen)
    assert (view.levels, view.depth) == (([2], 2) if seen else ([], 0))
    assert column_values(view, "group") == sorted({FIELDS[name]["group"] for name in seen if FIELDS[name]})


@pytest.mark.parametrize(
    ("allowed", "said"),
    [
        ({}, "allowed names no field, which would allow everything"),
        (None, "allowed is None; give a mapping"),
        ([("group", "guests")], "allowed is"),
        *(
            ({name: "pets"}, f"allowed has the field {name!r}; it can be one of doc_id, group, readers, grade, source")
            for name in ("topic", "page", "level", "node_id", "parent_id", "method", "layer", "turns", "grup", 3, None)
        ),
        ({"group": "guests", "topic": "pets"}, "allowed has the field 'topic'"),
        ({"group": 3}, "where.'group'. has 3; give a str"),
        ({"group": None}, "where.'group'. has None"),
        ({"group": ["guests", 3]}, "where.'group'. has 3"),
        ({"group": [["guests"]]}, "give a str"),
        ({"grade": "1"}, "give a int"),
    ],
    ids=str,
)
def test_what_is_no_permission_is_refused(only_read, allowed, said):
    with pytest.raises(ValueError, match=said):
        only_read.permitted(allowed)


def test_a_view_only_reads(only_read):
    for view in (only_read.permitted({"group": "guests"}), only_read.snapshot().permitted({"group": "guests"})):
        for write in (lambda view=view: view.add(tree("new")), lambda view=view: view.delete(["open"])):
            with pytest.raises(ValueError, match="only reads; add to or delete from the index that it was taken of"):
                write()
    assert only_read.count() == sum(len(list(tree(name))) for name in FIELDS)


def test_a_view_of_a_view_only_takes_away(only_read):
    guests = only_read.permitted({"group": "guests"})
    for wider in ({"group": ["guests", "board"]}, {"doc_id": ["open", "also open", "shut"]}, {"doc_id": Prefix("")}):
        assert guests.permitted(wider).doc_ids() == ["also open", "open"]
    assert guests.permitted({"readers": "Ann"}).doc_ids() == ["open"]
    assert guests.permitted({"group": "board"}).doc_ids() == []
    assert guests.permitted({"group": []}).permitted({"group": "guests"}).doc_ids() == []
    assert guests.snapshot().permitted({"readers": "Ann"}).snapshot().doc_ids() == ["open"]
    assert guests.doc_ids() == ["also open", "open"]
    assert guests.search("dogs", where={"group": ["board", "guests"], "doc_id": ["shut"]}) == []


def test_a_view_follows_commits_and_a_snapshot_of_it_stays(index):
    view = index.permitted({"group": "guests"})
    stays = view.snapshot()
    assert view.units() is view.units()
    assert view.tree() is not index.tree()
    index.add([tree("open", group="board"), tree("new", group="guests")])
    assert view.doc_ids() == ["also open", "new"]
    assert sorted(view.tree().documents) == ["also open", "new"]
    assert stays.doc_ids() == sorted(stays.tree().documents) == ["also open", "open"]
    assert index.permitted({"group": "board"}).doc_ids() == ["open", "shut"]


def test_a_hidden_id_and_a_missing_one_raise_the_same(only_read):
    view = only_read.permitted({"group": "guests"})
    hidden = next(node for node in tree("shut") if node.level == 1)
    missing = replace(
        hidden,
        node_id=hidden.node_id.replace("shut", "gone"),
        doc_id="gone",
        parent_id=hidden.parent_id.replace("shut", "gone"),
    )
    asks = {
        "document": lambda node: view.document(node.doc_id),
        "text": lambda node: view.text(node.doc_id),
        "slices": lambda node: view.slices([(node.doc_id, node.span)]),
        "slices outside": lambda node: view.slices([(node.doc_id, (0, 10**6))]),
        "nodes": lambda node: view.nodes([node.node_id]),
        "families": lambda node: view.families([node]),
        "lineages": lambda node: view.lineages([node], 0),
        "parents": lambda node: view.parents([node]),
        "children": lambda node: view.children([node]),
        "descendants": lambda node: view.descendants([node]),
        "windows": lambda node: view.windows([node], 3, 300),
        "neighbours": lambda node: view.neighbours(node, 3, 3),
        "search": lambda node: view.search("dogs of shut", where={"node_id": node.node_id}),
        "select": lambda node: select(view, {"doc_id": node.doc_id}),
    }
    for name, ask in asks.items():
        told = []
        for node in (hidden, missing):
            try:
                answer = repr(ask(node))
            except (KeyError, ValueError) as error:
                answer = repr(error)
            told.append(answer.replace(node.doc_id, "DOC"))
        assert told[0] == told[1], name
        assert "beach" not in told[0], name


# --- the seven holes -------------------------------------------------------------------------------------------------


def with_own_field(made, level, **own):
    levels = list(made.levels)
    levels[level] = tuple(replace(node, metadata={**node.metadata, **own}) for node in levels[level])
    return replace(made, levels=tuple(levels))


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize(
    "own", [{"group": "guests"}, {"group": None}, {"readers": ["Ann"]}, {"source": "a.md"}], ids=str
)
def test_a_part_cannot_have_a_field_of_documents(index, level, own):
    shut = with_own_field(tree("trap", group="board"), level, **own)
    with pytest.raises(ValueError, match=r"a part of the document 'trap', has '.*', which the index declares for doc"):
        index.add([tree("fine", group="guests"), shut])
    assert index.doc_ids() == sorted(FIELDS)
    index.add(with_own_field(tree("trap", group="board"), level, topic="guests"))
    found = ParentChildRetriever(index.permitted({"group": "guests"})).retrieve("dogs of trap", 50)
    assert {passage.doc_id for passage in found} == {"open", "also open"}


def test_a_permission_cannot_name_a_field_in_which_parts_differ(index):
    index.add(with_own_field(tree("mixed", topic="secret"), 2, topic="pets", method="structure"))
    with pytest.raises(ValueError, match=r"allowed has the field 'topic'.* Parts of one document can differ"):
        index.permitted({"topic": "pets"})
    for name in ("section", "kind", "page", "speaker", "speakers", "time"):
        with pytest.raises(ValueError, match=f"columns.'{name}'. is .*, and parts of one document differ in it"):
            Index.create(index.path.parent / name, WordHashEmbedder(), columns={name: OfDocument(str)})


def test_a_permission_does_not_change_with_what_it_was_made_of(index):
    groups, inner = ["guests"], ["Ann"]
    rights = {"group": groups, "readers": AllOf((inner, Prefix("")))}
    view = index.permitted(rights)
    groups.append("board")
    inner += ["Bob", "Cid"]
    rights["doc_id"] = "shut"
    assert view.doc_ids() == ["open"]
    rights.clear()
    groups.clear()
    assert view.doc_ids() == ["open"]
    with pytest.raises(TypeError):
        view.allowed["group"] = ("board",)
    users = []
    for group in ("guests", "board"):
        rights["group"] = group
        users.append(index.permitted(rights))
    assert [user.doc_ids() for user in users] == [["also open", "open"], ["shut"]]


def test_names_in_hidden_documents_link_nothing(index):
    start, end = "Our MR-7 came with Velmora.", "The seat of Halvane Works is in Ostrava."
    index.add([tree("a", start, group="guests"), tree("b", end, group="guests")])
    asked = "Where did the MR-7 come from?"
    view = index.permitted({"group": "guests"})
    before = EntityGraphRetriever(view, level=1).retrieve(asked, 9)
    index.add(tree("link", "Velmora bought Halvane Works. MR-7 is of Halvane Works.", group="board"))
    assert EntityGraphRetriever(view, level=1).retrieve(asked, 9) == before
    assert EntityGraphRetriever(view, level=1).names("Halvane Works, Velmora, MR-7") == []
    assert EntityGraphRetriever(index, level=1).retrieve(asked, 9) != before


def test_words_of_hidden_documents_do_not_come_into_the_question(index):
    index.add(tree("codes", "dogs run with swordfish42 at night", group="board"))
    view = index.permitted({"group": "guests"})
    assert "swordfish42" in str(FeedbackRewriter(FlatRetriever(index))("dogs run at night"))
    rewriter = FeedbackRewriter(FlatRetriever(view))
    assert "swordfish42" not in str(rewriter("dogs run at night"))
    assert MultiQueryRetriever(FlatRetriever(view), rewriter).retrieve("dogs run at night")


def test_hidden_places_are_not_looked_up(index):
    index.add(
        hierarchy(Document("law", "# Article 7 Vault\n\nThe code is 42.", "markdown", metadata={"group": "board"}))
    )
    view = index.permitted({"group": "guests"})
    asked = "What does Article 7 say?"
    assert "42" in NamedPlaceRetriever(FlatRetriever(index), index).retrieve(asked)[0].text
    found = NamedPlaceRetriever(FlatRetriever(view), view).retrieve(asked, 50)
    assert found == FlatRetriever(view).retrieve(asked, 50)
    assert {hit.doc_id for passage in found for hit in passage.hits} <= {"open", "also open"}


def test_parts_with_different_permissions_are_not_put_together(only_read):
    view, other = only_read.permitted({"group": "guests"}), only_read.permitted({"group": ["guests", "board"]})
    same = only_read.snapshot().permitted({"group": ["guests"]})
    for wide in (only_read, other):
        said = "one part reads .* and another .*; build all parts on one view"
        for narrow in (view, same):
            with pytest.raises(ValueError, match=said):
                NamedPlaceRetriever(FlatRetriever(narrow), wide)
            with pytest.raises(ValueError, match=said):
                MultiQueryRetriever(FlatRetriever(narrow), FeedbackRewriter(FlatRetriever(wide)))
            with pytest.raises(ValueError, match=said):
                CoarseToFineRetriever(
                    [LevelConfig("a", IndexLevel(wide, 2), 9), LevelConfig("b", IndexLevel(narrow, 2), 9)]
                )
    assert NamedPlaceRetriever(FlatRetriever(view), same).retrieve("dogs")


@pytest.mark.parametrize("narrowed", ["by a permission", "by a filter"])
def test_a_tool_answers_a_hidden_id_like_a_missing_one(only_read, narrowed):
    view = only_read.permitted({"group": "guests"}) if narrowed == "by a permission" else only_read
    for name in ("read", "outline", "neighbours"):
        said = []
        for node_id in [node.node_id for node in tree("shut")] + ["nowhere", "shut:0-4", ""]:
            session = Session(RetrievalTools(view), 9, 100, {"group": "guests"} if view is only_read else None)
            session.call("search", '{"query": "dogs of shut"}')
            said.append(session.call(name, f'{{"id": "{node_id}"}}'))
        assert set(said[:-1]) == {
            "Error: there is no section with this id. Copy the id from an outline or from a result of search"
        }, name


@pytest.mark.parametrize("narrowed", ["by a permission", "by a filter"])
@pytest.mark.parametrize("shown_by", ["search", "outline"])
def test_what_left_between_search_and_read_is_not_read(index, narrowed, shown_by):
    view = index.permitted({"group": "guests"}) if narrowed == "by a permission" else index
    session = Session(RetrievalTools(view), 9, 1000, {"group": "guests"} if view is index else None)
    arguments = '{"query": "dogs of open"}' if shown_by == "search" else "{}"
    assert "open" in session.call(shown_by, arguments)
    there = tree("open")
    index.add(tree("open", group="board"))  # the same text and the same node ids, of another group
    for node in there:
        assert session.call("read", f'{{"id": "{node.node_id}"}}').startswith("Error: there is no section with this id")
    assert session.passages == []
    assert all(hit.doc_id != "open" for hit in session.hits.values())
    [section] = tree("also open").levels[1]
    if shown_by == "search":
        assert session.call("read", f'{{"id": "{section.node_id}"}}').startswith("Read as [1]")


# --- the declaration, and the one way to the table -------------------------------------------------------------------


def test_the_declaration_is_recorded(only_read):
    again = Index.open(only_read.path, WordHashEmbedder())
    assert again.columns == only_read.columns == only_read.permitted({"group": "guests"}).columns == COLUMNS
    assert again.permitted({"readers": "Ann"}).doc_ids() == ["open"]
    header = lancedb.connect(only_read.path).open_table("nodes").schema.metadata[b"hierrag"].decode()
    assert '"group": "document str"' in header
    assert '"readers": "document list[str]"' in header


def test_an_index_made_before_there_were_fields_of_documents_has_none(tmp_path):
    index = Index.create(tmp_path / "old", WordHashEmbedder(), columns={"group": str})
    index.add(with_own_field(tree("trap", group="board"), 2, group="guests"))
    old = Index.open(tmp_path / "old", WordHashEmbedder())
    assert old.search("dogs", where={"group": "guests"})
    with pytest.raises(ValueError, match=r"allowed has the field 'group'; it can be one of doc_id\. "):
        old.permitted({"group": "guests"})
    assert old.permitted({"doc_id": "trap"}).doc_ids() == ["trap"]


@pytest.mark.parametrize("kind", ["str", list, dict[str, int], None, list[list[int]], bytes])
def test_another_type_is_refused(kind):
    with pytest.raises(ValueError, match=r"OfDocument is .*; give int, float, str or bool"):
        OfDocument(kind)


def test_no_reader_has_the_table_itself():
    """Who reads rows is given a ``Readable``, so a new look-up cannot leave the permission out either."""
    folder = Path(hierrag_lessons.store.__file__).parent
    holds = {
        path.stem
        for path in folder.parent.rglob("*.py")
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(each, ast.ImportFrom) and each.module in ("lancedb", "lancedb.table"))
        or (isinstance(each, ast.Import) and any(name.name.startswith("lancedb") for name in each.names))
    }
    assert holds == {"readable", "commits", "table"}
    assert re.findall(r"\._table\b(?!\()", "".join(path.read_text("utf-8") for path in folder.glob("[!r]*.py"))) == []
