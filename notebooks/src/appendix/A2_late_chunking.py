# %% [markdown]
# # A2 · Late chunking
#
# This is the appendix to [lesson 07](../07_structure.ipynb). No exercises; nothing later needs it.
#
# > *They cost 4.2 million in the first year.*
#
# Who are "they"? The chunk does not say. The sentence before it does, and it is in another chunk. Lesson 07 repairs such a
# chunk with a line in front of it. **Late chunking** (Günther and others, 2024) repairs it without words. An embedder
# computes a vector for each word piece, and then takes their mean. Ordinarily each chunk is read alone. Late chunking reads the
# **whole text first**, and takes the mean over each chunk's word pieces afterwards. So every piece has seen what is before
# and behind its chunk, and "they" has seen who they are.
#
# **You will** see what it does to one sentence, then measure it on two documents of the course, with a model that is
# wrong for it, and read what would be needed to do it right.
#
# ## One sentence
#
# Four short sentences, a chunk each. A question asks about the heat pumps by name. The second sentence answers it, and says
# only "they":

# %%
from hierrag_lessons import Span, default_embedder, embed_late

embedder = default_embedder("en")
TEXT = (
    "Last year the town bought forty heat pumps. They cost 4.2 million. "
    "The library got a new roof. It cost 1.1 million."
)
ends = [i + 1 for i, sign in enumerate(TEXT) if sign == "." and TEXT[i + 1 : i + 2] in ("", " ")]
spans = [Span(a + (a > 0), b) for a, b in zip([0, *ends], ends, strict=False)]
question = embedder.encode(["How much did the heat pumps cost?"])[0]
alone = embedder.encode([TEXT[slice(*span)] for span in spans]) @ question
late = embed_late(TEXT, spans, embedder) @ question
for span, a, b in zip(spans, alone, late, strict=True):
    print(f"alone {a:.2f}, late {b:.2f}: {TEXT[slice(*span)]}")

# %% [markdown]
# "They cost 4.2 million" has gone up a long way: it knows about heat pumps now. But look at the last line. It has gone up
# further, and it is about the roof of the library. Here everything has seen everything, so everything speaks of heat pumps and of cost.
# **Late chunking brings chunks nearer to their neighbourhood, the right ones and the wrong ones.** Whether that helps is a
# question of the model and of the text, so measure.
#
# ## The wrong model
#
# The paper uses models that read 8,192 word pieces: a whole report at once. Our model, MiniLM, reads **256**, hardly more than
# one chunk. So `embed_late` moves this window over the document, half a window at a time. What a chunk can see is then
# at most its neighbour. Is anything left of the idea?


# %%
from hierrag_lessons import Passage, StructureChunker, course_questions, evaluate, sort_key, verdicts


class NearestChunks:
    """Search chunks by vectors that are already there."""

    def __init__(self, chunks, vectors):
        self.chunks, self.vectors = chunks, vectors

    def retrieve_batch(self, queries, k=5):
        found = []
        for row in (embedder.encode(queries) @ self.vectors.T).round(6):
            pairs = zip(self.chunks, row, strict=True)
            passages = [Passage(c.doc_id, c.start, c.end, c.text, c.context, float(s)) for c, s in pairs]
            found.append(sorted(passages, key=sort_key)[:k])
        return found


# %%
import warnings

from hierrag_lessons import Result, TruncationWarning

warnings.simplefilter("ignore", TruncationWarning)  # with its path a chunk is sometimes longer than MiniLM reads
documents, questions = course_questions("en")
structure, rows = StructureChunker(200, min_size=50), {}
for document in documents:
    if document.doc_id not in ("en/transparency_act", "en/research_paper"):
        continue
    asked = [q for q in questions if {e.doc_id for e in q.evidence} == {document.doc_id}]
    chunks = structure.chunk(document)
    vectors = {
        "text alone": embedder.encode([chunk.text for chunk in chunks]),
        "with its path": embedder.encode([chunk.embedding_text for chunk in chunks]),
        "late": embed_late(document.text, [chunk.span for chunk in chunks], embedder),
    }
    for name, vector in vectors.items():
        rows.setdefault(name, []).extend(evaluate(NearestChunks(chunks, vector), asked, (500, 1000), k=40).rows)
verdicts({name: Result(tuple(own)) for name, own in rows.items()}, "recall")

# %% [markdown]
# (Vector search only, and only the chunks of one document compete, so the numbers are higher than in lesson 07.)
#
# **No difference shown**, for late chunking or for the path: with 43 questions each could be 7 or 8 points behind, or 4 or 5
# ahead. That says little about the method, for three reasons. The window of 256 pieces shows a chunk its neighbour at most,
# and not the report. MiniLM was never trained to be used like this. And 43 questions show differences from 9 points on.
# What is certain is the price: with half windows each word piece is read about twice.
#
# ## What would be needed
#
# - **A model that reads long texts and was trained on them**: 8,192 word pieces or more, with the mean over word pieces as its
#   vector. Models that take the first piece instead of the mean do not fit the method.
# - **Access to the vectors of the word pieces.** Most servers return one vector a text. Some offer late chunking as an
#   option; else you run the model yourself, as `embed_late` does.
# - **Questions of the right kind.** It should help where chunks speak of "it" and "they", and where the subject is named once
#   at the top. Measure on such questions, against a heading path, which is free.
# - **Patience with changes.** A vector depends on its neighbourhood. Change one sentence, and the vectors of other chunks
#   change as well: embed the whole document again.
#
# ## Takeaways
#
# 1. Late chunking embeds the whole text first and takes the mean over each chunk afterwards.
# 2. It needs a model that reads the whole text. With 256 word pieces, what we measure is not the method.
# 3. A heading path says the most important part of the context in words, with any model, for nothing.
# 4. Whoever tries it measures against the path, not against bare text.
#
# ## Further reading
#
# - Günther, Mohr, Williams, Wang and Xiao, *Late Chunking: Contextual Chunk Embeddings Using Long-Context Embedding
#   Models*, 2024: [arXiv 2409.04701](https://arxiv.org/abs/2409.04701)
#
# Back: [lesson 07](../07_structure.ipynb).
