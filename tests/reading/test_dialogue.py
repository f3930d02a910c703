import json

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

from hierrag_lessons.chunkers import DialogueChunker
from hierrag_lessons.model import Document
from hierrag_lessons.reading import read_dialogue
from hierrag_lessons.reading.dialogue import MAX_SPEAKER, recorded_turns
from hierrag_lessons.text import read_blocks
from tests.texts import HOSTILE, texts


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes, name: str = "call.jsonl"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def turn(speaker="Ann", text="Hello.", **fields) -> str:
    return json.dumps({"speaker": speaker, "text": text, **fields}) + "\n"


def said(document) -> list[tuple[str, str]]:
    """Speaker and text of each turn, taken from the document's text by the offsets, which must leave nothing out."""
    turns = document.metadata["turns"]
    ends = [0, *(entry["end"] + 1 for entry in turns)]
    assert [entry["start"] for entry in turns] == ends[:-1]
    assert ends[-1] == len(document.text)
    assert all(document.text[entry["end"]] == "\n" for entry in turns)
    assert all(
        document.text[entry["start"] : entry["text_start"]] == f"{entry['speaker']}: "
        for entry in document.metadata["turns"]
    )
    return [(entry["speaker"], document.text[entry["text_start"] : entry["end"]]) for entry in turns]


# --- JSON Lines ------------------------------------------------------------------------------------------------------


def test_a_call(write):
    path = write(
        turn("Maren Okafor, CEO", "Two points: growth,\nand cost.", start=0, end=2.5)
        + turn("Operator", "谢谢。", start=2.5, end=2.5)
        + turn("Operator", "")
    )
    [document] = read_dialogue(path, language="en")
    assert document.doc_id == "call"
    assert document.kind == "dialogue"
    assert document.language == "en"
    assert document.text == "Maren Okafor, CEO: Two points: growth,\nand cost.\nOperator: 谢谢。\nOperator: \n"
    assert document.metadata == {
        "file": "call.jsonl",
        "turns": [
            {"start": 0, "end": 48, "text_start": 19, "speaker": "Maren Okafor, CEO", "time": [0, 2.5]},
            {"start": 49, "end": 62, "text_start": 59, "speaker": "Operator", "time": [2.5, 2.5]},
            {"start": 63, "end": 73, "text_start": 73, "speaker": "Operator", "time": None},
        ],
    }
    assert said(document)[0] == ("Maren Okafor, CEO", "Two points: growth,\nand cost.")


def test_dialogues_are_told_apart_even_where_they_are_mixed(write):
    path = write(
        turn("A", "1", dialogue="t/2", start=5, end=6)
        + turn("B", "2", dialogue="t 1", start=0, end=1)
        + turn("B", "3", dialogue="t/2", start=5, end=9)
    )
    second, first = read_dialogue(path, language="zh", doc_id="zh/chats")
    assert (second.doc_id, second.text, second.language) == ("zh/chats/t/2", "A: 1\nB: 3\n", "zh")
    assert (first.doc_id, first.text) == ("zh/chats/t 1", "B: 2\n")
    assert [document.doc_id for document in read_dialogue(path, language="zh")] == ["call/t/2", "call/t 1"]


def test_a_given_name_and_absent_times(write):
    [document] = read_dialogue(write(turn(start=None, end=None, dialogue=None)), language="en", doc_id="en/x")
    assert document.doc_id == "en/x"
    assert document.metadata["turns"][0]["time"] is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"speaker": "A", "text": ', "not valid JSON"),
        (b'{"speaker": "\xff", "text": "x"}\n', "not valid JSON in UTF-8"),
        ('["A", "x"]', "not a JSON object"),
        ('{"text": "x"}', "field 'speaker' is missing"),
        ('{"speaker": "A"}', "field 'text' is missing"),
        (turn(text=7), "field 'text' is 7; it must be str"),
        (turn(speaker=None), "field 'speaker' is None; it must be str"),
        (turn(speaker=""), "field 'speaker' is empty"),
        (turn(speaker=" \u3000"), "field 'speaker' is empty"),
        (turn(dialogue=""), "field 'dialogue' is empty"),
        (turn(dialogue=3), "field 'dialogue' is 3; it must be str or null"),
        (turn(dialogue="t"), "'dialogue' stands in some lines and not in others"),
        (turn(start=9), "only one of 'start' and 'end'"),
        (turn(end=9), "only one of 'start' and 'end'"),
        (turn(start="9", end=10), "field 'start' is '9'; it must be int or float or null"),
        (turn(start=True, end=10), "field 'start' is True"),
        (turn(start=9, end=8.5), "the turn ends at 8.5 s, before its start at 9 s"),
        (turn(start=4.9, end=8), r"starts at 4.9 s, before the one above it \(5 s\)"),
        (turn(start=9, end=float("nan")), "field 'end' is nan"),
        (turn(start=float("inf"), end=float("inf")), "field 'start' is inf"),
        (turn(start=9, end=10**400), "field 'end' is 1000"),
    ],
)
def test_a_bad_line_is_named(write, line, said):
    line = line if isinstance(line, bytes) else line.encode()
    good = turn(start=5, end=6) + "\n" + turn()  # A turn without a time does not hide the time before it.
    with pytest.raises(ValueError, match=rf"call\.jsonl, line 4: .*{said}"):
        read_dialogue(write(good.encode() + line), language="en")


def test_a_line_without_its_dialogue_is_named(write):
    with pytest.raises(ValueError, match="line 2: field 'dialogue' stands in some lines"):
        read_dialogue(write(turn(dialogue="t") + turn()), language="en")


@pytest.mark.parametrize("name", ["call.jsonl", "call.txt"])
def test_a_file_without_turns(write, name):
    for content in ("", "\n \n"):
        with pytest.raises(ValueError, match="holds no turn"):
            read_dialogue(write(content, name), language="en")


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(ValueError, match=r"call\.csv is neither \.jsonl nor \.txt"):
        read_dialogue(write("A: b", "call.csv"), language="en")
    with pytest.raises(ValueError, match=r"call\.txt is not UTF-8 \(byte 3"):
        read_dialogue(write(b"A: \xff", "call.txt"), language="en")
    for name in ("no.txt", "no.jsonl"):
        with pytest.raises(FileNotFoundError):
            read_dialogue(tmp_path / name, language="en")


# In JSON a surrogate and its partner, each escaped, are one character.
json_texts = texts.map(lambda text: json.loads(json.dumps(text)))
names = json_texts.filter(str.strip)
seconds = st.floats(0, 1e6) | st.integers(0, 10**6)


@given(st.lists(st.tuples(st.sampled_from("ab"), names, json_texts, st.none() | seconds), min_size=1, max_size=8))
def test_jsonl_round_trip(tmp_path_factory, turns):
    path = tmp_path_factory.mktemp("chat") / "chat.jsonl"
    now = {"a": 0, "b": 0}
    lines, expected = [], {}
    for dialogue, speaker, text, length in turns:
        fields = {"dialogue": dialogue, "speaker": speaker, "text": text}
        if length is not None:
            fields |= {"start": now[dialogue], "end": now[dialogue] + length}
            now[dialogue] += length
        lines.append(json.dumps(fields))
        time = [fields["start"], fields["end"]] if length is not None else None
        expected.setdefault(f"chat/{dialogue}", []).append((speaker, text, time))
    path.write_text("\n".join(lines), encoding="utf-8")
    documents = read_dialogue(path, language="en")
    found = {
        document.doc_id: [
            (*pair, entry["time"]) for pair, entry in zip(said(document), document.metadata["turns"], strict=True)
        ]
        for document in documents
    }
    assert found == expected
    assert list(found) == list(expected)


# --- plain text ------------------------------------------------------------------------------------------------------


def read_plain(write, content: str) -> list[tuple[str, str]]:
    [document] = read_dialogue(write(content, "call.txt"), language="en")
    assert document.doc_id == "call"
    assert all(entry["time"] is None for entry in document.metadata["turns"])
    return said(document)


def test_plain_text(write):
    content = """
Maren Okafor, CEO: Good morning. Our ratio: 3:1.
And more.

  Note: this is still Maren.
Dr. Priya Raman (CTO): At 10:30, see https://example.com/a:b
Operator:

"""
    assert read_plain(write, content) == [
        ("Maren Okafor, CEO", "Good morning. Our ratio: 3:1.\nAnd more.\n\n  Note: this is still Maren."),
        ("Dr. Priya Raman (CTO)", "At 10:30, see https://example.com/a:b"),
        ("Operator", ""),
    ]


@pytest.mark.parametrize(
    ("line", "speaker", "text"),
    [
        ("客服：您好：请讲", "客服", "您好：请讲"),
        ("客户（张工）： 10:30 到", "客户（张工）", "10:30 到"),
        ("客服:您好", "客服", "您好"),
        ("Ann:  two blanks", "Ann", "two blanks"),
        ("Ann :x", "Ann", "x"),
        ("Operator (line 2: Tokyo): Hello", "Operator (line 2: Tokyo)", "Hello"),
        ("[00:01:02] Ann: Hi", "[00:01:02] Ann", "Hi"),
        ("Speaker 1: 5 apples", "Speaker 1", "5 apples"),
        ("Speaker:1 apple", "Speaker", "1 apple"),
        ("a" * MAX_SPEAKER + ": x", "a" * MAX_SPEAKER, "x"),
        ("Ann: a\u2028Bob: b\x85Cy: c", "Ann", "a\u2028Bob: b\x85Cy: c"),
        ("\ufeffAnn: mark", "Ann", "mark"),
    ],
)
def test_a_line_with_a_speaker(write, line, speaker, text):
    assert read_plain(write, line) == [(speaker, text)]


@pytest.mark.parametrize(
    "line",
    [
        "just words",
        "at 10:30 we met",
        "https://example.com",
        " Bob: indented",
        "\tBob: indented",
        "What? Really: yes",
        "我说一下，原因有两个：第一",
        "a" * (MAX_SPEAKER + 1) + ": x",
        "(unclosed: bracket",
        "unclosed) x: bracket",
        "***: rule",
        ":-) fine",
    ],
)
def test_a_line_that_continues(write, line):
    assert read_plain(write, f"Ann: Hello\n{line}\nBob: x") == [("Ann", f"Hello\n{line}".rstrip()), ("Bob", "x")]


def test_line_ends_inside_a_turn_are_kept(write):
    assert read_plain(write, "Ann: a\r\nb\r\n\r\nBob:\r\n  c\r\n") == [("Ann", "a\r\nb"), ("Bob", "c")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\n\nWelcome to the call\nAnn: Hello", "line 3: 'Welcome to the call' has no speaker and no turn above it"),
        ("  Ann: Hello", "line 1: 'Ann: Hello' has no speaker"),
        (": Hello", "line 1: the speaker before the colon is empty"),
        ("Ann: Hello\n: Bye", "line 2: the speaker before the colon is empty"),
        ("客服：您好\n：再见", "line 2: the speaker before the colon is empty"),
    ],
)
def test_a_line_without_a_speaker_is_named(write, content, said):
    with pytest.raises(ValueError, match=rf"call\.txt, {said}"):
        read_plain(write, content)


def test_a_long_line_of_brackets_takes_no_time(write):
    line = "(" * 20_000 + "[a]" * 20_000 + "b" * 20_000
    assert read_plain(write, f"Ann: x\n{line}") == [("Ann", f"x\n{line}")]


plain_names = st.from_regex(r"[A-Za-zéß张 .,'&-]{1,30}( ?\([a-z :]{0,9}\)| ?（[张王：]{0,3}）)?", fullmatch=True)


def writable(text: str) -> str:
    """Hostile text as plain text can hold it: no surrogates, nothing blank around it, its further lines indented."""
    text = text.encode("utf-8", "ignore").decode().strip().removeprefix("//")
    return text.replace("\n", "\n ").strip()


@given(
    st.lists(
        st.tuples(plain_names, texts.map(writable), st.sampled_from([": ", "：", ":\t", " : "])), min_size=1, max_size=6
    )
)
def test_plain_round_trip(tmp_path_factory, turns):
    assume(all(regex.search(r"\w", speaker.split("(")[0].split("（")[0]) for speaker, _, _ in turns))
    path = tmp_path_factory.mktemp("chat") / "chat.txt"
    turns = [(speaker.strip(), text, colon) for speaker, text, colon in turns]
    content = "\n".join(f"{speaker}{colon}{text}" for speaker, text, colon in turns)
    path.write_text(content, encoding="utf-8", newline="")
    [document] = read_dialogue(path, language="en")
    assert said(document) == [(speaker, text) for speaker, text, _ in turns]


@pytest.mark.parametrize("name", HOSTILE)
def test_offsets_count_code_points(write, name):
    text = json.loads(json.dumps(HOSTILE[name]))
    speaker = text if text.strip() else "x"
    [document] = read_dialogue(write(turn(speaker, text) * 2), language="en")
    assert said(document) == [(speaker, text)] * 2


# --- the turns of a document -----------------------------------------------------------------------------------------


def test_the_turns_that_were_read_come_back(tmp_path):
    (tmp_path / "d.txt").write_text("Ann: Hi.\nBob: Yes?\n", encoding="utf-8")
    [document] = read_dialogue(tmp_path / "d.txt", language="en")
    assert recorded_turns(document) == document.metadata["turns"]
    assert recorded_turns(Document("d", "Ann: Hi.\n", "dialogue")) is None


@pytest.mark.parametrize(
    "turns",
    [
        *("words", 7, ["words"], [None], [{"start": 0}], [{"start": "0", "end": 4}], [{"start": 2.0, "end": 4}]),
        *([{"start": 5, "end": 9}, {"start": 0, "end": 4}], [{"start": 0, "end": 99}], [{"start": -1, "end": 4}]),
    ],
)
@pytest.mark.parametrize("use", [recorded_turns, read_blocks, DialogueChunker().chunk])
def test_turns_that_are_no_places_of_the_text(turns, use):
    with pytest.raises(ValueError, match=r"metadata\['turns'\] of 'd' does not name places of its text in order"):
        use(Document("d", "A: x\nB: y\n", "dialogue", metadata={"turns": turns}))
