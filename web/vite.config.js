import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sirv from "sirv";
import { defineConfig } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { compressFolder, sizesOf } from "../tools/compress.mjs";
import { navigation, rootOf } from "../tools/navigation.mjs";

const root = import.meta.dirname;
const build = join(root, "..", "build");
const benchmarks = join(root, "..", "benchmarks");

/** All HTML files of the folder are pages of the site, except for the parts of pages in src/. */
const pages = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html") && !/^src|node_modules/.test(name))
  .map((name) => join(root, name));

const site = join(build, "site");
const runtime = join(build, "public", "pyodide");
/** Files from which a page starts. In the scripts, they need no request of their own. */
const manifest = JSON.parse(readFileSync(join(runtime, "start.json"), "utf8"));
const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(0);

/** Replaces the names of the packages that the page offers, and the sizes of its downloads. */
function packageNames() {
  const folder = join(build, "public", "packages");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const nameOf = (/** @type {string} */ end) => names.find((name) => name.endsWith(end)) ?? "";
  return {
    name: "package-names",
    transformIndexHtml(/** @type {string} */ html) {
      const { plain, compressed } = sizesOf(runtime);
      return html
        .replace("%PY_TENSOR_WHEEL%", nameOf(".whl"))
        .replace("%PY_TENSOR_SOURCE%", nameOf(".tar.gz"))
        .replace("%DOWNLOAD%", megabytes(plain))
        .replace("%COMPRESSED_DOWNLOAD%", megabytes(compressed));
    },
  };
}

/** Returns a page with the parts that it names, for example %ui/head.html% of src/. @param {string} html @param {string} page */
function withParts(html, page) {
  return html.replace(/%([\w/]+\.html)%/g, (_, part) =>
    readFileSync(join(root, "src", part), "utf8")
      .trimEnd()
      .replace("%ROOT%", rootOf(page)),
  );
}

/** Puts parts and the navigation of the site into each page, the latter also into the documentation. @returns {import("vite").Plugin} */
function siteNavigation() {
  return {
    name: "site-navigation",
    // Before the addresses of pictures are resolved.
    transformIndexHtml: {
      order: "pre",
      handler: (html, { path }) =>
        withParts(html, path.slice(1)).replace(
          "%NAVIGATION%",
          navigation(path.slice(1), "icon.svg"),
        ),
    },
    closeBundle() {
      const style = readFileSync(join(root, "src", "ui", "navigation.css"), "utf8");
      const docs = join(site, "docs");
      if (!existsSync(docs)) return;
      for (const name of readdirSync(docs, { recursive: true, encoding: "utf8" })) {
        if (!name.endsWith(".html")) continue;
        const html = readFileSync(join(docs, name), "utf8");
        const added = `<style>${style}</style>${navigation(`docs/${name}`, "docs/assets/icon.svg")}`;
        writeFileSync(join(docs, name), html.replace(/<body[^>]*>/, `$&${added}`));
      }
    },
  };
}

/** Writes compressed files, and lets `vite preview` send them. @returns {import("vite").Plugin} */
function compression() {
  return {
    name: "compression",
    apply: "build",
    closeBundle: { order: "post", sequential: true, handler: () => compressFolder(site) },
  };
}

/** @returns {import("vite").Plugin} */
function compressedPreview() {
  return {
    name: "compressed-preview",
    configurePreviewServer({ middlewares }) {
      middlewares.use(sirv(site, { gzip: true, etag: true, dev: true }));
    },
  };
}

/**
 * Service worker: it keeps the page's own files, and of Python, the photos and the digits what was loaded last. They are
 * loaded again while there is a connection, so that files of two versions are never mixed.
 */
const offline = VitePWA({
  injectRegister: null,
  manifest: false,
  filename: "service-worker.js",
  workbox: {
    globPatterns: ["index.html", "worker-*.js", "assets/*.{js,css,svg,webp}"],
    globIgnores: [
      "assets/bench*",
      "assets/models*",
      "assets/kernels*",
      "assets/{processor,webgpu,tune,engine_page,adapter,python_page,side,wasm_page}*",
      // jax-js.
      "assets/{backend,webgl,webgpu}-*",
      "assets/analyser*",
      "assets/ort*",
    ],
    navigateFallback: null,
    clientsClaim: true,
    skipWaiting: true,
    runtimeCaching: [
      {
        urlPattern: /\/(pyodide|photos|digits|assets)\//,
        handler: "NetworkFirst",
        options: { cacheName: "files" },
      },
    ],
  },
});

export default defineConfig({
  plugins: [siteNavigation(), packageNames(), offline, compression(), compressedPreview()],
  root,
  // Relative addresses allow serving the site from any folder.
  base: "./",
  define: { "import.meta.env.PY_TENSOR_FILES": JSON.stringify(manifest) },
  // bench/index.html loads its scripts from outside the root.
  resolve: { alias: { "/benchmarks": benchmarks } },
  // Pyodide, the photos and the digits are served as they are, not bundled.
  publicDir: join(build, "public"),
  build: {
    outDir: site,
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
