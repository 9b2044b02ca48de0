import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { doubling, NEIGHBOURS, type Wish } from "../src/neighbours";

const everything = (): boolean => true;

describe("extensions that list each key a second time", () => {
  it("are those that are here, as long as their settings are as they come", () => {
    const here = (id: string): boolean => id === "James-Yu.latex-workshop";

    assert.deepEqual(doubling(here, () => 5).map(({ name }) => name), ["LaTeX Workshop"]);
    assert.deepEqual(doubling(() => false, () => 5), []);
  });

  it("are none once their settings are what is asked of them", () => {
    assert.deepEqual(doubling(everything, ({ value }: Wish) => value), []);
    assert.equal(doubling(everything, () => undefined).length, NEIGHBOURS.length);
  });

  it("are asked to hide kinds of items in LaTeX alone", () => {
    const kinds = NEIGHBOURS.flatMap(({ wishes }) => wishes).filter(({ name }) =>
      name.startsWith("editor."),
    );

    assert.ok(kinds.length > 0);
    assert.ok(kinds.every(({ language }) => language === "latex"));
    // The kind of this extension's own items.
    assert.ok(kinds.every(({ name }) => name !== "editor.suggest.showReferences"));
  });
});
