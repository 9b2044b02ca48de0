/** Installing the server into an environment that belongs to this extension alone. */

import { execFile } from "node:child_process";
import * as fs from "node:fs/promises";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { ownEnvironment, ownVariables, surroundings } from "./environment";
import { binaries, pythons } from "./finder";
import { SECTION } from "./settings";

const run = promisify(execFile);
const NEW_ENOUGH = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
const LONGEST_OUTPUT = 64 * 1024 * 1024;

/**
 * Install the server, or renew it, and show how that goes on.
 *
 * Returns whether it is there now; when it is not, the writer has been told why.
 */
export async function install(storage: vscode.Uri, log: vscode.LogOutputChannel): Promise<boolean> {
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
    try {
      await installInto(storage, log, cancelled.signal, (message) => {
        log.info(message);
        progress.report({ message });
      });
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
  storage: vscode.Uri,
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
  const where = await surroundings(storage);
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
  await fs.mkdir(storage.fsPath, { recursive: true });
  await execute([...python, "-m", "venv", "--clear", where.own]);
  const name = vscode.workspace.getConfiguration(SECTION).get("server.package", "cite-lsp");
  report(`installing ${name} and what it needs; this takes a minute or two …`);
  const program = where.platform === "win32" ? "python.exe" : "python";
  const inside = vscode.Uri.joinPath(
    vscode.Uri.file(binaries(ownEnvironment(storage), where.platform)),
    program,
  ).fsPath;
  await execute([inside, "-m", "pip", "install", "--disable-pip-version-check", name]);
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
  const choice = await vscode.window.showErrorMessage(
    `cite-lsp could not be installed: ${last}`,
    show,
  );
  if (choice === show) {
    log.show();
  }
}
