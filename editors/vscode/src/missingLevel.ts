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
  if (!isSet && (await vscode.workspace.findFiles("cite-lsp.toml", undefined, 1)).length > 0) {
    return "";
  }
  return settings.get(NAME, "");
}
