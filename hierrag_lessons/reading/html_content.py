"""What a web page is about: the elements that hold its main content, and nothing in them but what is shown.

Lesson 07 uses it.
"""

from __future__ import annotations

from collections.abc import Callable

import regex
from bs4 import BeautifulSoup, Tag
from bs4.element import PageElement, PreformattedString
from selectolax.lexbor import LexborHTMLParser

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
MAX_DEPTH = 150
"""How deep elements may be nested; the converter needs three calls for each, and Python allows about a thousand."""


def names(words: str) -> frozenset[str]:
    """The names of elements, or of roles, in a text."""
    return frozenset(words.split())


_DROPPED = names(
    "annotation annotation-xml aside audio button canvas datalist dialog embed footer form head header iframe input "
    "meter nav noscript object progress script search select style svg template textarea title video"
)
_DROPPED_ROLES = names(
    "alertdialog banner complementary contentinfo dialog form menu menubar navigation search toolbar"
)
_INVISIBLE = regex.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", regex.IGNORECASE)
_CONSENT = regex.compile(
    r"(?:cookies?|consent|gdpr)[-_]?(?:banner|bar|box|consent|dialog|message|modal|notice|overlay|popup|wall)",
    regex.IGNORECASE,
)
_PERMALINKS = frozenset(("", "¶", "#", "§", "🔗"))


def attribute(tag: Tag, name: str) -> str:
    """The value of an attribute, empty where there is none."""
    value = tag.get(name, "")
    return value if isinstance(value, str) else " ".join(value or ())


def number(tag: Tag, name: str, default: int) -> int:
    """The whole number that an attribute begins with, or the default."""
    match = regex.match(r"\s*([+-]?[0-9]{1,6})", attribute(tag, name))
    return int(match[1]) if match else default


def _is_permalink(tag: Tag) -> bool:
    if tag.name != "a" or not attribute(tag, "href").startswith("#") or tag.find("img"):
        return False
    return tag.get_text().strip(" \t\r\n\u200b\ufeff") in _PERMALINKS


def _is_dropped(tag: Tag) -> bool:
    """Whether an element is no content: navigation, page header and footer, banner, form, script, hidden element."""
    if tag.name in _DROPPED:
        return not (
            (tag.name == "header" and tag.find(HEADINGS) and attribute(tag, "role") != "banner")
            or (tag.name == "footer" and tag.find_parent("blockquote"))
        )
    if tag.has_attr("hidden") and attribute(tag, "hidden").lower() != "until-found":
        return True
    return (
        attribute(tag, "aria-hidden").lower() == "true"
        or attribute(tag, "role").lower() in _DROPPED_ROLES
        or _INVISIBLE.search(attribute(tag, "style")) is not None
        or any(_CONSENT.fullmatch(word) for word in (*attribute(tag, "class").split(), attribute(tag, "id")))
        or _is_permalink(tag)
    )


def _outermost(root: Tag, wanted: Callable[[Tag], bool]) -> list[Tag]:
    """The elements below ``root`` that are wanted and lie in no other such element and in nothing that is dropped."""
    found = []
    waiting = [root]
    while waiting:
        tag = waiting.pop()
        # A form around the main content does not hide it; some systems put the whole page into one.
        if tag is not root and tag.name not in ("html", "body", "form"):
            if _is_dropped(tag):
                continue
            if wanted(tag):
                found.append(tag)
                continue
        waiting += [child for child in reversed(tag.contents) if isinstance(child, Tag)]
    return found


def main_content(html: str) -> list[Tag]:
    """The elements that hold what a page is about: ``<main>`` or ``role="main"``, else its articles, else its body.

    A ``<main>`` with a single article and no heading beside it holds only asides on the page ("Was this helpful?")
    beside it, so the article alone is the content.
    """
    page = _parse(html)
    found = _outermost(page, lambda tag: tag.name == "main" or attribute(tag, "role") == "main")
    if not found:
        return _outermost(page, lambda tag: tag.name == "article") or page.find_all("body", limit=1)
    if len(found) == 1:
        articles = _outermost(found[0], lambda tag: tag.name == "article")
        headings = _outermost(found[0], lambda tag: tag.name in HEADINGS)
        if len(articles) == 1 and all(any(above is articles[0] for above in title.parents) for title in headings):
            return articles
    return found


def _parse(html: str) -> BeautifulSoup:
    """The tree of a page as browsers see it, also of a malformed one.

    Lexbor follows the HTML standard on elements that nobody ended or that stand where they must not. It writes the
    page anew, well-formed, so that Beautiful Soup, which markdownify reads, has nothing left to guess.
    """
    page = LexborHTMLParser(f"<!DOCTYPE html>{html}")
    page.strip_tags(["iframe", "noembed", "noframes", "noscript", "script", "style"], recursive=True)  # hold no markup
    # A carriage return written as an entity was no line end of the file; inside the page it is one.
    html = (page.html or "").replace("\r\n", "\n").replace("\r", "\n")
    return BeautifulSoup(html, "html.parser")


def drop(root: Tag) -> None:
    """Take everything out of an element that is no content, comments included.

    Raises ``ValueError`` where its elements are nested more than ``MAX_DEPTH`` deep.
    """
    waiting = [(root, 1)]
    while waiting:
        tag, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise ValueError(
                f"elements are nested more than {MAX_DEPTH} deep, mostly a sign that the tags which end them are "
                "missing; mend the page, for example with HTML Tidy"
            )
        kept = [child for child in tag.contents if not _is_hidden(child)]
        if len(kept) < len(tag.contents):
            tag.clear()  # Emptied from the front and filled anew, which takes time by the number of children only.
            tag.extend(kept)
        waiting += [(child, depth + 1) for child in kept if isinstance(child, Tag)]


def _is_hidden(node: PageElement) -> bool:
    return _is_dropped(node) if isinstance(node, Tag) else isinstance(node, PreformattedString)
