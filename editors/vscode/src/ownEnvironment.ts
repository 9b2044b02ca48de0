/**
 * The environment that belongs to this extension alone: one of two folders, in turn.
 *
 * The next one is made beside the one in use, which goes on working should that fail. It cannot be
 * made elsewhere and moved: the programs of an environment name the folder that it was made in.
 */

import * as fs from "node:fs";
import * as path from "node:path";

const FOLDERS = ["environment", "environment-2"] as const;
/** Holds the name of the one in use; without it that is the first. */
const IN_USE = "environment-in-use";

/** Return the environment in `storage` that the server is to be started from; it may not be there. */
export function environmentInUse(storage: string): string {
  return path.join(storage, nameInUse(storage));
}

/** Return the folder that an environment can be made in without harm to the one in use. */
export function nextEnvironment(storage: string): string {
  const inUse = environmentInUse(storage);
  return fs.existsSync(inUse) ? spare(storage) : inUse;
}

/** Have the server be started from an environment of `storage` from now on. */
export function useEnvironment(storage: string, environment: string): void {
  fs.writeFileSync(path.join(storage, IN_USE), path.basename(environment));
}

/** Remove the environment that is not in use, as far as no program in it still runs. */
export async function removeSpare(storage: string): Promise<void> {
  await removeEnvironment(spare(storage));
}

/** Remove an environment, as far as no program in it still runs. */
export async function removeEnvironment(environment: string): Promise<void> {
  await fs.promises.rm(environment, { recursive: true, force: true }).catch(() => undefined);
}

function spare(storage: string): string {
  const [first, second] = FOLDERS;
  return path.join(storage, nameInUse(storage) === first ? second : first);
}

function nameInUse(storage: string): string {
  try {
    const name = fs.readFileSync(path.join(storage, IN_USE), "utf8").trim();
    return FOLDERS.find((folder) => folder === name) ?? FOLDERS[0];
  } catch {
    return FOLDERS[0];
  }
}
