// Tacit in a browser: a person's answers are randomised here, on their own device, and only reports leave it.
//
// Every random choice is a uniform integer below a bound, in whole numbers without rounding, so each report has exactly
// the probability that the poll states. From the same bytes, Tacit's Python randomizers make the same reports.

const SOURCES = new WeakSet();

function source(bytes) {
  SOURCES.add(bytes);
  return bytes;
}

/** Fresh bytes from the device's cryptographic generator: the source of every report. It has no seed. */
export const fresh = source((count) => crypto.getRandomValues(new Uint8Array(count)));

/** FOR TESTS ONLY: hands out the given bytes in order. Whoever knows them knows the answers: never for a person. */
export function scripted(octets) {
  const bytes = source((count) => {
    if (bytes.taken + count > octets.length) throw new RangeError("The script has ended.");
    return octets.slice(bytes.taken, (bytes.taken += count));
  });
  bytes.taken = 0;
  return bytes;
}

function take(count, bytes) {
  if (!SOURCES.has(bytes)) throw new TypeError("Random bytes come from `fresh`, and in tests from `scripted`.");
  return bytes(count);
}

/**
 * A uniform integer in [0, bound), both as BigInt. A word of whole bytes, most significant first, leaves each remainder
 * equally often if it lies below the largest multiple of the bound; any other word is drawn anew.
 */
export function below(bound, bytes = fresh) {
  if (!(bound > 0n)) throw new RangeError("Nothing lies below this bound.");
  const octets = Math.floor(bound.toString(2).length / 8) + 1;
  const words = 1n << BigInt(8 * octets);
  const top = (words / bound) * bound;
  for (;;) {
    const word = take(octets, bytes).reduce((high, low) => (high << 8n) | BigInt(low), 0n);
    if (word < top) return word % bound;
  }
}

/** The first place at which the running sum of the weights exceeds a uniform integer below their total. */
function weighted(weights, bytes) {
  let left = below(sum(weights), bytes);
  return weights.findIndex((weight) => (left -= weight) < 0n);
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0n);

/** A report drawn from a table: row by answer, column by report, whole weights with one total. */
function drawTable({ weights }, answer, bytes) {
  const rows = weights.map((row) => row.map(BigInt));
  const total = sum(rows[0]);
  if (rows.some((row) => sum(row) !== total)) throw new RangeError("The rows of the table have different totals.");
  return weighted(rows[answer], bytes);
}

/** The true option with odds true : other against each other option. */
function drawKary({ options, true: truth, other }, answer, bytes) {
  const [own, each] = [BigInt(truth), BigInt(other)];
  const place = below(own + BigInt(options - 1) * each, bytes);
  return place < own ? answer : skip(Number((place - own) / each), answer);
}

/** A set of `size` options, the true one among them with odds within : without; the others by Floyd's rule. */
function drawSubset({ options, size, within, without }, answer, bytes) {
  const hasTruth = below(BigInt(within) + BigInt(without), bytes) < BigInt(within);
  const others = options - 1;
  const chosen = new Set();
  for (let last = others - size + (hasTruth ? 1 : 0); last < others; last++) {
    const place = Number(below(BigInt(last + 1), bytes));
    chosen.add(chosen.has(place) ? last : place);
  }
  const found = Array.from(chosen, (other) => skip(other, answer)).concat(hasTruth ? [answer] : []);
  return found.sort((one, another) => one - another);
}

/** Numbers the options other than the answer as if it were not there; this gives their own number back. */
const skip = (other, answer) => other + (other >= answer ? 1 : 0);

const KINDS = new Map([["table", drawTable], ["kary", drawKary], ["subset", drawSubset]]);

/** The report of an answer. A randomizer of null has the answer itself as its report. */
export function draw(randomizer, answer, bytes = fresh) {
  const answers = randomizer === null ? Infinity : (randomizer.options ?? randomizer.weights?.length);
  if (!(Number.isSafeInteger(answer) && 0 <= answer && answer < answers)) throw new RangeError("No such answer.");
  if (randomizer === null) return answer;
  const kind = KINDS.get(randomizer.kind);
  if (!kind) throw new TypeError("No such randomizer.");
  return kind(randomizer, answer, bytes);
}

/** One number for the choices of all parts, the first part most significant; null where a choice is missing. */
export function combine(parts, choices) {
  if (parts.some((_, part) => (choices[part] ?? null) === null)) return null;
  return parts.reduce((number, { options }, part) => {
    const choice = choices[part];
    if (!(Number.isInteger(choice) && 0 <= choice && choice < options.length)) throw new RangeError("No such option.");
    return number * options.length + choice;
  }, 0);
}

/** The choices that a number stands for: the inverse of `combine`. */
export function separate(parts, number) {
  return parts.reduceRight(([choices, rest], { options }) => {
    return [[rest % options.length, ...choices], Math.floor(rest / options.length)];
  }, [[], number])[0];
}

/** Thirty-two hexadecimal digits that say nothing about anybody. */
export function token(bytes = fresh) {
  return Array.from(take(16, bytes), (octet) => octet.toString(16).padStart(2, "0")).join("");
}

/**
 * One person's way through one version of a poll: reports are drawn once. Whatever is answered after that, the
 * submission stays as it was: a second draw would cost the person a second time.
 */
export class Interview {
  #poll;
  #bytes;
  #submission = null;

  constructor(poll, respondent = null, bytes = fresh) {
    if (!(respondent === null || /^[0-9a-f]{32}$/.test(respondent))) throw new RangeError("No such respondent.");
    this.#poll = poll;
    this.#bytes = bytes;
    this.respondent = respondent ?? token(bytes);
    Object.freeze(this);
  }

  /** What leaves the device. Choices: for each question the options chosen, one a part, null for those left out. */
  submit(choices) {
    this.#submission ??= this.#draw(choices);
    return this.#submission;
  }

  #draw(choices) {
    const questions = this.#poll.questions.map(({ name, sample, group: { parts, randomizer } }, place) => {
      return [name, sample, randomizer, combine(parts, choices[place] ?? [])];
    });
    const answers = questions.map(([name, sample, randomizer, answer]) => {
      return [name, [sample, answer === null ? null : draw(randomizer, answer, this.#bytes)]];
    });
    return JSON.stringify({ poll: this.#poll.id, respondent: this.respondent, answers: Object.fromEntries(answers) });
  }
}
