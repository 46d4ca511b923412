"""Every design of the catalogue can be asked by a device, and what devices send can be estimated from."""

from __future__ import annotations

import json
from typing import Any

from tests.local.browser.test_same_reports import MODULE, as_address, in_node

from tacit.local.browser.page import told
from tacit.local.browser.questionnaire import Questionnaire
from tacit.local.browser.report_file import read_submission
from tacit.local.polls.designs.wording import Wording
from tacit.local.polls.poll import Poll, PollQuestion
from tacit.local.polls.poll_file import CATALOGUE, design_of

GIVEN: dict[str, dict[str, Any]] = {
    "warner": {"truth": "3/4"},
    "forced": {"truth": "4/6", "yes": "1/6", "no": "1/6"},
    "kuk": {"red_if_yes": "4/5", "red_if_no": "1/5"},
    "crosswise": {"prevalence": "1/4"},
    "triangular": {"prevalence": "1/4"},
    "unrelated": {"sensitive": "2/3", "prevalence": "1/4"},
    "unrelated-estimated": {"sensitive": "2/3"},
    "kary": {"epsilon": 1},
    "subset": {"epsilon": 1},
}


def question(name: str) -> PollQuestion:
    options = ("Red", "Green", "Blue") if name in ("kary", "subset") else ("No", "Yes")
    wording = Wording(f"Have you, by {name}?", options, "Is it spring?", ("Is it one?", "Is it two?", "Is it three?"))
    return PollQuestion(name.replace("-", "_"), wording, design_of(name, wording, GIVEN.get(name, {})))


def test_every_design_is_asked_sent_and_estimated(node: str) -> None:
    poll = Poll("ab" * 16, "All", tuple(question(name) for name in CATALOGUE))
    asked = Questionnaire.of(poll.written())
    sent = in_node(
        node,
        f"""import({as_address(MODULE)}).then((tacit) => Array.from({{length: 60}}, (_, place) => {{
            const poll = {json.dumps([told(asked, version) for version in range(asked.versions)])}[place % 2];
            return new tacit.Interview(poll).submit(poll.questions.map(({{group}}, number) =>
                group.parts.map(({{options}}) => (place + number) % options.length)));
        }}))""",
    )
    submissions = [read_submission(each.encode(), asked) for each in sent]
    assert poll.findings(submissions).keys() == {each.name for each in poll.questions}
