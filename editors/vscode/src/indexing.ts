/** Building a corpus: the writer says of which papers, the server shows how far it is. */

import * as vscode from "vscode";
import { inform, warn } from "./notices";
import { readSummary, ServerCommand } from "./protocol";
import type { Server } from "./server";
import { corpusNameProblem, indexed } from "./wording";

const FORMATS = "dumps, JSON Lines, BibTeX, CSL, PDF; compressed or not";

/** Ask for files or a folder and a name, and have a corpus built of them. */
export async function index(server: Server): Promise<void> {
  if (!server.knows(ServerCommand.index)) {
    void warn(
      server.isRunning
        ? "This version of the server cannot build corpora; update it."
        : "The server is not running; click {} in the status bar to see why.",
    );
    return;
  }
  const sources = await chooseSources();
  const name = sources && (await askName());
  if (!sources || !name) {
    return;
  }
  const answer = await server.execute(ServerCommand.index, [
    sources.map((uri) => uri.toString()),
    { corpus: name },
  ]);
  const summary = readSummary(answer);
  // Without one it was called off, or the server has said itself what is wrong.
  if (summary) {
    void inform(indexed(summary));
  }
}

/** A dialog of most systems shows either files or folders. */
async function chooseSources(): Promise<vscode.Uri[] | undefined> {
  const kinds = [
    { label: "$(file) Files…", description: FORMATS, folder: false },
    { label: "$(folder) A Folder…", description: "all such files in it", folder: true },
  ];
  const kind = await vscode.window.showQuickPick(kinds, {
    title: "Index Papers",
    placeHolder: "Where are the papers?",
  });
  return (
    kind &&
    vscode.window.showOpenDialog({
      title: "Papers to index",
      openLabel: "Index",
      canSelectFiles: !kind.folder,
      canSelectFolders: kind.folder,
      canSelectMany: !kind.folder,
    })
  );
}

function askName(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: "Index Papers",
    prompt: "The corpus's name; one that exists is brought up to date",
    value: "papers",
    validateInput: corpusNameProblem,
  });
}
