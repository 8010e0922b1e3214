import { defineConfig } from "vite";

// Relative addresses allow serving the built app from any folder.
export default defineConfig({ base: "./" });
