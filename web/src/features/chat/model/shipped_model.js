/** @file The small model of the page, which tools/make_chat_model.py made. */

import { loadFile } from "../../../ui/load_file.js";
import address from "./guides.gguf?url";

export const SHIPPED =
  "The model of this page was trained on this project's documentation. It shows how the page works and is not clever.";

/** Returns the addresses of files that some models need, to be kept for use offline. @param {string} base address of the site's folder */
export const modelFiles = (base) => [new URL("chat/jinja2.zip", base).href];

/** @returns {Promise<Record<string, File>>} */
export async function shippedModel() {
  const answer = await loadFile(address, "chat: the model of this page");
  return { "guides.gguf": new File([await answer.arrayBuffer()], "guides.gguf") };
}
