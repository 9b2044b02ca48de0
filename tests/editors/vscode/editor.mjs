/** VS Code as a writer sees it: keys go in, and what stands on the screen or the disk comes out. */

import * as fs from "node:fs";
import * as path from "node:path";

const PATIENCE = 30_000;
const LIBRARY_PATIENCE = 120_000;

export class Editor {
  constructor(page, folder, screenshots) {
    this.page = page;
    this.folder = folder;
    this.screenshots = screenshots;
    page.setDefaultTimeout(PATIENCE);
  }

  /** Wait until a file is open and its text has the focus. */
  async shows(name, patience = PATIENCE) {
    const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`);
    await tab.waitFor({ timeout: patience });
    await this.page.locator(".monaco-editor .view-line").first().click();
  }

  /** Go to a file that is open, wherever its text is scrolled to. */
  async focus(name) {
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).click();
  }

  /** Wait until the server has read the library of the draft that is open. */
  async isReady(patience = LIBRARY_PATIENCE) {
    const ready = "[id='status.languageStatus'][aria-label*='cite-lsp: Ready']";
    await this.page.locator(ready).waitFor({ timeout: patience });
  }

  press(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  /** Type as fast as `delay` milliseconds between two keys allow. */
  type(text, delay = 30) {
    return this.page.keyboard.type(text, { delay });
  }

  /** Put the cursor behind the first `text` of the file that is open. */
  async putCursorBehind(name, text) {
    const content = this.read(name);
    const offset = content.indexOf(text);
    if (offset < 0) {
      throw new Error(`${name} does not hold ${text}`);
    }
    await this.press("Escape");
    const before = content.slice(0, offset + text.length).split("\n");
    await this.goTo(before.length, before.at(-1).length + 1);
  }

  /** Put the cursor at a line and a column, both from 1. */
  async goTo(line, column) {
    await this.press("Control+g");
    const input = this.page.locator(".quick-input-widget:visible input");
    await input.fill(`:${line}:${column}`);
    await this.press("Enter");
    await input.waitFor({ state: "hidden" });
    await this.page.locator("[id='status.editor.selection']", { hasText: `Ln ${line},` }).waitFor();
    await this.page.locator(".part.editor .monaco-editor.focused").waitFor();
  }

  /** Run a command by its title in the command palette. */
  async command(title) {
    await this.press("F1");
    const input = this.page.locator(".quick-input-widget:visible input");
    await input.fill(`>${title}`);
    await this.page
      .locator(".quick-input-list .monaco-list-row", { hasText: title })
      .first()
      .waitFor();
    await this.press("Enter");
  }

  /** Open a file of the folder in the group of editors that is active. */
  async openFile(name) {
    await this.press("Control+p");
    const input = this.page.locator(".quick-input-widget:visible input");
    // By its whole path: nothing need be searched for.
    await input.fill(path.join(this.folder, name));
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
    await this.press("Enter");
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  }

  /** A message in the corner of the window. */
  toast(text) {
    return this.page.locator(".notification-toast", { hasText: text });
  }

  get suggestions() {
    return this.page.locator(".suggest-widget.visible .monaco-list-row");
  }

  /** Wait until the list of suggestions is led by `label`. */
  async suggestsFirst(label) {
    try {
      await this.suggestions.first().filter({ hasText: label }).waitFor();
    } catch (error) {
      throw new Error(`the list is not led by ${label}: ${await this.whatStands()}`, { cause: error });
    }
  }

  /** Ask for suggestions until `reason` is among what is said of the first: the server may still be reading. */
  async suggestsBecause(reason) {
    const details = this.page.locator(".suggest-details-container");
    const comes = (locator) => locator.waitFor({ timeout: 2000 }).then(() => true, () => false);
    const end = Date.now() + PATIENCE;
    while (Date.now() < end) {
      await this.press("Control+Space");
      await this.settledTitles();
      // Once opened, details come by themselves, with later lists, too.
      if (!(await comes(details))) {
        await this.press("Control+Space");
      }
      if (await comes(details.filter({ hasText: reason }))) {
        return;
      }
      await this.press("Escape");
    }
    throw new Error(`nothing says ${reason}: ${await this.whatStands()}`);
  }

  /** What is listed, where the cursor is, and what has the focus; for errors. */
  async whatStands() {
    const shown = (locator) => locator.allInnerTexts();
    const [labels, places, states] = await Promise.all([
      this.suggestionLabels(),
      shown(this.page.locator("[id='status.editor.selection']")),
      this.page
        .locator("[id='status.languageStatus']")
        .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
    ]);
    const focus = await this.page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
    return JSON.stringify({ labels, places, states, focus });
  }

  async suggestionLabels() {
    return this.suggestions.locator(".label-name").allInnerTexts();
  }

  /** What the list says of its items, once it has not changed for a while. */
  async settledTitles() {
    await this.suggestions.first().waitFor();
    return this.settled(() => this.suggestions.locator(".signature-label").allInnerTexts());
  }

  /** The result of `read` once it has been the same for a second. */
  async settled(read) {
    let lines = await read();
    for (let same = 0; same < 5; ) {
      await this.page.waitForTimeout(200);
      const now = await read();
      same = now.join("\n") === lines.join("\n") ? same + 1 : 0;
      lines = now;
    }
    return lines;
  }

  /** Wait until `holds` returns true; `what` says in an error what did not come. */
  async until(holds, what) {
    const end = Date.now() + PATIENCE;
    while (!holds()) {
      if (Date.now() > end) {
        throw new Error(`after ${PATIENCE / 1000} s it still does not hold that ${what}`);
      }
      await this.page.waitForTimeout(200);
    }
  }

  /** Write as an input method does: what is being composed is replaced until it is chosen. */
  async compose(stages, chosen) {
    const session = await this.page.context().newCDPSession(this.page);
    for (const text of stages) {
      const end = text.length;
      await session.send("Input.imeSetComposition", { text, selectionStart: end, selectionEnd: end });
      await this.page.waitForTimeout(100);
    }
    await session.send("Input.insertText", { text: chosen });
    await session.detach();
  }

  /** Choose from the actions that are offered at the cursor. */
  async codeAction(title) {
    // A moment after the cursor has moved VS Code asks by itself, and drops what was asked meanwhile.
    await this.page.waitForTimeout(1000);
    await this.press("Control+.");
    const action = this.page.locator(".action-widget .monaco-list-row", { hasText: title }).first();
    await action.waitFor();
    await this.picture("code-actions");
    const focused = this.page.locator(".action-widget .monaco-list-row.focused");
    while (!(await focused.innerText()).includes(title)) {
      await this.press("ArrowDown");
    }
    await this.press("Enter");
  }

  /** Go to the side view, and wait until it shows the papers for where the cursor was. */
  async openSideView() {
    await this.command("Citations: Focus on For This Sentence View");
    await this.papers.first().waitFor();
    await this.settled(() => this.papers.allInnerTexts());
  }

  /** The papers of the side view, in order. */
  get papers() {
    return this.page.locator(".pane-body [role='treeitem'][aria-level='1'][aria-label*=' of ']");
  }

  /** Drag something into the line that holds `text`; VS Code drops into a text with Shift held. */
  async drag(what, text) {
    const line = this.page.locator(".view-line", { hasText: text });
    const [from, to] = [await what.boundingBox(), await line.boundingBox()];
    const { mouse, keyboard } = this.page;
    await mouse.move(from.x + 20, from.y + 8);
    await mouse.down();
    await mouse.move(from.x + 60, from.y + 20, { steps: 5 });
    await mouse.move(to.x + 100, to.y + 10, { steps: 15 });
    await keyboard.down("Shift");
    await mouse.move(to.x + 110, to.y + 10, { steps: 5 });
    await this.page.waitForTimeout(500);
    await mouse.up();
    await keyboard.up("Shift");
  }

  /** Save until the file holds a text or a pattern, and return all of it. */
  async saved(name, wanted) {
    const holds = (text) => (wanted instanceof RegExp ? wanted.test(text) : text.includes(wanted));
    const end = Date.now() + PATIENCE;
    while (Date.now() < end) {
      await this.press("Control+s");
      await this.page.waitForTimeout(300);
      const text = this.read(name);
      if (holds(text)) {
        return text;
      }
    }
    await this.picture("not-saved");
    throw new Error(`${name} does not come to hold ${wanted}`);
  }

  read(name) {
    return fs.readFileSync(path.join(this.folder, name), "utf8");
  }

  /** Keep a picture of the window. */
  async picture(name) {
    fs.mkdirSync(this.screenshots, { recursive: true });
    const file = path.join(this.screenshots, `${name}.png`);
    await this.page.screenshot({ path: file });
    return file;
  }
}
