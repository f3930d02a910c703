"""JupyterLab itself: it starts, serves the tour, and runs its first cells over the connection that a browser uses."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid

import nbformat
import pytest
from websocket import create_connection

from hierrag_lessons.reading import python_reference_checksum
from tools.notebooks import NOTEBOOKS, ROOT, dumps
from tools.verify_notebooks import compare_outputs

pytestmark = pytest.mark.slow

TOKEN = secrets.token_hex(16)
FIRST_CELLS = 6
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Server:
    """A JupyterLab that listens on this machine only."""

    def __init__(self, folder, port):
        self.folder, self.port = folder, port

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {TOKEN}"},
        )
        with DIRECT.open(request, timeout=60) as response:
            text = response.read().decode()
            return json.loads(text) if response.headers.get_content_type() == "application/json" else text


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A running JupyterLab, as `make lab` starts it, in a folder with a copy of the tour and settings of its own."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "notebooks").mkdir()
    tour = NOTEBOOKS / "00_tour.ipynb"
    if tour.exists():
        shutil.copy(tour, folder / "notebooks")
    else:
        cell = nbformat.v4.new_code_cell("print('recall', 0.5)", execution_count=1)
        cell.outputs = [nbformat.v4.new_output("stream", text="recall 0.5\n")]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# 00 · Tour"), cell])
        (folder / "notebooks" / tour.name).write_text(dumps(notebook), encoding="utf-8")
    server = Server(folder, free_port())
    environment = os.environ | {f"JUPYTER_{kind}_DIR": str(folder / kind) for kind in ("CONFIG", "DATA", "RUNTIME")}
    environment["TQDM_DISABLE"] = "1"  # no committed output says how far something is
    environment.pop("MPLBACKEND", None)
    options = ["--no-browser", f"--ServerApp.port={server.port}", "--ServerApp.port_retries=0"]
    options += [f"--IdentityProvider.token={TOKEN}"]
    start = f"from pathlib import Path; from tools.lab import run; run({options}, Path({str(folder)!r}))"
    command = [sys.executable, "-c", start]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        for _ in range(240):
            assert process.poll() is None, (folder / "log").read_text(encoding="utf-8")
            try:
                server.ask("GET", "api/status")
                break
            except urllib.error.URLError:
                time.sleep(0.5)
        yield server
        server.ask("POST", "api/shutdown")
        assert process.wait(timeout=60) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_it_is_up_and_asks_for_the_token(lab):
    assert lab.ask("GET", "api/status")["kernels"] == 0
    assert "http://127.0.0.1:" in (lab.folder / "log").read_text(encoding="utf-8")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        DIRECT.open(f"http://127.0.0.1:{lab.port}/api/contents", timeout=60)


def test_the_page_and_its_scripts_are_served_from_this_machine(lab):
    page = lab.ask("GET", "lab/tree/work/00_tour.ipynb")
    config = json.loads(
        page.partition('id="jupyter-config-data" type="application/json">')[2].partition("</script>")[0]
    )
    assert config["appName"] == "JupyterLab"
    (script,) = [part.partition('"')[0] for part in page.split('src="')[1:] if "/main." in part.partition('"')[0]]
    assert script.startswith("/static/lab/")
    assert len(lab.ask("GET", script.lstrip("/"))) > 10_000


def test_the_file_browser_begins_at_the_repository_and_the_page_is_the_copy_of_the_tour(lab):
    assert {entry["name"] for entry in lab.ask("GET", "api/contents")["content"]} >= {"notebooks", "work"}
    with DIRECT.open(
        urllib.request.Request(f"http://127.0.0.1:{lab.port}/", headers={"Authorization": f"token {TOKEN}"}), timeout=60
    ) as answer:
        assert answer.url.endswith("/lab/tree/work/00_tour.ipynb")


def test_pages_open_as_pages_and_no_box_asks_about_news(lab):
    def default(plugin, name):
        schema = lab.ask("GET", f"lab/api/settings/@jupyterlab/{plugin}")["schema"]
        return schema["properties"][name]["default"]

    assert default("docmanager-extension:plugin", "defaultViewers") == {"markdown": "Markdown Preview"}
    assert default("apputils-extension:notification", "fetchNews") == "false"


def test_a_notebook_that_is_only_opened_and_saved_stays_as_it_is(lab):
    path = "notebooks/00_tour.ipynb"
    before = (lab.folder / path).read_bytes()
    content = lab.ask("GET", f"api/contents/{path}")["content"]
    # What JupyterLab does when the kernel has told what it speaks.
    content["metadata"]["language_info"] |= {"version": "3.99.1"}
    lab.ask("PUT", f"api/contents/{path}", {"type": "notebook", "format": "json", "content": content})
    assert (lab.folder / path).read_bytes() == before
    content["cells"].append({"cell_type": "markdown", "id": "mine", "metadata": {}, "source": "a note"})
    lab.ask("PUT", f"api/contents/{path}", {"type": "notebook", "format": "json", "content": content})
    assert b"a note" in (lab.folder / path).read_bytes()
    (lab.folder / path).write_bytes(before)


def run_cell(connection, source: str) -> nbformat.NotebookNode:
    """Execute one cell as JupyterLab does, and give it back with its outputs."""
    message_id = uuid.uuid4().hex
    content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
    header = {"msg_id": message_id, "msg_type": "execute_request", "version": "5.3", "username": "", "session": "test"}
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
    connection.send(json.dumps(message))
    cell = nbformat.v4.new_code_cell(source)
    while True:
        answer = json.loads(connection.recv())
        if answer["parent_header"].get("msg_id") != message_id or answer["channel"] != "iopub":
            continue
        if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
            return cell
        if answer["msg_type"] == "execute_input":
            cell.execution_count = answer["content"]["execution_count"]
        elif answer["msg_type"] in {"stream", "display_data", "execute_result", "error"}:
            output = nbformat.v4.output_from_msg(answer)
            last = cell.outputs[-1] if cell.outputs else {}
            if output.output_type == "stream" and last.get("name") == output.name:
                last["text"] += output.text
            else:
                cell.outputs.append(output)


def test_the_tours_first_cells_run_and_show_what_the_notebook_shows(lab):
    path = "work/00_tour.ipynb"
    notebook = nbformat.from_dict(lab.ask("GET", f"api/contents/{path}")["content"])
    kernel = {"name": notebook.metadata.get("kernelspec", {}).get("name", "python3")}
    session = lab.ask("POST", "api/sessions", {"path": path, "name": "tour", "type": "notebook", "kernel": kernel})
    address = f"ws://127.0.0.1:{lab.port}/api/kernels/{session['kernel']['id']}/channels"
    connection = create_connection(address, timeout=1800, header=[f"Authorization: token {TOKEN}"])
    try:
        committed = [cell for cell in notebook.cells if cell.cell_type == "code"][:FIRST_CELLS]
        fresh = [run_cell(connection, cell.source) for cell in committed]
    finally:
        connection.close()
        lab.ask("DELETE", f"api/sessions/{session['id']}")
    assert [cell.execution_count for cell in fresh] == list(range(1, len(committed) + 1))
    assert any(cell.outputs for cell in fresh)
    assert not [output for cell in fresh for output in cell.outputs if output.output_type == "error"]
    if notebook.metadata.get("hierrag", {}).get("python_reference") in {None, python_reference_checksum()}:
        assert compare_outputs(nbformat.v4.new_notebook(cells=committed), nbformat.v4.new_notebook(cells=fresh)) == []
    assert lab.ask("GET", "api/sessions") == []
