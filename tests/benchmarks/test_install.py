"""What is read of pip's log."""

from benchmarks.install import downloaded


def test_what_was_fetched_and_what_lay_here_is_counted(tmp_path):
    lay_here = tmp_path / "torch-2.13.0-cp311-cp311-linux_x86_64.whl"
    lay_here.write_bytes(bytes(700))
    log = """\
2026-11-23T19:29:14,001 Collecting numpy==2.4.6
2026-11-23T19:29:14,042   Downloading numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl (16.9 MB)
2026-11-23T19:29:15,042   Downloading tqdm-4.70.1-py3-none-any.whl (78 kB)
2026-11-23T19:29:15,050   Downloading link tqdm to a folder
"""
    assert downloaded(log) == 16_978_000
    assert downloaded(f"{log}2026-11-23T19:29:16,001 Processing {lay_here}\n") == 16_978_700
