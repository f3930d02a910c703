"""Dialogues: transcripts and chats become documents in which every turn is known by its offsets.

Lesson 08 uses it.

The text of a dialogue is one ``Speaker: text`` after the other, each ended by a line break. Where a turn begins, where
its spoken words begin and where it ends stands in ``metadata["turns"]``, so nobody has to guess it from colons again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple

import regex

from hierrag_lessons import checks
from hierrag_lessons.model import JSON, Document, Language
from hierrag_lessons.reading.files import read_utf8
from hierrag_lessons.reading.jsonl import get_field, read_lines


class _Turn(NamedTuple):
    speaker: str
    text: str
    time: tuple[float, float] | None = None


def read_dialogue(path: Path | str, *, language: Language, doc_id: str | None = None) -> list[Document]:
    """Read the dialogues of a file: JSON Lines (``.jsonl``) or plain text (``.txt``).

    JSON Lines hold one turn a line: ``speaker``, ``text``, where known ``start`` and ``end`` (seconds), and, where the
    file holds several dialogues, ``dialogue``, the name of the one that the turn belongs to.

    Plain text holds turns as ``Speaker: text``, or with the full-width colon ``：``. The first colon outside brackets
    ends the speaker's name, which has at most 80 characters and no sentence marks such as ``?``, ``!`` or ``，``. A
    colon before ``//`` or between two digits ends no name. A line without a speaker continues the turn above it, and
    so does every indented line: indent a line of speech that looks like a speaker's. White space around a turn's text
    is left out.

    Parameters
    ----------
    path:
        The file, UTF-8.
    language:
        ``"en"`` or ``"zh"``.
    doc_id:
        The dialogue's name, the file name without its ending where not given; it becomes ``doc_id/dialogue`` where
        the turns name a dialogue.

    Returns
    -------
    list[Document]
        In the order in which the dialogues begin, kind ``"dialogue"``. ``metadata["turns"]`` lists dictionaries
        ``start`` and ``end`` (the turn in code points, without its last line break), ``text_start`` (where the spoken
        text begins), ``speaker``, and ``time`` (``[start, end]`` in seconds, or None).

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        With file and line, where a line is damaged, a field is missing or of a wrong type, a speaker is empty, times
        run backwards, or a text begins without a speaker; where the file holds no turn or is of another type, or the
        course does not know the language.
    """
    path = checks.path("path", path)
    checks.text("doc_id", doc_id, none="the name of the file")
    checks.one_of("language", language, Language)
    if path.suffix == ".jsonl":
        dialogues = _read_jsonl(path)
    elif path.suffix == ".txt":
        dialogues = {None: list(_read_plain(path))}
    else:
        raise ValueError(f"{path.name} is neither .jsonl nor .txt; save the dialogue as one of them")
    if not any(dialogues.values()):
        raise ValueError(f"{path.name} holds no turn; write at least one")
    name = doc_id or path.stem
    return [
        _document(name if dialogue is None else f"{name}/{dialogue}", turns, language, path.name)
        for dialogue, turns in dialogues.items()
    ]


def _document(doc_id: str, turns: Sequence[_Turn], language: Language, file: str) -> Document:
    pieces: list[str] = []
    offsets: list[JSON] = []
    start = 0
    for speaker, text, time in turns:
        pieces.append(f"{speaker}: {text}\n")
        text_start = start + len(speaker) + 2
        end = text_start + len(text)
        seconds: JSON = None if time is None else list(time)
        offsets.append({"start": start, "end": end, "text_start": text_start, "speaker": speaker, "time": seconds})
        start = end + 1
    return Document(doc_id, "".join(pieces), "dialogue", language, {"file": file, "turns": offsets})


def recorded_turns(document: Document) -> list[Mapping[str, Any]] | None:
    """The turns that :func:`read_dialogue` left in ``metadata["turns"]``; None where a document came without them.

    Raises ``ValueError`` where they do not name places of the text in order.
    """
    turns: Any = document.metadata.get("turns")
    if turns is None:
        return None
    last = 0
    for turn in turns if isinstance(turns, list | tuple) else [{}]:
        places = [turn.get("start"), turn.get("end")] if isinstance(turn, Mapping) else [None]
        places = [last, *places, len(document.text)]
        if not all(isinstance(place, int) for place in places) or places != sorted(places):
            raise ValueError(
                f"metadata['turns'] of {document.doc_id!r} does not name places of its text in order; read the "
                "dialogue with read_dialogue"
            )
        last = turn["end"]
    return list(turns)


# --- JSON Lines ------------------------------------------------------------------------------------------------------


def _read_jsonl(path: Path) -> dict[str | None, list[_Turn]]:
    dialogues: dict[str | None, list[_Turn]] = {}
    begun: dict[str | None, float] = {}  # the latest start in each dialogue
    for number, fields in read_lines(path):
        try:
            name = _name(fields, "dialogue", str, NoneType, default=None)
            turn = _Turn(_name(fields, "speaker", str), get_field(fields, "text", str), _time(fields))
            if dialogues and (name is None) != (None in dialogues):
                raise ValueError("field 'dialogue' stands in some lines and not in others; write it in all or in none")
            if turn.time:
                if turn.time[0] < begun.get(name, turn.time[0]):
                    raise ValueError(
                        f"the turn starts at {turn.time[0]} s, before the one above it ({begun[name]} s); sort the "
                        "turns by their start"
                    )
                begun[name] = turn.time[0]
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        dialogues.setdefault(name, []).append(turn)
    return dialogues


def _name(fields: dict[str, Any], field: str, *kinds: type, **default: None) -> Any:
    name = get_field(fields, field, *kinds, **default)
    if name is not None and not name.strip():
        raise ValueError(f"field {field!r} is empty; write a name")
    return name


def _time(fields: dict[str, Any]) -> tuple[float, float] | None:
    start, end = (get_field(fields, name, int, float, NoneType, default=None) for name in ("start", "end"))
    if start is None and end is None:
        return None
    if start is None or end is None:
        raise ValueError("only one of 'start' and 'end' is given; write both or neither")
    for name, seconds in (("start", start), ("end", end)):
        if not abs(seconds) < 1e12:  # false for NaN as well
            raise ValueError(f"field {name!r} is {seconds}; it must be a number of seconds")
    if end < start:
        raise ValueError(f"the turn ends at {end} s, before its start at {start} s; times must not run backwards")
    return start, end


# --- plain text ------------------------------------------------------------------------------------------------------

_BRACKETS = r"\([^()]*\)|\[[^\[\]]*\]|（[^（）]*）|【[^【】]*】"
_SPEAKER = regex.compile(
    rf"""
    (?P<speaker> (?=\S) (?: {_BRACKETS} | [^:：()\[\]（）【】?!;？！；。，] )++ )
    (?: ： | : (?!//) (?! (?<=[0-9]:) [0-9]) )
    (?P<text> .* )
    """,
    regex.VERBOSE | regex.DOTALL,
)
_NO_SPEAKER = regex.compile(r":(?=\s|$)|：")
MAX_SPEAKER = 80
"""The longest speaker's name in plain text, in code points; what is longer is a sentence with a colon."""


def _read_plain(path: Path) -> Iterator[_Turn]:
    speaker: str | None = None
    lines: list[str] = []
    # Only "\n" ends a line here: str.splitlines would also cut at U+2028 and the like.
    for number, line in enumerate(read_utf8(path).split("\n"), start=1):
        match = _SPEAKER.fullmatch(line)
        if match and regex.search(r"\w", match["speaker"]) and len(match["speaker"].strip()) <= MAX_SPEAKER:
            if speaker is not None:
                yield _Turn(speaker, "\n".join(lines).strip())
            speaker, lines = match["speaker"].strip(), [match["text"]]
        elif _NO_SPEAKER.match(line):
            raise ValueError(
                f"{path}, line {number}: the speaker before the colon is empty; write a name, or indent the line if it "
                "continues the turn above"
            )
        elif speaker is not None:
            lines.append(line)
        elif line.strip():
            raise ValueError(
                f"{path}, line {number}: {line.strip()[:40]!r} has no speaker and no turn above it; begin the line, "
                "without indentation, with 'Speaker: '"
            )
    if speaker is not None:
        yield _Turn(speaker, "\n".join(lines).strip())
