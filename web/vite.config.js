// Builds one script and one style, which tools/web.py puts into the page.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    outDir: "dist",
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    rolldownOptions: {
      input: "src/main.tsx",
      output: { entryFileNames: "page.js", assetFileNames: "page.[ext]" },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
