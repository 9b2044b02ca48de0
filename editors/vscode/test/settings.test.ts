import assert from "node:assert/strict";
import { describe, it } from "node:test";
import manifest from "../package.json";
import { chosenSettings, settingNames, settingsAtStart, type Inspection } from "../src/settings";

const namesOf = (all: string[], ofMachine: string[] = [], restricted: string[] = []): ReturnType<typeof settingNames> => ({
  all,
  ofMachine: new Set(ofMachine),
  guarded: [...ofMachine, ...restricted],
});

describe("the settings for the server", () => {
  it("are those that were set, nearest first, and no defaults", () => {
    const inspections: Record<string, Inspection & { defaultValue?: unknown }> = {
      encoder: { globalValue: "static", workspaceValue: "minilm" },
      "completion.limit": { globalValue: 20 },
      "hover.style": { defaultValue: "apa" },
      addEntriesTo: { globalValue: "" },
      "codeLens.enabled": { globalValue: true, workspaceFolderValue: false },
      bibliography: { workspaceValue: [] },
    };

    const chosen = chosenSettings(namesOf(Object.keys(inspections)), (name) => inspections[name]);

    assert.deepEqual(chosen, {
      encoder: "minilm",
      completion: { limit: 20 },
      codeLens: { enabled: false },
      bibliography: [],
    });
  });

  it("do not hold those of the extension itself", () => {
    const names = namesOf(["server.path", "suggest.enabled", "trace.server"]);
    const chosen = chosenSettings(names, () => ({ globalValue: "off" }));

    assert.deepEqual(chosen, { trace: { server: "off" } });
  });

  it("are all that the manifest has", () => {
    const { all } = settingNames(manifest);

    assert.ok(all.includes("server.path"));
    assert.ok(all.includes("diagnostics.unknownKey"));
  });

  it("name no program, model or address for a workspace, trusted or not", () => {
    const { ofMachine } = settingNames(manifest);

    assert.deepEqual([...ofMachine].sort(), [
      "corpora",
      "encoder",
      "remote.certificate",
      "remote.token",
      "server.package",
      "server.path",
      "translator",
    ]);
    const inspect = (): Inspection => ({ workspaceValue: "theirs", workspaceFolderValue: "theirs" });
    assert.deepEqual(chosenSettings(namesOf(["corpora"], ["corpora"]), inspect), {});
    assert.deepEqual(settingsAtStart(namesOf(["corpora"], ["corpora"]), inspect), {});
  });

  it("are the writer's own at the start: those that an untrusted workspace does not set", () => {
    const names = namesOf(["encoder", "bibliography", "hover.style", "server.path"], ["encoder", "server.path"], [
      "bibliography",
    ]);

    const told = settingsAtStart(names, () => ({ globalValue: "mine", workspaceValue: "theirs" }));

    assert.deepEqual(told, { encoder: "mine", bibliography: "mine" });
  });

  it("that no untrusted workspace sets are those that read or write elsewhere", () => {
    const { guarded } = settingNames(manifest);

    for (const name of ["addEntriesTo", "bibliography", "hover.style"]) {
      assert.ok(guarded.includes(name));
    }
  });
});
