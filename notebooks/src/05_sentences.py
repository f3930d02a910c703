# %% [markdown]
# # 05 · Sentences
#
# **You will** cut texts into sentences with one line of code, break that line on real sentences in English and Chinese,
# repair it in three steps, pack sentences into chunks, and measure what whole sentences buy.
#
# **You learn** what a full stop can mean; what goes with the sentence behind its stop; why lines decide first; how a
# splitter is measured (boundary F1); how an overlap in whole sentences is packed; where sentence chunks lose.
#
# **You need** [lesson 03](03_measuring_retrieval.ipynb) (recall at a budget, intervals) and
# [lesson 04](04_fixed_size.ipynb) (size and overlap). 20 minutes, medium (★★☆), three exercises. No network, no API
# key.
#
# The way through: [half a sentence](#Half-a-sentence), [what a stop means](#What-a-stop-means), [one line of
# code](#One-line-of-code), [marked by hand](#Marked-by-hand), [the repair](#The-repair), [the package](#The-package),
# [beside LangChain](#Beside-LangChain), [from sentences to chunks](#From-sentences-to-chunks), [measured](#Measured),
# [parameters](#Parameters), [exercises](#Exercises).

# %%
import json
import re
from bisect import bisect_left
from itertools import pairwise

from langchain_text_splitters import RecursiveCharacterTextSplitter

from hierrag_lessons import (
    DATA_DIR,
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
    make_ruler,
    read_python_reference,
    recall,
    score_chunkers,
    sentence_units,
    side_by_side,
    split_sentences,
)

# %% [markdown]
# ## Half a sentence
#
# Lesson 04 cut wherever the tokens ran out. Look at what a reader, or an LLM, is handed. Here are the borders between
# the chunks of a news item.

# %%
english, english_questions = course_set("en")
chinese, chinese_questions = course_set("zh")
by_id = {document.doc_id: document for document in [*english, *chinese]}
news = by_id["en/news_18"]

for before, after in pairwise(FixedSizeChunker(60).chunk(news)):
    print(f"…{before.text[-45:]!r} ✂ {after.text[:45]!r}…")

# %% [markdown]
# A chunk that starts with half a sentence has lost its subject, and often the number that the sentence was about. Is
# that rare? Count the chunks that start inside a sentence:

# %%
lines = []
for name, documents in {"English": english, "Chinese": chinese}.items():
    starts = inside = 0
    for document in documents:
        sentences = split_sentences(document.text)
        for chunk in FixedSizeChunker(200).chunk(document)[1:]:
            starts += 1
            inside += any(span.start < chunk.start < span.end for span in sentences)
    lines.append((name, starts, inside, inside / starts))
Table(("texts", "borders", "inside a sentence", "share"), tuple(lines), "FixedSizeChunker(200)")

# %% [markdown]
# About nine in ten. And it can cost the answer. This is the dev question on which fixed chunks lose most against the
# chunks that this lesson builds, both at 1,000 tokens of context:

# %%
at_200 = {"sentence 200": SentenceChunker(200), "fixed 200": FixedSizeChunker(200)}
opening = score_chunkers(at_200, chinese, chinese_questions)
scores = {name: result.scores("recall", 1000) for name, result in opening.items()}
lost = {key: scores["sentence 200"][key] - value for key, value in scores["fixed 200"].items()}
worst = min(lost, key=lambda key: (-lost[key], key))
question = next(question for question in chinese_questions if question.id == worst)
print(question.question)
print("answer:", question.answer)
print({name: round(values[worst], 3) for name, values in scores.items()})
gold = question.evidence[0]
for chunk in at_200["fixed 200"].chunk(by_id[gold.doc_id]):
    if chunk.start <= gold.start < chunk.end:
        print(f"\nthe window with the answer: {chunk.text[:24]!r} … {chunk.text[-24:]!r}")

# %% [markdown]
# "The power is off and the lamp is out. How long until I may touch the terminals?" The window with the answer begins
# in the middle of a heading (电气危险, electrical hazards) and ends in the middle of a sentence about something else. The sentence chunks happened to fall
# better. One question proves nothing, and we picked the best one. The [measurement](#Measured) below has the other end,
# too.
#
# ## What a stop means
#
# A sentence ends at a full stop. If only a full stop always ended a sentence!
#
# ![Two texts with a decision under each stop, the four sentences that follow from it, and two chunks packed from them](images/05_sentences.svg)
#
# Three things to know about each stop:
#
# 1. **Is it an end at all?** In `Dr.`, `3.5` and `7.3.2` it isn't. What stands before and behind it tells.
# 2. **What goes with it?** A closing quote or bracket belongs to the sentence that it closes.
# 3. **Did the line decide already?** A heading, a list item or a speaker's turn ends without any stop.
#
# Once the sentences are spans, chunks are easy: take neighbours as long as they fit.
#
# ## One line of code
#
# The line that everybody writes first. Split at white space that follows a stop:

# %%
NAIVE = re.compile(r"(?<=[.!?])\s+")


def naive_ends(text):
    """Offsets behind each sentence: a stop with white space after it."""
    return [match.start() for match in NAIVE.finditer(text)]


def pieces(text, ends):
    cuts = [0, *(end for end in ends if 0 < end < len(text)), len(text)]
    return [text[a:b].strip() for a, b in pairwise(cuts)]


print(pieces("It rains. We stay at home! Do you?", naive_ends("It rains. We stay at home! Do you?")))

# %% [markdown]
# Now real input, from the course's own texts:

# %%
hard = {
    "en/earnings_call": "Please go ahead, Mr. Moss.",
    "en/annual_report": "Northmere Systems, Inc. and its consolidated subsidiaries",
    "en/news_05": '"What is left is one door at a time." He expected the work to be finished',
    "en/console_handbook": "2. Decoded. Register values are assigned",
    "zh/technical_handbook": "摘除不等于删除。”把这 3 台从点表里去掉之后，迟到现象当天消失。",
    "zh/support_chats/zh-chat-015": "通讯距离呢？COM2 到最远一台七百米，波特率想用 115200。",
}
for doc_id, text in hard.items():
    assert text in by_id[doc_id].text
    print(f"{doc_id:30}", " ✂ ".join(pieces(text, naive_ends(text))))

# %% [markdown]
# Six texts, six failures. It cuts after `Mr.`, `Inc.` and the number of a list item. It does not cut behind a closing
# quote, because the quote stands between stop and space. And Chinese has neither these stops nor the space. For
# Chinese there is a popular variant, and it has a fault of its own:

# %%
text = by_id["zh/technical_handbook"].text
start = text.index("值班员在电话里")
passage = text[start : text.index("事后查明") + 4]
for piece in re.findall(r"[^。！？；]*[。！？；]?", passage):
    if piece:
        print(repr(piece))

# %% [markdown]
# The closing quote ” opens the next sentence. Every sentence with direct speech starts with the end of another one. (A
# widely copied splitter does exactly this; it is one of the exercises.) The variant also knows no Latin stop, so an
# English sentence inside a Chinese text never ends.
#
# ## Marked by hand
#
# To repair, we must measure, and to measure, somebody must say where the sentences end. Below are excerpts from the
# corpora, all chosen because they are difficult, with a bar at each end inside. **The marks were set by hand, and some
# are open to dispute**: does a speaker who hesitates start a new sentence? Read them before you trust the numbers.

# %%
ENGLISH = r"""
Please go ahead, Mr. Moss.|\nCalvin Moss, Head of Investor Relations: Thank you, and good afternoon everyone.
Good afternoon.| Mine's for Dr. Raman.| I read the paper that your laboratory published with the University of Dunvarra
the bound is 12.|\nFemi Adeyemi, Castellan Securities: And in the paper it was 8.9?|\nDr. Priya Raman, CTO: It was 8.9
`nmctl store size` prints both figures.| (Read the note on 7.4.2 before you order disks.)|\n4. Look for what will no
- Audit trail kept for 36 months.| (Extended to 60 in 7.3.0.)|\n\n## 15. Glossary
"The part is worth very little," said one.| "It depends on how often they have to come back."
"What is left is one door at a time."| He expected the work to be finished by the summer
"No interval is missing and no bill will be wrong," said Dr. Priya Raman, chief technology officer.| In future old and
"We are not buying meters so much as the right not to drive there."| Long lines of that kind are difficult
"That is the part we don't control," Mr. Ashworth said.| Two months have been allowed for it.
order four; Ibekwe et al. [9] to household load with a weekly profile.| In both cases the threshold was chosen by hand.
It prints 7.3.2.| Sorry, 7.3, not 7.2.| The old number is still on the sticker on the rack.
import through.| 13,998 created, 2 refused with... no, wait, it doesn't do that, it's all or nothing, isn't it.
it has three columns and a tick.| the tick is in... the second column.| ok|\nAgent (Noor): Second is Utility.
the Sunday one...| I gave Sunday the 2nd for the vault, because the full one felt safer.
So the full backup I made yesterday, step 7...|\nAgent (Beatrix): ...is lying on the space you need
"Licence for another site, expired, or exceeded."| The licence is ours and valid until 2027.| On-premises
NC-4029 from the API gateway.| "Request limit exceeded."| Just one client, our data warehouse loader.| Version 7.4.2.
I'd have to... 1 day?| No.| "overlap_hours: 12".|\nAgent (Noor): The setting is in days
"us" and "our" mean Northmere Systems, Inc. and its consolidated subsidiaries unless the context says otherwise.| Our
## 1. About this handbook|\n\nNorthmere Console collects interval readings from electricity meters
1. Received.| The message is in the spool and has been acknowledged to the device.|\n2. Decoded.| Register values
4. Write `/etc/northmere/console.yaml`.| A file for a medium-sized utility looks like this:
83 cents a share, compared with 71.| For the whole of fiscal 2025 revenue rose 6.6 percent to $2,245.3 million
### Arden Metrology v. Northmere|\n\nOn 11 May 2023 Arden Metrology filed a complaint
"""

# %%
CHINESE = r"""
用现场操作员的话说：“摘除不等于删除。”|\n\n### 问 32
您方便再看一眼“系统信息”页吗？|\n客户: 稍等……|不好意思，我说错了，是 V3.4，不是 V3.2。|上个月集成商给升的，我忘了。
客户: 我查查……|有，八点多报过一条，然后就没了。|哦，那时候我们开着静默窗口。
仲裁地址填的是哪里？|\n客户: 填的……10.20.4.254，核心交换机。|今天上午交换机在换，还没弄好。
另外 EG-220 是单路供电。|\n客户: ……那还是留着吧。|冬天启动会不会慢？
平台如果按到达时间入库，就会出现“倒灌”，手册 6.6.2 节后面专门提到。|请改成按报文里的时间戳入库。
值班员在电话里反复追问：“网没断，怎么会失联？”|支持工程师回答：“报文是到了，可时间戳差了 2.1 s，按定义不算‘有效’。”|事后查明
操作员后来在交接本上写道：“摘除不等于删除。”|把这 3 台从点表里去掉之后，迟到现象当天消失。
**1. EG-210 收入持续下滑。**| 该型号两年内面对的同类产品由四款增至七款，价格最低的一款比公司低 28 %。|若公司不能
EG-210 的 V3.4.1 升级包是 186 MB，需要 558 MB，差五十多兆。|\n客户: 那我删点什么？|审计日志有一百多兆。
客户: DO 不都是继电器吗，为什么还要——|\n二线工程师: 编号映射会变。|EG-210 只有 2 路 DO
即分别为 4 年和 5 年零 4 个月。|eMMC 的寿命不按年限计算，“系统信息”页的“写入寿命”达到 80 % 时安排返厂更换。
客户: 通讯距离呢？|COM2 到最远一台七百米，波特率想用 115200。
按下列情形处理：|\n\n（一）能取得开票方盖章的存根复印件或者重新下载电子票据的，视同原件；|\n\n（二）火车票、登机行程单
第四节第一部分所述“尚未开庭”是报告期末的状态。|\n\n### 五、海外关税|\n\n公司最大的海外市场
有关系。|摘除之后仍要定期探测，每次探测都要等满超时。|RTU 总线是半双工，3 台停用的从站每 60 s 会占掉 9.6 s（手册附录A 的 A.3 节）。
有，U 盘里那份是……前天的。|\n客服: 前天的不行，要重新做一份
但保留上一次的数值（手册 4.5.2 节）。|平台侧应当判断质量戳，只看数值会误以为一切正常。
客户: 急！|两台网关都不让写了，DO 锁着，泵停不下来也起不来。
"""


def samples(table):
    """Texts and the offsets of their ends, from lines with bars."""
    texts = []
    for line in table.strip().splitlines():
        parts = line.replace("\\n", "\n").split("|")
        ends = [len("".join(parts[:i])) for i in range(1, len(parts))]
        texts.append(("".join(parts), ends))
    return texts


marks = {"English": samples(ENGLISH), "Chinese": samples(CHINESE)}
for name, texts in marks.items():
    assert all(any(text in document.text for document in by_id.values()) for text, _ in texts)
    print(f"{name}: {len(texts)} excerpts, {sum(len(ends) for _, ends in texts)} ends, all found in the corpora")

# %% [markdown]
# The measure is **boundary F1**. A boundary is a place between two sentences. Precision: which share of the boundaries
# that we set is right? Recall: which share of the right ones did we set? F1 is their harmonic mean. Whether the space
# belongs to the sentence before or behind is no error, so ends are compared after the white space.


# %%
def boundaries(text, ends):
    """Places where a sentence starts, other than the start of the text."""
    after_space = {len(text) - len(text[end:].lstrip()) for end in ends}
    return after_space - {0, len(text)}


def boundary_f1(texts, ends_of):
    """Precision, recall and F1 of a splitter, given as a function from a text to offsets."""
    pairs = [(boundaries(text, gold), boundaries(text, ends_of(text))) for text, gold in texts]
    both = sum(len(gold & ours) for gold, ours in pairs)
    gold, ours = sum(len(gold) for gold, _ in pairs), sum(len(ours) for _, ours in pairs)
    return both / max(1, ours), both / gold, 2 * both / (gold + ours)


def f1_table(splitters):
    lines = [
        (name, splitter, *boundary_f1(texts, ends_of))
        for name, texts in marks.items()
        for splitter, ends_of in splitters.items()
    ]
    return Table(("excerpts", "splitter", "precision", "recall", "F1"), tuple(lines))


f1_table({"naive": naive_ends})

# %% [markdown]
# ## The repair
#
# Three steps, each for one of the three questions. **Step 1: what goes with the stop.** After a run of stops take all
# closing marks; then a Latin stop needs white space, and a Chinese one needs nothing.

# %%
CLOSING = "\"'”’)）」』】》*"
STOPS = re.compile(rf"[.!?…]+[{CLOSING}]*(?=\s|$)|[。！？]+[{CLOSING}]*")


def with_closing(text):
    return [match.end() for match in STOPS.finditer(text)]


# %% [markdown]
# **Step 2: is it an end at all?** No, after a title, an initial, or the number of a list item; and no, where a small
# letter follows dots or a closing quote.

# %%
ABBREVIATIONS = {"mr", "mrs", "ms", "dr", "prof", "inc", "al", "vs", "v", "no", "fig", "e.g", "i.e"}


def is_end(text, start, match):
    stop, following = match.group(), text[match.end() :].lstrip()[:1]
    if len(stop) > 1:
        return not following.islower()
    before = text[start : match.start()].split()
    word = before[-1].strip("(\"'").lower() if before else ""
    return stop != "." or not (word in ABBREVIATIONS or (len(before) == 1 and word.isdigit()))


def with_words(text):
    ends, start = [], 0
    for match in STOPS.finditer(text):
        if is_end(text, start, match):
            ends.append(match.end())
            start = match.end()
    return ends


# %% [markdown]
# **Step 3: lines first.** A blank line ends everything before it. So does a line break before a heading, a table
# row, a list item or a speaker's name.

# %%
NEW_LINE = re.compile(r"\n(?=\s*\n|#|\||[-*] |\d+\. |（|[^\n:：]{1,50}[:：] )|(?<=\n)\n+")


def with_lines(text):
    cuts = [0, *(match.end() for match in NEW_LINE.finditer(text)), len(text)]
    return [a + end for a, b in pairwise(cuts) for end in [*with_words(text[a:b]), b - a]]


steps = {"naive": naive_ends, "closing marks": with_closing, "and words": with_words, "and lines": with_lines}
f1_table(steps)

# %% [markdown]
# Look where each step helps. English gains by each of them, most by the words; Chinese gains most by the closing marks,
# nothing by the words, and something by the lines. What is still wrong?

# %%
for text, gold in [*marks["English"], *marks["Chinese"]]:
    right, ours = boundaries(text, gold), boundaries(text, with_lines(text))
    for place in sorted(right ^ ours):
        verdict = "missed" if place in right else "wrong "
        print(verdict, repr(text[max(0, place - 28) : place]), "✂", repr(text[place : place + 18]))

# %% [markdown]
# Some of these no rule can know: whether dots end a thought or search for a word depends on what the speaker meant.
#
# ## The package
#
# `split_sentences` answers the same three questions with more cases: initials, `U.S.`, words that may end a sentence
# (`Inc.` before `The`), straight quotes that open or close, quotes with “…” 他问。 behind them, soft line breaks of
# hard-wrapped prose. It knows no language switch: one rule set serves both languages and texts that mix them. It
# returns spans, of the document, not strings.


# %%
def package(text):
    return [span.end for span in split_sentences(text)]


f1_table({"naive": naive_ends, "the repair": with_lines, "split_sentences": package})

# %% [markdown]
# Better, but be careful with this table. Whoever wrote the rules had read these corpora. **A splitter that is measured
# on the texts it was written for looks better than it is.** The honest figure comes from texts that others marked: two
# treebanks of Universal Dependencies, English (web texts) and Chinese (Wikipedia). The repository keeps the result of
# `benchmarks/sentences.py`:

# %%
results = json.loads((DATA_DIR.parent / "benchmarks" / "results" / "sentences.json").read_text(encoding="utf-8"))
lines = [
    (language, name, *(values[key] for key in ("precision", "recall", "f1")))
    for language in ("en", "zh")
    for name, values in results[language].items()
    if isinstance(values, dict)
]
Table(("treebank", "splitter", "precision", "recall", "F1"), tuple(lines), "boundaries inside running text")

# %% [markdown]
# English is far below the number on our excerpts: signatures and headers of e-mails without any stop, chat without
# capitals. That is what the web looks like. Even this table flatters us a little: the rules were improved while
# looking at it, those of the others were not. And two well-known splitters find not one Chinese boundary as they come:
# Chinese needs to be asked for.
#
# How far do the repair in the notebook and the package agree, on all the corpora?

# %%
both = ours = theirs = 0
for document in [*english, *chinese]:
    a, b = boundaries(document.text, with_lines(document.text)), boundaries(document.text, package(document.text))
    both, ours, theirs = both + len(a & b), ours + len(a), theirs + len(b)
print(
    f"the repair sets {ours} boundaries, the package {theirs}; {both} are the same (F1 {2 * both / (ours + theirs):.3f})"
)

# %% [markdown]
# Thirty lines of code reach most of it. What differs is mostly code listings, the numbers of headings, and initials in
# lists of references. The promises of the package are what the rest of the course builds on, so they are checked on every
# text, the Python reference included:

# %%
texts = [document.text for document in [*english, *chinese, *read_python_reference()]]
for text in texts:
    sentences = split_sentences(text)
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in sentences)
    assert all(left.end <= right.start for left, right in pairwise(sentences))
    gaps = pairwise([0, *(edge for span in sentences for edge in span), len(text)])
    assert all(not text[a:b].strip() for a, b in list(gaps)[::2])
print(f"{len(texts)} texts: sentences in order, never blank, and nothing but white space between them")

# %% [markdown]
# ## Beside LangChain
#
# langchain-text-splitters has sentence splitters for spaCy and NLTK, which need a model from the network. Offline there
# is `RecursiveCharacterTextSplitter` with stops for separators. With `chunk_size=1` it never joins what it cut, so its
# pieces are its sentences.

# %%
by_separators = RecursiveCharacterTextSplitter(
    separators=["\n\n", "\n", "。", "！", "？", ". ", "! ", "? "], keep_separator="end", chunk_size=1, chunk_overlap=0
)


def langchain(text):
    ends, position = [], 0
    for piece in by_separators.split_text(text):
        position = text.index(piece, position) + len(piece)
        ends.append(position)
    return ends


for piece in by_separators.split_text(passage):
    print(repr(piece))
f1_table({"LangChain, separators": langchain, "the repair": with_lines, "split_sentences": package})

# %% [markdown]
# A separator is a plain string here. It can't look at the word before it, and it can't take the closing quote along.
# (`is_separator_regex=True` takes patterns; then the rules of the repair are yours to write.)
#
# ## From sentences to chunks
#
# A single sentence often can't be understood alone: it says "it" and "the former", and a question about two sentences
# fits neither. So neighbours are packed together. The code below is a published pattern, rewritten: sentences are
# joined until the limit is reached, and the overlap repeats the last characters.


# %%
def pack_strings(sentences, limit, overlap):
    """Join sentences up to ``limit`` characters; each chunk starts with the last ones of the chunk before."""
    chunks, current = [], ""
    for sentence in sentences:
        if current and len(current) + len(sentence) > limit:
            chunks.append(current)
            current = current[-overlap:]
        current += sentence
    return [*chunks, current]


sentences = [news.text[a:b] + " " for a, b in split_sentences(news.text)]
for chunk in pack_strings(sentences, limit=300, overlap=40)[1:4]:
    print(f"{len(chunk):4}  {chunk[:60]!r}…")
long = pack_strings(["一个很长的分句，" * 150 + "完。"], limit=600, overlap=60)
print(f"{len(long[0]):4}  one Chinese sentence without a stop, limit 600")

# %% [markdown]
# The sentences were found with care, and then the overlap starts in the middle of one. (With `overlap=0` it is worse:
# `current[-0:]` is the whole chunk, so each chunk repeats all before it.) And a sentence longer than the limit comes out
# whole. A real one is not far: a list without stops, minutes of a meeting, code.
#
# `SentenceChunker` repeats **whole sentences**, within the limit, and cuts a sentence that is too long at its clauses,
# then between words:

# %%
document = Document("long", "第一句。" + "一个很长的分句，" * 150 + "完。最后一句。", language="zh")
for chunk in SentenceChunker(max_size=600, measure=len).chunk(document):
    print(f"{len(chunk.text):4}  …{chunk.text[-12:]}")
overlapping = SentenceChunker(max_size=60, overlap_sentences=1).chunk(news)
ChunkView(news, overlapping[:4], within=Span(0, overlapping[3].end))

# %% [markdown]
# Hatched is what two chunks share: one sentence. The first two share none: the last sentence of the first chunk and the
# first one of the second are too long together for 60 tokens.
#
# Is the packing right? The obvious version measures again for each unit. A unit is a sentence, or a part of one that alone
# is larger than the limit:


# %%
def packed(document, limit):
    """Spans of neighbouring units that together have at most ``limit`` tokens; measured again each time."""
    ruler = make_ruler(document.text, count_tokens)
    spans = []
    for unit in sentence_units(document.text, document.span, ruler, limit):
        if spans and count_tokens(document.text[spans[-1].start : unit.end]) <= limit:
            spans[-1] = Span(spans[-1].start, unit.end)
        else:
            spans.append(unit)
    return spans


same = total = 0
for document in [*english, *chinese]:
    ours, theirs = packed(document, 200), [chunk.span for chunk in SentenceChunker(200).chunk(document)]
    same, total = same + len(set(ours) & set(theirs)), total + len(theirs)
print(f"{same} of {total} chunks are the same")

# %%
sixty = {
    "fixed 60": FixedSizeChunker(60),
    "recursive 60": RecursiveChunker(60, separators=MARKDOWN),
    "sentence 60": SentenceChunker(60),
}
ends = [sentence.end for sentence in split_sentences(news.text)]
strip = chunk_strip({name: chunker.chunk(news) for name, chunker in sixty.items()}, news, {"sentence ends": ends})
print(strip.numbers)
strip

# %%
lines = []
for name, chunker in {
    "fixed 200": FixedSizeChunker(200),
    "recursive 200": RecursiveChunker(200, separators=MARKDOWN),
    "sentence 200": SentenceChunker(200),
}.items():
    for language, documents in {"en": english, "zh": chinese}.items():
        chunks = borders = inside = tokens = 0
        for document in documents:
            sentences = split_sentences(document.text)
            starts = [span.start for span in sentences]
            for number, chunk in enumerate(chunker.chunk(document)):
                before = sentences[max(0, bisect_left(starts, chunk.start) - 1)]
                chunks, tokens, borders = chunks + 1, tokens + count_tokens(chunk.text), borders + (number > 0)
                inside += before.start < chunk.start < before.end
        lines.append((language, name, chunks, tokens / chunks, inside / borders))
columns = ("texts", "chunker", "chunks", "mean tokens", "borders inside a sentence")
Table(columns, tuple(sorted(lines, key=lambda line: line[0])))

# %% [markdown]
# At 200 tokens neither recursive nor sentence chunks start inside a sentence. The recursive chunker cuts at paragraphs
# and lines first, and gets whole sentences on the way; its chunks are smaller for the same reason. The sentence chunker
# fills its limit nearly as well as the fixed one.
#
# ## Measured
#
# Flat search over each kind of chunk, all dev questions, at 1,000 tokens of context. English first:

# %%
contestants = {
    "recursive 200": RecursiveChunker(200, separators=MARKDOWN),
    "fixed 200": FixedSizeChunker(200),
    "sentence 200": SentenceChunker(200),
    "sentence 200, overlap 2": SentenceChunker(200, overlap_sentences=2),
}
in_english = score_chunkers(contestants, english, english_questions, (500, 1000))
compare(in_english, "recall", 1000)

# %%
in_chinese = score_chunkers(contestants, chinese, chinese_questions, (500, 1000))
compare(in_chinese, "recall", 1000)

# %% [markdown]
# Whole sentences buy no recall here. In both languages the sentence chunks without overlap are *below* the recursive
# ones, and even the interval of the difference leaves out zero, if barely. (With several comparisons at once, one such
# result can be luck. Two in the same direction are a warning.) And against fixed chunks, which cut nine of ten borders
# through a sentence?

# %%
by_fixed = {name: in_english[name] for name in ("fixed 200", "sentence 200", "sentence 200, overlap 2")}
compare(by_fixed, "recall", 1000)

# %%
compare({name: in_chinese[name] for name in by_fixed}, "recall", 1000)

# %% [markdown]
# No interval of a difference leaves out zero: these questions can't tell them apart. Nothing here says that a retriever
# needs whole sentences to find a place. Who reads the context later may need them, but recall does not measure that.
#
# What may hold sentence chunks back? Look at what the packer ignores. It fills each chunk to the limit and takes no notice of paragraphs and headings.
# So a chunk can end with the heading of the next section, and hold the end of one subject and the beginning of another.
# The recursive chunker cuts at these places first. **A sentence is a good unit, and packing sentences is not yet a good
# chunker.** The lessons from here on use the same units and choose the borders better.
#
# ## Where it loses
#
# The dev question with the largest loss against recursive chunks, in Chinese:

# %%
scores = {name: in_chinese[name].scores("recall", 1000) for name in ("recursive 200", "sentence 200")}
losses = {key: scores["recursive 200"][key] - value for key, value in scores["sentence 200"].items()}
worst = min(losses, key=lambda key: (-losses[key], key))
rows = {
    name: next(row for row in in_chinese[name].rows if row.question.id == worst and row.budget == 1000)
    for name in scores
}
gold = rows["sentence 200"].question.evidence
print(rows["sentence 200"].question.question)
print({name: round(values[worst], 3) for name, values in scores.items()})
shown = {name: sorted(row.passages, key=lambda passage: -recall([passage], gold))[:2] for name, row in rows.items()}
side_by_side(shown, gold=gold)

# %% [markdown]
# The question asks for a whole section: the ways in which alarms are sent, and the rule for combining them. A recursive
# chunk ends where its section ends. The sentence chunk runs on across the next heading, so a part of it is about
# something else, and that is what its vector says. It also uses up the budget sooner. And look at the last line of its
# second passage: the heading of the section that was asked for, cut off from its section.
#
# And the count of all questions, so that nobody takes one example for a proof:

# %%
for name, results in {"English": in_english, "Chinese": in_chinese}.items():
    base, ours = (results[key].scores("recall", 1000) for key in ("recursive 200", "sentence 200"))
    gains = [ours[key] - base[key] for key in base]
    print(
        f"{name}: better {sum(g > 0 for g in gains)}, equal {sum(g == 0 for g in gains)}, "
        f"worse {sum(g < 0 for g in gains)}"
    )

# %% [markdown]
# ## Parameters
#
# | parameter | start with | turn it when | it costs |
# |---|---|---|---|
# | `max_size` | 200 tokens (in Chinese 300 to 400 characters) | answers span several sentences: larger; single facts: smaller | a larger chunk is a blend of subjects |
# | `overlap_sentences` | 0; then 1 or 2 | questions refer to the sentence before ("it", "this amount") | a larger index; neighbours that are found together |
# | `measure` | `count_tokens` | a limit in characters is given from outside: `len` | nothing |
#
# What to turn first: `max_size`. What to try before either: a chunker that knows paragraphs and sections (lessons 06
# and 07). Sentence chunks are the right choice for texts without structure, such as transcripts and plain news, and as
# the smallest level of a hierarchy (lesson 13 searches single sentences and returns their neighbours).

# %%
lines = []
for overlap in (0, 1, 2, 3):
    chunks = [chunk for document in english for chunk in SentenceChunker(200, overlap).chunk(document)]
    lines.append((overlap, len(chunks), sum(count_tokens(chunk.text) for chunk in chunks)))
Table(("overlap in sentences", "chunks", "tokens in the index"), tuple(lines), "English texts, max_size 200")

# %% [markdown]
# ## Exercises
#
# ### Exercise 05.1 · Is this stop an end?
#
# ★☆☆ · 8 minutes. Write the heart of a splitter. `text[stop]` is a full stop. Return whether it ends a sentence:
#
# - only if white space or the end of the text follows it;
# - not if the word right before it, in small letters, is in `abbreviations`;
# - not if that word is a single letter (an initial).
#
# The word before is everything back to the last white space. `hint("05.1")` gives a hint, `solution("05.1")` shows one.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def ends_sentence(text: str, stop: int, abbreviations: set[str]) -> bool:
    """Whether the full stop at ``text[stop]`` ends a sentence."""
    return ...


check("05.1", ends_sentence)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 05.1


check("05.1", ends_sentence)

# %% [markdown]
# ### Exercise 05.2 · Find the bugs: a Chinese sentence splitter
#
# ★★☆ · 12 minutes. This splitter is copied from article to article (here in our words). It should cut behind each run of
# `。！？` with the closing marks `”’」』）` that follow, and lose nothing: the pieces, joined, are the text, and none of them
# is empty. It has three faults. Feed it `他说：“好。”走了` and `真的？！不会` before you change anything.


# %% tags=["exercise"]
import re

from hierrag_lessons import check, hint, solution


def chinese_sentences(text: str) -> list[str]:
    """Sentences of a Chinese text; joined, they are the text again."""
    parts = re.split(r"([。！？])", text)
    return [body + stop for body, stop in zip(parts[0::2], parts[1::2], strict=False)]


check("05.2", chinese_sentences)

# %% tags=["solution"]
import re

from hierrag_lessons import check

# solution: 05.2


check("05.2", chinese_sentences)

# %% [markdown]
# ### Exercise 05.3 · Find the bugs: overlap that starts in the middle
#
# ★★★ · 15 minutes. `sentences` are spans that touch each other, none longer than `limit` characters. Pack them into
# spans of at most `limit`. Each one should repeat as many **whole** sentences from the end of the one before as fit into
# `overlap` characters together; fewer, where the next sentence would not fit any more.
# The published code repeats characters, and its chunks grow beyond the limit.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def pack_sentences(sentences: list[Span], limit: int, overlap: int) -> list[Span]:
    """Spans of neighbouring sentences of at most ``limit`` characters."""
    chunks: list[Span] = []
    for sentence in sentences:
        if chunks and sentence.end - chunks[-1].start <= limit:
            chunks[-1] = Span(chunks[-1].start, sentence.end)
        elif chunks:
            chunks.append(Span(chunks[-1].end - overlap, sentence.end))
        else:
            chunks.append(sentence)
    return chunks


check("05.3", pack_sentences)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 05.3


check("05.3", pack_sentences)

# %% [markdown]
# ## Takeaways
#
# 1. A stop is a question: is it an end, what goes with it, and did the line decide before it?
# 2. Chinese has stops of its own and no space behind them; a closing quote belongs to the sentence that it closes.
# 3. Measure a splitter on texts that others marked. On your own texts you see how well you know them.
# 4. Overlap in whole sentences, within the limit; and a sentence above the limit must be cut, at clauses first.
# 5. Sentences are good units. Packed without regard to paragraphs they did not find more than simpler chunks did.
#
# ## Interview questions
#
# <details><summary>1. Your splitter is right on 99 % of the sentences of a news corpus. Why might it fail on your
# documents?</summary>
#
# News is edited prose with capitals and stops. Contracts and manuals have numbered clauses, headings without stops,
# tables and file names; chats have no capitals; translated texts have other quotes. The share also depends on how many
# boundaries are easy: a splitter that only knows ". " is right on most of them. Mark fifty difficult places in your own
# documents, and count those.
# </details>
#
# <details><summary>2. Why not let a trained model split the sentences?</summary>
#
# It is better on texts without punctuation, such as transcripts. It costs a model to install and run, time in
# proportion to its size, and it can change with its version, so that chunk ids move. Rules are fast, the same on each
# machine, and can be repaired where they fail. For most documents the stops are there.
# </details>
#
# <details><summary>3. Sentence chunks scored below recursive chunks of the same size. What do you check first?</summary>
#
# Whether the difference is larger than its interval. Then the borders: do chunks run across headings and paragraphs?
# A greedy packer fills every chunk to the limit, so most of them hold parts of two subjects. Then the sizes: recursive
# chunks are smaller on average, so a context holds more different places. Compare at the same mean size, too.
# </details>
#
# ## Further reading
#
# - Kiss and Strunk, *Unsupervised Multilingual Sentence Boundary Detection*, 2006: Punkt, which learns abbreviations
#   from the text itself: [aclanthology.org/J06-4003](https://aclanthology.org/J06-4003/)
# - Sadvilkar and Neumann, *PySBD: Pragmatic Sentence Boundary Disambiguation*, 2020: rules, and a list of hard cases:
#   [arxiv.org/abs/2010.09657](https://arxiv.org/abs/2010.09657)
# - [Unicode Standard Annex 29](https://www.unicode.org/reports/tr29/), sentence boundaries of the Unicode standard.
#
# Next: [06 · Recursive](06_recursive.ipynb). Back: [04 · Fixed size](04_fixed_size.ipynb).
