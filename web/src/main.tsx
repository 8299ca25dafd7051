// The page: it is loaded once, and everything it shows is a function of the state.

import { render } from "preact";
import { openBackend } from "./backend";
import { CommandBar } from "./command";
import { Compare } from "./compare";
import { DetailsPanel } from "./details";
import { format, setScales } from "./format";
import { Icicle } from "./icicle";
import { Overview } from "./overview";
import { expandAll } from "./rows";
import { Source } from "./source";
import { panel, problem, report, shownMetric, start } from "./state";
import { applyTheme } from "./theme";
import { Timeline } from "./timeline";
import { globalKeys, Help, helpShown, Toolbar } from "./toolbar";
import { shownReport, shownText, TreeGrid } from "./treegrid";
import "./style.css";

function Tree() {
  if (!report.value) return <p class="hint page">{problem.value || "reading the report…"}</p>;
  const { messages, live_messages: ofLive } = report.value.entry;
  const shown = shownMetric.value === "live_bytes" ? [...messages, ...ofLive] : messages;
  return (
    <main class="tree" id="main">
      <div class="left">
        <Icicle />
        <TreeGrid />
        {shown.map((message) => <p class="hint message" key={message}>{message}</p>)}
      </div>
      <DetailsPanel />
    </main>
  );
}

const PANELS: Record<string, () => preact.ComponentChild> = {
  overview: () => <Overview />,
  timeline: () => <Timeline />,
  compare: () => <Compare />,
  source: () => <Source />,
};

function Page() {
  return (
    <>
      <Toolbar />
      {helpShown.value && <Help />}
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {(PANELS[panel.value] ?? (() => <Tree />))()}
      <CommandBar />
    </>
  );
}

async function main(): Promise<void> {
  applyTheme();
  const root = document.getElementById("app")!;
  root.textContent = "";
  try {
    const backend = await openBackend();
    setScales(backend.description.scales);
    await start(backend);
    render(<Page />, root);
    addEventListener("keydown", globalKeys);
    // For scripts and tests, also in the console.
    const expand = () => { if (report.value) expandAll(report.value, 0); };
    Object.assign(globalThis, { tfprof: { expandAll: expand, format, shownReport, shownText } });
  } catch (error) {
    root.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void main();
