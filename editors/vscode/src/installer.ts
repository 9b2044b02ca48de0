/** Installing the server into an environment that belongs to this extension alone. */

import { execFile } from "node:child_process";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { ownVariables, surroundings } from "./environment";
import { binaries, programIn, pythons, type Surroundings } from "./finder";
import { tellError } from "./notices";
import { nextEnvironment, removeEnvironment, removeSpare, useEnvironment } from "./ownEnvironment";
import type { Server } from "./server";
import { SECTION } from "./settings";
import { userSetting } from "./userSettings";

const run = promisify(execFile);
const NEW_ENOUGH = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
const LONGEST_OUTPUT = 64 * 1024 * 1024;

/** What is given to pip, and what to do where it does not hold the server. */
interface Wanted {
  name: string;
  remedy: string;
}

/** Installs the server, or renews it; one that runs goes on until it is replaced. */
export class Installer {
  private installing: Promise<void> | undefined;

  constructor(
    private readonly server: Pick<Server, "condition" | "set" | "restart">,
    private readonly storage: vscode.Uri,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Install the server and start it; asked again meanwhile, wait for the same. */
  run(): Promise<void> {
    this.installing ??= this.renew().finally(() => {
      this.installing = undefined;
    });
    return this.installing;
  }

  private async renew(): Promise<void> {
    const { server, log } = this;
    const storage = this.storage.fsPath;
    const wanted = await packageToInstall();
    if (!wanted) {
      return;
    }
    const before = server.condition;
    if (["notFound", "stopped", "failed"].includes(before.kind)) {
      server.set({ kind: "installing" });
    }
    const environment = nextEnvironment(storage);
    if (await install(wanted, this.storage, environment, log)) {
      await server.restart();
      await removeSpare(storage);
      return;
    }
    await removeEnvironment(environment);
    if (server.condition.kind === "installing") {
      server.set(before);
    }
  }
}

/**
 * Return what the settings name, else the folder of a checkout that is asked for.
 *
 * No name of a package is taken for granted: whoever registers one would be run on every machine.
 */
async function packageToInstall(): Promise<Wanted | undefined> {
  const named = userSetting("server.package");
  if (named) {
    return { name: named, remedy: `correct ${SECTION}.server.package` };
  }
  const chosen = await vscode.window.showOpenDialog({
    title: "Folder of the cite-lsp Checkout",
    openLabel: "Install",
    canSelectFiles: false,
    canSelectFolders: true,
  });
  const folder = chosen?.[0]?.fsPath;
  return folder ? { name: folder, remedy: "choose the folder of a cite-lsp checkout" } : undefined;
}

/**
 * Install the server into an environment, have that be used, and show how it goes on.
 *
 * Returns whether the server is there now; when it is not, the writer has been told why.
 */
async function install(
  wanted: Wanted,
  storage: vscode.Uri,
  environment: string,
  log: vscode.LogOutputChannel,
): Promise<boolean> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: "cite-lsp",
    cancellable: true,
  };
  return vscode.window.withProgress(options, async (progress, token) => {
    const cancelled = new AbortController();
    token.onCancellationRequested(() => {
      cancelled.abort();
    });
    const report = (message: string): void => {
      log.info(message);
      progress.report({ message });
    };
    try {
      const where = await surroundings(storage);
      await installInto(environment, wanted, where, log, cancelled.signal, report);
      useEnvironment(storage.fsPath, environment);
      return true;
    } catch (error) {
      if (!cancelled.signal.aborted) {
        void tell(error, log);
      }
      return false;
    }
  });
}

async function installInto(
  environment: string,
  { name, remedy }: Wanted,
  where: Surroundings,
  log: vscode.LogOutputChannel,
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<void> {
  const execute = async (command: string[]): Promise<void> => {
    const [program = "", ...parameters] = command;
    log.info(command.join(" "));
    const { stdout, stderr } = await run(program, parameters, {
      signal,
      env: ownVariables(),
      maxBuffer: LONGEST_OUTPUT,
    });
    log.info(`${stdout}${stderr}`.trim());
  };
  report("looking for Python 3.11 or newer …");
  const python = await firstThatWorks(pythons(where), (command) =>
    execute([...command, "-c", NEW_ENOUGH]),
  );
  signal.throwIfAborted();
  if (!python) {
    throw new Error(
      "no Python 3.11 or newer that can make an environment was found: install one " +
        "(on Debian and Ubuntu with the package python3-venv), then try again",
    );
  }
  report("making an environment …");
  await fs.mkdir(path.dirname(environment), { recursive: true });
  await execute([...python, "-m", "venv", "--clear", environment]);
  report(`installing ${name} and what it needs; this takes a minute or two …`);
  const program = where.platform === "win32" ? "python.exe" : "python";
  const inside = path.join(binaries(environment, where.platform), program);
  await execute([inside, "-m", "pip", "install", "--disable-pip-version-check", name]);
  if (!where.isExecutable(programIn(environment, where.platform))) {
    throw new Error(`${name} does not hold the server: ${remedy}`);
  }
}

async function firstThatWorks(
  commands: string[][],
  attempt: (command: string[]) => Promise<void>,
): Promise<string[] | undefined> {
  for (const command of commands) {
    try {
      await attempt(command);
      return command;
    } catch {
      // Not there, or too old: the next one may do.
    }
  }
  return undefined;
}

async function tell(error: unknown, log: vscode.LogOutputChannel): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  log.error(message);
  // pip says what went wrong in the last line of many.
  const last = message.trim().split("\n").at(-1) ?? "";
  const show = "Show Log";
  const choice = await tellError(
    `cite-lsp could not be installed: ${last}`,
    show,
  );
  if (choice === show) {
    log.show();
  }
}
