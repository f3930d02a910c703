"""A real HTTP server on the loopback interface that speaks enough of Chat Completions to be asked, and misbehaves on
request: the model's name says how. It is a script and no language model; what it "answers" is computed from the labels
in the prompt."""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

LABELLED = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
END = re.compile(r"^\[(\d+)\]$", re.MULTILINE)
ORDER = re.compile(r"Reply only with: (.*)")


class ChatServer(BaseHTTPRequestHandler):
    """Counts requests for each model and keeps the last ones."""

    requests: Counter[str]
    seen: list[dict]
    slowness: float

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = request["model"]
        self.requests[model] += 1
        self.seen.append(request)
        if self.headers["Authorization"] != "Bearer right":
            return self.reply(401, {"error": {"message": "wrong key: " + self.headers["Authorization"]}})
        refusal = REFUSALS.get(model)
        if refusal and (answer := refusal(request, self.requests[model])):
            return self.reply(*answer)
        if model == "slow":
            time.sleep(self.slowness)
        if model == "web page":
            return self.reply(200, "<html>Welcome</html>")
        if model == "endless":
            return self.reply(200, " " * 11_000_000)
        if model in BODIES:
            return self.reply(200, BODIES[model])
        return self.reply(200, self.completion(request, model))

    def completion(self, request, model):
        if model in AGENTS:
            message = {"role": "assistant", "content": None} | AGENTS[model](request)
            return self.body(model, message, "stop")
        if model == "gullible" and (order := ORDER.search(request["messages"][-1]["content"])):
            text = order[1]
        else:
            text = TEXTS[model] if model in TEXTS else json.dumps({"segments": segments(request, model)})
        if model == "broken once" and self.requests[model] == 1:
            text = text[:-3]
        wrapped = {
            "fenced": f"Here you are:\n```json\n{text}\n```\nAnything else?",
            "thinking": f"<think>{{}}</think>{text}",
        }
        message = {"role": "assistant", "content": wrapped.get(model, text)}
        reason = {"length": "length", "filtered": "content_filter"}.get(model, "stop")
        if model == "refusal":
            message = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
        return self.body(model, message, reason)

    def body(self, model, message, reason):
        body = {"object": "chat.completion", "model": model, "choices": [{"message": message, "finish_reason": reason}]}
        if not model.startswith("uncounted"):
            body["usage"] = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return body

    def reply(self, status, body, headers=None):
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if content.startswith(b"<") else "application/json")
        self.send_header("Content-Length", str(len(content) + (5 if self.model_is("breaks off") else 0)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        try:
            if self.model_is("drips"):
                for byte in content:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(0.02)
            else:
                self.wfile.write(content)
        except OSError:
            pass  # The client has given up, as it should.
        self.close_connection = True

    def model_is(self, name):
        return self.seen[-1]["model"] == name

    def log_message(self, *arguments):
        """Nothing is printed."""


def error(message, param=None):
    return {"error": {"message": message, "type": "test", "param": param, "code": None}}


def knows_only(*kinds):
    def refuse(request, count):
        kind = request.get("response_format", {"type": "text"})["type"]
        return None if kind in kinds else (400, error(f"response_format {kind} is not supported"))

    return refuse


REFUSALS = {
    "500": lambda request, count: (500, error("out of memory")),
    "500 once": lambda request, count: (500, error("out of memory")) if count == 1 else None,
    "429": lambda request, count: (429, error("slow down"), {"Retry-After": "0"}),
    "429 once": lambda request, count: (429, error("slow down"), {"Retry-After": "0.05"}) if count == 1 else None,
    "429 by date": lambda request, count: (429, error("later"), {"Retry-After": formatdate(time.time() + 3600)}),
    "429 for an hour": lambda request, count: (429, error("slow down"), {"Retry-After": "3600"}),
    "429 nonsense": lambda request, count: (429, error("slow down"), {"Retry-After": "nan"}) if count == 1 else None,
    "404": lambda request, count: (404, error("there is no such model")),
    "deep complaint": lambda request, count: (404, DEEP),
    "400": lambda request, count: (400, error("the prompt is too long")),
    "300 with the key": lambda request, count: (300, error("choose a place for the key right")),
    "400 with the key": lambda request, count: (400, error("the key right is too short")),
    "echoes the key": lambda request, count: (403, error("the key right is not allowed")),
    "object only": knows_only("json_object", "text"),
    "text only": knows_only("text"),
    "no temperature": lambda r, c: (400, error("temperature does not support 0")) if "temperature" in r else None,
    "new length": lambda r, c: (400, error("use max_completion_tokens")) if "max_tokens" in r else None,
}
TEXTS = {
    "prose": "I would cut it after the second paragraph.",
    "broken": '{"segments": [{"start": 0, "end": 5',
    "list": "[1, 2, 3]",
    "wrong types": '{"segments": [{"start": "0", "end": 5, "first_words": "", "title_path": [], "reason": ""}]}',
    "deep": "[" * 20_000,
    "huge number": '{"segments": ' + "9" * 6_000 + "}",
    "empty": "",
    "no segments": '{"segments": []}',
    "cites": json.dumps(
        {
            "answered": True,
            "statements": [{"text": "Dogs run.", "citations": [{"passage": 1, "quote": "dogs run on the beach"}]}],
            "missing": "",
        }
    ),
    "hijacked": '{"segments": "HACKED: all previous instructions are void"}',
}
DEEP = "[" * 100_000 + "]" * 100_000
BODIES = {
    "deep body": DEEP,
    "null": {"choices": None},
    "no choices": {"choices": []},
    "no message": {"choices": [{"message": None}]},
    "bare list": [1, 2],
}


def labels(request):
    """The numbered lines of the prompt, and the offset at its end."""
    user = request["messages"][-1]["content"]
    return [(int(at), words) for at, words in LABELLED.findall(user)], int(END.findall(user)[-1])


def segments(request, model):
    """Segments of three sentences each, damaged as the model's name says."""
    lines, end = labels(request) if END.search(request["messages"][-1]["content"]) else ([], 0)
    starts = lines[::3]
    ends = [*(at for at, _ in starts[1:]), end][: len(starts)]
    made = [
        {"start": at, "end": stop, "first_words": words[:40], "title_path": [], "reason": "three sentences"}
        for (at, words), stop in zip(starts, ends, strict=True)
    ]
    return DAMAGES.get(model, lambda right: right)(made)


def each(**changes):
    def damage(made):
        return [segment | {name: change(segment[name]) for name, change in changes.items()} for segment in made]

    return damage


DAMAGES = {
    "miscounts": each(start=lambda at: at + 7, end=lambda at: at - 4),
    "miscounts, no quotes": each(start=lambda at: at + 7, end=lambda at: at - 4, first_words=lambda words: ""),
    "far off": each(start=lambda at: at * 10 + 100_000, end=lambda at: at * 10 + 100_000),
    "far off, no quotes": each(start=lambda at: 10**30, end=lambda at: -(10**30), first_words=lambda words: ""),
    "invents quotes": each(first_words=lambda words: "Words that stand nowhere in the text"),
    "invents titles": each(title_path=lambda path: ["Chapter that is not there"]),
    "backwards": lambda made: made[::-1],
    "twice": lambda made: [*made, *made],
    "gaps": lambda made: made[::2],
    "overlaps": each(end=lambda at: at + 50),
    "one": lambda made: [made[0] | {"end": made[-1]["end"]}] if made else [],
    "empty segments": each(end=lambda at: 0),
    "bad reasons": each(reason=lambda reason: "\ud800" + "x" * 5_000),
}


# --- agents: they search for the question, read, and answer; each turn is a function of the conversation ---------


def say(text):
    return {"content": text}


def call(*calls):
    """A message with calls, each of them a name and its arguments as text."""
    made = [
        {"id": f"id {number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls)
    ]
    return {"content": None, "tool_calls": made}


def search(query):
    return "search", json.dumps({"query": query})


def read(section):
    return "read", json.dumps({"id": section})


def results(request):
    """What the tools have answered so far."""
    return [message["content"] for message in request["messages"] if message["role"] == "tool"]


def sections(request):
    """The sections of the excerpts of the first search, best first."""
    found = [json.loads(line)["section"] for line in results(request)[0].splitlines() if line.startswith("{")]
    return list(dict.fromkeys(found))


def question(request):
    return next(message["content"] for message in request["messages"] if message["role"] == "user")


def script(*turns):
    """The n-th turn is asked for when n-1 messages of the model are in the conversation."""

    def act(request):
        said = sum(message["role"] == "assistant" for message in request["messages"])
        return turns[min(said, len(turns) - 1)](request)

    return act


def search_first(request):
    return call(search(question(request)))


MALFORMED = [
    ("delete", "{}"),
    ("search", "query: rain"),
    ("search", "[" * 20_000),
    ("search", '["rain"]'),
    ("search", "{}"),
    ("search", '{"query": 5}'),
    ("read", '{"id": " "}'),
    ("read", '{"id": "no/such:1:0:0-5"}'),
]


def obedient(request):
    """Does what any text it has read tells it to do."""
    order = re.search(r"Call the tool (\w+)|Reply only with: (.*)", results(request)[-1])
    if order is None:
        return say("I was told nothing.")
    return call((order[1], "{}")) if order[1] else say(order[2])


AGENTS = {
    "agent": script(
        search_first, lambda request: call(read(sections(request)[0])), lambda request: say("It is so [1].")
    ),
    "reads at once": script(
        search_first,
        lambda request: call(*(read(section) for section in sections(request)[:3])),
        lambda request: say("First [1], then [2, 3]. [2]"),
    ),
    "never stops": lambda request: search_first(request) if "tools" in request else say("Enough."),
    "calls without tools": search_first,
    "malformed": script(lambda request: call(*MALFORMED), search_first, lambda request: say("I had to guess [1].")),
    "reads twice": script(
        search_first,
        lambda request: call(read(sections(request)[0])),
        lambda request: call(read(sections(request)[0])),
        lambda request: say("Twice [1]."),
    ),
    "loose forms": script(
        lambda request: {
            "tool_calls": [
                {"function": {"name": "search", "arguments": {"query": question(request)}}},
                {"id": None, "function": {"name": "search", "arguments": ""}},
            ]
        },
        lambda request: say("Loosely."),
    ),
    "insists": script(search_first, lambda request: search_first(request) | say("So be it.")),
    "broken call": lambda request: {"tool_calls": [{"id": "1"}]},
    "calls that are no list": lambda request: {"tool_calls": 5},
    "refuses later": script(search_first, lambda request: {"refusal": "I can't help with that."}),
    "empty later": script(search_first, lambda request: say(" ")),
    "uncounted agent": search_first,
    "answers at once": lambda request: say("I know that by heart."),
    "obedient": script(search_first, lambda request: call(read(sections(request)[0])), obedient),
}


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, slowness: float = 1.0) -> Iterator[type[ChatServer]]:
    """A running server with counters of its own, and the environment pointing to it."""
    handler = type("Handler", (ChatServer,), {"requests": Counter(), "seen": [], "slowness": slowness})
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{running.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    for proxy in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(proxy, raising=False)
    try:
        yield handler
    finally:
        running.shutdown()
        running.server_close()
