"""Web pages: the main content of an HTML file becomes a Markdown document."""

from hierrag_lessons.reading.web_pages.html import read_html

__all__ = ["read_html"]
