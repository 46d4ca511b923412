"""The questionnaire as one HTML file: it asks, randomises in the respondent's browser, shows what leaves, and sends."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import urlsplit

from tacit.errors import Refused
from tacit.local.browser.questionnaire import Questionnaire
from tacit.local.browser.version import told

_FOLDER = files("tacit.local.browser")
_IMPORT = re.compile(r"^import .*\n", re.MULTILINE)  # in one script, the names of the earlier files are there already
_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})  # JSON that no HTML parser can end early


def write_page(poll: Mapping[str, Any], collector: str | None = None, version: int = 0) -> str:
    """The page of one version of a poll. Reports go to `collector`, a URL or `/reports`; with none, to a file.

    Claim: the page runs its own script and no other, loads nothing, and can reach the collector only. Proof: its policy
    names the digest of the one script and the one style, forbids every other source, and lets it connect to the
    collector alone; the poll's words are JSON in a block that is never run, and become text by `textContent`.
    """
    asked = Questionnaire.of(poll)
    style = _read("page.css")
    script = "\n".join(_IMPORT.sub("", _read(name)) for name in ("tacit.js", "words.js", "fields.js", "page.js"))
    page = {"poll": told(asked, version), "collector": collector}
    policy = [
        "default-src 'none'",
        f"script-src {_digest(script)}",
        f"style-src {_digest(style)}",
        f"connect-src {_reach(collector)}",
        "img-src data:",  # the empty icon, lest the browser ask a server for one
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ]
    return Template(_read("page.html")).substitute(
        policy=escape("; ".join(policy)),
        title=escape(asked.title),
        about=escape(asked.about),
        told=json.dumps(page).translate(_SAFE),
        style=style,
        script=script,
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _reach(collector: str | None) -> str:
    """What the page may connect to, in the policy's words."""
    if collector is None:
        return "'none'"
    if collector == "/reports":
        return "'self'"
    parts = urlsplit(collector)
    if not (parts.scheme in ("http", "https") and parts.hostname and set(collector).isdisjoint(" \t\r\n;,'\"?#@")):
        raise Refused("a collector at this address", "No page could send there.", "https://host/reports, or /reports.")
    return f"{parts.scheme}://{parts.netloc}"
