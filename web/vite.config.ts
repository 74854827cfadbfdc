import { defineConfig } from "vitest/config";

export default defineConfig({
  build: {
    outDir: "../src/weft/server/workbench",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: { css: true },
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
});
