import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { LogOutputChannel } from "vscode";
import { launched, Server } from "../src/server";
import { LanguageClient, State } from "./fakes/languageclient";
import { log, state } from "./fakes/vscode";

const newServer = (): Server =>
  new Server(() => Promise.resolve({ file: "/bin/cite-lsp" }), log as unknown as LogOutputChannel);

describe("a program", () => {
  const file = "C:\\My Tools\\cite-lsp.cmd";

  it("that is a batch file is started by the shell of Windows, in quotes", () => {
    const variables = { PYTHONPATH: undefined };

    assert.deepEqual(launched({ file, variables }, "win32"), {
      command: `"${file}"`,
      args: ["serve"],
      options: { env: variables, shell: true },
    });
  });

  it("that is none is started as it stands", () => {
    for (const [name, platform] of [
      ["C:\\My Tools\\cite-lsp.exe", "win32"],
      ["/opt/cite-lsp.cmd", "linux"],
    ] as const) {
      assert.deepEqual(launched({ file: name }, platform), {
        command: name,
        args: ["serve"],
        options: {},
      });
    }
  });
});

describe("the server", () => {
  beforeEach(() => {
    LanguageClient.made.length = 0;
    LanguageClient.ready = Promise.resolve();
    state.trusted = true;
    state.settings = {};
    state.ofWorkspace = {};
  });

  it("is told whether the workspace is trusted", async () => {
    const server = newServer();
    for (const trusted of [false, true]) {
      state.trusted = trusted;
      await server.restart();

      assert.deepEqual(LanguageClient.made.at(-1)?.initializationOptions, { trusted });
    }
  });

  it("is told at the start what is the writer's own alone", async () => {
    state.settings = { corpora: ["acl"], "remote.token": "user:secret", "completion.limit": 9 };
    state.ofWorkspace = { corpora: ["milvus+https://attacker.example/all"], encoder: "./model" };

    await newServer().restart();

    const told = LanguageClient.made.at(-1)?.initializationOptions;
    assert.deepEqual(told, { trusted: true, corpora: ["acl"], remote: { token: "user:secret" } });
  });

  /** The states of all clients once `work`, begun while the last one is being started, is done. */
  const statesAfter = async (begin: () => void, work: () => Promise<void>): Promise<State[]> => {
    let ready: () => void = () => assert.fail("nothing waits");
    LanguageClient.ready = new Promise((resolve) => {
      ready = resolve;
    });
    begin();
    await new Promise(setImmediate);
    const done = work();
    await new Promise(setImmediate);
    ready();
    await done;
    return LanguageClient.made.map((client) => client.state);
  };

  it("is stopped, even while it is being started", async () => {
    const server = newServer();

    const states = await statesAfter(
      () => void server.restart(),
      () => server.stop(),
    );

    assert.deepEqual([states, server.condition.kind], [[State.Stopped], "stopped"]);
  });

  it("is stopped before another is started, even while it starts again by itself", async () => {
    const server = newServer();
    await server.restart();

    const states = await statesAfter(
      () => LanguageClient.made[0]?.crash(),
      () => server.restart(),
    );

    assert.deepEqual(states, [State.Stopped, State.Running]);
  });

  it("can be started although it could not be looked for the time before", async () => {
    let attempts = 0;
    const locate = (): Promise<{ file: string }> =>
      attempts++ === 0 ? Promise.reject(new Error("no disk")) : Promise.resolve({ file: "/cite-lsp" });
    const server = new Server(locate, log as unknown as LogOutputChannel);
    await assert.rejects(server.restart(), /no disk/);

    await server.restart();

    assert.ok(server.isRunning);
  });

  it("gives way to another program once one is found, and to nothing else", async () => {
    const finds = ["nowhere", "/a/cite-lsp", "/a/cite-lsp", "nowhere", "/b/cite-lsp"];
    const locate = (): Promise<{ file: string } | { missing: string }> => {
      const file = finds[0] ?? "nowhere";
      return Promise.resolve(file === "nowhere" ? { missing: "it is nowhere" } : { file });
    };
    const server = new Server(locate, log as unknown as LogOutputChannel);
    await server.restart();
    const running: unknown[] = [];

    for (; finds.length > 0; finds.shift()) {
      await server.relocate();
      running.push(server.isRunning && LanguageClient.made.at(-1)?.program.command);
    }

    const [a, b] = ["/a/cite-lsp", "/b/cite-lsp"];
    assert.deepEqual(running, [false, a, a, a, b]);
    assert.equal(LanguageClient.made.length, 2);
  });
});
