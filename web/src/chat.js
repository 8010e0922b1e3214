/** @file Entry point of the chat's page: creates its parts, starts Python in a worker and loads the model of the page. */

import workerAddress from "./chat_worker.js?worker&url";
import { createAttentionView } from "./features/chat/attention/attention_view.js";
import { Chat } from "./features/chat/chat.js";
import { createConversation } from "./features/chat/conversation/conversation.js";
import { createOpenLanguageModel } from "./features/chat/model/open_language_model.js";
import { modelFiles } from "./features/chat/model/shipped_model.js";
import { createSettings } from "./features/chat/settings/settings.js";
import { showBackend } from "./features/status/backend_note.js";
import { createLoading } from "./features/status/loading.js";
import { Client } from "./python/client.js";
import { keepOffline } from "./python/offline.js";
import { textOf } from "./ui/error_text.js";

/** The flags of py_tensor in the page's address are also in the worker's, where the import finds them. */
const client = new Client(() => new Worker(workerAddress + location.search, { type: "module" }));
const loading = createLoading(client);
const chat = new Chat(client);
const settings = createSettings(chat);
createConversation(chat, settings);
createAttentionView(chat);
const opener = createOpenLanguageModel(chat, settings);

try {
  const base = new URL("../", document.baseURI).href;
  const started = await client.start(base);
  showBackend(started);
  loading.finish();
  await opener.connect();
  // The browser loaded these before the service worker, or loads them only when a model needs them.
  const others = [workerAddress, ...modelFiles(base)];
  await keepOffline([...started.files, ...others], base).catch(console.warn);
} catch (error) {
  loading.fail(textOf(error));
}
