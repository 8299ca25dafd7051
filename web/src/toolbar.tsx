// The controls: panels, metric, step, find, options, theme.

import { batch, signal } from "@preact/signals";
import { edited, setOptions } from "./command";
import { readable } from "./names";
import { followHotPath, expandAll, matches, nextMatch, searching, searchProblem } from "./rows";
import { backend, busy, find, isRegex, metric, options, order, panel, preset, report, selected, setMetric, show, sources, step, TREES, userOnly, zoomed } from "./state";
import { isDark, themeChanges, toggleTheme } from "./theme";

const TITLES: Record<string, string> = {
  overview: "Overview", code: "Code", op: "Op", scope: "Scope", graph: "Graph",
  timeline: "Timeline", source: "Source", compare: "Compare",
};
export const helpShown = signal(false);
const optionsShown = signal(false);

function panelNames(): string[] {
  const { views, steps } = backend.value!.description;
  const trees = TREES.filter((name) => views.includes(name));
  return [
    "overview", ...trees,
    ...(steps.length ? ["timeline"] : []),
    ...(sources.value.length ? ["source"] : []),
    ...(steps.length > 1 ? ["compare"] : []),
  ];
}

export function Toolbar() {
  const { steps, presets, metrics } = backend.value!.description;
  void themeChanges.value;
  const isTree = TREES.includes(panel.value);
  return (
    <header class="toolbar">
      <h1>tfprof</h1>
      <nav aria-label="panels">
        {panelNames().map((name) => (
          <button key={name} aria-current={panel.value === name ? "page" : undefined} onClick={() => show(name)}>{TITLES[name]}</button>
        ))}
      </nav>
      <span class="controls">
        <label>metric{" "}
          <select
            value={`${preset.value}|${metric.value}`}
            onChange={(event: Event) => {
              const [of, name] = (event.target as HTMLSelectElement).value.split("|");
              setMetric(name!, of);
            }}
          >
            {presets.map((p) => (
              <optgroup key={p.name} label={p.name}>
                {p.metrics.map((name) => <option key={name} value={`${p.name}|${name}`}>{metrics[name]!.title}</option>)}
              </optgroup>
            ))}
          </select>
        </label>
        {steps.length > 0 && (
          <label>step{" "}
            <select value={String(step.value)} onChange={(event: Event) => { step.value = Number((event.target as HTMLSelectElement).value); }}>
              <option value="-1">average</option>
              {steps.map((s) => <option key={s} value={String(s)}>{s}</option>)}
            </select>
          </label>
        )}
      </span>
      <span class="page-tools">
        <button onClick={toggleTheme} aria-label={isDark() ? "light colours" : "dark colours"} title="colours">{isDark() ? "☀" : "☾"}</button>
        <button onClick={() => { helpShown.value = !helpShown.value; }} aria-expanded={helpShown.value} aria-label="help" title="help">?</button>
      </span>
      {isTree && <TreeTools />}
    </header>
  );
}

function toggleUserOnly(): void {
  batch(() => {
    userOnly.value = !userOnly.value;
    selected.value = -1;
    zoomed.value = 0;
  });
}

function TreeTools() {
  const r = report.value;
  const { metrics } = backend.value!.description;
  const count = matches.value.length;
  const active = Object.keys(edited.value).length;
  return (
    <div class="tools">
      <label class="find">find{" "}
        <input
          id="find"
          type="search"
          value={find.value}
          placeholder={isRegex.value ? "RE2 regex ( / )" : "part of a name ( / )"}
          onInput={(event: Event) => { find.value = (event.target as HTMLInputElement).value; }}
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1);
          }}
        />
      </label>
      {backend.value!.findRegex && (
        <label title="find names that a regex of RE2, the syntax of all options, matches anywhere"><input type="checkbox" checked={isRegex.value} onChange={() => { isRegex.value = !isRegex.value; }} /> regex</label>
      )}
      {find.value && searching.value && <span role="status" class="hint">searching…</span>}
      {searchProblem.value && <span role="alert" class="pending">{searchProblem.value}</span>}
      {find.value && !searching.value && !searchProblem.value && (
        <span role="status">
          {count.toLocaleString("en")} {count === 1 ? "row" : "rows"}{" "}
          <button onClick={() => nextMatch(-1)} disabled={!count} aria-label="previous match">↑</button>
          <button onClick={() => nextMatch(1)} disabled={!count} aria-label="next match">↓</button>
        </span>
      )}
      {r && <button onClick={() => followHotPath(r, selected.value)}>hot path</button>}
      {r && r.view !== "op" && <button onClick={() => expandAll(r, Math.max(selected.value, 0))}>expand all</button>}
      <label>order{" "}
        <select value={order.value} onChange={(event: Event) => { order.value = (event.target as HTMLSelectElement).value; }}>
          <option value="">metric</option>
          <option value="name">name</option>
          <option value="view">view</option>
          {order.value && !["name", "view"].includes(order.value) && <option value={order.value}>{metrics[order.value]?.title ?? order.value}</option>}
        </select>
      </label>
      {panel.value === "code" && (
        <label><input type="checkbox" checked={userOnly.value} onChange={toggleUserOnly} /> only my files</label>
      )}
      <button aria-expanded={optionsShown.value} onClick={() => { optionsShown.value = !optionsShown.value; }}>options{active ? ` (${active})` : ""}</button>
      {(edited.value.since || edited.value.until) && (
        <span class="window">
          window {edited.value.since ?? "start"} – {edited.value.until ?? "end"}{" "}
          <button onClick={() => setOptions({ since: "", until: "" })}>whole step</button>
        </span>
      )}
      {busy.value && <span class="hint" role="status">{busy.value}…</span>}
      {optionsShown.value && <OptionFields />}
    </div>
  );
}

function OptionFields() {
  const { live } = backend.value!;
  return (
    <fieldset class="options">
      <legend>{live ? "options of the report" : "Options change the command below; run it to apply them."}</legend>
      {(backend.value!.description.options ?? []).map((option) => (
        <label key={option.name} title={option.help}>
          <span>{option.name}</span>
          <input
            value={edited.value[option.name] ?? ""}
            placeholder={readable(option.default)}
            spellcheck={false}
            onChange={(event: Event) => setOptions({ [option.name]: (event.target as HTMLInputElement).value })}
          />
        </label>
      ))}
      <button onClick={() => { options.value = ""; }}>reset</button>
    </fieldset>
  );
}

export function Help() {
  return (
    <section class="card help" aria-label="help">
      <h2>Keys</h2>
      <dl>
        <dt>1 … 8</dt><dd>panels</dd>
        <dt>/</dt><dd>find; Enter and Shift+Enter go from match to match. The browser's own search sees only the rows in sight.</dd>
        <dt>↑ ↓ Home End</dt><dd>move in the table</dd>
        <dt>→ ←</dt><dd>expand, collapse or go to the parent</dd>
        <dt>*</dt><dd>expand everything below the row</dd>
        <dt>h</dt><dd>follow the hot path from the row</dd>
        <dt>Enter</dt><dd>zoom the icicle to the row</dd>
        <dt>+ − ← → p</dt><dd>in the timeline: zoom, move, go to the memory peak</dd>
        <dt>m</dt><dd>in code view: only my files</dd>
        <dt>c</dt><dd>copy the command</dd>
        <dt>?</dt><dd>this list</dd>
      </dl>
      <h2>Columns</h2>
      <p>total: a row and everything below it. self: the row alone. share: of everything. runs: executions. In graph view the children of a node are its inputs. In op view, "and below" is the share of a row and all rows below it.</p>
    </section>
  );
}

/** Focus what has keys of its own in a panel, once it is there. */
function focusPanel(frames = 100): void {
  const target = document.querySelector<HTMLElement>("[role=treegrid], main[tabindex]");
  if (target) target.focus();
  else if (frames) requestAnimationFrame(() => focusPanel(frames - 1));
}

/** Keys that work everywhere but in fields. */
export function globalKeys(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) {
    if (event.key === "Escape") target.blur();
    return;
  }
  const name = panelNames()[Number(event.key) - 1];
  if (name) {
    show(name);
    if (TREES.includes(name) || name === "timeline") requestAnimationFrame(() => focusPanel());
  } else if (event.key === "m" && panel.value === "code") toggleUserOnly();
  else if (event.key === "?") helpShown.value = !helpShown.value;
  else if (event.key === "c") document.querySelector<HTMLButtonElement>(".command button")!.click();
  else if (event.key === "/") {
    if (!TREES.includes(panel.value)) return;
    document.getElementById("find")!.focus();
  } else return;
  event.preventDefault();
}
