"""How the ledger is written: closed tags, exact fractions, one golden spelling, and nothing else is read."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ledger.books import FILE_ONLY

from tacit.errors import Refused
from tacit.ledger.events import AccountOpened, Charged, Event, Settled, SourceJoined, event_from
from tacit.ledger.link import Head, Link, read_canonical, write_canonical
from tacit.ledger.loss_text import fraction_from_text, fraction_to_text, loss_from_json, loss_to_json
from tacit.loss import Approx, Composition, Gdp, LaplacePair, Loss, Pure, Rdp, Zcdp

pytestmark = FILE_ONLY  # nothing is kept
GOLDEN = json.loads((Path(__file__).parent / "golden_losses.json").read_text())
FAMILIES = {"Pure": Pure, "Approx": Approx, "Zcdp": Zcdp, "Gdp": Gdp}
amounts = st.fractions(min_value=0, max_value=1)
losses: st.SearchStrategy[Loss] = st.one_of(
    amounts.map(Pure), st.builds(Approx, amounts, amounts), st.builds(Zcdp, amounts, amounts), amounts.map(Gdp)
)
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("1/2"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["pure", "epsilon", "x"]), inner),
    max_leaves=6,
)


@pytest.mark.parametrize(("family", "values", "text"), GOLDEN)
def test_golden_spellings(family: str, values: list[str], text: str) -> None:
    """R42: what was written by an earlier version is read by this one, and written the same."""
    loss = FAMILIES[family](*values)
    assert write_canonical(loss_to_json(loss)) == text
    assert loss_from_json(read_canonical(text)) == loss


@given(losses)
def test_losses_survive_writing(loss: Loss) -> None:
    """R42."""
    again = loss_from_json(read_canonical(write_canonical(loss_to_json(loss))))
    assert again == loss
    assert type(again) is type(loss)


@pytest.mark.parametrize(
    "text",
    [
        '{"rdp":{"order":"2/1"}}',
        '{"pure":{"epsilon":"1/10","delta":"0/1"}}',
        '{"approx":{"epsilon":"1/10"}}',
        '{"pure":{"epsilon":"0.1"}}',
        '{"pure":{"epsilon":"1"}}',
        '{"pure":{"epsilon":"2/4"}}',
        '{"pure":{"epsilon":"-1/4"}}',
        '{"pure":{"epsilon":"1/0"}}',
        '{"pure":{"epsilon":"01/4"}}',
        '{"pure":{"epsilon":" 1/4"}}',
        '{"pure":{"epsilon":"1/4\\n"}}',
        '{"pure":{"epsilon":"١/4"}}',
        '{"pure":{"epsilon":"1_0/1"}}',
        '{"pure":{"epsilon":1}}',
        '{"pure":{"epsilon":0.1}}',
        '{"pure":{"epsilon":NaN}}',
        '{"pure":["1/10"]}',
        '{"__import__(\\"os\\")":{"epsilon":"1/10"}}',
        '{"Pure(1)":{}}',
        "{}",
        "[]",
        "1/10",
        "null",
        '{"approx":{"epsilon":"1/10","delta":"3/2"}}',
        '{"pure":{"epsilon":"%s/1"}}' % ("9" * 5000),
    ],
)
def test_anything_else_is_not_a_loss(text: str) -> None:
    """R42, R08."""
    with pytest.raises(ValueError):  # noqa: PT011  (Refused and json's own are ValueErrors, and no message is promised)
        loss_from_json(read_canonical(text))


@settings(max_examples=50)
@given(junk)
def test_no_junk_is_read_as_a_loss(value: object) -> None:
    """R42: reading raises ValueError, or gives back exactly what the value says."""
    try:
        loss = loss_from_json(value)
    except ValueError:
        return
    assert loss_to_json(loss) == value


@settings(max_examples=30)
@given(losses, losses, amounts, st.text(), st.text(min_size=1))
def test_every_event_survives_writing(loss: Loss, budget: Loss, accuracy: Fraction, words: str, name: str) -> None:
    """R42: and a field more, or less, or of another kind, is not read."""
    events: list[Event] = [
        AccountOpened("2026-11-15T10:00:00+00:00", words, budget, (name, "csv:/b")),
        SourceJoined("2026-11-15T10:00:00+00:00", (name,)),
        Charged("2026-11-15T10:00:00+00:00", name, words, "query", "d1", accuracy, loss),
        Settled(3, "d1", accuracy, "ff"),
    ]
    for event in events:
        fields = event.fields()
        assert event_from(event.kind, fields) == event
        link = Link.make(Head(2, "0" * 64), 1, event)
        assert Link.read(3, link.body, link.hash) == link
        for broken in (
            fields | {"more": 1},
            {key: value for key, value in fields.items() if key != "accuracy" and key != "sources"},
            *({**fields, key: None} for key in fields),
            *({**fields, key: True} for key in fields),
        ):
            with pytest.raises(ValueError):  # noqa: PT011  (as above)
                event_from(event.kind, broken)
        for kind in ("refund", None, 1):
            with pytest.raises(ValueError):  # noqa: PT011  (as above)
                event_from(kind, fields)


def test_what_does_not_add_up_is_not_written() -> None:
    """R36, R42: only the four families, never a curve or a composition."""
    for loss in (LaplacePair(1), Rdp({2: 1}), Composition([Pure(1)])):
        with pytest.raises(Refused, match="amounts that add up"):
            loss_to_json(loss)
    with pytest.raises(Refused, match="exactly"):
        fraction_to_text(Fraction(1, 10**4001))
    with pytest.raises(Refused, match="exactly"):
        fraction_to_text(Fraction(-1))
    longest = Fraction(2**12000 - 1, 2**11999)
    assert fraction_from_text(fraction_to_text(longest)) == longest
