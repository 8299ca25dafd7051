// The answers to all questions: what stands out, then a table.

import { Name, readable } from "../names";
import type { Answer, Column } from "./data";

const SHOWN = 8;

/** What stands out, a line each; those of several answers link to them. */
export function Findings({ answers }: { answers: Answer[] }) {
  const found = answers.flatMap((answer) => answer.findings.map((finding) => ({ answer, finding })));
  if (!found.length) return <p>Nothing stands out: no straggler, slow server, slow op, slow step or trend.</p>;
  const line = ({ answer, finding }: { answer: Answer; finding: string }, i: number) => (
    <li key={i}>{answers.length > 1 && <><a href={`#${answer.name}`}>{answer.name}</a>{" "}</>}<Name name={finding} /></li>
  );
  return (
    <>
      <ul class="edges">{found.slice(0, SHOWN).map(line)}</ul>
      {found.length > SHOWN && <details><summary>{found.length - SHOWN} more</summary><ul class="edges">{found.slice(SHOWN).map(line)}</ul></details>}
    </>
  );
}

const LONG = 24;
/** Numbers stand to the right; only columns with long texts break them. */
function columnClass({ isNumber, cells }: Column): string | undefined {
  if (isNumber) return undefined;
  return cells.some((cell) => cell.length > LONG) ? "name long" : "name";
}

export function AnswerCard({ answer }: { answer: Answer }) {
  const { columns, findings, marked, notes } = answer;
  return (
    <section class="card answer" id={answer.name} aria-label={answer.name}>
      <h2>{answer.name}: {answer.help}</h2>
      {findings.length ? <Findings answers={[answer]} /> : <p class="wrap"><Name name={answer.nothing} /></p>}
      {notes.map((note) => <p class="hint" key={note}>{note}</p>)}
      {columns.length > 0 && (
        <div class="sideways" tabIndex={0} role="region" aria-label={`rows of ${answer.name}`}>
          <table>
            <thead><tr>{columns.map((column) => <th scope="col" key={column.name} class={columnClass(column)}>{column.name.replaceAll("_", " ")}</th>)}</tr></thead>
            <tbody>
              {marked.map((isMarked, row) => (
                <tr key={row} class={isMarked ? "marked" : undefined}>
                  {columns.map((column) => <td key={column.name} class={columnClass(column)}><Name name={column.cells[row]!} /></td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="asked"><code>{readable(answer.command)}</code></p>
    </section>
  );
}
