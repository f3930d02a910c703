# %% [markdown]
# # 06 · Recursive
#
# **You will** build the splitter that most systems use, as people write it; see it put a row of one table into another;
# rebuild it on spans; and check it against the package, against LangChain and on the dev questions.
#
# **You learn** separators from coarse to fine, for English, Chinese, Markdown and program text; packing; why a piece
# should never be copied, joined and searched for; what this chunker costs and where it loses.
#
# **You need** [lesson 01](01_spans_and_tokens.ipynb) (spans), [lesson 03](03_measuring_retrieval.ipynb) (recall at a
# budget) and [lesson 04](04_fixed_size.ipynb) (the baseline). 20 minutes, medium (★★☆), four exercises. No network, no
# API key.
#
# The way through: [an answer cut in two](#An-answer-cut-in-two), [coarse to fine](#Coarse-to-fine), [the usual
# code](#The-usual-code), [on spans](#The-same-on-spans), [separators](#Separators-are-the-knowledge), [beside
# LangChain](#Beside-LangChain), [measured](#Measured), [where it loses](#Where-it-loses), [parameters](#Parameters),
# [exercises](#Exercises).

# %%
import re
from importlib.metadata import version
from itertools import pairwise

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from hierrag_lessons import (
    CHINESE,
    CODE,
    ENGLISH,
    MARKDOWN,
    ChunkView,
    Document,
    FixedSizeChunker,
    RecursiveChunker,
    SentenceChunker,
    Span,
    Table,
    chunk_strip,
    compare,
    count_tokens,
    course_set,
    read_blocks,
    recall,
    score_chunkers,
    side_by_side,
    size_histogram,
    snap,
    subtract,
    trim,
)

sets = {"English": course_set("en"), "Chinese": course_set("zh")}

# %% [markdown]
# ## An answer cut in two
#
# Lesson 04 cut every 200 tokens, whatever stood there. Here is the dev question on which that costs most: of all
# questions whose evidence a window cuts through, the one where the chunks of this lesson gain most at 1,000 tokens of
# context (ties go to the first id). [Where it loses](#Where-it-loses) shows the opposite.

# %%
english, english_questions = sets["English"]
fixed, recursive = FixedSizeChunker(200), RecursiveChunker(200, separators=MARKDOWN)
scores = score_chunkers({"fixed 200": fixed, "recursive 200": recursive}, english, english_questions)
windows = {document.doc_id: fixed.chunk(document) for document in english}


def cuts(piece):
    """The places where a window ends inside a piece of evidence."""
    return [c.end for c in windows[piece.doc_id] if piece.start < c.end < piece.end]


found = {name: result.scores("recall", 1000) for name, result in scores.items()}
gains = {key: round(found["recursive 200"][key] - value, 6) for key, value in found["fixed 200"].items()}
answerable = {question.id: question for question in english_questions if question.answerable}
worst = min((key for key in gains if any(map(cuts, answerable[key].evidence))), key=lambda key: (-gains[key], key))
piece = next(piece for piece in answerable[worst].evidence if cuts(piece))
text = next(document.text for document in english if document.doc_id == piece.doc_id)
cut = cuts(piece)[0]
print(f"{answerable[worst].question} ({worst})")
print({name: round(values[worst], 2) for name, values in found.items()}, end="\n\n")
print("…", text[piece.start : piece.end][max(0, cut - piece.start - 150) : cut - piece.start], "✂")
print("✂", text[cut : min(piece.end, cut + 150)], "…")

# %% [markdown]
# The window ends between "a hundred and" and "ten": neither chunk holds the whole number. One example
# proves nothing about finding things; the numbers come [below](#Measured). But nobody would cut there by hand. By hand we
# would cut between two sections; where a section is too long, between two paragraphs; then between two sentences. That is
# the whole method.
#
# ## Coarse to fine
#
# ![A section that is longer than the limit is cut into five paragraphs. Neighbouring paragraphs are packed together while
# they fit, which gives two chunks; the long paragraph in the middle is too large alone, so it is cut at its four sentences,
# which are packed in two pairs. The result is four chunks.](images/06_levels.svg)
#
# Two steps, again and again:
#
# - **split** at the coarsest separator, and **pack** neighbours together as long as they fit;
# - what is alone too large is split at the next finer separator, and so on. At last it is cut anywhere.
#
# The limit is what makes it more than splitting at paragraphs: no chunk is longer, and short neighbours share one.
# The idea became popular as LangChain's `RecursiveCharacterTextSplitter` (2023).
#
# ## The usual code
#
# Strings in, strings out. `text.split` cuts, `+` packs, and a call of itself handles what is too large:


# %%
def split(text: str, size: int, separators: tuple[str, ...]) -> list[str]:
    """Cut a text at the first separator, pack the pieces, cut what is too large at the next one: as people write it."""
    if len(text) <= size:
        return [text]
    separator, *finer = separators
    chunks, current = [], ""
    for piece in text.split(separator) if separator else list(text):
        joined = current + separator + piece if current else piece
        if len(joined) <= size:
            current = joined
            continue
        chunks += [current] if current else []
        *done, current = split(piece, size, tuple(finer)) if len(piece) > size else [piece]
        chunks += done
    return [*chunks, current] if current else chunks


poem = "Red. Green. Blue.\n\nOne is long enough to be cut. Two is short.\n\nEnd."
for chunk in split(poem, 32, ("\n\n", "\n", ". ", " ", "")):
    print(repr(chunk))

# %% [markdown]
# It looks right. Look twice at the second line: the full stop after "cut" is missing. `split` threw the separator away,
# `+` puts it back inside a chunk, and at the seam between two chunks nobody does. With `。` as a separator it is the
# same in Chinese.
#
# Then the pieces need their places, and since they are strings now, they are searched for:

# %%
report = next(document for document in english if document.doc_id == "en/annual_report")
pieces = split(report.text, 200, ("\n\n", "\n", ". ", " ", ""))
starts = [report.text.find(piece) for piece in pieces]
behind = [(i, b, a) for i, (a, b) in enumerate(pairwise(starts), 1) if b < a]
print(f"{len(pieces)} chunks; {len(behind)} of them start before the one in front of them")
for index, start, before in behind:
    print(f"  chunk {index}: start {start:,}, the one before it {before:,}: {pieces[index][:56]!r}")

# %% [markdown]
# Read the one that starts with `| Total |`. A company reports the same totals in several tables, so the same row stands
# there more than once, and `find` returns the first. The small ones (`ends.`, `interest.`) are worse: they stand
# everywhere. Here is the row, where `find` puts it and where it was cut:

# %%
wrong = next(index for index, _, _ in behind if pieces[index].startswith("|"))
start, length = starts[wrong], len(pieces[wrong])
assert report.text[start : start + length] == pieces[wrong]  # the usual test: it passes
true_start = report.text.find(pieces[wrong], starts[wrong - 1] + len(pieces[wrong - 1]))
for name, place in (("where find puts it", start), ("where it was cut", true_start)):
    above = report.text.rfind("\n|", 0, place - 1)
    print(f"{name:<19} {place:>6,}: … {report.text[above + 1 : place + 12]!r} …")

# %% [markdown]
# Someone asks for revenue by region, gets this chunk, and the page that shows its source shows revenue by business. The
# test `text[start:end] == chunk` passes, as in lesson 01. And how much of the text is in no span at all, because
# separators vanished or because spans moved to an earlier copy?


# %%
def lost(text: str, spans: list[Span]) -> int:
    """Characters in no span, white space not counted."""
    gaps = subtract(Span(0, len(text)), spans)
    return sum(not character.isspace() for gap in gaps for character in text[gap.start : gap.end])


finer = {"English": ("\n\n", "\n", ". ", " ", ""), "Chinese": ("\n\n", "\n", "。", "，", "")}
lines = []
for language, (documents, _) in sets.items():
    for size in (100, 200, 400):
        chunks = missing = 0
        for document in documents:
            cut_texts = split(document.text, size, finer[language])
            starts = [document.text.find(piece) for piece in cut_texts]
            spans = [Span(start, start + len(piece)) for start, piece in zip(starts, cut_texts, strict=True)]
            chunks, missing = chunks + len(cut_texts), missing + lost(document.text, spans)
        lines.append((language, size, chunks, missing))
Table(("texts", "size", "chunks", "characters in no span"), tuple(lines), "the usual code, sizes in characters")

# %% [markdown]
# The smaller the pieces, the more of them exist twice. Small pieces are exactly what the hierarchies of part 3 search
# with.
#
# ## The same on spans
#
# Nothing is copied and nothing is thrown away. A separator is a pattern, and a cut is a *place*: the end of a match.
# So a full stop stays with its sentence, and pieces touch each other.


# %%
def cut_after(text: str, span: Span, pattern: str) -> list[Span]:
    """The pieces of a span between the ends of the matches."""
    ends = (match.end() for match in re.compile(pattern).finditer(text, *span))
    places = [span.start, *(end for end in ends if span.start < end < span.end and snap(text, end) == end), span.end]
    return [Span(start, end) for start, end in pairwise(places)]


def pack(pieces: list[Span], size: int) -> list[Span]:
    """Join neighbours as long as they fit."""
    packed = pieces[:1]
    for piece in pieces[1:]:
        if piece.end - packed[-1].start <= size:
            packed[-1] = Span(packed[-1].start, piece.end)
        else:
            packed.append(piece)
    return packed


def split_spans(text: str, span: Span, size: int, separators: tuple[str, ...]) -> list[Span]:
    """Cut a span into pieces of at most ``size`` characters, at the coarsest separators that work."""
    if span.end - span.start <= size:
        return [span]
    if not separators:
        cut = snap(text, span.start + size, span.start)
        return [Span(span.start, cut), *split_spans(text, Span(cut, span.end), size, ())]
    packed = pack(cut_after(text, span, separators[0]), size)
    return [small for large in packed for small in split_spans(text, large, size, separators[1:])]


whole = Span(0, len(poem))
for start, end in split_spans(poem, whole, 32, ENGLISH):
    print((start, end), repr(poem[start:end]))

# %% [markdown]
# It is a little longer than the usual code, but every mark is kept, and there is nothing to search for. White space at
# the ends is taken off last, with `trim`, which moves two numbers, and a blank piece is dropped. Now all the texts of the
# course, against the package's `RecursiveChunker`:

# %%
lines = []
for language, (documents, _) in sets.items():
    for name, separators in (("ENGLISH", ENGLISH), ("CHINESE", CHINESE), ("MARKDOWN", MARKDOWN)):
        chunker = RecursiveChunker(200, measure=len, separators=separators)
        same = total = missing = 0
        for document in documents:
            pieces = split_spans(document.text, document.span, 200, separators)
            ours = [span for piece in pieces if (span := trim(document.text, piece)).start < span.end]
            theirs = [chunk.span for chunk in chunker.chunk(document)]
            same, total = same + len(set(ours) & set(theirs)), total + len(theirs)
            missing += lost(document.text, theirs)
        lines.append((language, name, total, same, missing))
Table(("texts", "separators", "package's chunks", "the same in ours", "characters in no span"), tuple(lines))

# %% [markdown]
# All the same, and nothing is lost, whichever list is used on whichever language. A wrong list makes worse cuts, not
# wrong offsets.
#
# What the package does beyond ours: sizes in tokens or in any other measure, with a **ruler** (lesson 01) that measures
# pieces exactly; overlap that starts at a word; a single character that is larger than the limit (an emoji of seven code
# points, at a limit of two), on which ours fails with a `RecursionError`. How long does it take, against the tokenizer alone?

# %% tags=["volatile"]
from time import perf_counter

from hierrag_lessons import encode, get_encoding

long = "\n\n".join(document.text for document in english) * 4


def seconds(run):
    best = []
    for number in range(3):
        text = f"{long}\n\n{number}"  # a text that no cache has seen
        started = perf_counter()
        run(text)
        best.append(perf_counter() - started)
    return min(best)


tokenizer = seconds(lambda text: encode(text, get_encoding()))
chunking = seconds(lambda text: RecursiveChunker(200).chunk(Document("long", text)))
print(f"recursive chunks of 200 tokens take {chunking / tokenizer:.1f} times as long as one tokenizer pass")

# %% [markdown]
# ## Separators are the knowledge
#
# The algorithm knows nothing about language. All that it knows stands in the list:

# %%
for name, separators in (("ENGLISH", ENGLISH), ("CHINESE", CHINESE), ("MARKDOWN", MARKDOWN[5:]), ("CODE", CODE)):
    print(name + (" (level 6 and what follows)" if name == "MARKDOWN" else ""))
    for separator in separators:
        print("   ", separator)

# %% [markdown]
# - **English**: blank line; line break; end of a sentence (a mark, closing quotes and brackets, *then white space*);
#   end of a clause; white space. The white space is what keeps `3.5` and `example.com` whole. `Dr. Smith` it does not
#   keep whole: that takes the rules of [lesson 05](05_sentences.ipynb).
# - **Chinese**: there is no white space after a sentence, so the mark alone ends it, and the closing quotes after it
#   belong to it.
# - **Markdown**: six levels of headings in front, so that a chapter is cut before a section is. `(?=…)` looks ahead, so
#   the cut is *before* the heading. Then sentence and clause marks of both languages.
# - **Code**: before `class` and `def` and the like (with their decorators), then before those that are indented,
#   then blank line, line, white space.
#
# One sentence shows why a closing quote needs its own rule. First cut after marks only, then with the package's list:

# %%
speech = Document("speech", "他说：“今天下雨了。”然后走了。明天呢？再说！", language="zh")
for name, separators in (("marks only", (r"[。！？]",)), ("CHINESE", CHINESE)):
    chunks = RecursiveChunker(11, measure=len, separators=separators).chunk(speech)
    print(f"{name:<11}", " | ".join(chunk.text for chunk in chunks))

# %% [markdown]
# And program text, at a size where English separators would cut functions open:

# %%
program = Document(
    "program",
    '''LIMIT = 3


@cache
def read(path):
    """Read a file."""
    text = path.read_text()

    return text.strip()


class Reader:
    def first(self):
        return self.pages[0]

    def last(self):
        return self.pages[-1]
''',
)
for name, separators in (("ENGLISH", ENGLISH), ("CODE", CODE)):
    print(f"--- {name}")
    for chunk in RecursiveChunker(105, measure=len, separators=separators).chunk(program):
        print(f"{chunk.start:>4}", repr(chunk.text))

# %% [markdown]
# `ENGLISH` cuts at a blank line, and one of them lies inside a function: its `return` stands in front of another
# class. `CODE` keeps each function together, with its decorator. (The first line of a chunk loses its indentation with
# `trim`; its place in the text is exact.)
#
# Here is the beginning of the annual report, cut three ways to at most 200 tokens:

# %%
beginning = Document("en/annual_report, its start", report.text[:9_000], "markdown")
plain = RecursiveChunker(200)
strip = chunk_strip(
    {
        name: chunker.chunk(beginning)
        for name, chunker in (("fixed", fixed), ("ENGLISH", plain), ("MARKDOWN", recursive))
    },
    beginning,
    {"headings": [block.start for block in read_blocks(beginning) if block.kind == "heading"]},
)
print(strip.numbers)
strip

# %% [markdown]
# And a part of it as text. Each colour is a chunk; each of them begins with a heading or a paragraph.

# %%
section = report.text.index("\n## ")
ChunkView(report, recursive.chunk(report), Span(section + 1, section + 2_200))

# %% [markdown]
# The price of natural borders is their size. Many sections are shorter than the limit, and a chunk holds two of them only
# where both fit as a whole. The smallest chunks are headings alone: what stands below them was too large and was cut at
# the next level.

# %%
sizes = {
    name: [count_tokens(chunk.text) for document in english for chunk in chunker.chunk(document)]
    for name, chunker in (("fixed 200", fixed), ("ENGLISH 200", plain), ("MARKDOWN 200", recursive))
}
histogram = size_histogram(sizes)
print(histogram.numbers)
histogram

# %% [markdown]
# ## Beside LangChain
#
# The original. Same texts, same size, sizes in characters, no overlap. It has separators of its own; for Chinese we give
# it a list, as its documentation recommends, and for Markdown it has one.
#
# `ends inside` counts the chunks that end neither at the end of a line nor after the mark of a sentence.

# %%
MARK = re.compile(r"[.!?…。！？；][\"'”’」』）)*_`]*$")


def ends_inside(text: str, span: Span) -> bool:
    """Whether a chunk ends neither at the end of a line nor after the end of a sentence."""
    line = text[span.end :].partition("\n")[0]
    return bool(line.strip()) and not MARK.search(text[span.start : span.end][-8:])


def langchain(**options):
    splitter = RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=0, add_start_index=True, **options)

    def spans(document: Document) -> list[Span]:
        pieces = splitter.create_documents([document.text])
        return [Span(p.metadata["start_index"], p.metadata["start_index"] + len(p.page_content)) for p in pieces]

    return spans


def course(separators):
    chunker = RecursiveChunker(200, measure=len, separators=separators)
    return lambda document: [chunk.span for chunk in chunker.chunk(document)]


chinese_list = {"separators": ["\n\n", "\n", "。", "，", ""], "keep_separator": "end"}
markdown_list = {"separators": RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN)}
methods = {
    "LangChain, its default": langchain(),
    "LangChain, Chinese list": langchain(**chinese_list),
    "LangChain, Markdown": langchain(**markdown_list, is_separator_regex=True),
    "ENGLISH": course(ENGLISH),
    "CHINESE": course(CHINESE),
    "MARKDOWN": course(MARKDOWN),
}
print("langchain-text-splitters", version("langchain-text-splitters"))
lines = []
for language, (documents, _) in sets.items():
    for name, spans_of in methods.items():
        spans = {document.doc_id: spans_of(document) for document in documents}
        inside = sum(ends_inside(d.text, span) for d in documents for span in spans[d.doc_id])
        missing = sum(lost(d.text, spans[d.doc_id]) for d in documents)
        backwards = sum(b.start < a.end for found in spans.values() for a, b in pairwise(found))
        lines.append((language, name, sum(map(len, spans.values())), inside, missing, backwards))
Table(("texts", "method", "chunks", "ends inside", "characters in no span", "overlapping spans"), tuple(lines))

# %% [markdown]
# In characters and without overlap LangChain's offsets are right and nothing is lost. (With tokens, or with an overlap
# that is large against the lines, they are not: lesson 01.) What differs is what the lists know. LangChain's default has
# no level for sentences, so in English more than every fourth of its chunks ends inside one. Nearly all of ours that do are
# parts of a sentence that alone is longer than the limit. With a Chinese list LangChain's Chinese chunks end as well as ours, and with a
# Chinese list English chunks end badly in both. The list makes the difference, not the library.
#
# ## Measured
#
# Equal context budgets, the dev questions, both languages. `recursive, plain` has the separators of its language,
# `recursive` those of Markdown.

# %%
results = {}
for language, (documents, questions) in sets.items():
    own = ENGLISH if language == "English" else CHINESE
    chunkers = {
        "fixed 200": fixed,
        "sentence 200": SentenceChunker(200),
        "recursive 200, plain": RecursiveChunker(200, separators=own),
        "recursive 200": recursive,
    }
    results[language] = score_chunkers(chunkers, documents, questions, (500, 1000))
    print(language)
    print(compare(results[language], "recall", 1000), end="\n\n")

# %% [markdown]
# Every interval of a difference includes zero: at 1,000 tokens these questions do not tell the four apart, in either
# language. At half the budget:

# %%
for language, scored in results.items():
    print(language)
    print(compare(scored, "recall", 500), end="\n\n")

# %% [markdown]
# Again nothing in English. In Chinese, sentences and plain recursive chunks are *below* the windows, and their intervals
# leave zero out. But twelve differences were tested on this page. Multiply each p by twelve, the simplest correction for
# that (Bonferroni's), and neither of the two stays below 0.05. And nothing here says that cutting at better places finds
# more. Lesson 04 had one reason: half of a passage that was cut is still near its question. Another may be that a window
# of full size gives the embedder more to go by than a short chunk.
#
# What it buys is not in this table: contexts that begin and end where a thought does, for a reader and for the model that
# has to answer; chunks that a hierarchy can be built from (part 3); a place that can be shown.
#
# ## Where it loses
#
# The question on which recursive chunks lose most against windows of the same size (the largest loss, ties to the first
# id):


# %%
def largest_loss(language: str):
    """The dev question with the largest loss of recursive against fixed chunks at 1,000 tokens."""
    values = {name: results[language][name].scores("recall", 1000) for name in ("fixed 200", "recursive 200")}
    losses = {key: value - values["recursive 200"][key] for key, value in values["fixed 200"].items()}
    return min(losses, key=lambda key: (-round(losses[key], 6), key)), values


key, values = largest_loss("English")
rows = {
    name: next(row for row in results["English"][name].rows if row.question.id == key and row.budget == 1000)
    for name in values
}
gold = rows["fixed 200"].question.evidence
print(rows["fixed 200"].question.question)
print({name: round(scored[key], 3) for name, scored in values.items()})
shown = {name: sorted(row.passages, key=lambda passage: -recall([passage], gold))[:2] for name, row in rows.items()}
side_by_side(shown, gold=gold)

# %% [markdown]
# The windows that were found mix the end of one part with the beginning of the next, and this time that helped: the
# auditor's verdict and the recount each stand among sentences about the same audit. The recursive chunker put a short
# section in a chunk of its own. It is a heading and two sentences, one of them with the auditor's name, so its vector is
# close to what the question names, and it takes the first place without the answer. **Short chunks with the right words are the price
# of natural borders.** Lesson 07 adds a minimum size.
#
# How often does it go one way and the other?

# %%
for language in results:
    _, values = largest_loss(language)
    differences = [value - values["fixed 200"][name] for name, value in values["recursive 200"].items()]
    better, worse = sum(d > 1e-9 for d in differences), sum(d < -1e-9 for d in differences)
    print(
        f"{language}: recursive is better on {better} questions, equal on {len(differences) - better - worse}, worse on {worse}"
    )

# %% [markdown]
# ## Parameters
#
# | parameter | start with | turn it when | what it costs |
# |---|---|---|---|
# | `separators` | `MARKDOWN` for Markdown of either language, `CODE` for programs, `CHINESE` or `ENGLISH` for plain text | your texts have marks of their own: numbered headings, `Article 12`, `第十二条`, `* * *` | a level more: more and smaller chunks |
# | `max_size` | 200 tokens | as in lesson 04: by doubling and halving | smaller: more vectors; larger: vaguer vectors |
# | `overlap` | 0 | recall at an equal budget rises when you try it | the index grows; see lesson 04 |
# | `measure` | `count_tokens` | `len` where no tokenizer is at hand | tokens: one tokenizer pass |
#
# The article *RAG — Chunking 策略实战* (Dewu Tech) starts with 400 to 800 Chinese characters and an overlap of 10 to 20 %. A list of one's own is one
# tuple. Here are the articles of a regulation, cut before each article:

# %%
regulation = next(document for document in sets["Chinese"][0] if document.doc_id == "zh/expense_regulation")
ARTICLES = (r"\n(?=#)", r"\n(?=\**第[一二三四五六七八九十百]+条)", *CHINESE)
for name, separators in (("CHINESE", CHINESE), ("with articles", ARTICLES)):
    chunks = RecursiveChunker(200, separators=separators).chunk(regulation)
    begins = sum(bool(re.match(r"\**第[一二三四五六七八九十百]+条", chunk.text)) for chunk in chunks)
    several = sum(len(re.findall(r"(?m)^\**第[一二三四五六七八九十百]+条", chunk.text)) > 1 for chunk in chunks)
    print(f"{name:<14} {len(chunks):>4} chunks, {begins} begin with an article, {several} hold the start of several")

# %% [markdown]
# More chunks begin with an article now. But many still hold several: the list decides where a cut *may* be, and packing
# joins what fits. That is how recursive chunks work. To keep articles apart, whatever their size, take a smaller limit,
# or the chunker of the next lesson, which reads the structure.
#
# ## Exercises
#
# `check` runs your function on many inputs and shows the smallest one that fails. `hint("06.1")` gives a hint,
# `solution("06.1")` shows a solution.
#
# ### Exercise 06.1 · Cut after each match
#
# ★☆☆ · 6 minutes. Return the spans between the ends of the pattern's matches: they touch, they cover the text from 0 to
# its end, and none of them is empty. For `"a, b, c"` and `r",\s*"` these are `[0, 3)`, `[3, 6)`, `[6, 7)`. An empty text
# has none.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def cut_behind(text: str, pattern: str) -> list[Span]:
    """Spans that touch and cover the text, cut where a match of the pattern ends."""
    return ...


check("06.1", cut_behind)

# %% tags=["solution"]
import re

from hierrag_lessons import Span, check

# solution: 06.1


check("06.1", cut_behind)

# %% [markdown]
# ### Exercise 06.2 · Pack neighbours
#
# ★☆☆ · 8 minutes. `pieces` are in order and do not overlap; white space may lie between two of them. Join neighbours, from
# the left, into spans of at most `limit` characters, counted from the start of the first to the end of the last piece.
# A piece that alone is larger than `limit` stays a span of its own.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def pack_pieces(pieces: list[Span], limit: int) -> list[Span]:
    """Join neighbouring pieces, from the left, into spans of at most ``limit`` characters."""
    return ...


check("06.2", pack_pieces)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 06.2


check("06.2", pack_pieces)

# %% [markdown]
# ### Exercise 06.3 · Find the bug: where is this piece?
#
# ★★☆ · 10 minutes. A library hands you the pieces of a text as strings: in order, not overlapping, with nothing but white
# space left out between them. This is how their starts are often found. On texts with repeated lines it is wrong.
# Repair it.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def place(text: str, pieces: list[str]) -> list[int]:
    """The start of each piece in the text."""
    starts: list[int] = []
    for piece in pieces:
        previous = starts[-1] if starts else -1
        start = text.find(piece, previous + 1)
        starts.append(start)
    return starts


check("06.3", place)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 06.3


check("06.3", place)

# %% [markdown]
# ### Exercise 06.4 · Find the bug: numbered headings
#
# ★★☆ · 10 minutes. The article named above cuts before numbered headings, such as `2 Costs`, `2.1 Travel` or `2.1.3. Hotels`, with
# this pattern. A heading stands at the start of a line: numbers joined by single full stops, perhaps one more at the
# end, then a space. On real reports the function also cuts before lines that are no headings. Repair the
# pattern. Numbers are written with the digits 0 to 9.


# %% tags=["exercise"]
import re

from hierrag_lessons import check, hint, solution


def heading_starts(text: str) -> list[int]:
    """Where the lines begin that are numbered headings."""
    return [match.start() for match in re.finditer(r"(?m)^\d+(?:.\d+)*.? ", text)]


check("06.4", heading_starts)

# %% tags=["solution"]
import re

from hierrag_lessons import check

# solution: 06.4


check("06.4", heading_starts)

# %% [markdown]
# ## Takeaways
#
# 1. Split at the coarsest separator, pack neighbours while they fit, go finer only where a piece is too large.
# 2. A separator is a pattern and a cut is a place. Splitting, joining and searching strings loses marks and places.
# 3. Everything the method knows about a text is its list of separators. Choose it for the language and the form.
# 4. Chunks end where a thought ends, and are smaller than the limit: often much smaller with Markdown headings.
# 5. On our questions it finds no more than windows of the same size. It is easier to read, to cite and to build on.
#
# ## Interview questions
#
# <details><summary>1. Why does a recursive splitter need a list of separators? Would splitting at sentences alone not
# do?</summary>
#
# Packed sentences fill each chunk well, but a chunk may begin with the last sentence of one section and go on with the
# next. With coarse separators first, a boundary of a section or paragraph is used wherever it falls inside the limit, and
# sentences are only cut where a paragraph is too long. The price is that chunks are smaller and less equal in size.
# </details>
#
# <details><summary>2. You use a popular splitter on Chinese texts with its default separators. What do you expect?</summary>
#
# Its defaults are blank line, line break, space, character. Chinese sentences are not followed by a space, so a paragraph
# above the limit is cut at an arbitrary character. Give it a list with 。！？；, and with the comma ， below it. Keep the
# mark with the sentence before it, closing quotes included. And measure in tokens of your model: how many a Chinese
# character takes depends on the vocabulary.
# </details>
#
# <details><summary>3. A splitter returns strings, and you need exact offsets for citations. How do you get them?</summary>
#
# Best from a splitter that carries them. Otherwise search for each piece from the end of the one before it, not from its
# start and not from the beginning, and check two things: the text at the offsets equals the piece, and the spans together
# cover all of the text. Equality alone is true for any copy. With overlap or stripped separators the search can still
# be ambiguous; then make the splitter work on positions.
# </details>
#
# ## Further reading
#
# - [langchain-text-splitters](https://github.com/langchain-ai/langchain/tree/master/libs/text-splitters), the source of
#   `RecursiveCharacterTextSplitter`.
# - Smith and Troynikov, *Evaluating Chunking Strategies for Retrieval*, Chroma, 2024, with recursive splitters of several
#   sizes: [research.trychroma.com/evaluating-chunking](https://research.trychroma.com/evaluating-chunking)
# - [Unicode Annex 29](https://www.unicode.org/reports/tr29/): where characters, words and sentences end.
#
# Next: [07 · Structure](07_structure.ipynb). Back: [05 · Sentences](05_sentences.ipynb).
