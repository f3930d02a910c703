"""A folder and a question in, passages with their places out.

Lesson 24 uses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hierrag_lessons import checks
from hierrag_lessons.answers import ExtractiveAnswerer, refusal_features
from hierrag_lessons.context import pack
from hierrag_lessons.embedding import default_embedder
from hierrag_lessons.model import Document, Embedder, Language, Passage
from hierrag_lessons.own_documents.folder import Unread, guess_language, read_folder
from hierrag_lessons.own_documents.kept_index import kept_folder, kept_index, place_in
from hierrag_lessons.own_documents.places import place_of, printable
from hierrag_lessons.retrievers import MultiLevelRetriever
from hierrag_lessons.text import blocks_within

_SHORTEST = 10  # tokens: a passage is hardly ever shorter, so that as many as this fill a budget
_EXTRACT = 80  # tokens: two or three sentences
_FIRST = 3  # passages
_COVERED = 0.34  # of the question's words, in what fits the budget
_NO_SENTENCES = ("heading", "code", "formula")
_UNLIKELY = "Nothing here looks like an answer: the passages have few words of the question. The nearest are:"
_NAMES: dict[Language, str] = {"en": "English", "zh": "Chinese"}


@dataclass(frozen=True, repr=False)
class Asked:
    """What was found for a question, best first. ``places[i]`` says where ``passages[i]`` stands.

    ``extract`` holds sentences of the passages that may answer, copied, each with the number of its passage; no model
    wrote it. ``likely`` is false where the passages have so few of the question's words that hardly any of them
    answers; then there is no ``extract``. ``left_out`` says in words what was not searched. ``text`` is all of it to
    read; it is what a notebook shows.
    """

    question: str
    passages: tuple[Passage, ...]
    places: tuple[str, ...]
    unread: tuple[Unread, ...] = ()
    left_out: str = ""
    extract: tuple[tuple[str, int], ...] = ()
    likely: bool = True

    @property
    def text(self) -> str:
        """The passages under their places, safe to print."""
        return self._written(range(1, len(self.places) + 1))

    @property
    def brief(self) -> str:
        """The first three passages and those that a sentence was copied from, and how many there are beside them."""
        cited = {number for _, number in self.extract}
        numbers = [n for n in range(1, len(self.places) + 1) if n <= _FIRST or n in cited]
        rest = len(self.places) - len(numbers)
        return self._written(numbers) + (f"\n\n{rest} more passages fit the budget; --all prints them." if rest else "")

    def _written(self, numbers: Iterable[int]) -> str:
        parts = [f"[{i}] {self._head(i)}\n{self.passages[i - 1].text.strip()}" for i in numbers]
        if not self.passages:
            parts = ["Nothing in these documents has a word of the question, or comes near it."]
        elif not self.likely:
            parts.insert(0, _UNLIKELY)
        elif self.extract:
            copied = " ".join(f"{' '.join(sentence.split())} [{number}]" for sentence, number in self.extract)
            parts.insert(0, f"Sentences that may answer, copied from the passages below:\n{copied}")
        parts += [self.left_out] if self.left_out else []
        return printable("\n\n".join(parts))

    def __repr__(self) -> str:
        return self.text

    def _head(self, number: int) -> str:
        place, context = self.places[number - 1], " ".join(self.passages[number - 1].context.split())
        return place if not context or " › " in place else f"{place}  ({context})"


def ask_documents(
    path: Path | str,
    question: str,
    *,
    budget: int = 1000,
    keep: Path | str | None = None,
    embedder: Embedder | None = None,
    bf16: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Asked:
    """Search a folder of your own files, and return the passages that fit a budget, each with its file and lines.

    The folder is read by :func:`~hierrag_lessons.own_documents.read_folder`, and indexed at the first question. The
    index is kept: a later question embeds nothing but itself, and files that are new, changed or gone since are
    followed. The search is :class:`~hierrag_lessons.retrievers.MultiLevelRetriever` with its defaults. Documents in the
    language of the question are searched, or all others where there are none.

    Parameters
    ----------
    path:
        A folder of documents, or one of them.
    question:
        In English or Chinese.
    budget:
        The most tokens of text that come back.
    keep:
        Where the index is kept, a folder of its own; in the cache folder where not given.
    embedder:
        The default of the language where not given. Each has an index of its own.
    bf16:
        Let the default embedder compute with 16-bit numbers, see :func:`~hierrag_lessons.embedding.default_embedder`.
        An ``embedder`` of your own is used as it is.
    progress:
        Called with a line of text before anything that takes time, and now and then while it does.

    Raises
    ------
    ValueError
        For a blank question, and as ``read_folder`` does.
    OSError
        Where the index can't be kept.
    """
    checks.text("question", question)
    checks.whole("budget", budget, 1)
    checks.able("embedder", embedder, "encode", none="the default of the language")
    checks.instance("bf16", bf16, bool)
    if not question.strip():
        raise ValueError(f"question is {question!r}; give some words to search for")
    say = progress or (lambda line: None)
    place = kept_folder(path) if keep is None else checks.path("keep", keep)
    say("reading the documents")
    folder = read_folder(path)
    language = guess_language(question)
    chosen, left_out = in_language(folder.documents, language)
    language = chosen[0].language
    say(f"bringing the index of {len(chosen)} documents up to date")
    made = embedder or default_embedder(language, bf16=bf16)
    index = kept_index(chosen, place_in(place, language, made), made, language, tell=say)
    found = MultiLevelRetriever(index).retrieve(question, k=max(40, budget // _SHORTEST))
    by_id = {document.doc_id: document for document in chosen}
    passages = tuple(pack(found, budget))
    places = tuple(place_of(by_id[passage.doc_id], passage.span) for passage in passages)
    likely = refusal_features(question, passages, language).covered >= _COVERED
    extract = tuple(_copied(question, passages, by_id, language)) if likely else ()
    return Asked(question, passages, places, folder.unread, left_out, extract, likely)


def _copied(
    question: str, passages: Sequence[Passage], documents: Mapping[str, Document], language: Language
) -> Iterator[tuple[str, int]]:
    """Yield the sentences of an extractive answer, each with the number of the passage that it stands in."""
    prose = [part for passage in passages for part in _prose(passage, documents[passage.doc_id])]
    for statement in ExtractiveAnswerer(max_tokens=_EXTRACT, language=language).answer(question, prose).statements:
        for quote in statement.quotes:
            yield (
                statement.text,
                next(
                    number
                    for number, passage in enumerate(passages, 1)
                    if passage.doc_id == quote.doc_id and passage.start <= quote.start and quote.end <= passage.end
                ),
            )


def _prose(passage: Passage, document: Document) -> Iterator[Passage]:
    """Yield the parts of a passage that are sentences, block by block, so that none runs on into code."""
    for block in blocks_within(document, passage.span):
        if block.kind not in _NO_SENTENCES:
            yield replace(passage, start=block.start, end=block.end, text=document.text[block.start : block.end])


def in_language(documents: Sequence[Document], language: Language) -> tuple[list[Document], str]:
    """The documents of a language, all others where there are none, and a sentence on those that are left out.

    Raises ``ValueError`` where there is no document at all.
    """
    own = [document for document in documents if document.language == language]
    chosen = own or list(documents)
    if not chosen:
        raise ValueError("documents is empty; give at least one")
    rest = len(documents) - len(chosen)
    if not rest:
        return chosen, ""
    other = next(document.language for document in documents if document.language != language)
    return chosen, f"Not searched: {rest} documents in {_NAMES[other]}; ask in {_NAMES[other]} to search them."
