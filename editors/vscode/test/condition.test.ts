import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { presentation } from "../src/condition";

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
