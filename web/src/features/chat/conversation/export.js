/** @file Texts of a conversation, to be saved. */

/** @import { Message } from "../chat.js" */

const TITLES = { system: "System", user: "User", assistant: "Assistant" };

/** @param {string} model @param {Message[]} messages */
export function asJson(model, messages) {
  return `${JSON.stringify({ model, messages }, null, 2)}\n`;
}

/** @param {string} model @param {Message[]} messages */
export function asMarkdown(model, messages) {
  const parts = messages.map(({ role, content }) => `## ${TITLES[role]}\n\n${content}\n`);
  return [`# Conversation with ${model}\n`, ...parts].join("\n");
}
