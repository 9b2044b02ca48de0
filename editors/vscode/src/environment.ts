/** The machine that the extension runs on, as the finder of the server wants to know it. */

import * as fs from "node:fs";
import * as os from "node:os";
import * as vscode from "vscode";
import type { Surroundings } from "./finder";
import { environmentInUse } from "./ownEnvironment";
import { SECTION } from "./settings";

const PYTHON_EXTENSION = "ms-python.python";
const PATIENCE = 5000;

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

/** Describe this machine; `storage` is the folder that the extension may write to. */
export async function surroundings(storage: vscode.Uri): Promise<Surroundings> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return {
    platform: process.platform,
    home: os.homedir(),
    environment: process.env,
    setting: vscode.workspace.getConfiguration(SECTION).get("server.path", "").trim(),
    folder: folder?.scheme === "file" ? folder.fsPath : undefined,
    interpreter: await interpreter(folder),
    own: environmentInUse(storage.fsPath),
    isExecutable,
  };
}

/**
 * The environment variables for a Python of this extension's own: what PYTHONPATH names, perhaps for
 * the project at hand, would be imported in place of what was installed, or kept pip from installing it.
 */
export function ownVariables(): NodeJS.ProcessEnv {
  return { ...process.env, PYTHONPATH: undefined, PYTHONHOME: undefined };
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The selected interpreter may stand in the workspace, so it is left alone until that is trusted. */
async function interpreter(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>(PYTHON_EXTENSION);
  if (!extension || !vscode.workspace.isTrusted) {
    return undefined;
  }
  const asked = (async () => {
    const { environments } = extension.isActive ? extension.exports : await extension.activate();
    const active = environments?.getActiveEnvironmentPath(folder);
    return (await environments?.resolveEnvironment(active))?.executable.uri?.fsPath;
  })();
  // It may be searching the whole disk for interpreters, or fail: there are other places to look.
  return Promise.race([asked.catch(() => undefined), after(PATIENCE)]);
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => {
      resolve(undefined);
    }, milliseconds);
  });
}
