// Names as text: isolated from the text around them, with nothing in them that is invisible.

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function reveal(character: string): string {
  const code = character.codePointAt(0)!;
  return code < 32 ? String.fromCharCode(0x2400 + code) : `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** A name without control characters and marks that change the direction of text. */
export const readable = (name: string): string => name.replace(HIDDEN, reveal);

const LONG = 2000;

export function Name({ name, full = false }: { name: string; full?: boolean }) {
  const text = readable(name);
  const shown = full || text.length <= LONG ? text : `${text.slice(0, LONG)}…`;
  return <bdi>{shown}</bdi>;
}

const END = 20;

/** A name of which the middle is cut where there is too little space: its end tells it from its neighbours. */
export function NameWithEnd({ name }: { name: string }) {
  const [slash, underscore] = ["/", "_"].map((mark) => name.indexOf(mark, name.length - END)) as [number, number];
  const last = slash < 0 ? name.lastIndexOf("/") : slash;
  const word = name.length > END ? underscore : -1;
  const at = [last, word, name.search(/[A-Z][a-z0-9]*$/)].find((position) => position > 0);
  if (at === undefined) return <Name name={name} />;
  return <span class="ends"><Name name={name.slice(0, at)} /><Name name={name.slice(at)} /></span>;
}
