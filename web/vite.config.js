import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const root = import.meta.dirname;
const build = join(root, "..", "build");
const benchmarks = join(root, "..", "benchmarks");

/** All HTML files of the folder are pages of the site. */
const pages = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html") && !name.includes("node_modules"))
  .map((name) => join(root, name));

/** Replaces the names of the packages that the page offers. */
function packageNames() {
  const folder = join(build, "public", "packages");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const nameOf = (/** @type {string} */ end) => names.find((name) => name.endsWith(end)) ?? "";
  return {
    name: "package-names",
    transformIndexHtml: (/** @type {string} */ html) =>
      html
        .replace("%PY_TENSOR_WHEEL%", nameOf(".whl"))
        .replace("%PY_TENSOR_SOURCE%", nameOf(".tar.gz")),
  };
}

export default defineConfig({
  plugins: [packageNames()],
  root,
  // Relative addresses allow serving the site from any folder.
  base: "./",
  // bench/index.html loads its scripts from outside the root.
  resolve: { alias: { "/benchmarks": benchmarks } },
  // Pyodide, the photos and the digits are served as they are, not bundled.
  publicDir: join(build, "public"),
  build: {
    outDir: join(build, "site"),
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    rolldownOptions: { input: pages },
  },
  // At the root of the site, so that relative addresses in programs are relative to the page.
  worker: { format: "es", rolldownOptions: { output: { entryFileNames: "[name]-[hash].js" } } },
  server: { host: "127.0.0.1", port: 8000 },
  preview: { host: "127.0.0.1", port: 8000 },
});
