"""Texts that break things, for every property suite."""

from hypothesis import strategies as st

HOSTILE = {
    "special token": "before <|endoftext|> after <|endoftext|>",
    "lone surrogate": "a\ud800b \udc00 c\ud83d",
    "surrogate pair as two": "x\ud83d\ude00y " * 5,
    "no-break space": "one\u00a0two\u202fthree\u3000four",
    "zero-width joiners": "family 👨‍👩‍👧‍👦 flag 🏳️‍🌈 skin 👍🏽 " * 4,
    "flags": "🇩🇪🇫🇷🇨🇳🇺🇸" * 10,
    "combining": "e\u0301a\u0308 " + "z" + "\u0335" * 40,
    "hangul": "각각 \u1100\u1161\u11a8\u1100\u1161 한국어 텍스트",
    "indic": "क्षत्रिय नमस्ते स्त्री",
    "thai": "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
    "crlf": "line one\r\nline two\r\n\r\nline three\r\r\n\n",
    "nul and controls": "a\x00b\x07c\x1b[0m\x85d\u2028e\u2029f",
    "bidi": "abc \u202etxt\u202c def \u200f",
    "byte order mark": "\ufeffstart \ufeff middle",
    "chinese": "他说：“今天下雨了。”然后走了。价格是3.5万元，同比增长4.2％；这是第１２３条……对吗？！",
    "digits": "1234567890" * 8 + " 12 345 6789",
    "code": "def f(x):\n\treturn x  # don't\n\n\n```\nx = 1\n```\n",
    "no spaces": "a" * 300 + "中" * 300,
    "spaces": " " * 300 + "x",
    "blank": " \n\t\u3000 ",
    "empty": "",
}

_PIECES = st.sampled_from(
    [piece for text in HOSTILE.values() for piece in text.split(" ")]
    + [" ", "  ", "\n", "\n\n", "\r\n", ". ", "。", "，", "# Title\n", "- item\n", "don't", "word", "中文"]
)
_CHARACTERS = st.text(st.characters(), max_size=12)  # st.characters() leaves surrogates out, the pieces bring them.

texts = st.lists(st.one_of(_PIECES, _CHARACTERS), max_size=40).map("".join)
"""Any Unicode, rich in what real documents and hostile ones contain."""
