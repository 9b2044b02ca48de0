/** The condition that the server is in, and how the language status item words it. */

import type { Status } from "./protocol";

export type Condition =
  | { kind: "starting" }
  | { kind: "installing" }
  | { kind: "notFound"; message: string }
  | { kind: "stopped" }
  | { kind: "failed"; message: string }
  | { kind: "running"; status: Status | undefined; version: string };

export interface Presentation {
  text: string;
  detail: string;
  severity: "information" | "warning" | "error";
  busy: boolean;
  /** What the writer can do about it, by the name of a command. */
  action: "restart" | "install" | "log";
}

/** States in which the server only tells how far it is: it answers as it did before. */
const WORKING = new Set<Status["state"] | undefined>(["preparing", "indexing"]);

/** Whether the server may answer otherwise in a condition than in the one before it. */
export function answersAnew(before: Condition, now: Condition): boolean {
  if (before.kind !== "running" || now.kind !== "running") {
    return before.kind !== now.kind;
  }
  const state = now.status?.state;
  return state !== before.status?.state && !WORKING.has(state);
}

/** Word a condition. */
export function presentation(condition: Condition): Presentation {
  const calm = { detail: "", severity: "information", busy: false, action: "restart" } as const;
  switch (condition.kind) {
    case "starting":
      return { ...calm, text: "Starting", busy: true, action: "log" };
    case "installing":
      return { ...calm, text: "Installing", busy: true, action: "log" };
    case "notFound":
      return {
        ...calm,
        text: "Server not found",
        detail: condition.message,
        severity: "warning",
        action: "install",
      };
    case "stopped":
      return { ...calm, text: "Stopped", severity: "warning" };
    case "failed":
      return { ...calm, text: "Failed", detail: condition.message, severity: "error" };
    case "running":
      return running(condition.status, condition.version, calm);
  }
}

function running(
  status: Status | undefined,
  version: string,
  calm: Omit<Presentation, "text">,
): Presentation {
  switch (status?.state) {
    case undefined:
      // It answers, but has not yet said whether it has read a draft's library.
      return { ...calm, text: "Running", detail: version };
    case "ready":
      return { ...calm, text: "Ready", detail: status.message || version };
    case "preparing":
      return { ...calm, text: "Reading the library", detail: status.message, busy: true };
    case "indexing":
      return { ...calm, text: "Indexing", detail: status.message, busy: true };
    case "error":
      return {
        ...calm,
        text: "Ranking by words only",
        detail: status.message,
        severity: "warning",
        action: "log",
      };
  }
}
