import { separate } from "./tacit.js";

// What reports mean and how they come about, in words.

/** How a question is headed: by its own words where they are what is answered, else by its number alone. */
export function heading({ text }, number) {
  return text ? `${number + 1}. ${text}` : `Question ${number + 1}`;
}

/** The options that an answer combines. */
function chosen(parts, answer) {
  return separate(parts, answer).map((choice, part) => parts[part].options[choice]).join(" · ");
}

/** A report's name: its own, else that of the option which it can be read as. */
function named({ parts, randomizer, reports }, report) {
  if (reports) return reports[report];
  if (randomizer?.kind !== "table") return chosen(parts, report);
  const isOption = randomizer.weights[0].length === parts[0].options.length;
  return isOption ? parts[0].options[report] : `Report ${report + 1}`;
}

/** A report in words. */
export function reportWords(group, report) {
  if (report === null) return "Left out";
  if (!Array.isArray(report)) return named(group, report);
  return `These options: ${new Intl.ListFormat("en").format(report.map((each) => named(group, each)))}`;
}

/** Where a report comes from. */
export function origin({ randomizer }, report) {
  if (report === null) return "No answer is sent.";
  if (randomizer === null) return "As you chose it.";
  const what = Array.isArray(report) ? "your answer may or may not be among these" : "it may or may not be your answer";
  return `Drawn at random: ${what}.`;
}

/** A part of a whole, both BigInt. */
function percent(part, whole) {
  const hundredths = (part * 10000n + whole / 2n) / whole;
  return part > 0n && hundredths === 0n ? "under 0.01%" : `${Number(hundredths) / 100}%`;
}

/** What the device does with an answer, one sentence each. */
export function chances(group) {
  const { randomizer, parts } = group;
  if (randomizer.kind === "table") {
    return randomizer.weights.map((row, answer) => {
      const weights = row.map(BigInt);
      const whole = weights.reduce((total, weight) => total + weight);
      const sent = weights.map((weight, report) => `“${named(group, report)}” in ${percent(weight, whole)}`);
      return `If you choose “${chosen(parts, answer)}”, it sends ${sent.join(", ")} of cases.`;
    });
  }
  if (randomizer.kind === "kary") {
    const [own, each] = [BigInt(randomizer.true), BigInt(randomizer.other)];
    const whole = own + BigInt(randomizer.options - 1) * each;
    const [right, other] = [percent(own, whole), percent(each, whole)];
    return [`It sends what you choose in ${right} of cases, each other option in ${other}.`];
  }
  const [within, without] = [BigInt(randomizer.within), BigInt(randomizer.without)];
  const share = percent(within, within + without);
  const { size, options } = randomizer;
  return [`It sends ${size} of the ${options} options, with yours among them in ${share} of cases.`];
}
