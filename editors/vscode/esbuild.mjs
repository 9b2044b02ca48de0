// Bundles the extension into dist/extension.js or, with --tests, the unit tests into out/test/.
// --production minifies.
import { copyFileSync, readdirSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv.includes("--tests");
const production = process.argv.includes("--production");
// What only VS Code provides is there in unit tests as far as they need it.
const fakes = {
  vscode: "./test/fakes/vscode.ts",
  "vscode-languageclient/node": "./test/fakes/languageclient.ts",
};

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
  ...(tests
    ? { alias: fakes, logOverride: { "import-is-undefined": "silent" } }
    : { external: ["vscode"] }),
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
});

if (production) {
  copyFileSync("../../LICENSE", "LICENSE.txt");
}
