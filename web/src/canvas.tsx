// A canvas that draws itself again when its size, the theme or what it shows changes.

import { useEffect, useRef } from "preact/hooks";
import { effect } from "@preact/signals";
import { themeChanges } from "./theme";
import type { CanvasHTMLAttributes } from "preact";

export const FONT = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

export type Draw = (context: CanvasRenderingContext2D, width: number, height: number) => void;

export function Canvas({ draw, height, label, ...rest }: {
  draw: Draw;
  height: number;
  label: string;
} & Omit<CanvasHTMLAttributes<HTMLCanvasElement>, "height" | "label">) {
  const ref = useRef<HTMLCanvasElement>(null);
  const latest = useRef(draw);
  latest.current = draw;
  const paint = useRef(() => {});
  useEffect(() => {
    const canvas = ref.current!;
    let frame = 0;
    paint.current = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const width = canvas.clientWidth;
        const tall = canvas.clientHeight;
        const ratio = devicePixelRatio || 1;
        if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(tall * ratio)) {
          canvas.width = Math.round(width * ratio);
          canvas.height = Math.round(tall * ratio);
        }
        const context = canvas.getContext("2d")!;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, width, tall);
        context.font = FONT;
        context.textBaseline = "middle";
        latest.current(context, width, tall);
      });
    };
    const observer = new ResizeObserver(() => paint.current());
    observer.observe(canvas);
    const stop = effect(() => {
      void themeChanges.value;
      paint.current();
    });
    return () => {
      observer.disconnect();
      stop();
      cancelAnimationFrame(frame);
    };
  }, []);
  useEffect(() => paint.current());
  const named = label ? { role: "img" as const, "aria-label": label } : { "aria-hidden": true };
  return <canvas ref={ref} {...named} style={{ height: `${height}px` }} {...rest} />;
}

/** An op type and as much of the end of a name as fits, which tells it from its neighbours. */
export function fitNode(context: CanvasRenderingContext2D, op: string, name: string, width: number): string {
  const text = `${op} · ${name}`;
  const whole = fitText(context, text, width);
  if (whole === text) return whole;
  const start = `${op} · `;
  const end = fitText(context, name, width - context.measureText(start).width, true);
  return end ? start + end : fitText(context, op, width);
}

const LEAST = 6;
let charWidth = 0;
/** As much of a text as fits, its end cut unless `keepEnd`; nothing if too little would be left. */
export function fitText(context: CanvasRenderingContext2D, text: string, width: number, keepEnd = false): string {
  charWidth ||= context.measureText("0".repeat(100)).width / 100;
  const fitting = Math.floor(width / charWidth);
  if (fitting < 1) return "";
  const isPlain = /^[\x20-\x7e]*$/.test(text);
  if (isPlain && text.length <= fitting) return text;
  if (fitting < LEAST) return "";
  if (isPlain) return keepEnd ? `…${text.slice(1 - fitting)}` : `${text.slice(0, fitting - 1)}…`;
  if (text.length <= fitting && context.measureText(text).width <= width) return text;
  const characters = Array.from(text).slice(0, fitting);
  while (characters.length && context.measureText(`${characters.join("")}…`).width > width) characters.pop();
  return characters.length ? `${characters.join("")}…` : "";
}
