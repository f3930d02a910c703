import os

import pytest
from hypothesis import settings

from hierrag_lessons.reading import read_python_reference

# Examples are drawn from a fixed seed, so that a red run is red on every machine; slow machines are no failure.
settings.register_profile("course", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("course")

for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HIERRAG_CHAT_MODEL", "HIERRAG_ENCODING"):
    os.environ.pop(name, None)
os.environ["HIERRAG_PROGRESS"] = "off"  # no test solves an exercise for whoever runs it


@pytest.fixture(scope="session")
def reference():
    """The Python language reference, the real text that every test can rely on."""
    return read_python_reference()


@pytest.fixture(scope="session")
def reference_text(reference) -> str:
    return "\n\n".join(document.text for document in reference)
