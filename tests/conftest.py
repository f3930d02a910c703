import os

from hierrag_lessons.environment.machine import usable_cores

# Where several processes share the tests they share the cores, too. Libraries read this when they are loaded.
if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, usable_cores() // workers)))

import pytest
from hypothesis import settings

from hierrag_lessons.reading import read_python_reference

# Examples are drawn from a fixed seed, so that a red run is red on every machine; slow machines are no failure.
settings.register_profile("course", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("course")

for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HIERRAG_CHAT_MODEL", "HIERRAG_ENCODING"):
    os.environ.pop(name, None)
os.environ["HIERRAG_PROGRESS"] = "off"  # no test solves an exercise for whoever runs it


def pytest_collection_modifyitems(items):
    """Notebooks come first, as the longest tests: processes that share the tests then end at about the same time."""
    items.sort(key=lambda item: not item.nodeid.startswith("tests/notebooks/"))


@pytest.fixture(scope="session")
def reference():
    """The Python language reference, the real text that every test can rely on."""
    return read_python_reference()


@pytest.fixture(scope="session")
def reference_text(reference) -> str:
    return "\n\n".join(document.text for document in reference)
