/** The machine that the extension runs on, as the finder of the server wants to know it. */

import * as fs from "node:fs";
import * as os from "node:os";
import * as vscode from "vscode";
import type { Surroundings } from "./finder";
import { environmentInUse } from "./ownEnvironment";
import { userSetting } from "./userSettings";

const PYTHON_EXTENSION = "ms-python.python";
const PATIENCE = 5000;

/** The part of the Python extension's interface that is used here. */
interface Environments {
  readonly onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
  resolveEnvironment(
    environment: unknown,
  ): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
}

interface PythonExtension {
  readonly environments?: Environments;
}

/** Describe this machine; `storage` is the folder that the extension may write to. */
export async function surroundings(storage: vscode.Uri): Promise<Surroundings> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return {
    platform: process.platform,
    home: os.homedir(),
    environment: process.env,
    setting: userSetting("server.path"),
    // What stands in the workspace is not run until that is trusted.
    folder: folder?.scheme === "file" && vscode.workspace.isTrusted ? folder.fsPath : undefined,
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

/** Call `changed` whenever another Python is selected, from when the workspace is trusted. */
export function watchInterpreter(changed: () => void): vscode.Disposable {
  const watching: vscode.Disposable[] = [];
  const watch = async (): Promise<void> => {
    const selected = (await environments())?.onDidChangeActiveEnvironmentPath?.(changed);
    watching.push(...(selected ? [selected] : []));
  };
  const watchSafely = (): void => {
    // Without the Python extension, or with one that fails, there are other places to look.
    watch().catch(() => undefined);
  };
  watching.push(vscode.workspace.onDidGrantWorkspaceTrust(watchSafely));
  watchSafely();
  return new vscode.Disposable(() => {
    vscode.Disposable.from(...watching).dispose();
  });
}

async function interpreter(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const asked = (async () => {
    const known = await environments();
    const active = known?.getActiveEnvironmentPath(folder);
    return (await known?.resolveEnvironment(active))?.executable.uri?.fsPath;
  })();
  // It may be searching the whole disk for interpreters, or fail: there are other places to look.
  return Promise.race([asked.catch(() => undefined), after(PATIENCE)]);
}

/** The selected interpreter may stand in the workspace, so it is left alone until that is trusted. */
async function environments(): Promise<Environments | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>(PYTHON_EXTENSION);
  if (!extension || !vscode.workspace.isTrusted) {
    return undefined;
  }
  return (extension.isActive ? extension.exports : await extension.activate()).environments;
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => {
      resolve(undefined);
    }, milliseconds);
  });
}
