/** How readily citations are called missing, as far as VS Code can tell. */

import * as vscode from "vscode";
import { SECTION } from "./settings";

const NAME = "missing.level";

/**
 * Return the level that the server looks at, "" where that is not known.
 *
 * What is set here wins; where nothing is, a `cite-lsp.toml` may say.
 */
export async function levelInForce(): Promise<string> {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const { globalValue, workspaceValue, workspaceFolderValue } = settings.inspect(NAME) ?? {};
  const isSet = [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined);
  if (!isSet && (await anyFolderHas("cite-lsp.toml"))) {
    return "";
  }
  return settings.get(NAME, "");
}

async function anyFolderHas(name: string): Promise<boolean> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const there = await Promise.all(folders.map(({ uri }) => isThere(vscode.Uri.joinPath(uri, name))));
  return there.includes(true);
}

async function isThere(file: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(file);
    return true;
  } catch {
    return false;
  }
}
