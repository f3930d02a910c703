# %% [markdown]
# # A1 · Tokens and characters
#
# The appendix to [lesson 01](../01_spans_and_tokens.ipynb). A computer finds "words" in six lines of gibberish, with
# nothing but counting. This is how every large language model got its vocabulary. You build that here, in thirty lines;
# see what such a vocabulary does to a language that it hardly knows; and look at the characters that readers see.
#
# The way through: [byte-pair encoding](#Byte-pair-encoding), [how large a
# vocabulary?](#How-large-should-a-vocabulary-be?), [slicing Chinese](#What-slicing-does-to-Chinese), [tiktoken's
# offsets](#tiktoken's-own-offsets), [grapheme clusters](#What-a-reader-calls-a-character).
#
# ## Byte-pair encoding
#
# Start with the 256 single bytes. Find the pair of neighbours that is most frequent, make it a new entry, and do it
# again. That is all of **byte-pair encoding** (BPE). `words` says how often each word occurs; a word is a tuple of pieces.

# %%
from collections import Counter
from itertools import pairwise

import regex

Word = tuple[bytes, ...]


def merge_pair(word: Word, pair: Word) -> Word:
    """Join each occurrence of a pair, from the left."""
    joined, i = [], 0
    while i < len(word):
        size = 2 if word[i : i + 2] == pair else 1
        joined.append(b"".join(word[i : i + size]))
        i += size
    return tuple(joined)


def train(words: dict[Word, int], steps: int) -> list[tuple[Word, int]]:
    """Learn merges: the most frequent pair of neighbours, again and again, with its count."""
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        best = max(pairs, key=pairs.get)
        merges.append((best, pairs[best]))
        words = {merge_pair(word, best): count for word, count in words.items()}
    return merges


# %% [markdown]
# Watch it learn from six words. The last column shows how far "lowest" has come.

# %%
from hierrag_lessons import PATTERN


def split(text: str) -> dict[Word, int]:
    """Words of a text as tuples of single bytes, with their counts; a token never reaches over two words."""
    counts = Counter(regex.findall(PATTERN, text))
    return {tuple(bytes([byte]) for byte in word.encode()): count for word, count in counts.items()}


small = "low lower lowest low new newest"
word = next(word for word in split(small) if b"".join(word) == b" lowest")
for step, (pair, count) in enumerate(train(split(small), 7), start=1):
    word = merge_pair(word, pair)
    left, right = (part.decode() for part in pair)
    print(f"{step}. {left!r:>7} + {right!r:<5} occurs {count} times   {[part.decode() for part in word]}")

# %% [markdown]
# After a few merges the parts look like roots and endings. Nobody told it what English is.
#
# One detail is wrong with this trainer. Several pairs occur equally often, and `max` then takes the one that it met
# first. So the same words in another order give another vocabulary:

# %%
backwards = " ".join(reversed(small.split()))
for text in (small, backwards):
    print(f"{text!r:<36}", [b"".join(pair).decode() for pair, _ in train(split(text), 7)])

# %% [markdown]
# That matters, because a vocabulary is a file that others must be able to make again. `tools/bpe.py` settles ties by
# rule: the smallest pair wins. It is also quicker, because it counts only what a merge has changed.
#
# The course's vocabulary was made that way from all the course's texts: 16,384 entries, in the order in which they were
# learned. Our short trainer, let loose on the same texts, starts the same way:

# %%
from hierrag_lessons import get_encoding, load_corpus, read_python_reference

encoding = get_encoding("hierrag_16k")
chinese, english = load_corpus("zh"), [*load_corpus("en"), *read_python_reference()]
texts = "\n".join(document.text for document in [*english, *chinese])
ours = [b"".join(pair) for pair, _ in train(split(texts), 10)]
learned = [encoding.decode_single_token_bytes(rank) for rank in range(256, 266)]
print("ours:", [token.decode() for token in ours])
print("file:", [token.decode() for token in learned])

# %% [markdown]
# ## How large should a vocabulary be?
#
# The order has a use. Keep only the first *n* entries, and you have the vocabulary as it was after *n* − 256 merges. So
# we can watch compression grow.

# %%
import tiktoken

from hierrag_lessons import drawing, encode


def first_entries(n: int) -> tiktoken.Encoding:
    """The course's vocabulary as it was when it had ``n`` entries."""
    ranks = {encoding.decode_single_token_bytes(rank): rank for rank in range(n)}
    return tiktoken.Encoding(f"first {n:,}", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def per_character(documents, encoding):
    """Tokens for each character of the documents."""
    return sum(len(encode(d.text, encoding)) for d in documents) / sum(len(d.text) for d in documents)


sizes = [256 * 2**i for i in range(7)]
curves = {
    name: [per_character(documents, first_entries(n)) for n in sizes]
    for name, documents in {"English": english, "Chinese": chinese}.items()
}
with drawing(3.6, width=8.0) as (figure, [axes]):
    for (name, values), marker in zip(curves.items(), "os", strict=True):
        axes.plot(sizes, values, marker=marker)
        axes.annotate(name, (sizes[1], values[1]), xytext=(8, 6), textcoords="offset points")
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.set(xlabel="entries in the vocabulary", ylabel="tokens per character", ylim=(0, None))
    axes.grid(alpha=0.3)
    figure.alt = "Two falling curves: tokens per character over the entries of the vocabulary. " + "; ".join(
        f"{name} from {values[0]:.2f} at 256 to {values[-1]:.2f} at 16,384" for name, values in curves.items()
    )
figure

# %% [markdown]
# English has most of its gain after the first two thousand entries. Chinese has thousands of characters, most of three
# bytes, and must first learn to put single characters together. A vocabulary that was learned mostly from English texts
# stays near the left end of the Chinese curve. That is why the same content costs more tokens in some languages.
#
# ## What slicing does to Chinese
#
# Lesson 01 cuts a text by slicing token numbers, and breaks an emoji. How often does that happen in Chinese? We slice the
# handbook every 200 tokens, with the vocabulary as it was at several sizes. The smaller ones stand for a vocabulary that
# has seen little Chinese.

# %%
handbook = next(document for document in chinese if document.doc_id == "zh/technical_handbook")


def slices(text: str, encoding: tiktoken.Encoding, size: int) -> list[str]:
    """Cut a text every ``size`` tokens, as it is often published."""
    ids = encoding.encode(text, disallowed_special=())
    return [encoding.decode(ids[i : i + size]) for i in range(0, len(ids), size)]


print(f"{'vocabulary':<14}{'tokens':>8}{'slices':>8}{'with U+FFFD':>13}   joined again, the text is")
for n in (1_024, 2_048, 4_096, 16_384):
    part = first_entries(n)
    cut = slices(handbook.text, part, 200)
    broken = sum("\ufffd" in piece for piece in cut)
    whole = "the same" if "".join(cut) == handbook.text else "another one"
    print(f"{part.name:<14}{len(encode(handbook.text, part)):>8,}{len(cut):>8}{broken:>13}   {whole}")

# %% [markdown]
# The full vocabulary comes off well only because it has learned from this very handbook. And each cut depends on all
# tokens before it: one word more at the beginning of a text moves them all. What was whole yesterday can break today.
#
# A second bug follows. Published code builds smaller chunks by encoding the *decoded* larger chunk again. But U+FFFD has
# its own tokens:

# %%
message = "The refund went to Zoë 👩\u200d💻, and she'll call you before 18:00."
ids = encoding.encode(message)
print("slice  tokens  encoded again  same tokens")
for number, start in enumerate(range(0, len(ids), 8)):
    parent = ids[start : start + 8]
    again = encoding.encode(encoding.decode(parent))
    print(f"{number:>5}{len(parent):>8}{len(again):>15}  {'yes' if again == parent else 'no'}")

# %% [markdown]
# Where the answer is no, each position inside the parent is a position in a text that does not exist.
#
# ## tiktoken's own offsets
#
# tiktoken gives the offset of each token itself: `decode_with_offsets`. Where a token ends at a character's end, it
# agrees with lesson 01. For a token that begins inside a character it gives that character's start, so its answer does
# not say whether one may cut there.

# %%
from hierrag_lessons import TokenRuler

ruler = TokenRuler(handbook.text, encoding)
tokens = encode(handbook.text, encoding).tolist()
_, offsets = encoding.decode_with_offsets(tokens)
print(f"{len(tokens):,} tokens; {len(set(offsets) & set(ruler.cuts.tolist())):,} of {len(ruler.cuts) - 1:,} cuts agree")
print("message:", encoding.decode_with_offsets(ids)[1][5:22], "…")

# %% [markdown]
# ## What a reader calls a character
#
# A reader sees one character where a program can see several code points. Such a group is a **grapheme cluster**. The
# rules are in Unicode's annex 29, and `\X` in the package `regex` follows them.

# %%
samples = {
    "a": "a",
    "é, typed as one": "\u00e9",
    "é, e and an accent": "e\u0301",
    "Chinese, two": "中文",
    "CRLF line end": "\r\n",
    "flag": "\U0001f1e8\U0001f1ed",
    "family emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
}
print(f"{'':<20}{'code points':>12}{'UTF-8 bytes':>12}{'UTF-16 units':>14}{'seen by a reader':>18}")
for name, text in samples.items():
    utf16 = len(text.encode("utf-16-le")) // 2
    seen = len(regex.findall(r"\X", text))
    print(f"{name:<20}{len(text):>12}{len(text.encode()):>12}{utf16:>14}{seen:>18}")

# %% [markdown]
# So not every code point is a good place to cut. `snap(text, position)` moves a cut back to the last place where it
# breaks nothing:

# %%
from hierrag_lessons import snap

for text in ("cafe\u0301", samples["family emoji"], "one\r\ntwo"):
    allowed = [cut for cut in range(len(text) + 1) if snap(text, cut) == cut]
    print(f"{text!a:<48} {len(text)} code points, cut at {allowed}")
print("cut where it is not allowed:", repr("cafe\u0301"[:4]), "and", ascii("cafe\u0301"[4:]))

# %% [markdown]
# In the last line the café has lost its accent. The next chunk would begin with an accent that belongs to nothing, and a
# search for *café* would find neither.
#
# ## Takeaways
#
# 1. A vocabulary is learned by counting: join the most frequent pair of neighbours, thousands of times. Ties need a rule.
# 2. What a vocabulary rarely saw, it spells in bytes: more tokens, higher cost, and cuts inside characters.
# 3. Slicing token numbers broke more than half of the slices of a Chinese handbook with a vocabulary of 1,024 entries,
#    and a fifth with 4,096.
# 4. Never encode a decoded slice again. Keep spans, and slice the text.
# 5. A reader's character is a grapheme cluster. Cut between clusters, never inside.
#
# ## Further reading
#
# - Sennrich, Haddow and Birch, *Neural Machine Translation of Rare Words with Subword Units*, 2016:
#   [arXiv:1508.07909](https://arxiv.org/abs/1508.07909). Byte-pair encoding for text.
# - Unicode Standard Annex 29, *Unicode Text Segmentation*: [unicode.org/reports/tr29](https://www.unicode.org/reports/tr29/).
#
# Back: [lesson 01](../01_spans_and_tokens.ipynb).
