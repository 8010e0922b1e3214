/** @file Adds a button to each Python example that opens it in the demo page's playground and runs it. */

const playground = new URL("../../../index.html", import.meta.url);

// Signatures in the reference are blocks of Python, too.
const examples = ":is(.language-python, .language-pycon):not(.doc-signature)";

for (const block of document.querySelectorAll(examples)) {
  if (!isMarkedAsNotRun(block)) block.append(linkTo(programOf(block)));
}

/**
 * A comment `<!-- not run: REASON -->` precedes examples that neither the tests nor the playground
 * can run, and `<!-- not in the playground: REASON -->` those that only the tests can.
 * @param {Element} block
 */
function isMarkedAsNotRun(block) {
  let node = block.previousSibling;
  while (node instanceof Text) node = node.previousSibling;
  return node instanceof Comment && /^ not (run|in the playground): /.test(node.data);
}

/** @param {Element} block */
function programOf(block) {
  const text = block.querySelector("code")?.textContent?.trimEnd() ?? "";
  if (block.matches(".language-python")) return text;
  const input = text.split("\n").filter((line) => /^(>>>|\.\.\.)/.test(line));
  return input.map((line) => line.slice(4)).join("\n");
}

/** @param {string} program */
function linkTo(program) {
  const link = document.createElement("a");
  link.className = "run-button";
  link.target = "_blank";
  link.textContent = "Run";
  link.title = "Open this program in the playground and run it";
  link.href = `${playground}#run&program=${encodeURIComponent(program)}`;
  return link;
}
