/**
 * A workplace: code-server, which is VS Code in a browser, with the extension in it, and a draft.
 *
 * CODE_SERVER   code-server's entry point
 * CITE_LSP_VSIX the extension, as it ships
 * CITE_LSP      the server's program
 * CHROMIUM      the browser
 * SCREENSHOTS   the folder that pictures are kept in
 */

import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { createServer } from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { Editor } from "./editor.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
export const CHECKOUT = path.resolve(HERE, "../../..");
const START_PATIENCE = 90_000;

const settings = {
  codeServer: process.env.CODE_SERVER,
  extension: process.env.CITE_LSP_VSIX ?? path.join(CHECKOUT, "editors/vscode/cite-lsp.vsix"),
  server: process.env.CITE_LSP ?? path.join(CHECKOUT, ".venv/bin/cite-lsp"),
  browser: process.env.CHROMIUM ?? "/usr/bin/chromium",
  screenshots: process.env.SCREENSHOTS ?? path.join(HERE, "screenshots"),
};

/** Why these tests cannot run here; undefined where they can. */
export const unavailable = reasonAgainst();

/** The workplace that the tests of this process share, a promise; undefined before the first of them. */
let shared;
after(async () => (await shared)?.close());

/**
 * Open the files of a draft in a window of the workplace that all tests of this process share, with
 * `name` in front.
 *
 * @param {Record<string, string>} files texts by their names
 * @param {string} name the file to open
 */
export async function open(files, name) {
  shared ??= workplace();
  return (await shared).open(files, name);
}

/**
 * Open the files of a draft, with `name` in front, in a workplace of their own.
 *
 * @param {Record<string, string>} files texts by their names
 * @param {string} name the file to open
 * @param {{settings?: object, environment?: Record<string, string>, serverPath?: string,
 *   neighbours?: {manifest: object, code: string}[]}} options
 *   `serverPath` "" has the extension look for the server itself; `neighbours` are other extensions
 */
export async function openAlone(files, name, options) {
  const { root, open: openIn, close } = await workplace(options);
  try {
    return { ...(await openIn(files, name)), root, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Start code-server and a browser, with settings and extensions as given to `openAlone`. */
async function workplace(options = {}) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "cite-lsp-vscode-"));
  writeSettings(root, options);
  const environment = cleanEnvironment(root, options.environment ?? {});
  for (const neighbour of options.neighbours ?? []) {
    writeNeighbour(root, neighbour);
  }
  installExtension(root, environment);
  const port = await freePort();
  const codeServer = startCodeServer(root, environment, port);
  let browser;
  const close = async () => {
    await browser?.close();
    await ended(codeServer);
    fs.rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    await answers(port);
    browser = await chromium.launch({
      executablePath: settings.browser,
      args: ["--no-sandbox", "--disable-gpu"],
    });
    const windows = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    return { root, close, open: (files, name) => openWindow(windows, root, port, files, name) };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openWindow(windows, root, port, files, name) {
  const folder = fs.mkdtempSync(path.join(root, "draft-"));
  for (const [file, text] of Object.entries(files)) {
    fs.writeFileSync(path.join(folder, file), text);
  }
  const page = await windows.newPage();
  const editor = new Editor(page, folder, settings.screenshots);
  await page.goto(address(port, folder, name), { timeout: START_PATIENCE });
  await editor.shows(name, START_PATIENCE);
  return { editor, close: () => page.close() };
}

/** The files of the demo, `paper.tex` and what it cites from, and others beside them. */
export function demo(others = {}) {
  return {
    "paper.tex": text("examples", "demo", "paper.tex"),
    "references.bib": text("examples", "demo", "references.bib"),
    ...others,
  };
}

/** The text of a file of the checkout. */
export function text(...names) {
  return fs.readFileSync(path.join(CHECKOUT, ...names), "utf8");
}

function reasonAgainst() {
  const needed = {
    "code-server (CODE_SERVER)": settings.codeServer,
    "the packaged extension (CITE_LSP_VSIX)": settings.extension,
    "the server (CITE_LSP)": settings.server,
    "Chromium (CHROMIUM)": settings.browser,
  };
  for (const [what, file] of Object.entries(needed)) {
    if (!file || !fs.existsSync(file)) {
      return `${what} is not there${file ? `: ${file}` : ""}`;
    }
  }
  return undefined;
}

function writeSettings(root, { settings: own = {}, serverPath = settings.server }) {
  const all = {
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
    "security.workspace.trust.enabled": false,
    "editor.wordWrap": "on",
    "editor.minimap.enabled": false,
    "git.enabled": false,
    "extensions.ignoreRecommendations": true,
    "chat.commandCenter.enabled": false,
    ...(serverPath ? { "citeLsp.server.path": serverPath } : {}),
    ...own,
  };
  // Where the server stands belongs to the machine: in a user's settings, a window over a remote
  // machine, as code-server's are, forgets it as soon as it knows what the extension declares.
  const isOfMachine = ([name]) => name.startsWith("citeLsp.server.");
  const ofMachine = Object.entries(all).filter(isOfMachine);
  const ofUser = Object.entries(all).filter((setting) => !isOfMachine(setting));
  for (const [scope, chosen] of [["Machine", ofMachine], ["User", ofUser]]) {
    const folder = path.join(root, "user", scope);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(
      path.join(folder, "settings.json"),
      JSON.stringify(Object.fromEntries(chosen), undefined, 2),
    );
  }
}

/** What whoever runs the tests has set up for themselves stays out of it. */
function cleanEnvironment(root, more) {
  const home = path.join(root, "home");
  fs.mkdirSync(home);
  const kept = ["PATH", "LANG", "TMPDIR", "PYTHONPATH", "PIP_INDEX_URL", "PIP_CONFIG_FILE"];
  const environment = { HOME: home, CITE_LSP_HOME: path.join(root, "cite-lsp"), LANG: "C.UTF-8" };
  for (const name of kept) {
    if (process.env[name] !== undefined) {
      environment[name] = process.env[name];
    }
  }
  return { ...environment, ...more };
}

/** The address of a folder with a file open in front. */
function address(port, folder, name) {
  const url = new URL(`http://127.0.0.1:${port}/`);
  url.searchParams.set("folder", folder);
  const file = `vscode-remote://127.0.0.1:${port}${path.join(folder, name)}`;
  url.searchParams.set("payload", JSON.stringify([["openFile", file]]));
  return url.href;
}

function codeServerArguments(root) {
  return [
    settings.codeServer,
    ...["--user-data-dir", path.join(root, "user")],
    ...["--extensions-dir", path.join(root, "extensions")],
    ...["--config", path.join(root, "config.yaml")],
  ];
}

function installExtension(root, env) {
  fs.writeFileSync(path.join(root, "config.yaml"), "auth: none\n");
  const install = [...codeServerArguments(root), "--install-extension", settings.extension];
  const done = spawnSync(process.execPath, install, { env, encoding: "utf8" });
  if (done.status !== 0) {
    throw new Error(`the extension could not be installed: ${done.stdout}${done.stderr}`);
  }
}

/** An extension that lies in the folder before the first start is taken as installed. */
function writeNeighbour(root, { manifest, code }) {
  const { publisher, name, version } = manifest;
  const folder = path.join(root, "extensions", `${publisher}.${name}-${version}`.toLowerCase());
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, "extension.js"), code);
}

function startCodeServer(root, env, port) {
  const log = fs.openSync(path.join(root, "code-server.log"), "w");
  const address = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`];
  const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
  const child = spawn(process.execPath, [...codeServerArguments(root), ...address, ...quiet], {
    env,
    stdio: ["ignore", log, log],
    detached: true,
  });
  // However the tests end, it ends with them.
  process.once("exit", () => stop(child, "SIGKILL"));
  return child;
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  const exit = new Promise((resolve) => child.once("exit", resolve));
  stop(child, "SIGTERM");
  const late = setTimeout(() => stop(child, "SIGKILL"), 5000);
  await exit;
  clearTimeout(late);
}

/** Its extension hosts, and the server that they started, go with it. */
function stop(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All of them have gone already.
  }
}

async function answers(port) {
  const end = Date.now() + START_PATIENCE;
  while (Date.now() < end) {
    try {
      await fetch(`http://127.0.0.1:${port}/healthz`);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  throw new Error("code-server does not answer");
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
