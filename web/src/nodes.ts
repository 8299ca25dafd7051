// The nodes of the profile: names, types, neighbours.

import type { Backend } from "./backend";
import type { Dictionary, Numbers, Texts } from "./blocks";

export interface Edge { node: number; output: number; shape: string | null; bytes: number | null }

export class Nodes {
  private consumers?: Int32Array;
  private offsets?: { inputs: Int32Array; consumers: Int32Array };

  private constructor(
    readonly name: Texts,
    readonly op: Dictionary,
    readonly device: Numbers,
    readonly code: Numbers,
    private readonly backend: Backend,
  ) {}

  static async load(backend: Backend): Promise<Nodes> {
    const { blocks, description } = backend;
    const refs = description.nodes;
    const [name, op, device, code] = await Promise.all([
      blocks.texts(refs.name),
      blocks.dictionary(refs.op),
      blocks.integers(refs.device),
      blocks.integers(refs.code),
    ]);
    return new Nodes(name, op, device, code, backend);
  }

  isOpType(name: string): boolean {
    for (let i = 0; i < this.op.values.length; i++) if (this.op.values.at(i) === name) return true;
    return false;
  }

  shapes(): Promise<Dictionary> {
    return this.backend.blocks.dictionary(this.backend.description.nodes.shape);
  }

  sources(): Promise<Dictionary> {
    return this.backend.blocks.dictionary(this.backend.description.nodes.source);
  }

  /** The inputs and the consumers of a node, with shapes and recorded bytes. */
  async neighbours(node: number): Promise<{ inputs: Edge[]; consumers: Edge[] }> {
    const { blocks, description } = this.backend;
    const refs = description.nodes.edges;
    const [consumer, producer, output, shape] = await Promise.all([
      blocks.integers(refs.consumer),
      blocks.integers(refs.producer),
      blocks.integers(refs.output),
      blocks.dictionary(refs.shape),
    ]);
    const bytesOf = await this.outputBytes();
    if (!this.offsets) this.index(consumer, producer);
    const edge = (row: number, other: Numbers): Edge => ({
      node: other[row]!,
      output: output[row]!,
      shape: output[row]! < 0 ? null : shape.at(row),
      bytes: output[row]! < 0 ? null : bytesOf(producer[row]!, output[row]!),
    });
    const { inputs, consumers } = this.offsets!;
    const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
    return {
      inputs: rows(inputs[node]!, inputs[node + 1]!).map((row) => edge(row, producer)),
      consumers: Array.from(this.consumers!.slice(consumers[node], consumers[node + 1]), (row) => edge(row, consumer)),
    };
  }

  /** A function that finds the recorded bytes of an output; rows are sorted by node and output. */
  private async outputBytes(): Promise<(node: number, output: number) => number | null> {
    const { blocks, description } = this.backend;
    const refs = description.nodes.outputs;
    const [nodes, outputs, bytes] = await Promise.all([
      blocks.integers(refs.node), blocks.integers(refs.output), blocks.integers(refs.bytes),
    ]);
    return (node, output) => {
      for (let i = lowerBound(nodes, node); nodes[i] === node; i++) if (outputs[i] === output) return bytes[i]!;
      return null;
    };
  }

  private index(consumer: Numbers, producer: Numbers): void {
    const count = this.name.length;
    const inputs = new Int32Array(count + 1);
    const consumers = new Int32Array(count + 1);
    for (let i = 0; i < consumer.length; i++) {
      inputs[consumer[i]! + 1]!++;
      if (producer[i]! >= 0) consumers[producer[i]! + 1]!++;
    }
    for (let i = 0; i < count; i++) {
      inputs[i + 1]! += inputs[i]!;
      consumers[i + 1]! += consumers[i]!;
    }
    const next = consumers.slice();
    this.consumers = new Int32Array(consumers[count]!);
    for (let i = 0; i < producer.length; i++) if (producer[i]! >= 0) this.consumers[next[producer[i]!]!++] = i;
    this.offsets = { inputs, consumers };
  }
}

/** The index of the first of ascending numbers that is not below a limit. */
function lowerBound(values: Numbers, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
