import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  environmentInUse,
  nextEnvironment,
  removeSpare,
  useEnvironment,
} from "../src/ownEnvironment";

describe("the extension's own environment", () => {
  let storage: string;

  beforeEach(() => {
    storage = fs.mkdtempSync(path.join(os.tmpdir(), "cite-lsp-storage-"));
  });

  afterEach(() => {
    fs.rmSync(storage, { recursive: true });
  });

  const make = (): string => {
    const environment = nextEnvironment(storage);
    fs.mkdirSync(environment, { recursive: true });
    return environment;
  };

  it("is at first made where it is looked for", () => {
    assert.equal(nextEnvironment(storage), environmentInUse(storage));
    assert.equal(environmentInUse(storage), path.join(storage, "environment"));
  });

  it("stays in use until the next one is", () => {
    const first = make();
    const second = make();
    assert.notEqual(second, first);
    assert.equal(environmentInUse(storage), first);

    useEnvironment(storage, second);

    assert.equal(environmentInUse(storage), second);
    assert.equal(nextEnvironment(storage), first);
  });

  it("is alone once the one before it is removed", async () => {
    const first = make();
    const second = make();
    useEnvironment(storage, second);

    await removeSpare(storage);

    assert.deepEqual([fs.existsSync(first), fs.existsSync(second)], [false, true]);
  });

  it("is the first one where nothing sensible says which", () => {
    fs.writeFileSync(path.join(storage, "environment-in-use"), "../elsewhere");

    assert.equal(environmentInUse(storage), path.join(storage, "environment"));
  });
});
