// Bundles the extension into dist/extension.js or, with --tests, the unit tests into out/test/.
// --production minifies.
import { copyFileSync, readdirSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv.includes("--tests");
const production = process.argv.includes("--production");

await build({
  entryPoints: tests
    ? readdirSync("test")
        .filter((name) => name.endsWith(".test.ts"))
        .map((name) => `test/${name}`)
    : ["src/extension.ts"],
  ...(tests ? { outdir: "out/test" } : { outfile: "dist/extension.js" }),
  bundle: true,
  platform: "node",
  target: "node18",
  format: "cjs",
  external: ["vscode"],
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
});

if (production) {
  copyFileSync("../../LICENSE", "LICENSE.txt");
}
