import json

import pytest

from hierrag_lessons import check_retriever
from hierrag_lessons.agents import OUTLINE, OutlinePolicy, RetrievalTools, Session, ToolAgent, outline
from hierrag_lessons.agents.outline import LONGEST_SUMMARY
from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.llm import ToolCall, Turn
from hierrag_lessons.model import Document
from hierrag_lessons.ranking import BM25, count_terms
from hierrag_lessons.store import Index, temporary_index
from hierrag_lessons.text import count_tokens, terms
from tests.fakes import WordChunker, WordHashEmbedder

TEXTS = {
    "cats": "Cats sleep in the sun for most of every single day. They wake to eat fish from the lake at night.",
    "dogs": "Dogs run on the long beach early in the morning hours. They sleep near the warm kitchen stove at night.",
    "fish": "Fish swim in the deep blue lake below the old boats. They fear cats and the noisy gulls of the shore.",
}


def tree_of(doc_id, text, year=2020):
    chunkers = [WordChunker(11, context=f"About {doc_id}"), WordChunker(6), WordChunker(3)]
    return build_hierarchy(Document(doc_id, text, metadata={"year": year}), chunkers)


@pytest.fixture(scope="module")
def shelf():
    trees = [tree_of(doc_id, text, 2020 + place) for place, (doc_id, text) in enumerate(TEXTS.items())]
    with temporary_index(trees, embedder=WordHashEmbedder(), columns={"year": int}) as index:
        yield index


@pytest.fixture
def session(shelf):
    return Session(RetrievalTools(shelf), steps=20, budget=1000)


def entries_of(result):
    return [json.loads(line) for line in result.splitlines() if line.startswith("{")]


# --- outline ---------------------------------------------------------------------------------------------------------


def test_every_section_is_in_the_outline_once_with_what_is_true_of_it(shelf):
    found, waiting = [], [None]
    while waiting:
        entries = outline(shelf, waiting.pop())
        found += entries
        waiting += [entry.node.node_id for entry in entries]
    assert len(found) == len({entry.node.node_id for entry in found}) == shelf.count()
    for entry in found:
        text = TEXTS[entry.node.doc_id]
        assert text[entry.node.start : entry.node.end] == entry.node.text
        assert entry.tokens == count_tokens(entry.node.text)
        assert entry.sections == len(shelf.children([entry.node]))
        assert entry.summary in text, "one sentence, word for word"
        assert entry.summary.count(".") <= 1
        assert 0 < count_tokens(entry.summary) <= LONGEST_SUMMARY
        assert json.loads(entry.line)["span"] == [entry.node.start, entry.node.end]
    assert [entry.title for entry in outline(shelf)] == [text.splitlines()[0][:79] + "…" for text in TEXTS.values()]
    assert {entry.title for entry in outline(shelf, found[0].node.node_id)} == {f"About {found[0].node.doc_id}"}


def test_the_outline_follows_the_index():
    with temporary_index([tree_of("old", "Old words.")], embedder=WordHashEmbedder()) as index:
        index.delete(["old"])
        assert outline(index) == []
        index.add(tree_of("cats", TEXTS["cats"]))
        assert [entry.node.doc_id for entry in outline(index)] == ["cats"]
        index.add(tree_of("cats", "A wholly new sentence about whales stands here now."))
        assert outline(index)[0].summary == "A wholly new sentence about whales stands here now."
        index.delete(["cats"])
        assert outline(index) == []


def test_there_is_no_outline_of_what_is_not_there(shelf):
    with pytest.raises(KeyError):
        outline(shelf, "nowhere")


def test_a_blank_document_has_an_entry():
    with temporary_index([tree_of("blank", " \n ")], embedder=WordHashEmbedder()) as index:
        (entry,) = outline(index)
        assert (entry.title, entry.summary, entry.tokens > 0, entry.sections) == ("", "", True, 0)


# --- the tools -------------------------------------------------------------------------------------------------------


def test_the_tool_shows_documents_and_then_their_parts(session, shelf):
    for arguments in ("{}", '{"id": ""}', '{"id": " "}'):
        assert [entry["id"] for entry in entries_of(session.call("outline", arguments))] == [
            entry.node.node_id for entry in outline(shelf)
        ]
    top = outline(shelf)[1].node.node_id
    below = entries_of(session.call("outline", json.dumps({"id": top})))
    assert [tuple(entry["span"]) for entry in below] == [tuple(entry.node.span) for entry in outline(shelf, top)]
    leaf = shelf.search("dogs", 1)[0].node.node_id
    assert session.call("outline", json.dumps({"id": leaf})) == "This section has no parts. Read it."
    assert not any(call.failed for call in session.calls)


def test_neighbours_are_those_of_the_index(session, shelf):
    for node in [hit.node for hit in shelf.search("the lake at night", 12)]:
        shown = [entry["id"] for entry in entries_of(session.call("neighbours", json.dumps({"id": node.node_id})))]
        around = [other.node_id for other in shelf.neighbours(node, 1, 1)]
        assert shown == [node_id for node_id in around if node_id != node.node_id]
    assert session.call("neighbours", json.dumps({"id": outline(shelf)[0].node.node_id})) == "It has no neighbours."


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("outline", '{"id": "nowhere"}', "there is no section with this id"),
        ("neighbours", '{"id": "nowhere"}', "there is no section with this id"),
        ("neighbours", "{}", "id"),
        ("neighbours", '{"id": " "}', "id is blank. Give a text"),
        ("outline", "[]", "object"),
    ],
)
def test_a_bad_call_is_told_why(session, name, arguments, said):
    assert session.call(name, arguments).startswith("Error: ")
    assert said in session.calls[-1].headline
    assert session.calls[-1].failed


def test_what_documents_say_stands_in_a_fence(session):
    session.call("outline", "{}")
    (call,) = session.calls
    assert "Cats sleep" not in call.headline
    assert "Cats sleep" in call.data[0]


def test_a_long_outline_is_cut_and_says_so():
    trees = [tree_of(f"document {number:03}", "A dog ran over the hill.") for number in range(120)]
    with temporary_index(trees, embedder=WordHashEmbedder()) as index:
        session = Session(RetrievalTools(index), steps=3, budget=100)
        assert len(entries_of(session.call("outline", "{}"))) == 100
        assert session.calls[0].headline == (
            "100 entries, in the order of the text, the first of 120; search for what is not among them."
        )


def test_under_a_filter_only_what_is_inside_is_shown_and_can_be_read(shelf):
    session = Session(RetrievalTools(shelf), steps=9, budget=1000, where={"year": 2021})
    assert [entry["id"].split(":")[0] for entry in entries_of(session.call("outline", "{}"))] == ["dogs"]
    hidden, shown = outline(shelf)[0].node.node_id, outline(shelf)[1].node.node_id
    session.call("outline", json.dumps({"id": hidden}))
    assert session.calls[-1].data == ()
    session.call("read", json.dumps({"id": hidden}))
    assert session.calls[-1].failed
    session.call("read", json.dumps({"id": shown}))
    assert [passage.doc_id for passage in session.passages] == ["dogs"]


def test_only_what_is_on_offer_is_answered(shelf):
    tools = RetrievalTools(shelf, names=("outline", "read"))
    assert [tool.name for tool in tools.offered] == ["outline", "read"]
    session = Session(tools, steps=3, budget=100)
    assert session.call("search", '{"query": "dog"}') == (
        "Error: there is no tool of this name. The tools are outline and read"
    )
    with pytest.raises(ValueError, match="names is 'grep'"):
        RetrievalTools(shelf, names=("outline", "grep"))
    assert OUTLINE.parameters["required"] == []


class Walker:
    """Opens the entry with the most words of the question, from the documents down, and reads what has no parts."""

    name = "walker"

    def turn(self, messages, tools=()):
        asked = set(messages[1]["content"].split())
        self.offered = [tool.name for tool in tools]
        if not tools or messages[-1]["content"].startswith("Read as"):
            return Turn("Read: [1].")
        entries = entries_of(messages[-1]["content"]) if messages[-1]["role"] == "tool" else []
        best = max(entries, key=lambda entry: len(asked & set(entry["summary"].split())), default=None)
        name = "read" if best and not best["sections"] else "outline"
        return Turn("", (ToolCall("c", name, json.dumps({"id": best["id"]} if best else {})),))


def test_a_model_can_walk_with_an_outline_alone(shelf):
    model = Walker()
    run = ToolAgent(RetrievalTools(shelf, names=("outline", "read")), model).run("boats lake deep")
    assert model.offered == ["outline", "read"]
    assert [call.name for call in run.calls] == ["outline", "outline", "outline", "outline", "read"]
    assert [passage.doc_id for passage in run.passages] == ["fish"]
    assert {"boats", "lake", "deep"} & set(run.passages[0].text.split())
    assert run.citations()[0].passage == run.passages[0]


def test_its_steps_are_limited(shelf):
    run = ToolAgent(RetrievalTools(shelf, names=("outline", "read")), Walker(), steps=2).run("boats lake deep")
    assert (run.stopped, len(run.calls), run.passages) == ("steps", 2, ())


# --- the policy ------------------------------------------------------------------------------------------------------

MAKERS = {
    "summaries": OutlinePolicy,
    "a narrow beam, all words": lambda index: OutlinePolicy(index, beam=2, sees="text"),
    "sections": lambda index: OutlinePolicy(index, level=1, sees="text"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_it_is_a_retriever(make, language):
    check_retriever(make, finds_all=False, language=language)  # what the walk does not reach is not found


@pytest.mark.parametrize("sees", ["headings", "summaries", "text"])
@pytest.mark.parametrize("beam", [1, 2, 100])
def test_a_walk_is_what_a_plain_loop_does(shelf, sees, beam):
    """The oracle scores by BM25 as well, and finds its way by look-ups in the index."""
    for query in ("cats sleep at night", "the deep lake", "beach", "about fish"):
        level = [entry.node for entry in outline(shelf)]
        for depth, step in enumerate(OutlinePolicy(shelf, beam, sees=sees).walk(query).steps):
            assert list(step.looked_at) == level
            every = [node for nodes in [shelf.tree().levels[depth]] for node in nodes]
            scores = dict(zip([n.node_id for n in every], scores_of(shelf, every, sees, query), strict=True))
            ranked = sorted(level, key=lambda node: (-scores[node.node_id], node.doc_id, node.position))
            kept = ranked[:beam] if depth < 3 else [node for node in ranked if scores[node.node_id] > 0]
            assert [hit.node for hit in step.kept] == kept
            level = sorted(shelf.children(kept), key=lambda node: (node.doc_id, node.position))


def scores_of(shelf, nodes, sees, query):
    def said(node):
        entries = {entry.node.node_id: entry for entry in outline(shelf, node.parent_id)}
        title = entries[node.node_id].title
        title = f"{node.doc_id} {title}" if node.level == 0 else title
        return f"{title}\n{ {'headings': '', 'text': node.text}.get(sees, entries[node.node_id].summary) }"

    counts, columns = count_terms([terms(said(node)) for node in nodes])
    return BM25(counts).scores([columns[term] for term in terms(query) if term in columns]).round(6)


def test_what_was_not_opened_is_not_found(shelf):
    lost = OutlinePolicy(shelf, beam=1, sees="text").retrieve("gulls on the shore; cats cats cats sleep sun day", 50)
    assert {passage.doc_id for passage in lost} == {"cats"}
    wide = OutlinePolicy(shelf, beam=3, sees="text").retrieve("gulls on the shore; cats cats cats sleep sun day", 50)
    assert {passage.doc_id for passage in wide} == {"cats", "fish"}


def test_a_walk_tells_its_way(shelf):
    walk = OutlinePolicy(shelf, beam=1, sees="text").walk("dogs run on the beach")
    assert str(walk).splitlines()[:2] == ["dogs run on the beach", "level 0: 3 looked at, 1 kept"]
    assert [len(step.kept) for step in walk.steps[:3]] == [1, 1, 1]


def test_a_filter_holds_on_the_way_down(shelf):
    """The beam is spent on what leads somewhere: with one place, and a better document outside of the filter."""
    policy = OutlinePolicy(shelf, beam=1, sees="text")
    assert {p.doc_id for p in policy.retrieve("dogs at night", 9, where={"year": 2020})} == {"cats"}
    assert policy.retrieve("dogs at night", 9, where={"year": 1999}) == []


def test_an_empty_index_has_no_way_down(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    assert OutlinePolicy(index).walk("dogs").steps == ()
    assert OutlinePolicy(index).retrieve("dogs") == []


@pytest.mark.parametrize("wrong", [{"beam": 0}, {"sees": "everything"}, {"level": 4}, {"level": -1}])
def test_a_bad_parameter_is_refused(shelf, wrong):
    (name,) = wrong
    with pytest.raises(ValueError, match=f"{name} is .*give"):
        OutlinePolicy(shelf, **wrong)
