import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { LogOutputChannel } from "vscode";
import { Server } from "../src/server";
import { LanguageClient } from "./fakes/languageclient";
import { log, state } from "./fakes/vscode";

const newServer = (): Server =>
  new Server(() => Promise.resolve({ file: "/bin/cite-lsp" }), log as unknown as LogOutputChannel);

describe("the server", () => {
  beforeEach(() => {
    LanguageClient.made.length = 0;
    state.trusted = true;
  });

  it("is told whether the workspace is trusted", async () => {
    const server = newServer();
    for (const trusted of [false, true]) {
      state.trusted = trusted;
      await server.restart();

      assert.deepEqual(LanguageClient.made.at(-1)?.initializationOptions, { trusted });
    }
  });
});
