import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";

const root = import.meta.dirname;
const build = join(root, "..", "build");

/** Every page of the site, so that a new page needs no line here. */
const pages = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html") && !name.includes("node_modules"))
  .map((name) => join(root, name));

export default defineConfig({
  root,
  // Relative addresses let the site live in any folder of a host.
  base: "./",
  // Pyodide and the photos are files to serve as they are, not modules to bundle.
  publicDir: join(build, "public"),
  build: {
    outDir: join(build, "site"),
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    rolldownOptions: { input: pages },
  },
  worker: { format: "es" },
  server: { host: "127.0.0.1", port: 8000 },
  preview: { host: "127.0.0.1", port: 8000 },
});
