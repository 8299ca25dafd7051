// The page of a diff: totals, an icicle and a table of the rows that changed.

import { render } from "preact";
import { useState } from "preact/hooks";
import { setScales } from "../format";
import { readable } from "../names";
import { applyTheme, toggleTheme } from "../theme";
import { children, delta, readDiff, type Metric, type Rows } from "./data";
import { Icicle } from "./icicle";
import { arrow, formatChange, formatPercent, signColor } from "./sign";
import { cellTexts, Table, visibleRows } from "./table";
import "../style.css";
import "./diff.css";

const OPENED = 14;

/** The rows that are expanded first: the path of the largest changes. */
function firstExpanded(diff: Rows, metric: Metric): Set<number> {
  const rows = new Set<number>();
  let row = 0;
  while (rows.size < OPENED && diff.end[row]! > row + 1) {
    rows.add(row);
    row = children(diff, metric, row)[0]!;
  }
  return rows;
}

function Totals({ diff }: { diff: Rows }) {
  const titles = ["before", "after", "delta", "percent", "changed", "added", "removed"];
  return (
    <table class="totals">
      <caption>delta = changed + added + removed</caption>
      <thead><tr><th scope="col"><span class="hidden">metric</span></th>{titles.map((title) => <th scope="col" key={title}>{title}</th>)}</tr></thead>
      <tbody>
        {diff.totals.map((total) => (
          <tr key={total.title}><th scope="row">{total.title}</th>{total.cells.map((cell, i) => <td key={i}>{cell}</td>)}</tr>
        ))}
      </tbody>
    </table>
  );
}

function Legend() {
  const samples: [string, number, number][] = [["▼ less", 2, 1], ["= same", 1, 1], ["▲ more", 1, 2]];
  return (
    <span class="legend" aria-label="colours">
      {samples.map(([text, before, after]) => <span key={text} style={{ background: signColor(before, after) }}>{text}</span>)}
    </span>
  );
}

function Page({ diff }: { diff: Rows }) {
  const [index, setIndex] = useState(0);
  const [expanded, setExpanded] = useState(() => firstExpanded(diff, diff.metrics[0]!));
  const [selected, setSelected] = useState(0);
  const [top, setTop] = useState(0);
  const [hovered, setHovered] = useState(-1);
  const [, setChanges] = useState(0);
  const metric = diff.metrics[index]!;
  const reveal = (row: number): void => {
    const opened = new Set(expanded);
    for (let above = diff.parent[row]!; above >= 0; above = diff.parent[above]!) opened.add(above);
    setExpanded(opened);
    setSelected(row);
  };
  const expand = (row: number, open: boolean): void => {
    const opened = new Set(expanded);
    if (open) opened.add(row);
    else opened.delete(row);
    setExpanded(opened);
  };
  const find = (text: string): void => {
    const wanted = text.toLowerCase();
    const start = selected + 1;
    const count = diff.names.length;
    for (let i = 0; wanted && i < count; i++) {
      const row = (start + i) % count;
      if (diff.names[row]!.toLowerCase().includes(wanted)) return reveal(row);
    }
  };
  const shown = hovered >= 0 ? hovered : selected;
  const change = delta(metric, shown);
  const path: number[] = [];
  for (let row = top; row > 0; row = diff.parent[row]!) path.unshift(row);
  // For scripts and tests, also in the console.
  Object.assign(globalThis, {
    tfprof: {
      expandAll: () => setExpanded(new Set(diff.parent.keys())),
      shownText: () => visibleRows(diff, metric, expanded).map((row) => [diff.names[row], ...cellTexts(diff, metric, row)].join("\t")).join("\n"),
      signColor,
    },
  });
  return (
    <>
      <header class="toolbar">
        <h1>tfprof diff</h1>
        <nav aria-label="metric">
          {diff.metrics.map((each, i) => (
            <button key={each.name} aria-current={i === index ? "page" : undefined} onClick={() => setIndex(i)}>{each.title}</button>
          ))}
        </nav>
        <Legend />
        <span class="controls">
          <label class="find">find <input type="search" onKeyDown={(event: KeyboardEvent) => {
            if (event.key === "Enter") find((event.target as HTMLInputElement).value);
          }} /></label>
          <button onClick={() => { toggleTheme(); setChanges((n) => n + 1); }}>light or dark</button>
        </span>
      </header>
      <main class="left changes-page" id="main">
        <Totals diff={diff} />
        {diff.notes.map((note) => <p class="hint message" key={note}>{readable(note)}</p>)}
        <section class="icicle" aria-label="icicle">
          <p class="path">
            <button class="link" onClick={() => setTop(0)}>all</button>
            {path.map((row) => <span key={row}> › <button class="link" onClick={() => setTop(row)}><bdi>{readable(diff.names[row]!)}</bdi></button></span>)}
            <span class="hint" id="described">
              {`${shown ? readable(diff.names[shown]!).slice(0, 300) : "all"}: ${arrow(change)} ${formatChange(change, metric.unit)} (${formatPercent(metric.before[shown]!, change) || "0"})`}
            </span>
          </p>
          <Icicle diff={diff} metric={metric} top={top} selected={selected} onSelect={reveal} onZoom={setTop} onHover={setHovered} />
        </section>
        <Table diff={diff} metric={metric} expanded={expanded} selected={selected} onSelect={setSelected} onExpand={expand} onZoom={setTop} />
      </main>
    </>
  );
}

async function main(): Promise<void> {
  applyTheme();
  const root = document.getElementById("app")!;
  root.textContent = "";
  try {
    const diff = await readDiff();
    setScales(diff.scales);
    render(<Page diff={diff} />, root);
  } catch (error) {
    root.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void main();
