/** A machine without the server: the extension says so, and installs it where it is asked to. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { describe, it } from "node:test";
import { demo, openAlone, unavailable } from "./workplace.mjs";

const WHEEL = process.env.CITE_LSP_WHEEL;
const FILES = demo();
const INSTALL_PATIENCE = 300_000;

/** The Pythons on PATH that the server runs on, each version once, with a PATH that it leads. */
function pythons() {
  const script =
    "import os, sys, venv, ensurepip; assert sys.version_info >= (3, 11); " +
    "print(*sys.version_info[:3], sep='.'); print(os.path.dirname(sys.executable))";
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const found = new Map();
  for (const folder of folders) {
    const run = spawnSync(path.join(folder, "python3"), ["-c", script], { encoding: "utf8" });
    if (run.status === 0) {
      // The program itself: a shim may stand for another one in another home.
      const [version, own] = run.stdout.trim().split("\n");
      found.set(version, found.get(version) ?? [own, ...folders].join(path.delimiter));
    }
  }
  return [...found];
}

/** A folder as a project may have on PYTHONPATH: with packages of its own that nobody else can use. */
function otherPackages() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cite-lsp-packages-"));
  fs.writeFileSync(path.join(folder, "attrs.py"), "raise SystemExit('not for cite-lsp')\n");
  process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("where there is no server", { skip: unavailable }, () => {
  it("a wrong setting is named, and nothing else is started in its place", async () => {
    const { editor, close } = await openAlone(FILES, "paper.tex", { serverPath: "/nowhere/cite-lsp" });
    try {
      await editor.toast(/citeLsp\.server\.path is “\/nowhere\/cite-lsp”/).waitFor();
      await editor.picture("not-found");
    } finally {
      await close();
    }
  });

  const skip = WHEEL && fs.existsSync(WHEEL) ? false : "CITE_LSP_WHEEL names no wheel";
  for (const [version, search] of pythons()) {
    it(`“Install” makes an environment of Python ${version}, and what it holds completes`, { skip }, async () => {
      const settings = { "citeLsp.server.package": WHEEL };
      // As from a terminal: or VS Code asks the login shell for a PATH, which begins otherwise.
      const environment = { PATH: search, VSCODE_CLI: "1", PYTHONPATH: otherPackages() };
      const { editor, root, close } = await openAlone(FILES, "paper.tex", { serverPath: "", settings, environment });
      try {
        await editor.toast(/not installed/).waitFor();
        await editor.page.locator(".notification-toast .monaco-button", { hasText: /^Install$/ }).click();
        await editor.toast(/installing/).waitFor({ timeout: INSTALL_PATIENCE });
        await editor.picture("installing");
        await editor.isReady(INSTALL_PATIENCE);
        const made = `${root}/user/User/globalStorage/cite-lsp.cite-lsp/environment/pyvenv.cfg`;
        assert.match(fs.readFileSync(made, "utf8"), new RegExp(`^version = ${version}`, "m"));

        await editor.putCursorBehind("paper.tex", "plenty or few \\citep{");
        await editor.type("pretraining adapt");
        await editor.suggestsFirst("gururangan2020dont");
        await editor.picture(`installed-${version}`);
        await editor.press("Enter");

        await editor.saved("paper.tex", "plenty or few \\citep{gururangan2020dont}.");
      } catch (error) {
        await editor.picture(`not-installed-${version}`);
        throw error;
      } finally {
        await close();
      }
    });
  }
});
