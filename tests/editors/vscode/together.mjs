/** Runs the files of tests that are named in one process, and so in one workplace. */

import * as path from "node:path";

for (const file of process.argv.slice(2)) {
  await import(path.resolve(file));
}
