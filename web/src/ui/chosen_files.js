/** @file Files by name, of an input or of a drop, which may have folders. */

/** @param {Iterable<File>} list @returns {Record<string, File>} */
export function filesOfInput(list) {
  return Object.fromEntries([...list].map((file) => [file.webkitRelativePath || file.name, file]));
}

/** @param {DataTransfer} transfer @returns {Promise<Record<string, File>>} */
export async function filesOfDrop(transfer) {
  // The items are gone after the first await.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return filesOfInput(transfer.files);
  /** @type {Record<string, File>} */
  const files = {};
  await Promise.all(entries.map((entry) => collect(entry, files)));
  return files;
}

/** @param {FileSystemEntry} entry @param {Record<string, File>} files gets the files of the entry */
async function collect(entry, files) {
  if (entry.isFile) {
    const file = /** @type {FileSystemFileEntry} */ (entry);
    files[entry.fullPath.replace(/^\//, "")] = await new Promise((resolve, reject) => {
      file.file(resolve, reject);
    });
    return;
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {FileSystemEntry[]} */
  let some;
  do {
    // A reader gives at most 100 entries at a time.
    some = await new Promise((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    await Promise.all(some.map((inner) => collect(inner, files)));
  } while (some.length > 0);
}
