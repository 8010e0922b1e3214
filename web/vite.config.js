import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import sirv from "sirv";
import { defineConfig } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { compressFolder } from "../tools/compress.mjs";
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
const manifestText = readFileSync(join(runtime, "start.json"), "utf8");
const manifest = JSON.parse(manifestText);
/** Cache of Python's files, of which each build has its own, so that files of two builds are never mixed. */
const pythonCache = `python-${createHash("sha256").update(manifestText).digest("hex").slice(0, 16)}`;
const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(0);

/** Bytes that the first visit downloads for Python, without and with a server that compresses. */
function downloadSizes() {
  const files = Object.keys(manifest.pyodide).map((name) => readFileSync(join(runtime, name)));
  const sum = (/** @type {number[]} */ sizes) =>
    sizes.reduce((total, size) => total + size, manifest.snapshot.compressed);
  return {
    plain: sum(files.map(({ length }) => length)),
    compressed: sum(files.map((data) => gzipSync(data).length)),
  };
}

/** Replaces the names of the packages that the page offers, and the sizes of its downloads. */
function packageNames() {
  const folder = join(build, "public", "packages");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const nameOf = (/** @type {string} */ end) => names.find((name) => name.endsWith(end)) ?? "";
  return {
    name: "package-names",
    transformIndexHtml(/** @type {string} */ html) {
      // Compressing takes half a second, and one page shows the sizes.
      if (!html.includes("%DOWNLOAD%")) return html;
      const { plain, compressed } = downloadSizes();
      return html
        .replace("%PY_TENSOR_WHEEL%", nameOf(".whl"))
        .replace("%PY_TENSOR_SOURCE%", nameOf(".tar.gz"))
        .replace("%DOWNLOAD%", megabytes(plain))
        .replace("%COMPRESSED_DOWNLOAD%", megabytes(compressed));
    },
  };
}

/**
 * Returns a page with the parts that it names, for example %ui/head.html% of src/. A part's link to the page is marked.
 *
 * @param {string} html
 * @param {string} page
 */
function withParts(html, page) {
  return html.replace(/%([\w/]+\.html)%/g, (_, part) =>
    readFileSync(join(root, "src", part), "utf8")
      .trimEnd()
      .replace("%ROOT%", rootOf(page))
      .replace(`href="./${basename(page)}"`, '$& aria-current="page"'),
  );
}

/** Returns a script that keeps a page of the documentation offline. @param {string} siteRoot */
function keptOffline(siteRoot) {
  return `<script type="module">
import { keepPage } from "${siteRoot}docs/keep_page.js";
addEventListener("load", () => keepPage(new URL("${siteRoot}", location).href).catch(console.warn));
</script>`;
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
      copyFileSync(join(root, "src", "python", "keep_page.js"), join(docs, "keep_page.js"));
      for (const name of readdirSync(docs, { recursive: true, encoding: "utf8" })) {
        if (!name.endsWith(".html")) continue;
        const html = readFileSync(join(docs, name), "utf8");
        const head = navigation(`docs/${name}`, "docs/latest/assets/icon.svg");
        const added = `<style>${style}</style>${head}${keptOffline(rootOf(`docs/${name}`))}`;
        writeFileSync(join(docs, name), html.replace(/<body[^>]*>/, `$&${added}`));
      }
    },
  };
}

/**
 * A script that reports scripts of the page that do not load. It is no part of the scripts, which may be what is missing,
 * and not in the page, where a Content-Security-Policy may forbid it.
 *
 * @returns {import("vite").Plugin}
 */
function loadErrors() {
  const fileName = "load_errors.js";
  return {
    name: "load-errors",
    apply: "build",
    generateBundle() {
      const source = readFileSync(join(root, "src", "load_errors.js"), "utf8");
      this.emitFile({ type: "asset", fileName, source });
    },
    transformIndexHtml: {
      order: "post",
      handler: (html, { path }) =>
        html.includes('id="notice"')
          ? [
              {
                tag: "script",
                attrs: { src: rootOf(path.slice(1)) + fileName },
                injectTo: "head-prepend",
              },
            ]
          : [],
    },
  };
}

/** Loads the first sentence of a Python program, without the program. @returns {import("vite").Plugin} */
function descriptions() {
  return {
    name: "descriptions",
    load(id) {
      if (!id.endsWith(".py?description")) return null;
      const [sentence] = readFileSync(id.split("?")[0], "utf8").split("\n");
      return `export default ${JSON.stringify(sentence.replace('"""', ""))}`;
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
      middlewares.use(sirv(site, { brotli: true, gzip: true, etag: true, dev: true }));
    },
  };
}

/**
 * Service worker: it keeps the page's own files, those of Python that were loaded, and of other pages, photos and digits
 * what was loaded last. The latter are loaded again while there is a connection.
 */
const offline = VitePWA({
  injectRegister: null,
  manifest: false,
  filename: "service-worker.js",
  workbox: {
    globPatterns: ["index.html", "load_errors.js", "worker-*.js", "assets/*.{js,css,svg,webp}"],
    globIgnores: [
      "assets/bench*",
      "assets/models*",
      "assets/{kernels,language_models}*",
      "assets/{processor,webgpu,tune,engine_page,adapter,python_page,side,wasm_page}*",
      "assets/{start,plain,tensorflow,measured}-*",
      // jax-js.
      "assets/{backend,webgl,webgpu}-*",
      "assets/{analyser,chat}*",
      "assets/ort*",
    ],
    navigateFallback: null,
    clientsClaim: true,
    skipWaiting: true,
    runtimeCaching: [
      { urlPattern: /\/pyodide\//, handler: "CacheFirst", options: { cacheName: pythonCache } },
      {
        // The search adds its words to the addresses of pages.
        urlPattern: ({ url, sameOrigin }) => sameOrigin && /\/docs\//.test(url.pathname),
        handler: "NetworkFirst",
        options: { cacheName: "files", matchOptions: { ignoreSearch: true } },
      },
      {
        urlPattern: ({ url, sameOrigin }) =>
          sameOrigin && !/\/(bench|gallery|packages)\//.test(url.pathname),
        handler: "NetworkFirst",
        options: { cacheName: "files" },
      },
    ],
  },
});

export default defineConfig({
  plugins: [
    siteNavigation(),
    packageNames(),
    loadErrors(),
    descriptions(),
    offline,
    compression(),
    compressedPreview(),
  ],
  root,
  // Relative addresses allow serving the site from any folder.
  base: "./",
  define: {
    "import.meta.env.PY_TENSOR_FILES": manifestText,
    "import.meta.env.PY_TENSOR_CACHE": JSON.stringify(pythonCache),
  },
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
