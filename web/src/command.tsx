// The command that prints what is shown, to copy into a terminal.

import { computed, signal } from "@preact/signals";
import { backend, comparedSteps, metric, options, orderBy, panel, report, shownStep, step, TREES } from "./state";

const SAFE = /^[\w@%+=:,./-]+$/;
const quote = (text: string): string => (SAFE.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

/** The options that were edited, by name. */
export const edited = computed<Record<string, string>>(() => {
  try {
    const given: unknown = JSON.parse(options.value || "{}");
    return given && typeof given === "object" ? (given as Record<string, string>) : {};
  } catch {
    return {};
  }
});

/** Edit some options; an empty text takes an option back. */
export function setOptions(given: Record<string, string>): void {
  const all = Object.fromEntries(Object.entries({ ...edited.value, ...given }).filter(([, value]) => value !== ""));
  options.value = Object.keys(all).length ? JSON.stringify(all) : "";
}

/** Whether the options that are shown in the command are not those of the rows. */
export const isPending = computed(() => !backend.value!.live && Object.keys(edited.value).length > 0);

function treeCommand(): string[] {
  const r = report.value;
  if (!r) return [];
  const { entry } = r;
  const select = entry.view === "code" ? metric.value : `${metric.value},occurrence`;
  const given = new Map<string, string>([
    ["-select", select],
    ["-order_by", entry.order || orderBy.value],
    ["-max_depth", String(entry.max_depth)],
  ]);
  if (entry.step >= 0) given.set("-step", String(entry.step));
  for (const argument of entry.arguments) {
    const equals = argument.indexOf("=");
    given.set(argument.slice(0, equals), argument.slice(equals + 1));
  }
  if (!backend.value!.live) for (const [name, value] of Object.entries(edited.value)) given.set(`-${name}`, value);
  return [entry.view, ...Array.from(given, ([name, value]) => (value === "" ? `${name}=` : `${name} ${quote(value)}`))];
}

export const command = computed<string>(() => {
  const start = backend.value!.description.command;
  const of = (at: number) => (at >= 0 ? ` -step ${at}` : "");
  const words: Record<string, () => string> = {
    overview: () => "summary",
    timeline: () => `graph${of(shownStep.value)} -max_depth 10000 -hide_name_regexes= -output timeline:outfile=timeline.json`,
    source: () => `code -select ${metric.value}${of(step.value)}`,
    compare: () => {
      const [a, b] = comparedSteps.value;
      const show = (at: number) => `scope -select ${metric.value} -order_by ${metric.value}${of(at)} -max_depth 10000 -hide_name_regexes=`;
      return `${show(a)}; ${start} ${show(b)}`;
    },
  };
  return TREES.includes(panel.value) ? [start, ...treeCommand()].join(" ") : `${start} ${words[panel.value]!()}`;
});

const copied = signal(false);

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the clipboard's permission the user can still copy a selection.
    const range = document.createRange();
    range.selectNodeContents(document.getElementById("command")!);
    const selection = getSelection()!;
    selection.removeAllRanges();
    selection.addRange(range);
    return;
  }
  copied.value = true;
  setTimeout(() => { copied.value = false; }, 1500);
}

export function CommandBar() {
  return (
    <footer class="command">
      <span aria-hidden="true">$</span>
      <code id="command" tabIndex={0} aria-label="command that prints these numbers"><bdi>{command.value}</bdi></code>
      {isPending.value && <b class="pending">run this to apply</b>}
      <button onClick={() => void copy(command.value)}>{copied.value ? "copied" : "copy"}</button>
      <span class="hidden" role="status">{copied.value ? "command copied" : ""}</span>
    </footer>
  );
}
