import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answersAnew, presentation, type Condition } from "../src/condition";
import type { Status } from "../src/protocol";

const running = (state: "preparing" | "indexing" | "ready" | "error", message = "") =>
  presentation({ kind: "running", status: { state, message }, version: "cite-lsp 0.1.0" });

describe("the status item", () => {
  it("is busy while the writer waits for something, and says for what", () => {
    assert.ok(presentation({ kind: "starting" }).busy);
    assert.ok(presentation({ kind: "installing" }).busy);
    assert.ok(running("preparing").busy);
    const indexing = running("indexing", "12,300 of 68,784 papers");
    assert.deepEqual([indexing.busy, indexing.detail], [true, "12,300 of 68,784 papers"]);
  });

  it("is calm once all is ready, and names the version", () => {
    const { text, detail, severity, busy } = running("ready");

    assert.deepEqual([text, detail, severity, busy], ["Ready", "cite-lsp 0.1.0", "information", false]);
  });

  it("offers what helps", () => {
    const missing = presentation({ kind: "notFound", message: "it is nowhere" });
    assert.deepEqual([missing.severity, missing.action], ["warning", "install"]);
    assert.equal(presentation({ kind: "failed", message: "no" }).action, "restart");
    assert.equal(running("error", "words only").action, "log");
  });
});

describe("answers", () => {
  const stopped: Condition = { kind: "stopped" };
  const starting: Condition = { kind: "starting" };
  const tells = (state?: Status["state"], message = ""): Condition => ({
    kind: "running",
    status: state && { state, message },
    version: "",
  });

  it("are others once the server runs, is ready, ranks by words only, or is gone", () => {
    for (const [before, now] of [
      [starting, tells()],
      [starting, tells("preparing")],
      [tells(), tells("ready")],
      [tells("preparing"), tells("ready")],
      [tells("indexing", "2 of 2 papers"), tells("ready")],
      [tells("ready"), tells("error", "no encoder")],
      [tells("ready"), stopped],
    ] as const) {
      assert.ok(answersAnew(before, now), `${JSON.stringify(before)} ${JSON.stringify(now)}`);
    }
  });

  it("are the same while it tells how far it is", () => {
    for (const [before, now] of [
      [tells("ready"), tells("indexing", "1 of 2 papers")],
      [tells("indexing", "1 of 2 papers"), tells("indexing", "2 of 2 papers")],
      [tells("ready"), tells("preparing")],
      [tells("ready"), tells("ready", "again")],
      [starting, starting],
    ] as const) {
      assert.ok(!answersAnew(before, now), `${JSON.stringify(before)} ${JSON.stringify(now)}`);
    }
  });
});
