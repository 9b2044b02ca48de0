/** VS Code as a writer sees it: keys go in, and what stands on the screen or the disk comes out. */

import * as fs from "node:fs";
import * as path from "node:path";

const PATIENCE = 30_000;

export class Editor {
  constructor(page, folder, screenshots) {
    this.page = page;
    this.folder = folder;
    this.screenshots = screenshots;
    page.setDefaultTimeout(PATIENCE);
  }

  /** Wait until a file is open and its text has the focus. */
  async shows(name) {
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.page.locator(".monaco-editor .view-line").first().click();
  }

  /** Wait until the server runs. */
  async isReady() {
    const views = this.page.locator(".activitybar a[aria-label^='Citations']");
    await views.waitFor();
    await this.page.waitForFunction(
      () => !document.querySelector(".statusbar .codicon-loading, .statusbar .codicon-sync"),
    );
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

  get suggestions() {
    return this.page.locator(".suggest-widget.visible .monaco-list-row");
  }

  /** Wait until the list of suggestions is led by `label`. */
  async suggestsFirst(label) {
    await this.suggestions.first().filter({ hasText: label }).waitFor();
  }

  async suggestionLabels() {
    return this.suggestions.locator(".label-name").allInnerTexts();
  }

  /** Save, and return what then stands in the file. */
  async saved(name) {
    await this.press("Control+s");
    await this.page.locator(`.tab.dirty[data-resource-name="${name}"]`).waitFor({ state: "detached" });
    return this.read(name);
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
