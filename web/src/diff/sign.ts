// Colours by sign: orange for more, blue for less, which all eyes tell apart; and the sign as text.

import { format, percent, type Unit } from "../format";
import { isDark } from "../theme";

const LIGHT = { more: [213, 94, 0], less: [0, 114, 178], same: [228, 231, 235], text: "#14171a" };
const DARK = { more: [230, 120, 30], less: [60, 150, 210], same: [44, 50, 58], text: "#f4f6f8" };
const FAINTEST = 0.25;
const STRONGEST = 0.85;
/** Text on it has enough contrast. */
const LEGIBLE = 0.6;

/** How strong a colour is: by the change in relation to the larger of both sides. */
export function strength(before: number, after: number): number {
  const larger = Math.max(Math.abs(before), Math.abs(after));
  return larger ? Math.min(1, Math.abs(after - before) / larger) : 0;
}

const mix = (target: number[], share: number): string => {
  const { same } = isDark() ? DARK : LIGHT;
  return `rgb(${target.map((value, i) => Math.round(value * share + same[i]! * (1 - share))).join(" ")})`;
};

export function signColor(before: number, after: number): string {
  const colors = isDark() ? DARK : LIGHT;
  if (before === after) return mix(colors.same, 1);
  const share = FAINTEST + (STRONGEST - FAINTEST) * strength(before, after);
  return mix(after > before ? colors.more : colors.less, share);
}

/** The colour of a distance from what is usual: from -1, far less, to 1, far more. */
export function deviationColor(distance: number): string {
  const colors = isDark() ? DARK : LIGHT;
  return mix(distance > 0 ? colors.more : colors.less, STRONGEST * Math.min(1, Math.abs(distance)));
}

/** The colour of a share of the largest amount; nothing has the colour of no change. */
export function trafficColor(share: number): string {
  const colors = isDark() ? DARK : LIGHT;
  return mix(colors.less, share ? FAINTEST + (LEGIBLE - FAINTEST) * share : 0);
}

export const signText = (): string => (isDark() ? DARK : LIGHT).text;

/** A change with its sign, digit for digit as tfprof prints it. */
export function formatChange(change: number, unit: Unit): string {
  if (!change) return format(0, unit);
  return change < 0 ? `-${format(-change, unit)}` : `+${format(change, unit)}`;
}

export function formatPercent(before: number, change: number): string {
  if (!change) return before ? "0.0%" : "";
  if (!before) return "new";
  return change < 0 ? `-${percent(-change, before)}` : `+${percent(change, before)}`;
}

export const arrow = (change: number): string => (change > 0 ? "▲" : change < 0 ? "▼" : "=");
