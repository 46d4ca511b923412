"""A headless Chromium on a pipe: DevTools messages, each ended by a zero byte, and no driver in between."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from select import select
from typing import Any

CURE = "no Chromium: `.ci/chromium` installs one"
_PATIENCE = 120  # seconds: a browser that hangs fails its test, and does not hold up the others
_EXEC = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null'
_FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--hide-scrollbars", "--remote-debugging-pipe"),
]


def find_chromium() -> str | None:
    """Where one is: named by $CHROMIUM, on the path, or where `.ci/chromium` unpacks that of npm."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacit" / "chromium" / "chromium"
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome", str(cache))
    return next((found for name in names if name and (found := shutil.which(name))), None)


class Chromium:
    """One browser with one page. `events` holds what the browser told unasked."""

    def __init__(self, binary: str, folder: Path) -> None:
        # The browser reads from its descriptor 3 and writes to 4: the shell puts its own pipes there.
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _EXEC, binary, *_FLAGS, f"--user-data-dir={folder}", "about:blank"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdout, self._process.stdin
        self._rest, self._number, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        page = next(each for each in self.tell("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self._session = self.tell("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for room in ("Page", "Runtime", "Network", "Log"):
            self.tell(f"{room}.enable")

    def tell(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends one command and waits for its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (heard := self._hear()).get("id") != self._number:
            self.events.append(heard)
        assert "error" not in heard, heard["error"]
        result: dict[str, Any] = heard["result"]
        return result

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select([self._in], [], [], _PATIENCE)[0], "the browser is silent"
            more = os.read(self._in.fileno(), 1 << 16)
            assert more, "the browser ended"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        heard: dict[str, Any] = json.loads(line)
        return heard

    def open(self, address: str) -> None:
        """Loads a page and waits until its scripts have run."""
        self.events.clear()
        self.tell("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def wait_for(self, method: str, **values: Any) -> None:
        """Waits until the browser has told this."""
        while not any(each["method"] == method and values.items() <= each["params"].items() for each in self.events):
            self.events.append(self._hear())

    def run(self, expression: str) -> Any:
        """The value of an expression on the page, awaited."""
        given = self.tell("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in given, given["exceptionDetails"]
        return given["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """One key, as a keyboard sends it."""
        for kind in ("keyDown", "keyUp"):
            own = {"text": text} if text and kind == "keyDown" else {}
            self.tell("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **own)

    def look(self, width: int, *, dark: bool = False) -> None:
        """Sets the width of the screen and the scheme of its colours."""
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setEmulatedMedia", features=[scheme])

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._in.close()
        self._out.close()
