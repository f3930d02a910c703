"""The committed notebooks: they are what their sources make, in form and, executed again, in every number."""

import nbformat
import pytest

from tools.check_links import broken
from tools.notebooks import NOTEBOOKS, ROOT, dumps, editions
from tools.structure import problems
from tools.verify_notebooks import stale_cells, verify

EDITIONS = editions()

each_notebook = pytest.mark.parametrize("edition", EDITIONS, ids=str)


def test_every_notebook_has_a_source_and_every_source_its_notebooks():
    folders = (NOTEBOOKS, NOTEBOOKS / "appendix", NOTEBOOKS / "solutions")
    committed = {path for folder in folders for path in folder.glob("*.ipynb")}
    assert {path.relative_to(ROOT) for path in committed} == {edition.path.relative_to(ROOT) for edition in EDITIONS}


@each_notebook
def test_it_is_as_every_notebook_must_be(edition):
    assert problems(nbformat.read(edition.path, as_version=4)) == []


@each_notebook
def test_its_cells_are_those_of_its_source(edition):
    text = edition.path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert stale_cells(notebook, edition.notebook()) == []
    assert text == dumps(notebook)


@each_notebook
def test_its_links_lead_somewhere(edition):
    assert list(broken(edition.path)) == []


@pytest.mark.slow
@each_notebook
def test_a_fresh_run_gives_the_same(edition):
    report = verify(edition)
    assert not report.problems, str(report)
