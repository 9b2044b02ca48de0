/** Texts of anybody's file as VS Code may show them: nothing in them is obeyed, run or fetched. */

// Controls, and what turns the direction of writing: a key may be read as another.
const MISLEADING = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text in one line, for labels and lists; what would mislead is marked. */
export function plain(text: string): string {
  return text.replace(/\s+/gu, " ").replace(MISLEADING, "\ufffd").trim();
}

/** A text for a notification: VS Code makes links of `[…](…)` there, and runs one to `command:`. */
export function notice(text: string): string {
  return plain(text).replaceAll("](", "] (");
}

/** A text for Markdown that shows it as it is: no link, picture, HTML or entity. */
export function markdown(text: string): string {
  return plain(text).replace(/[\\`*_{}[\]<>#|~$&]/g, "\\$&");
}

/** A link in Markdown to an address on the web. */
export function markdownLink(address: string, text: string): string {
  return `[${markdown(text)}](<${address.replace(/[<>[\]\\\s]/g, encodeURIComponent)}>)`;
}
