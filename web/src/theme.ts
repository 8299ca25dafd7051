// Light or dark: as the system has it unless the user chooses, and colours for canvases.

import { signal } from "@preact/signals";

const KEY = "tfprof theme";
const read = (): string => {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
};
export const theme = signal(read());
const system = matchMedia("(prefers-color-scheme: dark)");
/** Counts changes of colours, for canvases to draw again. */
export const themeChanges = signal(0);
system.addEventListener("change", () => themeChanges.value++);

export const isDark = (): boolean => (theme.value ? theme.value === "dark" : system.matches);

export function applyTheme(): void {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
  else delete document.documentElement.dataset.theme;
  themeChanges.value++;
}

export function toggleTheme(): void {
  theme.value = isDark() ? "light" : "dark";
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // A page from disk may have no storage; the choice then holds until it is closed.
  }
  applyTheme();
}

export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const COLORS = 8;
export function paletteIndex(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return Math.abs(hash) % COLORS;
}
export const palette = (): string[] => Array.from({ length: COLORS }, (_, i) => cssColor(`--hue-${i}`));
