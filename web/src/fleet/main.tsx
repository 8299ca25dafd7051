// The page of a store: how steps go on all workers, who sends to whom, and what stands out.

import { render } from "preact";
import { useState } from "preact/hooks";
import { exact, format, setScales } from "../format";
import { readable } from "../names";
import { applyTheme, toggleTheme } from "../theme";
import { AnswerCard, Findings } from "./answers";
import { Bands, describeBands } from "./bands";
import { readPage, stepText, type Job, type Measure, type Page, type Traffic } from "./data";
import { cellColor, describeCell, HeatMap, Legend } from "./heat_map";
import { describeTraffic, TrafficMatrix } from "./traffic";
import "../style.css";
import "./fleet.css";

function BandNumbers({ job, measure, percents }: { job: Job; measure: Measure; percents: number[] }) {
  return (
    <details>
      <summary>these numbers as a table</summary>
      <div class="sideways tall" tabIndex={0} role="region" aria-label={`quantiles of ${measure.name}`}>
        <table>
          <thead><tr><th scope="col">steps</th>{percents.map((percent) => <th scope="col" key={percent}>p{percent}</th>)}</tr></thead>
          <tbody>
            {job.columns.map((column, i) => (
              <tr key={i}><th scope="row">{stepText(column)}</th>{measure.bands.map((band, j) => <td key={j}>{format(band[i]!, "time")}</td>)}</tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

const BESIDE_CHARTS = ["trend", "step", "stragglers", "balance"];
const title = ({ name }: Measure): string => name[0]!.toUpperCase() + name.slice(1);

function StepTime({ job, measure, percents }: { job: Job; measure: Measure; percents: number[] }) {
  return (
    <section class="card" aria-label="step time">
      <h2>{title(measure)} of a step on all workers</h2>
      <p class="hint">{measure.help}. Line: median; bands: half of the workers (p25 to p75), and nine in ten (p5 to p95).</p>
      <Bands job={job} measure={measure} percents={percents} />
      <BandNumbers job={job} measure={measure} percents={percents} />
    </section>
  );
}

function Workers({ job, measure }: { job: Job; measure: Measure }) {
  return (
    <section class="card" aria-label="workers and steps">
      <h2>{title(measure)} of each worker in each step</h2>
      <p class="hint">{job.note}. A cell of several shows the {measure.shown}; blank: not traced.</p>
      <Legend measure={measure} />
      <HeatMap job={job} measure={measure} />
    </section>
  );
}

function TrafficCard({ traffic }: { traffic: Traffic | null }) {
  return (
    <section class="card" aria-label="traffic">
      <h2>Traffic between devices</h2>
      {traffic ? (
        <>
          <p class="hint">{traffic.total}{traffic.note && `; ${traffic.note}`}</p>
          <TrafficMatrix traffic={traffic} />
        </>
      ) : <p>No transfers were recorded.</p>}
    </section>
  );
}

function Fleet({ page }: { page: Page }) {
  const [jobIndex, setJob] = useState(0);
  const [measureIndex, setMeasure] = useState(0);
  const [, setChanges] = useState(0);
  const job = page.jobs[jobIndex]!;
  const measure = job.measures[measureIndex]!;
  const answersTo = (...names: string[]) =>
    page.answers.filter(({ name }) => names.includes(name)).map((answer) => <AnswerCard key={answer.name} answer={answer} />);
  const others = page.answers.filter(({ name }) => !BESIDE_CHARTS.includes(name));
  // For scripts and tests, also in the console.
  Object.assign(globalThis, {
    tfprof: {
      shown: () => ({ job: job.name, measure: measure.name }),
      bandText: (column: number) => describeBands(page.percents, measure, column),
      cellText: (row: number, column: number) => describeCell(job, measure, row, column),
      cellColor: (value: number) => cellColor(measure, value),
      trafficText: (row: number, column: number) => job.traffic && describeTraffic(job.traffic, row, column),
    },
  });
  return (
    <>
      <header class="toolbar">
        <h1>tfprof fleet</h1>
        {page.jobs.length > 1 && (
          <label>job <select onChange={(event: Event) => setJob((event.target as HTMLSelectElement).selectedIndex)}>
            {page.jobs.map((each, i) => <option key={i} selected={i === jobIndex}>{readable(each.name)}</option>)}
          </select></label>
        )}
        <nav aria-label="measure">
          {job.measures.map((each, i) => (
            <button key={each.name} aria-current={i === measureIndex ? "page" : undefined} onClick={() => setMeasure(i)}>{each.name}</button>
          ))}
        </nav>
        <span class="controls">
          <button onClick={() => { toggleTheme(); setChanges((n) => n + 1); }}>light or dark</button>
        </span>
      </header>
      <main class="page fleet" id="main" tabIndex={-1}>
        <p class="loaded wrap">job <bdi>{readable(job.name)}</bdi>: {job.about}</p>
        {page.notes.map((note) => <p class="hint" key={note}>{note}</p>)}
        <section class="card" aria-label="what stands out"><h2>What stands out</h2><Findings answers={page.answers} /></section>
        <div class="sides">
          <StepTime job={job} measure={measure} percents={page.percents} />
          <div class="stack">{answersTo("trend", "step")}</div>
          <Workers job={job} measure={measure} />
          <div class="stack">{answersTo("stragglers")}</div>
          <TrafficCard traffic={job.traffic} />
          <div class="stack">{answersTo("balance")}</div>
          {others.map((answer) => <AnswerCard key={answer.name} answer={answer} />)}
        </div>
      </main>
      <footer class="command"><code>{readable(page.command)}</code><span class="hint">{exact(page.jobs.length)} {page.jobs.length === 1 ? "job" : "jobs"}</span></footer>
    </>
  );
}

async function main(): Promise<void> {
  applyTheme();
  const root = document.getElementById("app")!;
  root.textContent = "";
  try {
    const page = await readPage();
    setScales(page.scales);
    render(<Fleet page={page} />, root);
  } catch (error) {
    root.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void main();
