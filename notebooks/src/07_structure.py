# %% [markdown]
# # 07 · Structure
#
# **You will** cut documents at their headings, find out why a regular expression can't do it, let a Markdown parser do it
# without losing a single offset, and give every chunk the headings that it stands under.
#
# **You learn** blocks and sections; fences, underlined and numbered headings; what to do with sections that are too short
# or too long, and with tables; what a heading path in the embedding buys; what late chunking is.
#
# **You need** [lesson 06](06_recursive.ipynb) (recursive chunks) and [lesson 03](03_measuring_retrieval.ipynb) (recall at
# a budget, intervals). 20 minutes, medium (★★☆), four exercises. No network, no API key.
#
# The way through: [two subjects in one chunk](#Two-subjects-in-one-chunk), [sections and
# paths](#Sections-and-paths), [the usual code](#The-usual-code), [the repair](#The-repair), [from sections to
# chunks](#From-sections-to-chunks), [beside LangChain](#Beside-LangChain), [measured](#Measured), [context in the
# embedding](#Context-in-the-embedding), [late chunking](#Late-chunking), [where it loses](#Where-it-loses),
# [parameters](#Parameters), [exercises](#Exercises).

# %%
import re
import warnings
from importlib.metadata import version
from itertools import pairwise
from statistics import mean, median

from langchain_text_splitters import MarkdownHeaderTextSplitter
from markdown_it import MarkdownIt

from hierrag_lessons import (
    MARKDOWN,
    Document,
    FixedSizeChunker,
    Passage,
    RecursiveChunker,
    Span,
    StructureChunker,
    Table,
    TruncationWarning,
    chunk_strip,
    compare,
    count_tokens,
    course_set,
    default_embedder,
    embed_late,
    evaluate,
    read_blocks,
    read_python_reference,
    recall,
    score_chunkers,
    side_by_side,
    sort_key,
    trim,
)

# %% [markdown]
# ## Two subjects in one chunk
#
# A dev question on the technical handbook of some gateways: the gateway and the lightning rod share one earth electrode;
# how many ohms may it have? Below is the recursive chunk of at most 200 tokens in which the answer stands.

# %%
chinese, chinese_questions = course_set("zh")
by_id = {document.doc_id: document for document in chinese}
handbook = by_id["zh/technical_handbook"]
question = next(question for question in chinese_questions if question.id == "zh-tech-011")
answer = question.evidence[0]
recursive = RecursiveChunker(200, separators=MARKDOWN)
chunk = next(c for c in recursive.chunk(handbook) if c.start <= answer.start < c.end)
print(question.question)
print("answer:", handbook.text[answer.start : answer.end], "\n")
print(chunk.text)

# %% [markdown]
# Two sections happened to fit into 200 tokens, so they were packed together. One is about the rate of a data upload, the
# other about earthing. The vector of this chunk lies somewhere between the two subjects. How many chunks of the corpus
# are nearer to the question?


# %%
def rank_of(evidence, query, chunker, documents, embedder):
    """How many chunks are nearer to the query than the nearest one that holds the evidence, and how many there are."""
    chunks = [chunk for document in documents for chunk in chunker.chunk(document)]
    scores = (embedder.encode([c.embedding_text for c in chunks]) @ embedder.encode([query])[0]).round(6)
    holds = [c.doc_id == evidence.doc_id and c.start <= evidence.start and evidence.end <= c.end for c in chunks]
    return int((scores > scores[holds].max()).sum()), len(chunks)


chinese_embedder = default_embedder("zh")
nearer, chunks = rank_of(answer, question.question, recursive, chinese, chinese_embedder)
print(f"{nearer} of {chunks} chunks are nearer")

# %% [markdown]
# The author had drawn a line between the two subjects, a heading. We did not look at it.
#
# ## Sections and paths
#
# ![On the left a document: the title Handbook; under it chapter 13 with three sections, then chapter 14 with a long
# table. On the right four chunks: the first section alone with its path Handbook, 13 Amendments, 13.2 Rate; the two
# short sections together with the path that they share; the beginning of the table; the rest of the table, with the
# header row repeated in its context.](images/07_sections.svg)
#
# - A **block** is what an author separates from the rest: a heading, a paragraph, a list, a table, code, a formula.
# - A **section** is a heading with the blocks under it, up to the next heading.
# - The **heading path** of a section: the titles that it stands under, from the outside in.
#
# The chunker of this lesson makes a chunk of each section. Short sections under the same heading are joined, long ones are
# divided between blocks, and each chunk gets its path as **context**: embedded with the text, but no part of it. The
# text stays an exact span.
#
# It all rests on finding the headings. That looks easy.
#
# ## The usual code
#
# A heading is a line that begins with `#`. In code, `#` begins a comment, so we skip what stands between two lines of
# three backticks. Published splitters look like this:


# %%
def split_at_headings(text: str) -> list[tuple[list[str], str]]:
    """Heading path and text of each section, as people write it."""
    path, sections, in_code = [], [], False
    for line in text.split("\n"):
        if line.startswith("```"):
            in_code = not in_code
        heading = None if in_code else re.match(r"(#{1,6})\s+(.*)", line)
        if heading:
            path = [*path[: len(heading.group(1)) - 1], heading.group(2)]
            sections.append((path, []))
        elif sections:
            sections[-1][1].append(line)
    return [(path, "\n".join(lines).strip()) for path, lines in sections]


found = split_at_headings(handbook.text)
wrong = next(number for number, (path, _) in enumerate(found) if len(path) == 1 and number > 0)
for path, body in found[wrong - 1 : wrong + 2]:
    print(" › ".join(path), f"\n    begins {body[:40]!r}\n    ends   {body[-40:]!r}")

# %% [markdown]
# The handbook shows a command for making a backup, in a fence of tildes, `~~~`, which Markdown allows as well. The code
# does not know them. A comment inside the command ("set the recovery password") became a heading of the highest level. The
# command is cut in two, and everything after it has lost the path: chapter 9 is gone.
#
# One more rule repairs this one input. How many rules are there?

# %%
INPUTS = {
    "tilde fence": ("~~~sh\n# comment\n~~~\n\n# A", ["A"]),
    "fence inside a fence": ("````md\n```\n# comment\n```\n# comment\n````\n\n# A", ["A"]),
    "fence never closed": ("# A\n\n```sh\n# comment\n", ["A"]),
    "indented code": ("# A\n\n    # comment", ["A"]),
    "comment of HTML": ("<!--\n# hidden\n-->\n\n# A", ["A"]),
    "underlined": ("A\n===\n\nB\n---\n\ntext", ["A", "B"]),
    "closing signs": ("# A ##", ["A"]),
    "three spaces in front": ("   # A", ["A"]),
    "seven signs": ("# A\n\n####### B", ["A"]),
    "line ends of an old Mac": ("# A\r\rtext\r\r## B", ["A", "B"]),
}


def found_by(titles):
    """One row for each input: the titles in it by Markdown's rules, and those that a function finds."""
    return [(name, wanted, titles(text)) for name, (text, wanted) in INPUTS.items()]


for name, wanted, found in found_by(lambda text: [path[-1] for path, _ in split_at_headings(text)]):
    print(f"{'right' if found == wanted else 'wrong':<7}{name:<26}{wanted!s:<14}found {found}")

# %% [markdown]
# Lists, quotes and tables add more: a fence may be indented with its list item, an underline of dashes may be a rule.
#
# ## The repair
#
# Markdown has a grammar, [CommonMark](https://spec.commonmark.org/), and parsers for it with thousands of tests. We use
# [markdown-it-py](https://markdown-it-py.readthedocs.io/). It returns tokens, and each block's token knows its **lines**.

# %%
parser = MarkdownIt("commonmark").enable("table")
example = "Backup\n======\n\n~~~sh\n# set the password\nbackup create\n~~~\n\n| model | points |\n|---|---|\n| EG-210 | 1000 |\n"
for token in parser.parse(example):
    if token.level == 0 and token.map:
        print(f"{token.type:<16} lines {token.map}")

# %% [markdown]
# Lines are not offsets yet. And here is a trap: what is a line? Python's `splitlines` cuts at ten signs, among them
# U+2028 and the form feed. Markdown cuts at `\n`, `\r\n` and `\r` only. After the first sign about which they
# disagree, each block would be looked up in a wrong line, with no error.

# %%
tricky = "A line\u2028that goes on.\r\n\r\n# Heading\r\n"
heading = next(token for token in parser.parse(tricky) if token.type == "heading_open")
print("the parser: heading in line", heading.map[0])
print("splitlines:", repr(tricky.splitlines()[heading.map[0]]))


def line_spans(text: str) -> list[Span]:
    """The lines of a text as Markdown counts them, without their ends."""
    breaks = [match.span() for match in re.finditer(r"\r\n?|\n", text)]
    starts, ends = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(text)]
    return [Span(*pair) for pair in zip(starts, ends, strict=True)]


line = line_spans(tricky)[heading.map[0]]
print("line_spans:", repr(tricky[line.start : line.end]))

# %% [markdown]
# With that, headings are spans. (The parser's own copy of the text has `\n` for each `\r\n`, so an offset taken from
# there would drift by one in every line. Never take offsets from a copy.)


# %%
def headings(text: str) -> list[tuple[Span, int, str]]:
    """Span, level and title of each heading of a Markdown text."""
    lines, tokens = line_spans(text), parser.parse(text)
    found = []
    for token, inside in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0:
            first, last = token.map
            found.append((Span(lines[first].start, lines[last - 1].end), int(token.tag[1]), inside.content))
    return found


for name, wanted, found in found_by(lambda text: [title for _, _, title in headings(text)]):
    print(f"{'right' if found == wanted else 'wrong':<7}{name:<26}{wanted!s:<14}found {found}")

# %% [markdown]
# The package does the same for all kinds of blocks: `read_blocks(document)` returns them in order, disjoint, and nothing
# that is not white space lies outside. Does it find the headings that we found?

# %%
english, english_questions = course_set("en")
books = [d for d in [*english, *chinese, *read_python_reference()] if d.kind == "markdown"]
ours = [(d.doc_id, span) for d in books for span, _, _ in headings(d.text)]
blocks = [(d, block) for d in books for block in read_blocks(d)]
marked = [(d.doc_id, block.span) for d, block in blocks if block.kind == "heading" and d.text[block.start] == "#"]
print("the same headings, at the same offsets:", ours == marked)
others = [(d.doc_id, d.text[b.start : b.end]) for d, b in blocks if b.kind == "heading" and d.text[b.start] != "#"]
print("others:", [text for doc_id, text in others if doc_id == "zh/expense_regulation"][:3], "…")

# %% [markdown]
# ### Headings without a mark
#
# The package found headings that we did not: the articles of the Chinese regulation, 第一条 and so on. They are bold, and their text
# follows in the same line. For Markdown this is a paragraph; for a reader it is a section. Plain text has no marks at
# all, but its numbers are headings, too: `Item 1A. Risk Factors`, `3.2.1 Scope`, `第二章 差旅`, `一、总则`, `（二）范围`.
#
# A number is a weaker sign than a `#`. "Article 12 applies to producers." is a sentence, and "3.5 million" an amount.
# So the package asks for more: a title that does not end like a sentence, not too long, at the start of a paragraph
# or after the end of a sentence.

# %%
regulation = by_id["zh/expense_regulation"]
lines = ["Item 1A. Risk Factors", "Article 12 Scope", "Article 12 applies to producers.", "3.2.1 Scope", "3.5 million"]
for line in [*lines, "第十二条　报销范围", "第十二条规定的期限", "一、总则", "一、公司董事会保证报告内容真实。"]:
    first, *_ = read_blocks(Document("line", line))
    print(f"{first.kind:<10}{line}")
deep = next(b for b in read_blocks(regulation) if b.kind == "paragraph" and len(b.path) == 4)
print("\nthe path of a paragraph:", " › ".join(deep.path))

# %% [markdown]
# ## From sections to chunks
#
# With blocks, sections are a few lines. One rule is worth a thought: a heading directly followed by a deeper heading has
# nothing of its own, so it is no section but the beginning of one.


# %%
def sections(document: Document) -> list[tuple[Span, tuple[str, ...]]]:
    """Span and heading path of each section."""
    groups = []
    for block in read_blocks(document):
        last = groups[-1][-1] if groups else None
        goes_on = last and last.kind == "heading" and last.level < block.level
        if not groups or (block.kind == "heading" and not goes_on):
            groups.append([])
        groups[-1].append(block)
    return [(trim(document.text, Span(group[0].start, group[-1].end)), group[-1].path) for group in groups]


whole_sections = StructureChunker(max_size=100_000, min_size=0)
for document in books:
    expected = [(span, " › ".join(path[-3:])) for span, path in sections(document)]
    assert [(chunk.span, chunk.context) for chunk in whole_sections.chunk(document)] == expected
print(f"StructureChunker makes the same sections of {len(books)} documents")


# %%
def sizes(chunks):
    """Number of chunks and their sizes in tokens."""
    tokens = [count_tokens(chunk.text) for chunk in chunks]
    return len(tokens), min(tokens), int(median(tokens)), max(tokens), sum(n < 50 for n in tokens)


structure = StructureChunker(max_size=200, min_size=50)
lines = [
    (document.doc_id, name, *sizes(chunker.chunk(document)))
    for document in books
    if not document.doc_id.startswith("python/")
    for name, chunker in {"sections": whole_sections, "chunks": structure}.items()
]
Table(("document", "cut into", "number", "smallest", "median", "largest", "below 50 tokens"), tuple(lines))

# %% [markdown]
# Sections as they come are useless as chunks: from a handful of tokens to more than a thousand. `StructureChunker` brings them
# into shape in two steps.
#
# 1. **Merge.** A section below `min_size` is joined with the next one, as long as both stand under the same heading and
#    fit; the last of its siblings is joined with the one before. The path of the result is what its sections share.
# 2. **Divide.** A section above `max_size` is cut between its blocks; a block that is still too large, between its list
#    items or sentences. A heading, a caption and a line that ends with a colon stay with what follows.
#
# **Code, formulas and tables are never cut.** There is one exception. Half a program is no program, so code above
# `max_size` stays whole and is marked `oversized`. But a row of a table can stand alone, if one knows what its columns mean.
# So a long table is divided by rows, and its header goes into the **context** of each later part:

# %%
parts = [chunk for document in english for chunk in structure.chunk(document) if "\n|" in chunk.context]
part = parts[0]
print(part.doc_id, tuple(part.span))
print("--- context\n" + part.context)
print("--- text\n" + part.text[:230], "…")

# %% [markdown]
# `text` is still `document.text[start:end]`, without the header. The embedder reads both (`chunk.embedding_text`).
#
# There is no overlap. What neighbouring chunks share is the path; the article *RAG — Chunking
# 策略实战* (Dewu Tech) calls it *structural overlap*. Repeating text, as lesson 04 measured, bought nothing.

# %%
beginning = Document("zh/handbook, the beginning", handbook.text[:4000], "markdown", "zh")
strip = chunk_strip(
    {
        name: c.chunk(beginning)
        for name, c in {"sections": whole_sections, "recursive": recursive, "structure": structure}.items()
    },
    beginning,
    {"headings": [block.start for block in read_blocks(beginning) if block.kind == "heading"]},
)
print(strip.numbers)
strip

# %% [markdown]
# How many chunks hold text of more than one section?

# %%
own_texts = [document for document in books if not document.doc_id.startswith("python/")]


def with_several_sections(chunker) -> tuple[int, int]:
    """Number of chunks that share text with two sections or more, and of all chunks."""
    several = total = 0
    for document in own_texts:
        starts = [span.start for span, _ in sections(document)]
        for chunk in chunker.chunk(document):
            total += 1
            several += any(chunk.start < start < chunk.end for start in starts)
    return several, total


for name, chunker in {"fixed": FixedSizeChunker(200), "recursive": recursive, "structure": structure}.items():
    several, total = with_several_sections(chunker)
    print(f"{name:<10} {several} of {total} chunks")

# %% [markdown]
# Fixed windows pay no attention. Recursive chunks pack neighbours as long as they fit, whatever they are about. Structure
# chunks join sections only where one of them is short.
#
# ## Beside LangChain
#
# `MarkdownHeaderTextSplitter` cuts at headings and returns them as metadata. The same ten inputs, then the
# course's texts:

# %%
marks = [("#" * level, str(level)) for level in range(1, 7)]
splitter = MarkdownHeaderTextSplitter(marks, strip_headers=False)
print("langchain-text-splitters", version("langchain-text-splitters"))


def langchain_titles(text: str) -> list[str]:
    return [list(piece.metadata.values())[-1] for piece in splitter.split_text(text) if piece.metadata]


for name, wanted, found in found_by(langchain_titles):
    print(f"{'right' if found == wanted else 'wrong':<7}{name:<26}{wanted!s:<14}found {found}")

# %%
pieces = [(document, piece) for document in own_texts for piece in splitter.split_text(document.text)]
verbatim = sum(piece.page_content in document.text for document, piece in pieces)
print(f"{len(pieces)} pieces, {verbatim} of them stand in their document as they are")
tokens = [count_tokens(piece.page_content) for _, piece in pieces]
print(f"smallest {min(tokens)} tokens, largest {max(tokens):,}")
faq = by_id["zh/faq"]
print("in the text:", ascii(faq.text[(start := faq.text.index("问 1")) : start + 8]))
print("as metadata:", ascii(next(p.metadata["3"] for d, p in pieces if d is faq and "3" in p.metadata)[:8]))

# %% [markdown]
# It knows tildes. But it takes every line apart and puts it together again: white space is stripped, line ends are rewritten,
# the ideographic space U+3000 is deleted even inside a title. Hardly any piece can be found in its document again, so there
# are no offsets, and indented code has lost its indentation. There is no largest size (one is told to send the
# pieces through a second splitter, which then cuts tables and code) and no smallest.
#
# ## Measured
#
# The scoreboard: dev questions, flat search, 1,000 tokens of context. `structure` embeds each chunk with its path; `no
# path` has the same chunks without it. The path is used for the search only and is not part of what is returned, so all
# contexts have the same size. But first the question of the beginning, about the earth electrode:

# %%
methods = {
    "recursive": recursive,
    "fixed": FixedSizeChunker(200),
    "structure, no path": StructureChunker(200, 50, path_depth=0),
    "structure": structure,
}
for name, chunker in methods.items():
    nearer, chunks = rank_of(answer, question.question, chunker, chinese, chinese_embedder)
    print(f"{name:<20}{nearer:>3} of {chunks} chunks are nearer than the one with the answer")

# %%
in_chinese = score_chunkers(methods, chinese, chinese_questions, (1000,))
compare(in_chinese, "recall", 1000)

# %%
in_english = score_chunkers(methods, english, english_questions, (1000,))
compare(in_english, "recall", 1000)

# %% [markdown]
# Chinese: better than recursive chunks of the same size, and the interval of the difference lies above zero. English: no
# difference that these questions can show. The line `no path` shows no difference from `recursive` in either
# language: recursive chunks with Markdown's separators already cut before headings, so the borders were half there. What about the
# paths? (The embedders differ as well: MiniLM reads meaning, the Chinese one compares characters.)
#
# ## Context in the embedding
#
# The same chunks with and without their path, in pairs:


# %%
def path_added(results):
    """Recall with the path, against recall without it."""
    return compare({key: results[key] for key in ("structure, no path", "structure")}, "recall", 1000)


path_added(in_chinese)

# %%
path_added(in_english)

# %% [markdown]
# In Chinese the path adds something: the interval lies above zero, if only just. In English nothing can be seen. By the
# document that the evidence stands in:


# %%
def by_document(results, before, after):
    """Mean recall of two methods on the questions whose evidence stands in one document only."""
    scores = {name: results[name].scores("recall", 1000) for name in (before, after)}
    asked = {row.question.id: {e.doc_id.split("/")[1] for e in row.question.evidence} for row in results[after].rows}
    names = sorted({next(iter(docs)) for key, docs in asked.items() if key in scores[after] and len(docs) == 1})
    groups = {name: [key for key in scores[after] if asked[key] == {name}] for name in names}
    return [(n, len(keys), *(mean(scores[m][k] for k in keys) for m in (before, after))) for n, keys in groups.items()]


rows = [
    (lang, *row)
    for lang, r in {"zh": in_chinese, "en": in_english}.items()
    for row in by_document(r, "structure, no path", "structure")
]
Table(("language", "document", "questions", "no path", "with path"), tuple(row for row in rows if row[2] >= 5))

# %% [markdown]
# The Chinese rows all go up, the English ones go both ways, with few questions in each, so no single row is a fact. A path
# is no free gain. It should help a question that uses words of a heading, and harm one that asks for a detail which the
# heading does not mention; [below](#Where-it-loses) you will see such a case from near by. How much of a vector is path?

# %%
lines = []
for name, documents in {"Chinese": chinese, "English": english}.items():
    chunks = [chunk for document in documents for chunk in structure.chunk(document) if chunk.context]
    path, text = mean(count_tokens(c.context) for c in chunks), mean(count_tokens(c.text) for c in chunks)
    lines.append((name, len(chunks), path, text, path / (path + text)))
Table(("texts", "chunks with a path", "tokens of the path", "tokens of the text", "share of the path"), tuple(lines))

# %% [markdown]
# A vector is a kind of mean over the words, so the path weighs about as much as its share. That is why only the last three
# levels are kept: a title that stands in front of every chunk of a document moves all of their vectors in the same direction.
#
# ## Late chunking
#
# A path is context that someone has to write. *Late chunking* (Günther et al., 2024) takes it from the text itself. An
# embedder computes a vector for each word piece, and then the mean of them. Ordinarily each chunk is read alone. Late
# chunking reads the **whole text first** and takes the mean over each chunk's word pieces *after* that, so a piece has seen
# what stands before and behind its chunk.
#
# The paper uses models that read 8,192 word pieces. MiniLM reads 256, hardly more than one chunk, so `embed_late` moves this
# window over the document, half a window at a time. Let us measure what remains of the idea, on two documents:


# %%
class NearestChunks:
    """Search chunks by vectors that are already there."""

    def __init__(self, chunks, vectors, embedder):
        self.chunks, self.vectors, self.embedder = chunks, vectors, embedder

    def retrieve_batch(self, queries, k=5):
        scores = (self.embedder.encode(queries) @ self.vectors.T).round(6)
        found = [
            [
                Passage(c.doc_id, c.start, c.end, c.text, c.context, float(s))
                for c, s in zip(self.chunks, row, strict=True)
            ]
            for row in scores
        ]
        return [sorted(passages, key=sort_key)[:k] for passages in found]


# %%
warnings.simplefilter("ignore", TruncationWarning)  # With its path a chunk is sometimes longer than MiniLM reads.
english_embedder = default_embedder("en")


def late_chunking(doc_id):
    """Recall with three kinds of vectors of the same chunks of one document."""
    document = next(d for d in english if d.doc_id == doc_id)
    asked = [q for q in english_questions if {e.doc_id for e in q.evidence} == {doc_id}]
    chunks = structure.chunk(document)
    vectors = {
        "text alone": english_embedder.encode([c.text for c in chunks]),
        "with path": english_embedder.encode([c.embedding_text for c in chunks]),
        "late": embed_late(document.text, [c.span for c in chunks], english_embedder),
    }
    found = {n: evaluate(NearestChunks(chunks, v, english_embedder), asked, (1000,)) for n, v in vectors.items()}
    return compare(found, "recall", 1000)


late_chunking("en/transparency_act")

# %%
late_chunking("en/research_paper")

# %% [markdown]
# (Here only the chunks of one document compete, so the numbers are higher than in the table above.) On the first document
# late chunking is ahead, and the interval of the difference lies above zero, though the test's p is not small; on the second
# it is behind. With a dozen questions each that decides nothing. What is certain is the price. Each word piece is read about
# twice, and a vector depends on the whole neighbourhood: change one sentence, and the vectors of other chunks change, too.
# With a model that reads long texts, measure again.
#
# ## Where it loses
#
# The Chinese dev question on which structure chunks lose most against recursive ones:

# %%
scores = {name: in_chinese[name].scores("recall", 1000) for name in ("recursive", "structure")}
losses = {key: round(scores["recursive"][key] - value, 6) for key, value in scores["structure"].items()}
worst = min(losses, key=lambda key: (-losses[key], key))
shown = {name: next(r for r in in_chinese[name].rows if r.question.id == worst) for name in scores}
gold = shown["structure"].question.evidence
print(shown["structure"].question.question)
print({name: round(scores[name][worst], 3) for name in scores})
better = sum(loss < 0 for loss in losses.values()), sum(loss == 0 for loss in losses.values())
print(f"structure is better on {better[0]} questions, equal on {better[1]}, worse on {len(losses) - sum(better)}")
side_by_side(
    {n: sorted(row.passages, key=lambda p: (-recall([p], gold), p.start))[:2] for n, row in shown.items()}, gold=gold
)

# %% [markdown]
# Shown are the two passages with the most gold. The question is about the gateway's safe state. The first passage that is lost
# defines it, among other terms. Both chunkers made this chunk, with the same borders. So what happened?

# %%
lost = next(e for e in gold if recall(shown["recursive"].passages, [e]) > recall(shown["structure"].passages, [e]))
context = next(c.context for c in structure.chunk(by_id[lost.doc_id]) if c.start <= lost.start < c.end)
for name in ("recursive", "structure, no path", "structure"):
    nearer, chunks = rank_of(lost, shown["structure"].question.question, methods[name], chinese, chinese_embedder)
    print(f"{name:<20}{nearer:>3} of {chunks} chunks are nearer")
print("the path:", context)

# %% [markdown]
# The path says "terms", and the question doesn't. Without it, the chunk nearly keeps its place; with it, others move ahead,
# and at 1,000 tokens there is no room for it any more.
#
# Structure has another weakness, which our texts hide: it needs authors who used headings. In a transcript, or in a page
# where each bold line is a heading, there is nothing to win.
#
# ## Parameters
#
# | parameter | start with | turn it when | what it costs |
# |---|---|---|---|
# | `max_size` | 200 tokens for retrieval, 400 or more for parents | sections are long and your embedder reads them whole | larger: vaguer vectors, fewer places in the context |
# | `min_size` | a quarter of `max_size` | sections are short and repeat each other: 0 keeps them apart | 0: more and smaller chunks; larger: several subjects in one vector |
# | `path_depth` | 3 | titles are long, or the first one is the same everywhere: 1 or 2 | more of the vector belongs to the path |
# | `measure` | `count_tokens` | `len` where only characters are known | one tokenizer pass |
#
# The same article recommends, for Chinese, 600 to 1,000 characters, merging below 200 to 300, an overlap of 10 to 15 %, or 5 to
# 10 % where a heading path serves as overlap. In the course's vocabulary, and measured on the dev questions:

# %%
ratio = sum(count_tokens(d.text) for d in chinese) / sum(len(d.text) for d in chinese)
print(f"600 to 1,000 characters are {600 * ratio:.0f} to {1000 * ratio:.0f} tokens of these texts\n")
settings = {
    "200, min 50, depth 3": structure,
    "200, min 0": StructureChunker(200, 0),
    "200, min 100": StructureChunker(200, 100),
    "200, min 50, depth 1": StructureChunker(200, 50, path_depth=1),
    "400, min 100": StructureChunker(400, 100),
    "800, min 200": StructureChunker(800, 200),
}
compare(score_chunkers(settings, chinese, chinese_questions, (1000,)), "recall", 1000)

# %% [markdown]
# Chunks of up to 800 tokens lose at this budget: few of them fit. Between the other settings these questions can't decide.
# For large sections there is something else to try than a flat index, which is to search small and return large (lesson 14). A structure chunker makes the natural parents for that, since it takes
# `within` like every chunker: `build_hierarchy(document, [StructureChunker(800), StructureChunker(200)])`.
#
# ## Exercises
#
# `check` runs your function on many inputs and shows the smallest one that fails. `hint("07.1")` gives a hint,
# `solution("07.1")` shows a solution.
#
# ### Exercise 07.1 · Heading paths
#
# ★★☆ · 10 minutes. Given the headings of a document as `(level, title)` in order, return the path of each: the titles that it
# stands under, outermost first, and its own title last. Authors skip levels: after `(1, "A"), (3, "B")` a heading
# `(2, "C")` stands under A only.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def heading_paths(headings: list[tuple[int, str]]) -> list[tuple[str, ...]]:
    """The path of each heading: the titles that it stands under, outermost first, and its own title last."""
    return ...


check("07.1", heading_paths)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 07.1


check("07.1", heading_paths)

# %% [markdown]
# ### Exercise 07.2 · Find the bug: headings and fences
#
# ★★☆ · 12 minutes. This returns the numbers of the lines that are headings, and it is published in this form again and
# again. A heading is a line with one to six `#`, then white space or nothing. A fence opens with at least three
# backticks or at least three tildes at the start of a line, with any text behind them. It ends at a line with the same
# signs, at least as many, and nothing behind them but spaces; or at the end of the text. (Nothing in the tests is indented,
# and no line of backticks has another backtick behind it.)


# %% tags=["exercise"]
import re

from hierrag_lessons import check, hint, solution


def heading_lines(text: str) -> list[int]:
    """Numbers of the lines that are headings."""
    found, in_code = [], False
    for number, line in enumerate(text.split("\n")):
        if line.startswith("```"):
            in_code = not in_code
        elif not in_code and re.match(r"#{1,6}\s", line + " "):
            found.append(number)
    return found


check("07.2", heading_lines)

# %% tags=["solution"]
import re

from hierrag_lessons import check

# solution: 07.2


check("07.2", heading_lines)

# %% [markdown]
# ### Exercise 07.3 · Find the bug: numbered headings
#
# ★☆☆ · 6 minutes. Return how many numbers a numbered heading begins with: 3 for `3.2.1 Scope`, 1 for `3. Scope`. Numbers are
# separated by single dots; one more dot may follow the last number; then come white space and a title. Everything else is
# no heading: `None`. The pattern below is a published one. It finds headings that are none, and misses some.


# %% tags=["exercise"]
import re

from hierrag_lessons import check, hint, solution


def heading_level(line: str) -> int | None:
    """The level of a numbered heading: how many numbers it begins with. None where the line is none."""
    match = re.match(r"\d+(.\d+)*\s", line)
    return match.group().count(".") + 1 if match else None


check("07.3", heading_level)

# %% tags=["solution"]
import re

from hierrag_lessons import check

# solution: 07.3


check("07.3", heading_level)

# %% [markdown]
# ### Exercise 07.4 · A table in several chunks
#
# ★★☆ · 10 minutes. A table's header has the size `header`, its rows have the sizes `rows`. Divide the rows from the top into
# chunks, each as long as possible, such that the header and a chunk's rows are together at most `limit`, because the
# embedder reads the header again with each chunk. A row that is too large even alone is a chunk of its own. Return
# the chunks as spans of row numbers.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def divide_rows(header: int, rows: list[int], limit: int) -> list[Span]:
    """Chunks of a table as spans of row numbers; the sizes of header and rows add up to at most ``limit``."""
    return ...


check("07.4", divide_rows)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 07.4


check("07.4", divide_rows)

# %% [markdown]
# ## Takeaways
#
# 1. Authors have marked where one subject ends. Cut there first; then merge what is short, divide what is long.
# 2. Headings are found by a parser, not by a pattern: fences, underlines and indentation have rules.
# 3. A parser's lines become offsets only if both mean the same by a line. Count them in your own text.
# 4. Whole code and formulas, tables by rows with their header as context; the text remains an exact span.
# 5. A heading path in the embedding takes weight from the text. It helped in Chinese and not visibly in English: measure.
#
# ## Interview questions
#
# <details><summary>Your Markdown splitter cuts at <code>^#{1,6}\s</code>. What breaks?</summary>
#
# Comments in code: fences of tildes, fences of four backticks around three, fences that are indented or never closed, code
# by indentation. Headings that are missed: underlined ones, ones with spaces in front. Each wrong heading also resets the
# path of everything after it. Use a CommonMark parser and its line numbers, and count lines as the parser does.
# </details>
#
# <details><summary>A table is larger than your largest chunk. What do you do?</summary>
#
# Divide it between rows, never inside one, and give each later part the header row, because cells mean nothing without it.
# Keep the header apart from the text, as context that is embedded, so that the text remains an exact range of the
# document and the header is neither stored nor counted as evidence twice. Keep a caption with the first part. Code is
# different: half of it means nothing, so it stays whole and is marked as too large.
# </details>
#
# <details><summary>You add the heading path to every chunk before embedding, and recall falls. Why could that be?</summary>
#
# The vector is a mean, so the path takes weight from the text: the more, the longer the path and the shorter the chunk.
# If the first title is the same for all chunks, it moves them all the same way and tells none apart. It can push the end
# of a chunk beyond what the model reads. And questions about a detail are not about the chapter that it stands in. Try
# fewer levels, look at question types, and compare on the same questions.
# </details>
#
# ## Further reading
#
# - [CommonMark specification](https://spec.commonmark.org/), and
#   [GitHub's tables](https://github.github.com/gfm/#tables-extension-)
# - Günther, Mohr, Williams, Wang and Xiao, *Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding
#   Models*, 2024: [arXiv 2409.04701](https://arxiv.org/abs/2409.04701)
# - Anthropic, *Introducing Contextual Retrieval*, 2024, where a language model writes the context:
#   [anthropic.com](https://www.anthropic.com/news/contextual-retrieval)
#
# Next: [lesson 08](08_dialogue.ipynb), dialogue. Back: [lesson 06](06_recursive.ipynb) · [tour](00_tour.ipynb).
