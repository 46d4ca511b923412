"""The walks in docs/architecture.md are those that the commands take."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bench.house_trace import Trace
from bench.house_walks import PAGE, WALKS, blocks, walk

SHOWN = blocks(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", WALKS)
def test_a_command_takes_the_way_that_the_page_shows(name: str) -> None:
    assert walk(name).folders == SHOWN[name], "`python -m bench.house_walks` writes the page anew"


def test_the_page_shows_no_other_walk() -> None:
    assert SHOWN.keys() == WALKS.keys()


def test_what_a_trace_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is noted once, when a function of it is called; what an import calls is not noted."""
    files = {
        "__init__.py": "",
        "top.py": "from entered.one import there\ndef start():\n    there()\n",
        "one/__init__.py": "from entered.one.made import make\nthere = make()\n",
        "one/made.py": "def make():\n    from entered.one.there import there\n    return there\n",
        "one/there.py": "from entered.two.inner import late\ndef there():\n    late()\n    late()\n",
        "two/__init__.py": "",
        "two/inner.py": "class Late:\n    pass\n\ndef late():\n    pass\n",
    }
    for name, text in files.items():
        path = tmp_path / "entered" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    trace = Trace(tmp_path / "entered")
    before = sys.getprofile()
    with trace.running():
        from entered.top import start

        start()
    sys.setprofile(before)
    assert trace.files == ["top.py", "one/there.py", "two/inner.py"]
    assert trace.folders == ["top", "one", "two"]


def test_reentries_are_stays_less_rooms() -> None:
    trace = Trace(Path(), ["a/x.py", "a/y.py", "b/x.py", "a/z/w.py", "main.py", "b/y.py"])
    assert trace.stays == ["a", "b", "a", "main", "b"]
    assert trace.reentries == 2


def test_contributing_names_every_room() -> None:
    """Folders and files of `src/tacit`, and the folders of each room."""
    table = Path("CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = Path("src/tacit")
    rooms = [folder for folder in tree.iterdir() if folder.is_dir() and (folder / "__init__.py").exists()]
    folders = [inner for room in rooms for inner in room.iterdir() if (inner / "__init__.py").exists()]
    files = [file for file in tree.glob("*.py") if not file.name.startswith("__")]
    names = [f"`{folder.name}/`" for folder in (*rooms, *folders)] + [f"`{file.name}`" for file in files]
    assert [name for name in names if name not in table] == []
