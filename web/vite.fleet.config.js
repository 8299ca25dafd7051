// Builds the script and the style of the page of a fleet, as vite.config.js does for that of a profile.
import { defineConfig } from "vite";
import page from "./vite.config.js";

export default defineConfig({
  ...page,
  build: {
    ...page.build,
    emptyOutDir: false,
    rolldownOptions: {
      input: "src/fleet/main.tsx",
      output: { entryFileNames: "fleet.js", assetFileNames: "fleet.[ext]" },
    },
  },
});
