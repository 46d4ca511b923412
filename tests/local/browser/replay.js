// Replays the shared vectors on a given copy of tacit.js, and tells which ones came out differently.

const octets = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

export function differences(tacit, vectors) {
  const found = [];
  let count = 0;
  const hold = (what, hex, wanted, taken, make) => {
    const bytes = tacit.scripted(octets(hex));
    count += 1;
    let made;
    try {
      made = JSON.stringify(make(bytes));
    } catch (error) {
      made = String(error);
    }
    if (made !== JSON.stringify(wanted) || bytes.taken !== taken) found.push(what);
  };
  for (const [bound, hex, wanted, taken] of vectors.below) {
    hold(`below ${bound}`, hex, wanted, taken, (bytes) => String(tacit.below(BigInt(bound), bytes)));
  }
  for (const { name, randomizer, cases } of vectors.draws) {
    for (const [answer, hex, wanted, taken] of cases) {
      hold(`${name}, answer ${answer}`, hex, wanted, taken, (bytes) => tacit.draw(randomizer, answer, bytes));
    }
  }
  for (const { poll, respondent, choices, bytes: hex, sent, taken } of vectors.interviews) {
    hold("interview", hex, sent, taken, (bytes) => {
      const interview = new tacit.Interview(poll, respondent, bytes);
      const first = interview.submit(choices);
      if (interview.submit([[0], [0, 0], [0, 0], [0], [0]]) !== first) return "drawn twice";
      return JSON.parse(first);
    });
  }
  return { count, found };
}
