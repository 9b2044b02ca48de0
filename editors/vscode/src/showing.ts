/** Going to a draft where the writer has it open, rather than over what is beside it. */

import * as vscode from "vscode";

/** Show a document in the group of editors that has it, in the active one if none has. */
export function show(
  document: vscode.TextDocument,
  options: vscode.TextDocumentShowOptions = {},
): Thenable<vscode.TextEditor> {
  const viewColumn = columnOf(document);
  return vscode.window.showTextDocument(document, {
    ...options,
    ...(viewColumn === undefined ? {} : { viewColumn }),
  });
}

/** Editors that can be seen go before tabs behind others. */
function columnOf(document: vscode.TextDocument): vscode.ViewColumn | undefined {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  const editors = [...(activeTextEditor ? [activeTextEditor] : []), ...visibleTextEditors];
  const editor = editors.find((shown) => shown.document === document && shown.viewColumn !== undefined);
  return editor?.viewColumn ?? tabGroups.all.find(({ tabs }) => tabs.some(holds))?.viewColumn;

  function holds({ input }: vscode.Tab): boolean {
    return input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString();
  }
}
