/**
 * @file Measures pt.text.Tokenizer in Pyodide, in Node.js: megabytes of text a second.
 *
 * usage: node benchmarks/tokenizers_node.mjs   (after npm ci)
 *
 * The tokenizers are small ones of the tests, and the text is that of the guides. The first number
 * is that of a new tokenizer; the second one, that of the same text again, with known words.
 */

import { join } from "node:path";
import { loadPyodide } from "pyodide";

const ROOT = join(import.meta.dirname, "..");

const python = await loadPyodide({ indexURL: join(ROOT, "node_modules", "pyodide") });
python.FS.mkdir("/root");
python.FS.mount(python.FS.filesystems.NODEFS, { root: ROOT }, "/root");
const result = python.runPython(`
import json, sys, time
from pathlib import Path

sys.path.insert(0, "/root")
import py_tensor as pt

pt.set_backend("python")
data = json.loads(Path("/root/tests/reference_data/tokenizers.json").read_text("utf-8"))
text = "".join(path.read_text("utf-8") for path in sorted(Path("/root/docs").glob("*.md")))
size = len(text.encode()) / 1e6
lines = []
for name in ("GPT-2", "Llama 2", "BERT", "T5"):
    case = data["cases"][name]
    tokenizer = pt.text.Tokenizer({**case["file"], "truncation": None, "model": data["models"][case["model"]]})
    speeds = []
    for encode in (tokenizer, tokenizer, tokenizer.encode):
        start = time.perf_counter()
        encode(text)
        speeds.append(f"{size / (time.perf_counter() - start):6.2f}")
    lines.append(f"{name:8} {speeds[0]} {speeds[1]}   with offsets {speeds[2]}")
"\\n".join(lines)
`);
console.log(result);
