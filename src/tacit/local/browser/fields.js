import { chances, heading } from "./words.js";

// The fields of one question: what can be chosen in them, what was chosen, and how to take it back.

const MANY = 12; // options, beyond which a list is easier than buttons

/** The mark of a question whose answer is its own report. */
export const UNCHANGED = "sent as you choose it";

/** An element with properties and children; text becomes text, whatever it contains. */
export function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export const paragraph = (text, className = "") => make("p", { className }, text);

/**
 * A question as this version asks it: the fieldset, its choices (one a part, null where there is none), a complaint.
 * Instructions are for people who draw for themselves: where the device draws, it says what it does instead.
 */
export function questionFields(question, number) {
  const { group } = question;
  const { parts, instructions, randomizer, hides } = group;
  const controls = parts.map((part, at) => {
    return (part.options.length > MANY ? list : buttons)(part, `${number}.${at}`, question.text);
  });
  const isAlone = parts.length === 1;
  const problem = make("p", { className: "problem", id: `problem.${number}` });
  const clear = make("button", { type: "button", className: "clear" }, "Clear my answer");
  clear.setAttribute("aria-label", `Clear my answer to question ${number + 1}`);
  clear.addEventListener("click", () => controls.forEach((control) => control.clear()));

  const fieldset = make("fieldset", {}, make("legend", {}, heading(question, number)));
  fieldset.setAttribute("aria-describedby", problem.id);
  if (randomizer === null) {
    const own = isAlone && !instructions.includes(parts[0].text) ? [parts[0].text] : [];
    const said = [instructions, ...own].filter(Boolean).map((words) => paragraph(words, "said"));
    fieldset.append(...said, paragraph(`(${UNCHANGED})`, "quiet"));
  } else {
    const drawing = make("ul", {}, ...chances(group).map((words) => make("li", {}, words)));
    fieldset.append(paragraph("Answer truthfully. Your device then draws what is sent, as with a coin.", "quiet"),
      make("details", { className: "quiet" }, make("summary", {}, "How it draws"), drawing));
  }
  if (hides) fieldset.append(paragraph(hides, "quiet"));
  fieldset.append(...controls.map(({ rows }, at) => {
    return isAlone ? make("div", {}, ...rows) : make("fieldset", {}, make("legend", {}, parts[at].text), ...rows);
  }));
  fieldset.append(problem, clear);

  return {
    fieldset,
    choices: () => controls.map((control) => control.choice()),
    complain: (words) => {
      problem.textContent = words;
      if (words) fieldset.querySelector("input, select").focus();
    },
  };
}

function buttons({ options }, name) {
  const inputs = options.map((_, value) => make("input", { type: "radio", name, value }));
  return {
    rows: options.map((option, at) => make("label", { className: "option" }, inputs[at], make("span", {}, option))),
    choice: () => (inputs.some(({ checked }) => checked) ? inputs.findIndex(({ checked }) => checked) : null),
    clear: () => inputs.forEach((input) => (input.checked = false)),
  };
}

function list({ text, options }, name, question) {
  const select = make("select", { name }, make("option", { value: "" }, "No answer"));
  select.setAttribute("aria-label", text || question);
  select.append(...options.map((option, value) => make("option", { value }, option)));
  return {
    rows: [select],
    choice: () => (select.value === "" ? null : Number(select.value)),
    clear: () => (select.value = ""),
  };
}
