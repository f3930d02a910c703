"""The report as one file: everything inside it, nothing loaded from anywhere.

Lesson 24 uses it.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hierrag_lessons import checks
from hierrag_lessons.own_documents.compare import Comparison
from hierrag_lessons.own_documents.diagnosis import Diagnosis
from hierrag_lessons.own_documents.folder import GENERATOR, Folder
from hierrag_lessons.own_documents.report import sections
from hierrag_lessons.own_documents.report.elements import escaped
from hierrag_lessons.own_documents.report.style import STYLE
from hierrag_lessons.own_documents.report.worst import worst_questions
from hierrag_lessons.whole_files import write_whole

# Nothing may be loaded and nothing may run, whatever a document's text says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@dataclass(frozen=True, repr=False)
class Report:
    """What a comparison of methods on a folder found, to be read by a person.

    In a notebook the whole page is shown, in a frame. :meth:`save` writes it to a file.
    """

    folder: Folder
    comparison: Comparison
    diagnosis: Diagnosis

    @cached_property
    def html(self) -> str:
        """The page: it needs no network, no script and no other file."""
        body = "".join(
            [
                sections.advice(self.comparison, self.folder),
                sections.program(self.comparison, self.folder),
                sections.results(self.comparison),
                worst_questions(self.comparison),
                sections.documents(self.comparison, self.folder),
                sections.chunks(self.diagnosis),
                sections.tree(self.diagnosis),
            ]
        )
        title = escaped(f"Which method for {self.folder.path.resolve().name}?")
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="generator" content="{GENERATOR}"><meta http-equiv="Content-Security-Policy" '
            f'content="{html.escape(_POLICY)}"><meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>{title}</title><style>\n{STYLE}</style></head>\n<body>{body}</body></html>\n"
        )

    def save(self, path: Path | str) -> Path:
        """Write the page, whole or not at all. Raises ``OSError`` where the file cannot be written."""
        file = checks.path("path", path)
        # Lone surrogates, which a text can hold, have no form in UTF-8.
        write_whole(file, self.html.encode("utf-8", "replace"))
        return file

    def _repr_html_(self) -> str:
        page = html.escape(self.html)
        return f'<iframe sandbox title="Report" srcdoc="{page}" style="width:100%;height:900px;border:0"></iframe>'

    def __repr__(self) -> str:
        return repr(self.comparison)
