/** @file The messages, and what sends, stops, repeats and saves them. */

import { find, make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";
import { formatBytes, formatNumber, Metrics } from "../../../ui/metrics.js";
import { saveFile } from "../../../ui/save_file.js";
import { asJson, asMarkdown } from "./export.js";

/** @import { Chat, Facts, Memory, Message, Outcome } from "../chat.js" */
/** @import { Settings } from "../settings/settings.js" */

/** @type {Record<string, string>} */
const ENDS = {
  length: "The answer has as many tokens as the settings allow.",
  stopped: "Stopped.",
};
const ROLES = { system: "System", user: "You", assistant: "Model" };
/** Distance from the end, in pixels, at which the messages follow a growing answer. */
const NEAR = 40;

/** @param {Chat} chat @param {Settings} settings */
export function createConversation(chat, settings) {
  const form = find("composer", HTMLFormElement);
  const input = find("message", HTMLTextAreaElement);
  const sendButton = find("send", HTMLButtonElement);
  const stopButton = find("stop", HTMLButtonElement);
  const retryButton = find("retry", HTMLButtonElement);
  const newButton = find("new", HTMLButtonElement);
  const list = find("messages", HTMLElement);
  const empty = find("messages-empty", HTMLElement);
  const problem = find("answer-problem", HTMLElement);
  /** For screen readers, which would read each piece of a live answer. */
  const status = find("answer-status", HTMLElement);
  const figures = new Metrics(find("figures", HTMLElement));
  const saves = ["export-json", "export-markdown"].map((id) => find(id, HTMLButtonElement));
  /** Messages of the visitor and the model, without the system's. @type {Message[]} */
  let messages = [];
  /** Text of the answer in progress. @type {HTMLElement | null} */
  let growing = null;
  let modelName = "";

  // It scrolls, so keys must reach it.
  list.tabIndex = 0;
  chat.on("model", ({ needs, memory }) => {
    modelName = needs.name;
    showMemory(memory);
    update();
  });
  chat.on("answering", update);
  chat.client.on("answer", ({ piece, tokens, tokensPerSecond, cacheTokens }) => {
    if (!growing) return;
    const follows = list.scrollHeight - list.scrollTop - list.clientHeight < NEAR;
    // The first event of an answer has no token. It comes again if the GPU was lost.
    if (tokens === 0) growing.textContent = "";
    growing.append(piece);
    if (follows) list.scrollTop = list.scrollHeight;
    showSpeed(tokensPerSecond, cacheTokens);
  });
  chat.client.on("recovered", () => {
    status.textContent = "The browser reset the GPU; the model was loaded again.";
  });
  form.onsubmit = (event) => {
    event.preventDefault();
    send();
  };
  input.onkeydown = (event) => {
    // An input method also ends a word with Enter.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  stopButton.onclick = () => {
    chat.stop();
    input.focus();
  };
  retryButton.onclick = () => {
    if (messages.at(-1)?.role === "assistant") messages.pop();
    list.querySelector(".message:last-child.assistant")?.remove();
    answer();
  };
  newButton.onclick = () => {
    messages = [];
    list.replaceChildren();
    problem.hidden = true;
    status.textContent = "A new conversation.";
    update();
    input.focus();
  };
  const [json, markdown] = saves;
  json.onclick = () => save("conversation.json", "application/json", asJson);
  markdown.onclick = () => save("conversation.md", "text/markdown", asMarkdown);

  function send() {
    const content = input.value;
    if (!canAnswer() || content.trim() === "") return;
    input.value = "";
    messages.push({ role: "user", content });
    append("user", content);
    answer();
  }

  async function answer() {
    if (!canAnswer() || !settings.check()) return;
    problem.hidden = true;
    status.textContent = "The model is answering.";
    const shown = append("assistant", "");
    growing = shown.text;
    try {
      const outcome = await chat.answer(all(), settings.length, settings.options);
      messages.push({ role: "assistant", content: outcome.text });
      shown.text.textContent = outcome.text;
      shown.note.textContent = noteOf(outcome);
      showSpeed(outcome.tokensPerSecond, outcome.cacheTokens);
      showMemory(outcome.memory);
      status.textContent = `The model answered: ${outcome.text}`;
    } catch (error) {
      shown.element.remove();
      status.textContent = "";
      problem.replaceChildren(
        make("h3", {}, "There is no answer"),
        make("p", {}, textOf(error)),
        make("p", {}, "Change the message or the settings and retry, or load another model."),
      );
      problem.hidden = false;
    }
    growing = null;
    update();
    // The button that had the focus may be hidden or disabled now.
    if (document.activeElement === document.body) input.focus();
  }

  function canAnswer() {
    return chat.facts !== null && !chat.isAnswering;
  }

  /** All messages, with the system's. @returns {Message[]} */
  function all() {
    const { system } = settings;
    return system ? [{ role: "system", content: system }, ...messages] : [...messages];
  }

  /** @param {"user" | "assistant"} role @param {string} content */
  function append(role, content) {
    const text = make("div", { className: "text" }, content);
    const note = make("p", { className: "hint" });
    const title = make("h3", {}, ROLES[role]);
    const element = make("li", { className: `message ${role}` }, title, text, note);
    list.append(element);
    list.scrollTop = list.scrollHeight;
    update();
    return { element, text, note };
  }

  function update() {
    const isBusy = chat.isAnswering;
    sendButton.disabled = !canAnswer();
    stopButton.hidden = !isBusy;
    retryButton.disabled = !canAnswer() || messages.length === 0;
    newButton.disabled = isBusy || messages.length === 0;
    for (const button of saves) button.disabled = isBusy || messages.length === 0;
    empty.hidden = list.childElementCount > 0;
    list.ariaBusy = String(isBusy);
  }

  /** @param {number} speed @param {number} cacheTokens */
  function showSpeed(speed, cacheTokens) {
    figures.show({
      speed: speed > 0 ? formatNumber(speed) : "–",
      cache: cacheTokens.toLocaleString("en"),
    });
  }

  /** @param {Memory} memory */
  function showMemory({ bytes, deviceBytes }) {
    figures.show({ bytes: formatBytes(bytes), deviceBytes: formatBytes(deviceBytes) });
  }

  /**
   * @param {string} name
   * @param {string} type
   * @param {(model: string, messages: Message[]) => string} write
   */
  function save(name, type, write) {
    saveFile(name, new Blob([write(modelName, all())], { type }));
  }
}

/** @param {Outcome} outcome */
function noteOf({ reason, tokens, tokensPerSecond, forgotten }) {
  const speed = tokensPerSecond > 0 ? `, ${formatNumber(tokensPerSecond)} per second` : "";
  const parts = [`${tokens} tokens${speed}.`];
  if (reason in ENDS) parts.push(ENDS[reason]);
  if (forgotten > 0)
    parts.push(`There was no room in the context for the first ${forgotten} messages.`);
  return parts.join(" ");
}
