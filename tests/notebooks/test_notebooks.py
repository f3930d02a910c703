"""The committed notebooks: they are what their sources make, in form and, executed again, in every number."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import nbformat
import pytest

from tools.check_links import broken
from tools.execution import JOBS
from tools.notebooks import NOTEBOOKS, ROOT, dumps, editions
from tools.structure import problems
from tools.verify_notebooks import stale_cells, verify

EDITIONS = editions()

each_notebook = pytest.mark.parametrize("edition", EDITIONS, ids=str)


@pytest.fixture(scope="session")
def reports(request):
    """The verifier's reports on the notebooks that this run selected, made a few at a time."""
    chosen = [item.callspec.params["edition"] for item in request.session.items if "reports" in item.fixturenames]
    with ProcessPoolExecutor(JOBS, mp_context=get_context("spawn")) as pool:
        yield {edition: pool.submit(verify, edition) for edition in chosen}


def test_every_notebook_has_a_source_and_every_source_its_notebooks():
    committed = {path for folder in (NOTEBOOKS, NOTEBOOKS / "solutions") for path in folder.glob("*.ipynb")}
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
def test_a_fresh_run_gives_the_same(edition, reports):
    report = reports[edition].result()
    assert not report.problems, str(report)
