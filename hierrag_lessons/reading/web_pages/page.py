"""The tree of a web page, also of a malformed one, and which parts of it are its main content."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import regex
from bs4 import BeautifulSoup, Tag
from bs4.element import NavigableString, PreformattedString


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
TABLE_PARTS = _names("caption colgroup thead tbody tfoot tr td th")
BLOCKS = TABLE_PARTS.union(
    HEADINGS,
    _names(
        "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure "
        "footer form header hgroup hr legend li main menu nav ol p pre search section summary table ul"
    ),
)
_INLINE = _names(
    "a abbr b bdi bdo big cite code del em font i ins kbd label mark nobr q s samp small span strike strong sub sup "
    "tt u var"
)

# --- parsing ---------------------------------------------------------------------------------------------------------

_CELL = _names("caption td th")
_SECTIONS = _names("thead tbody tfoot")
_END_P = BLOCKS - TABLE_PARTS - {"body", "legend"}
_END_HEADING = _END_P - {"div", "hgroup"}
_LIST_EDGES = _names("article blockquote body dl main menu ol section table ul") | _CELL


def _implied(name: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Which open elements a start tag ends, and the elements beyond which it ends nothing (HTML standard, 13.2.6)."""
    ended = []
    if name in _END_P:
        ended.append((_names("p"), _CELL | {"button", "table"}))
    if name in _END_HEADING:
        ended.append((frozenset(HEADINGS), _LIST_EDGES))
    if name == "li":
        ended.append((_names("li"), _LIST_EDGES))
    elif name in ("dt", "dd"):
        ended.append((_names("dt dd"), _LIST_EDGES))
    elif name in ("td", "th"):
        ended.append((_CELL, _names("table")))
    elif name == "tr":
        ended.append((_CELL | {"tr"}, _names("table")))
    elif name in _SECTIONS:
        ended.append((_CELL | _SECTIONS | {"tr"}, _names("table")))
    return ended


def _shields(name: str) -> frozenset[str]:
    """The elements that an end tag of this name does not reach beyond, so that a stray one tears nothing apart."""
    if name in _INLINE:
        return BLOCKS
    if name in TABLE_PARTS:
        return _names("table")
    if name in ("main", "article"):
        return frozenset()
    if name in ("li", "dt", "dd"):
        return _LIST_EDGES - {name}
    return _names("main article") if name == "table" else _CELL | {"main", "article"}


class Page(BeautifulSoup):
    """A parsed page. html.parser knows no optional end tags and no misplaced ones, so both are mended here."""

    def __init__(self, html: str) -> None:
        super().__init__(html, "html.parser")

    def handle_starttag(self, name: str, *args: Any, **kwargs: Any) -> Tag | None:
        """Open an element, after ending those that cannot hold it."""
        self.endData()
        for ended, edges in _implied(name):
            if not any(map(self.open_tag_counter.get, ended)):
                continue
            last = None
            for depth in range(len(self.tagStack) - 1, 0, -1):
                tag = self.tagStack[depth]
                if tag.name in edges:
                    break
                # A heading that is still empty may hold its title in a block, against the rules.
                if tag.name in ended and (tag.name not in HEADINGS or name in HEADINGS or tag.get_text(strip=True)):
                    last = depth
            if last is not None:
                self._close(last)
        return super().handle_starttag(name, *args, **kwargs)

    def handle_endtag(self, name: str, nsprefix: str | None = None) -> None:
        """End an element if it is open and within reach."""
        self.endData()
        if name in ("body", "html"):  # What follows them still belongs to the page.
            return
        shields = _shields(name)
        for depth in range(len(self.tagStack) - 1, 0, -1):
            if self.tagStack[depth].name == name:
                self._close(depth)
                return
            if self.tagStack[depth].name in shields:
                break
        if name == "p":  # The standard has it part what stands before and after it.
            self.handle_starttag("p", None, None, {})
            self.popTag()

    def _close(self, depth: int) -> None:
        while len(self.tagStack) > depth:
            self.popTag()


# --- main content ----------------------------------------------------------------------------------------------------

_DROPPED = _names(
    "annotation annotation-xml aside audio button canvas datalist dialog embed footer form head header iframe input "
    "meter nav noscript object progress script search select style svg template textarea title video"
)
_DROPPED_ROLES = _names(
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


def _is_permalink(tag: Tag) -> bool:
    if tag.name != "a" or not attribute(tag, "href").startswith("#") or tag.find("img"):
        return False
    return tag.get_text().strip(" \t\r\n\u200b\ufeff") in _PERMALINKS


def is_dropped(tag: Tag) -> bool:
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
    """The elements that are wanted, lie in no other such element and in nothing that is dropped."""
    found = []
    for tag in root.find_all(wanted):
        above = [parent for parent in tag.parents if parent.name not in ("html", "body", "form", Page.ROOT_TAG_NAME)]
        if not is_dropped(tag) and not any(is_dropped(p) or (p is not root and wanted(p)) for p in above):
            found.append(tag)
    return found


def main_content(page: Page) -> list[Tag]:
    """The elements that hold what the page is about: its ``<main>`` or ``role="main"``, else its articles.

    A ``<main>`` with a single article and no heading beside it holds only asides on the page ("Was this helpful?")
    beside it, so the article alone is the content.
    """
    found = _outermost(page, lambda tag: tag.name == "main" or attribute(tag, "role") == "main")
    for root in found or [page]:
        articles = _outermost(root, lambda tag: tag.name == "article")
        if root is page:
            return articles
        headings = _outermost(root, lambda tag: tag.name in HEADINGS)
        if len(found) == len(articles) == 1 and all(articles[0] in heading.parents for heading in headings):
            return articles
    return found


def walk(root: Tag, is_leaf: Callable[[Tag], bool]) -> Iterator[tuple[Tag | str, bool]]:
    """Every text and every element below ``root`` that is content, in order; elements twice: entered and left.

    Elements for which ``is_leaf`` holds come once, entered, and nothing of what they hold follows. A loop and no
    recursion: a page with thousands of unclosed elements is that many levels deep.
    """
    open_tags = [(root, iter(root.contents))]
    while open_tags:
        tag, children = open_tags[-1]
        child = next(children, None)
        if child is None:
            open_tags.pop()
            if open_tags:
                yield tag, False
        elif isinstance(child, NavigableString):
            if not isinstance(child, PreformattedString):  # comments, declarations
                yield str(child), True
        elif isinstance(child, Tag) and not is_dropped(child):
            yield child, True
            if not is_leaf(child):
                open_tags.append((child, iter(child.contents)))
