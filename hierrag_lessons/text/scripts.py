"""Scripts that are written without spaces, for patterns of the package ``regex``.

Lesson 05 uses it.
"""

UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
"""One character of a script in which every character can start or end a word."""
