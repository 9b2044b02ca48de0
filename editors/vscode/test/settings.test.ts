import assert from "node:assert/strict";
import { describe, it } from "node:test";
import manifest from "../package.json";
import { chosenSettings, settingNames, type Inspection } from "../src/settings";

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

    const chosen = chosenSettings(Object.keys(inspections), (name) => inspections[name]);

    assert.deepEqual(chosen, {
      encoder: "minilm",
      completion: { limit: 20 },
      codeLens: { enabled: false },
      bibliography: [],
    });
  });

  it("do not hold those of the extension itself", () => {
    const chosen = chosenSettings(["server.path", "suggest.enabled", "trace.server"], () => ({
      globalValue: "off",
    }));

    assert.deepEqual(chosen, { trace: { server: "off" } });
  });

  it("are all that the manifest has", () => {
    const names = settingNames(manifest);

    assert.ok(names.includes("server.path"));
    assert.ok(names.includes("diagnostics.unknownKey"));
  });
});
