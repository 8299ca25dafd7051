// A store as tfprof.fleet.page writes it: charts of each job, and the answers to all questions.

import { fromBase64, gunzip } from "../blocks";
import type { Scales } from "../format";

export interface Measure {
  name: string;
  help: string;
  /** Which value of a cell with several workers and steps is shown. */
  shown: string;
  /** For each quantile its value in each column. */
  bands: number[][];
  /** Row by row; -1 where no step was traced. */
  cells: number[];
  centre: number;
  /** The distance from the centre at which the colour is strongest. */
  span: number;
  legend: [less: string, middle: string, more: string];
}
export interface Traffic {
  rows: string[];
  columns: string[];
  bytes: number[];
  sizes: string[];
  texts: string[];
  total: string;
  note: string;
}
export interface Job {
  name: string;
  about: string;
  /** The first and the last step of each column. */
  columns: [first: number, last: number][];
  rows: string[];
  note: string;
  measures: Measure[];
  traffic: Traffic | null;
}
export interface Column { name: string; isNumber: boolean; cells: string[] }
export interface Answer {
  name: string;
  help: string;
  command: string;
  findings: string[];
  nothing: string;
  notes: string[];
  columns: Column[];
  /** The rows that stand out. */
  marked: boolean[];
}
export interface Page {
  scales: Scales;
  percents: number[];
  command: string;
  notes: string[];
  jobs: Job[];
  answers: Answer[];
}

export async function readPage(): Promise<Page> {
  const text = document.getElementById("page")!.textContent!;
  return JSON.parse(new TextDecoder().decode(await gunzip(fromBase64(text)))) as Page;
}

export const stepText = ([first, last]: [number, number]): string =>
  first === last ? `step ${first}` : `steps ${first} to ${last}`;
