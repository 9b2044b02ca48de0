import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Uri } from "vscode";
import { surroundings, watchInterpreter } from "../src/environment";
import { EventEmitter, granted, state } from "./fakes/vscode";

const STORAGE = { fsPath: "/storage" } as Uri;

describe("the program that a setting names", () => {
  afterEach(() => {
    state.trusted = true;
    state.settings = state.ofWorkspace = {};
  });

  it("is the writer's choice, and never the workspace's", async () => {
    state.ofWorkspace = { "server.path": "./evil" };
    assert.equal((await surroundings(STORAGE)).setting, "");

    state.settings = { "server.path": "/opt/cite-lsp" };
    assert.equal((await surroundings(STORAGE)).setting, "/opt/cite-lsp");
  });

  it("is looked for in the workspace once that is trusted", async () => {
    const folders = [];
    for (state.trusted of [false, true]) {
      folders.push((await surroundings(STORAGE)).folder);
    }

    assert.deepEqual(folders, [undefined, "/the folder"]);
  });
});

describe("the selected Python", () => {
  let selected: EventEmitter<undefined>;
  let python: string;
  let activations: number;
  let watching: { dispose: () => unknown } | undefined;

  beforeEach(() => {
    selected = new EventEmitter();
    python = "/envs/one/bin/python";
    activations = 0;
    const environments = {
      onDidChangeActiveEnvironmentPath: selected.event,
      getActiveEnvironmentPath: () => ({ path: python }),
      resolveEnvironment: ({ path }: { path: string }) =>
        Promise.resolve({ executable: { uri: { fsPath: path } } }),
    };
    state.extension = {
      activate: () => {
        activations++;
        return Promise.resolve({ environments });
      },
    };
  });

  afterEach(() => {
    watching?.dispose();
    state.extension = undefined;
    state.trusted = true;
  });

  const settled = (): Promise<void> => new Promise(setImmediate);

  it("is where the server is looked for, and a selection of another is told", async () => {
    const found: unknown[] = [];
    watching = watchInterpreter(() => found.push(python));
    await settled();

    python = "/envs/two/bin/python";
    selected.fire(undefined);

    assert.deepEqual(found, ["/envs/two/bin/python"]);
    assert.equal((await surroundings(STORAGE)).interpreter, "/envs/two/bin/python");
  });

  it("is left alone until the workspace is trusted", async () => {
    state.trusted = false;
    let changes = 0;
    watching = watchInterpreter(() => changes++);
    await settled();
    assert.equal((await surroundings(STORAGE)).interpreter, undefined);
    assert.equal(activations, 0);

    state.trusted = true;
    granted.fire(undefined);
    await settled();
    selected.fire(undefined);

    assert.equal(changes, 1);
  });

  it("may come of no extension, or of one that fails", async () => {
    for (const extension of [undefined, { activate: () => Promise.reject(new Error("no")) }]) {
      state.extension = extension;
      watchInterpreter(() => assert.fail("nothing was selected")).dispose();
      assert.equal((await surroundings(STORAGE)).interpreter, undefined);
    }
  });
});
