/** What the `when` clauses of package.json ask for. */

import * as vscode from "vscode";
import { SECTION } from "./settings";

/** Set a context key of this extension. */
export function setContext(name: string, value: unknown): void {
  void vscode.commands.executeCommand("setContext", `${SECTION}.${name}`, value);
}
