/** What can be done with a recommended paper: cite it, add its entry, open it, rule it out. */

import * as vscode from "vscode";
import { inform, note, warn } from "./notices";
import type { PaperNode } from "./paperItem";
import { readLinked, readRows, ServerCommand, type Position, type Row } from "./protocol";
import type { Server } from "./server";
import { show } from "./showing";
import { linkedTitle, noneLinked, notCited, spoken, subtitle } from "./wording";

/** Cite a paper at the place that it was recommended for. */
export async function cite(server: Server, node: PaperNode): Promise<void> {
  const document = await vscode.workspace.openTextDocument(node.draft);
  const position = placeNow(document, node);
  await citeAt(server, document, position, node.row);
  await show(document);
}

/**
 * Cite a paper at a position, where the server finds a place for a citation.
 *
 * `cited` is whether it is cited there already; undefined where that is not known.
 */
export async function citeAt(
  server: Server,
  document: vscode.TextDocument,
  position: Position,
  { key, cited }: { key: string; cited?: boolean },
): Promise<void> {
  const parameters = [server.uri(document), position, key];
  if ((await server.execute(ServerCommand.insert, parameters)) !== true) {
    const message = notCited(key, position.line + 1, cited);
    tell(message, cited === true);
  }
}

/** Add a paper's entry to the draft's bibliography, without citing it. */
export async function addEntry(server: Server, node: PaperNode): Promise<void> {
  const document = await vscode.workspace.openTextDocument(node.draft);
  const parameters = [server.uri(document), node.row.key];
  const added = (await server.execute(ServerCommand.addEntry, parameters)) === true;
  const message = added
    ? `Added ${node.row.key} to the bibliography.`
    : `${node.row.key} was not added: it is there already, or the draft names no .bib file.`;
  tell(message, added);
}

/** Have a paper never offered for its sentence again; the message offers to take that back. */
export async function dismiss(server: Server, node: PaperNode, changed: () => void): Promise<void> {
  const document = await vscode.workspace.openTextDocument(node.draft);
  const parameters = [server.uri(document), placeNow(document, node), node.row.key];
  if ((await server.execute(ServerCommand.dismiss, parameters)) !== true) {
    return;
  }
  changed();
  const undo = "Undo";
  const choice = await inform(
    `${node.row.name} will not be offered for this sentence again.`,
    undo,
  );
  if (choice === undo) {
    await server.execute(ServerCommand.restore, parameters);
    changed();
  }
}

/** Let the writer choose from a list that opens over the editor, and cite what was chosen. */
export async function pick(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !server.isRunning) {
    return;
  }
  const { document, selection } = editor;
  const position = { line: selection.active.line, character: selection.active.character };
  const asked = server.execute(ServerCommand.recommend, [server.uri(document), position, 30]);
  const items = asked.then((answer) => pickItems(readRows(answer)));
  const chosen = await vscode.window.showQuickPick(items, {
    title: "Cite at the cursor",
    placeHolder: "Papers for this sentence, best first; type an author, a year or a title",
    ...MATCHING,
  });
  if (chosen) {
    await citeAt(server, document, position, chosen);
  }
}

/** Let the writer choose among the papers that citations link to the one at the cursor; it is cited beside that. */
export async function pickLinked(server: Server, direction: "citing" | "citedBy"): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !server.isRunning) {
    return;
  }
  const { document, selection } = editor;
  const position = { line: selection.active.line, character: selection.active.character };
  const parameters = [server.uri(document), position, LINKED];
  const linked = readLinked(await server.execute(ServerCommand[direction], parameters));
  if (!linked || linked.rows.length === 0) {
    note(noneLinked(linked?.key, direction));
    return;
  }
  const chosen = await vscode.window.showQuickPick(pickItems(linked.rows), {
    title: linkedTitle(linked, direction),
    placeHolder: "Those in your library first; the one that you choose is cited here",
    ...MATCHING,
  });
  if (chosen) {
    await citeAt(server, document, position, chosen);
  }
}

const LINKED = 200;
const MATCHING = { matchOnDescription: true, matchOnDetail: true };

interface PickItem extends vscode.QuickPickItem {
  key: string;
  cited: boolean;
}

function pickItems(rows: Row[]): PickItem[] {
  return rows.map((row, index) => ({
    label: row.name,
    description: subtitle(row),
    detail: row.reason,
    iconPath: new vscode.ThemeIcon(row.inLibrary ? "book" : "globe"),
    accessibilityInformation: { label: spoken(row, index + 1, rows.length) },
    key: row.key,
    cited: row.cited,
  }));
}

/** Let a paper be dropped into a draft: it is cited where it falls. */
export class PaperDrop implements vscode.DocumentDropEditProvider {
  constructor(
    private readonly server: Server,
    private readonly mime: string,
  ) {}

  async provideDocumentDropEdits(
    document: vscode.TextDocument,
    { line, character }: vscode.Position,
    data: vscode.DataTransfer,
    token: vscode.CancellationToken,
  ): Promise<undefined> {
    const key = await data.get(this.mime)?.asString();
    if (key && !token.isCancellationRequested) {
      // The server knows where in the sentence a citation goes, and edits the draft itself.
      await citeAt(this.server, document, { line, character }, { key });
    }
    return undefined;
  }
}

/** What is as the writer wants it is worth a note, anything else a warning. */
function tell(message: string, isAsWanted: boolean): void {
  if (isAsWanted) {
    note(message);
  } else {
    void warn(message);
  }
}

/** A position that was asked about, or, when the draft has changed since, that of the cursor. */
function placeNow(document: vscode.TextDocument, node: PaperNode): Position {
  const editor = vscode.window.visibleTextEditors.find((shown) => shown.document === document);
  if (document.version === node.version || !editor) {
    return node.position;
  }
  const { line, character } = editor.selection.active;
  return { line, character };
}
