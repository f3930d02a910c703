"""The manual that is a PDF is what its source makes."""

import pytest

from tools.manual.make_manual import SOURCE, TARGET, make


@pytest.mark.slow
def test_the_manual_is_made_of_its_source(tmp_path):
    made = tmp_path / "manual.pdf"
    make(SOURCE, made)
    assert made.read_bytes() == TARGET.read_bytes()
