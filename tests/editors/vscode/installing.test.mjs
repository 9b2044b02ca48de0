/** A machine without the server: the extension says so, and installs it where it is asked to. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import { describe, it } from "node:test";
import { open, text, unavailable } from "./workplace.mjs";

const WHEEL = process.env.CITE_LSP_WHEEL;
const FILES = {
  "paper.tex": text("examples", "demo", "paper.tex"),
  "references.bib": text("examples", "demo", "references.bib"),
};
const INSTALL_PATIENCE = 300_000;

describe("where there is no server", { skip: unavailable }, () => {
  it("a wrong setting is named, and nothing else is started in its place", async () => {
    const { editor, close } = await open(FILES, "paper.tex", { serverPath: "/nowhere/cite-lsp" });
    try {
      await editor.toast(/citeLsp\.server\.path is “\/nowhere\/cite-lsp”/).waitFor();
      await editor.picture("not-found");
    } finally {
      await close();
    }
  });

  const skip = WHEEL && fs.existsSync(WHEEL) ? false : "CITE_LSP_WHEEL names no wheel";
  it("“Install” makes an environment of its own, from which it then runs", { skip }, async () => {
    const settings = { "citeLsp.server.package": WHEEL };
    const { editor, root, close } = await open(FILES, "paper.tex", { serverPath: "", settings });
    try {
      await editor.toast(/not installed/).waitFor();
      await editor.page.locator(".notification-toast .monaco-button", { hasText: /^Install$/ }).click();
      await editor.toast(/installing/).waitFor({ timeout: INSTALL_PATIENCE });
      await editor.picture("installing");
      await editor.isReady(INSTALL_PATIENCE);
      const environment = `${root}/user/User/globalStorage/cite-lsp.cite-lsp/environment`;
      assert.ok(fs.existsSync(`${environment}/bin/cite-lsp`));
      await editor.putCursorBehind("paper.tex", "plenty or few \\citep{");
      await editor.type("pretraining");
      await editor.suggestsFirst("gururangan2020dont");
    } finally {
      await editor.picture("installed");
      await close();
    }
  });
});
