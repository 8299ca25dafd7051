// When devices are idle: the longest gaps, what ran before and what they wait for.

import type { TimelineEntry } from "./backend";
import { format, percent } from "./format";
import { Name } from "./names";
import { goTo, nodes } from "./state";
import type { Range } from "./time_axis";

export function Idle({ entry, setRange }: { entry: TimelineEntry; setRange(range: Range): void }) {
  return (
    <section class="idle">
      <h3>when devices are idle</h3>
      {entry.devices.map((device) => (
        <table key={device.name}>
          <caption><Name name={device.name.replace(/.*\//, "")} />: idle {percent(entry.micros - device.busy, entry.micros)} of the step</caption>
          <thead><tr><th scope="col">from</th><th scope="col">idle for</th><th scope="col">after</th><th scope="col">waits for</th></tr></thead>
          <tbody>
            {device.idle.slice(0, 8).map((gap) => (
              <tr key={gap.start}>
                <td><button class="link" onClick={() => setRange([gap.start - gap.micros, gap.start + 2 * gap.micros])}>{format(gap.start, "time")}</button></td>
                <td>{format(gap.micros, "time")}</td>
                {[gap.before, gap.after].map((node, i) => (
                  <td key={i} class="name">{node >= 0 ? <button class="link" onClick={() => goTo("graph", { node })}><Name name={nodes.value!.name.at(node)} /></button> : "–"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </section>
  );
}
