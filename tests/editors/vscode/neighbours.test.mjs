/** Beside other extensions that complete keys: each key is listed once, and it is ours. */

import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";
import { latexWorkshop, texlab } from "./neighbours.mjs";
import { demo, openAlone, unavailable } from "./workplace.mjs";

const FILES = demo();
const OFFER = "so each of them is listed twice";

const KEY = "gururangan2020dont";
const TYPED = "gururangan";

/** How often the key is listed where its beginning is typed, once that does not change. */
async function timesListed(editor) {
  await editor.putCursorBehind("paper.tex", "plenty or few \\citep{");
  await editor.type(TYPED);
  await editor.suggestsFirst(KEY);
  const keys = await editor.settled(() => editor.suggestionLabels());
  await editor.picture(`beside-${keys.filter((key) => key === KEY).length}`);
  await editor.press("Escape", ...Array.from(TYPED, () => "Backspace"));
  return keys.filter((key) => key === KEY).length;
}

/** The items that are listed where a command is written. */
async function listedElsewhere(editor) {
  await editor.putCursorBehind("paper.tex", "Rare words deserve a remark.");
  await editor.type(" \\from");
  await editor.suggestions.first().waitFor();
  const labels = await editor.settled(() => editor.suggestionLabels());
  await editor.press("Escape", ...Array.from(" \\from", () => "Backspace"));
  return labels;
}

/** The user's settings, as text: while VS Code writes them, the file is empty or holds a part. */
function userSettings(root) {
  return fs.readFileSync(path.join(root, "user", "User", "settings.json"), "utf8");
}

for (const [name, neighbour, lastSetting] of [
  ["LaTeX Workshop", latexWorkshop, "latex-workshop.hover.citation.enabled"],
  ["TexLab", texlab, "editor.suggest.showUnits"],
]) {
  describe(`beside ${name}`, { skip: unavailable }, () => {
    it("keys are listed twice until they are left to cite-lsp, as it offers", async () => {
      const place = await openAlone(FILES, "paper.tex", { neighbours: [neighbour] });
      const { editor, root } = place;
      try {
        await editor.toast(OFFER).waitFor();
        await editor.isReady();
        assert.equal(await timesListed(editor), 2);

        // It has gone from the corner by now; the list of messages keeps it.
        await editor.command("Notifications: Show Notifications");
        const messages = editor.page.locator(".notifications-center");
        await messages.getByRole("button", { name: "Let cite-lsp List Them" }).click();
        if (neighbour === latexWorkshop) {
          const loaded = editor.page.waitForEvent("load");
          await editor.toast("drops the keys").getByRole("button", { name: "Reload Window" }).click();
          await loaded;
          // The server's state is shown for the editor that has the focus.
          await editor.focus("paper.tex");
          await editor.isReady();
        }

        await editor.until(() => userSettings(root).includes(lastSetting), `${lastSetting} is set`);
        await editor.settled(() => [userSettings(root)]);
        assert.equal(await timesListed(editor), 1);
        assert.ok((await listedElsewhere(editor)).includes("fromNeighbour"));
        assert.equal(await editor.toast(OFFER).count(), 0);
      } catch (error) {
        await editor.picture(`not-${neighbour.manifest.name}`);
        throw error;
      } finally {
        await place.close();
      }
    });
  });
}
