import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { LogOutputChannel, Uri } from "vscode";
import type { Condition } from "../src/condition";
import { Installer } from "../src/installer";
import { environmentInUse } from "../src/ownEnvironment";
import { log, state, window } from "./fakes/vscode";

/** Makes environments that hold itself, and installs a file with the package's name as the server. */
const PYTHON = `#!/bin/sh
for last; do :; done
case "$*" in
  *"-m venv --clear"*) rm -rf "$last" && mkdir -p "$last/bin" && cp "$0" "$last/bin/python" ;;
  *"-m pip install"*)
    case "$last" in
      offline) echo "no network" >&2; exit 1 ;;
      another) ;;
      endless) exec sleep 60 ;;
      *) echo "$last" >"\${0%/*}/cite-lsp" && chmod +x "\${0%/*}/cite-lsp" ;;
    esac ;;
esac
`;

describe("the server is installed", { skip: process.platform === "win32" }, () => {
  const { PATH } = process.env;
  let storage: string;
  let condition: Condition;
  let shown: string[];
  let installer: Installer;

  beforeEach(() => {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), "cite-lsp-install-"));
    fs.writeFileSync(path.join(root, "python3"), PYTHON, { mode: 0o755 });
    process.env.PATH = [root, PATH].join(path.delimiter);
    storage = path.join(root, "storage");
    condition = { kind: "notFound", message: "it is nowhere" };
    shown = [];
    window.errors = [];
    window.dialogs = [];
    window.folder = undefined;
    window.onProgress = undefined;
    const server = {
      get condition(): Condition {
        return condition;
      },
      set(now: Condition): void {
        condition = now;
        shown.push(now.kind);
      },
      restart(): Promise<void> {
        shown.push(`started ${installed() ?? "nothing"}`);
        condition = { kind: "running", status: undefined, version: "" };
        return Promise.resolve();
      },
    };
    const uri = { fsPath: storage } as Uri;
    installer = new Installer(server, uri, log as unknown as LogOutputChannel);
  });

  afterEach(() => {
    process.env.PATH = PATH;
    state.settings = {};
    fs.rmSync(path.dirname(storage), { recursive: true });
  });

  /** The package that the server would be started from. */
  const installed = (): string | undefined => {
    const program = path.join(environmentInUse(storage), "bin", "cite-lsp");
    return fs.existsSync(program) ? fs.readFileSync(program, "utf8").trim() : undefined;
  };
  const install = async (name = ""): Promise<void> => {
    state.settings = { "server.package": name };
    await installer.run();
  };

  it("and started", async () => {
    await install("cite-lsp==1");

    assert.deepEqual(shown, ["installing", "started cite-lsp==1"]);
  });

  it("anew beside one that runs, which makes way once the new one is there", async () => {
    await install("cite-lsp==1");
    shown.length = 0;

    await install("cite-lsp==2");

    assert.deepEqual(shown, ["started cite-lsp==2"]);
    const left = fs.readdirSync(storage).filter((name) => name !== "environment-in-use");
    assert.deepEqual(left, [path.basename(environmentInUse(storage))]);
  });

  it("once, however often that is asked for meanwhile", async () => {
    await Promise.all([install("cite-lsp==1"), install("cite-lsp==1")]);

    assert.deepEqual(shown, ["installing", "started cite-lsp==1"]);
  });

  it("from the folder of a checkout that is asked for where the settings name no package", async () => {
    window.folder = "/checkout";

    await install();

    assert.deepEqual(window.dialogs, ["Folder of the cite-lsp Checkout"]);
    assert.deepEqual(shown, ["installing", "started /checkout"]);
  });

  it("or not, where no folder is chosen", async () => {
    await install();

    assert.deepEqual([window.dialogs.length, shown, installed()], [1, [], undefined]);
  });

  it("without asking where the settings name a package", async () => {
    await install("cite-lsp==1");

    assert.deepEqual(window.dialogs, []);
  });

  for (const [name, told] of [
    ["offline", /no network$/],
    ["another", /another does not hold the server/],
  ] as const) {
    it(`or else (${name}) the one that was there goes on, and the writer is told`, async () => {
      await install("cite-lsp==1");
      shown.length = 0;

      await install(name);

      assert.deepEqual([installed(), shown, condition.kind], ["cite-lsp==1", [], "running"]);
      assert.equal(window.errors.length, 1);
      assert.match(window.errors[0] ?? "", told);
    });
  }

  it("or called off, and the one that was there goes on", async () => {
    await install("cite-lsp==1");
    shown.length = 0;
    window.onProgress = (message, cancel) => {
      if (message.startsWith("installing")) {
        setTimeout(cancel, 50);
      }
    };

    await install("endless");

    assert.deepEqual([installed(), shown, window.errors], ["cite-lsp==1", [], []]);
  });

  it("or not, and what was shown before is shown again", async () => {
    await install("offline");

    assert.deepEqual([shown, installed()], [["installing", "notFound"], undefined]);
    assert.deepEqual(fs.readdirSync(storage), []);
  });

  it("or not, and a server that was being started meanwhile is none of its business", async () => {
    condition = { kind: "starting" };

    await install("offline");

    assert.deepEqual(shown, []);
  });
});
