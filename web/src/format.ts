// Numbers as people read them, digit for digit as tfprof.definitions.units writes them.

export type Unit = "number" | "time" | "memory";
export type Scales = Record<string, [string, number][]>;

let scales: Scales = {
  number: [["", 1], ["k", 1e3], ["m", 1e6], ["b", 1e9]],
  time: [["us", 1], ["ms", 1e3], ["sec", 1e6]],
  memory: [["B", 1], ["KB", 1e3], ["MB", 1e6]],
};

export function setScales(given: Scales): void {
  scales = given;
}

const LARGEST = 2n ** 63n - 1n;
const EXPONENT = 1e21;
// The hundredths of n + 1/8, n + 3/8, n + 5/8 and n + 7/8 to the nearest even one, as Python rounds.
const TIES: Record<number, string> = { 1: "12", 3: "38", 5: "62", 7: "88" };

/** Two decimals of a positive double, ties to even. `toFixed` rounds ties up. */
export function fixed2(value: number): string {
  if (value >= EXPONENT) return `${BigInt(value)}.00`;
  const eighths = (value % 1) * 8;
  const cents = TIES[eighths];
  return cents === undefined ? value.toFixed(2) : `${Math.floor(value)}.${cents}`;
}

/** One decimal of a positive double, ties to even. */
export function fixed1(value: number): string {
  const quarters = (value % 1) * 4;
  if (quarters === 1) return `${Math.floor(value)}.2`;
  if (quarters === 3) return `${Math.floor(value)}.8`;
  return value.toFixed(1);
}

/** The double nearest to a quotient of integers. */
function divide(value: bigint, size: number): number {
  if (value <= LARGEST) return Number(value) / size;
  const shifted = value << 64n;
  const quotient = shifted / BigInt(size);
  // An odd last bit stands for what is left, so that a tie is seen to be none.
  const rest = shifted % BigInt(size) ? 1n : 0n;
  return Number(quotient | rest) / 2 ** 64;
}

export function format(value: number | bigint, unit: Unit): string {
  const levels = scales[unit]!;
  for (let i = levels.length - 1; i > 0; i--) {
    const [name, size] = levels[i]!;
    if (value >= size) {
      const quotient = typeof value === "bigint" ? divide(value, size) : value / size;
      return fixed2(quotient) + name;
    }
  }
  return `${value}${levels[0]![0]}`;
}

export function percent(part: number, whole: number): string {
  if (!whole) return "";
  const share = (100 * part) / whole;
  return share < 0 ? `-${fixed1(-share)}%` : `${fixed1(share)}%`;
}

/** All digits, in groups of three. */
export function exact(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}
