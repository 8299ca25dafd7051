// Blocks of integers and texts, as tfprof.outputs.html.blocks writes them.

export type Numbers = Int32Array | Float64Array;
export type Spec = [count: number, least: number, width: number, delta: number];
export interface TextRefs { text: number; length: number }
export interface DictionaryRefs extends TextRefs { index: number }

const INT32 = 2 ** 31;

export function decodeIntegers(bytes: Uint8Array, [count, least, width, delta]: Spec): Numbers {
  const largest = least + 2 ** (8 * width);
  const fits = width < 4 && least > -INT32 && largest < INT32 && !delta;
  const values = fits ? new Int32Array(count) : new Float64Array(count);
  if (least) values.fill(least);
  let factor = 1;
  for (let plane = 0; plane < width; plane++) {
    const first = plane * count;
    for (let i = 0; i < count; i++) values[i]! += bytes[first + i]! * factor;
    factor *= 256;
  }
  if (delta) for (let i = 1; i < count; i++) values[i]! += values[i - 1]!;
  return values;
}

/** Texts in one string, sliced when they are read. */
export class Texts {
  private readonly offsets: Float64Array;
  constructor(private readonly text: string, lengths: Numbers) {
    this.offsets = new Float64Array(lengths.length + 1);
    for (let i = 0; i < lengths.length; i++) this.offsets[i + 1] = this.offsets[i]! + lengths[i]!;
  }
  get length(): number {
    return this.offsets.length - 1;
  }
  at(i: number): string {
    return this.text.slice(this.offsets[i], this.offsets[i + 1]);
  }

  /** Which texts contain another one, which is in lower case; upper and lower case are the same. */
  containing(wanted: string): Uint8Array {
    const mask = new Uint8Array(this.length);
    this.lower ??= this.text.toLowerCase();
    if (this.lower.length !== this.text.length) {
      // Some letters have two in lower case, which would shift all that follow.
      for (let i = 0; i < mask.length; i++) mask[i] = this.at(i).toLowerCase().includes(wanted) ? 1 : 0;
      return mask;
    }
    let row = 0;
    for (let at = this.lower.indexOf(wanted); at >= 0; ) {
      while (this.offsets[row + 1]! <= at) row++;
      const inside = at + wanted.length <= this.offsets[row + 1]!;
      if (inside) mask[row] = 1;
      at = this.lower.indexOf(wanted, inside ? this.offsets[row + 1]! : at + 1);
    }
    return mask;
  }
  private lower?: string;
}

/** A column of texts with few distinct ones; none where the index is -1. */
export class Dictionary {
  constructor(readonly values: Texts, readonly index: Numbers) {}
  at(i: number): string | null {
    const index = this.index[i]!;
    return index < 0 ? null : this.values.at(index);
  }
}

export async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fromBase64(text: string): Uint8Array {
  const builtin = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  if (builtin) return builtin.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

const MAX_BYTES = 300_000_000;

/** Reads blocks, and keeps those that were used last. */
export class BlockReader {
  private readonly cache = new Map<number, Promise<Numbers>>();
  private bytes = 0;
  constructor(
    private readonly fetchBytes: (ref: number) => Promise<Uint8Array>,
    private readonly specs: Record<number, Spec>,
  ) {}

  addSpecs(specs: Record<number, Spec>): void {
    Object.assign(this.specs, specs);
  }

  integers(ref: number): Promise<Numbers> {
    let found = this.cache.get(ref);
    if (found) this.cache.delete(ref); // to be the last again
    else {
      found = this.read(ref);
      this.bytes += this.sizeOf(ref);
      found.catch(() => this.forget(ref));
    }
    this.cache.set(ref, found);
    for (const oldest of this.cache.keys()) {
      if (this.bytes <= MAX_BYTES || oldest === ref) break;
      this.forget(oldest);
    }
    return found;
  }

  private sizeOf = (ref: number): number => 8 * this.specs[ref]![0];

  private forget(ref: number): void {
    if (this.cache.delete(ref)) this.bytes -= this.sizeOf(ref);
  }

  private async read(ref: number): Promise<Numbers> {
    const spec = this.specs[ref]!;
    const bytes = spec[2] ? await this.fetchBytes(ref) : new Uint8Array();
    return decodeIntegers(bytes, spec);
  }

  async texts(refs: TextRefs): Promise<Texts> {
    const spec = this.specs[refs.text]!;
    const lengths = await this.integers(refs.length);
    let bytes: Uint8Array;
    if (spec[2] === 1 && spec[1] === 0) bytes = await this.fetchBytes(refs.text);
    else bytes = Uint8Array.from(await this.integers(refs.text));
    return new Texts(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), lengths);
  }

  async dictionary(refs: DictionaryRefs): Promise<Dictionary> {
    const [values, index] = await Promise.all([this.texts(refs), this.integers(refs.index)]);
    return new Dictionary(values, index);
  }
}
