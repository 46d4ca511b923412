import { Interview } from "./tacit.js";
import { heading, origin, reportWords } from "./words.js";
import { UNCHANGED, make, paragraph, questionFields } from "./fields.js";

// The questionnaire: asks, has the reports drawn once, shows what would leave the device, and sends just that.

const { poll, collector } = JSON.parse(document.getElementById("told").textContent);
const place = document.getElementById("place");
const outcome = document.getElementById("outcome");

function begin() {
  const given = new URLSearchParams(location.search).get("respondent");
  if (given === null || /^[0-9a-f]{32}$/.test(given)) ask(new Interview(poll, given));
  else outcome.append("This link is damaged. Please ask for it again. Nothing was sent.");
}

function ask(interview) {
  const questions = poll.questions.map((question, number) => questionFields(question, number));
  const form = make("form", { autocomplete: "off" }, ...questions.map(({ fieldset }) => fieldset));
  form.append(
    paragraph("You may leave out any question. Next you see exactly what would be sent, and can still decide not to "
      + "send it. Your answers are then erased from this page and cannot be changed.", "quiet"),
    make("button", {}, "Show what would be sent"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const choices = questions.map((question) => question.choices());
    const isHalf = choices.map((each) => each.includes(null) && each.some((choice) => choice !== null));
    const complaint = "Only a part of this question is answered. Please answer all of it, or clear it.";
    questions.forEach((question, number) => question.complain(isHalf[number] ? complaint : ""));
    if (isHalf.includes(true)) return;
    const submission = interview.submit(choices);
    form.reset();
    review(submission);
  });
  addEventListener("pagehide", () => form.reset()); // whoever goes back to this page finds no answers
  place.replaceChildren(promise(), form);
}

/** What is protected, in words that fit how these questions are answered. */
function promise() {
  const groups = poll.questions.map(({ group }) => group);
  const said = make("section", { className: "protection" }, make("h2", {}, "How you are protected"));
  if (groups.some(({ randomizer }) => randomizer !== null)) {
    said.append(paragraph("Your own device changes your answers at random before anything leaves it, in the way that "
      + "each question tells. What is sent may or may not be what you answered; what you answered is not stored."));
  }
  if (groups.some(({ randomizer }) => randomizer === null)) {
    said.append(paragraph(`An answer marked “${UNCHANGED}” is not changed by your device: the question tells what `
      + "protects you there."));
  }
  if (poll.together) said.append(paragraph(poll.together));
  const address = collector === null ? "" : " As with any page, the network sees the address that you send from.";
  said.append(paragraph(`Not protected: that you took part, and which questions you leave out.${address}`, "quiet"));
  return said;
}

/** Replaces the questions; the heading takes the focus, so that a screen reader goes on from there. */
function show(words, ...children) {
  const title = make("h2", { tabIndex: -1 }, words);
  place.replaceChildren(title, ...children);
  scrollTo(0, 0);
  title.focus();
}

function review(submission) {
  const { answers } = JSON.parse(submission);
  const rows = poll.questions.flatMap((question, number) => {
    const [, report] = answers[question.name];
    const sent = paragraph(reportWords(question.group, report), "sent");
    const why = paragraph(origin(question.group, report), "quiet");
    return [make("dt", {}, heading(question, number)), make("dd", {}, sent, why)];
  });
  show(
    "What would be sent",
    paragraph("This was drawn once, and your answers are no longer on this page. If you would rather not send it, "
      + "close the page: so far nothing has left your device."),
    make("dl", {}, ...rows),
    ...(poll.versions > 1 ? [paragraph("Sent too: which version of this page you were given.", "quiet")] : []),
    make("details", {}, make("summary", {}, "The exact text"), make("pre", {}, submission)),
    ...(collector === null ? keepButtons(submission) : [sendButton(submission)]),
  );
}

const DONE = new Map([
  [201, ["Sent. Thank you.", "You can close this page. It holds nothing of yours any more."]],
  [409, ["Sent before.", "A report with your token had arrived before, and counts. This one was not kept."]],
]);
const REFUSED = "This was not accepted, and nothing was kept. Please tell whoever gave you this page.";
const UNSENT = "It could not be sent just now. Please try again: it stays the same report, and counts once.";

function sendButton(submission) {
  const button = make("button", { type: "button" }, "Send this");
  button.addEventListener("click", async () => {
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    outcome.textContent = "Sending …";
    const status = await send(submission);
    button.ariaDisabled = "false";
    outcome.textContent = DONE.has(status) ? "" : 400 <= status && status < 500 ? REFUSED : UNSENT;
    if (DONE.has(status)) show(DONE.get(status)[0], paragraph(DONE.get(status)[1]));
  });
  return button;
}

/** The status that the collector answered with; 0 if there was no answer. */
async function send(submission) {
  try {
    const answer = await fetch(collector, { method: "POST", body: submission, credentials: "omit", cache: "no-store" });
    return answer.status;
  } catch {
    return 0;
  }
}

/** With no collector the respondent carries the file. */
function keepButtons(submission) {
  const href = URL.createObjectURL(new Blob([`${submission}\n`], { type: "application/json" }));
  const file = `report-${JSON.parse(submission).respondent.slice(0, 8)}.json`;
  const save = make("button", { type: "button" }, "Save as a file");
  save.addEventListener("click", () => {
    make("a", { href, download: file }).click();
    outcome.textContent = `Saved as ${file}. Hand this file in; your answers are not in it.`;
  });
  const copy = make("button", { type: "button", className: "second" }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(submission).then(
      () => (outcome.textContent = "Copied."),
      () => (outcome.textContent = "This browser does not allow copying. Please save the file instead."),
    );
  });
  return [save, copy];
}

begin();
