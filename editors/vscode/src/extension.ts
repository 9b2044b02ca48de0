/** The extension's beginning: its parts are made, tied together, and the server is started. */

import * as vscode from "vscode";
import { AloneOffer } from "./alone";
import { PaperDrop } from "./citing";
import { registerCommands } from "./commands";
import { setContext } from "./context";
import { DraftView } from "./draftView";
import { isDraft, SELECTOR, wantsCitations } from "./drafts";
import { ownVariables, surroundings, watchInterpreter } from "./environment";
import { findServer } from "./finder";
import { Installer } from "./installer";
import { MissingView } from "./missingView";
import { inform, warn } from "./notices";
import { ServerCommand } from "./protocol";
import { PAPER_MIME, SentenceView } from "./sentenceView";
import { Server } from "./server";
import { SECTION } from "./settings";
import { StatusItem } from "./status";
import { needsRestart, userSetting } from "./userSettings";

const DO_NOT_ASK = "citeLsp.doNotAskToInstall";

let server: Server | undefined;
let offeredToInstall = false;

export function activate(context: vscode.ExtensionContext): void {
  const storage = context.globalStorageUri;
  const log = vscode.window.createOutputChannel("cite-lsp", { log: true });
  server = new Server(async () => {
    const where = await surroundings(storage);
    const found = findServer(where);
    log.debug(found ? `found by way of ${found.origin}: ${found.file}` : "found nowhere");
    if (!found) {
      return { missing: notFound(where.setting) };
    }
    return found.origin === "own" ? { ...found, variables: ownVariables() } : found;
  }, log);
  const status = new StatusItem();
  const sentence = new SentenceView(server);
  const missing = new MissingView(server);
  const draft = new DraftView(server);
  const running = server;
  const alone = new AloneOffer(context.globalState, running);
  const installer = new Installer(server, storage, log);
  const updateContexts = (): void => {
    const document = vscode.window.activeTextEditor?.document;
    setContext("state", running.condition.kind);
    setContext("canListMissing", running.knows(ServerCommand.missing));
    setContext("canListForDraft", running.knows(ServerCommand.references));
    setContext("canDismiss", running.knows(ServerCommand.dismiss));
    if (document) {
      setContext("draft", isDraft(document.uri.scheme, document.languageId));
    }
  };
  context.subscriptions.push(
    log,
    server,
    status,
    sentence,
    missing,
    draft,
    registerCommands({ server, sentence, missing, draft, install: () => installer.run() }),
    vscode.languages.registerDocumentDropEditProvider(SELECTOR, new PaperDrop(server, PAPER_MIME)),
    server.onDidChange((condition) => {
      status.show(condition);
      updateContexts();
      void alone.look();
    }),
    vscode.window.onDidChangeActiveTextEditor(() => {
      updateContexts();
      void offerToInstall(context, running);
      void alone.look();
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (needsRestart(change)) {
        await running.restart();
      }
    }),
    watchInterpreter(() => void running.relocate()),
    // From now on its files may choose the program and the models.
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
  );
  updateContexts();
  void server.restart().then(() => offerToInstall(context, running));
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

function notFound(setting: string): string {
  if (setting && !vscode.workspace.isTrusted) {
    return `${SECTION}.server.path is “${setting}”, which names no program outside this workspace; it is not trusted`;
  }
  return setting
    ? `${SECTION}.server.path is “${setting}”, and no program that can be run stands there`
    : "cite-lsp is not installed in the selected Python, by uv or pipx, or on PATH";
}

/** Offer to install the server that was found nowhere, once a draft is open that wants it. */
async function offerToInstall(context: vscode.ExtensionContext, running: Server): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (
    running.condition.kind !== "notFound" ||
    !document ||
    !wantsCitations(document.uri.scheme, document.languageId, document.getText()) ||
    context.globalState.get<boolean>(DO_NOT_ASK, false) ||
    offeredToInstall
  ) {
    return;
  }
  offeredToInstall = true;
  const [yes, where, never] = ["Install", "Set Path", "Don't Ask Again"];
  // As long as a setting points elsewhere, what is installed would not be started.
  const choice = await (userSetting("server.path")
    ? warn(`${running.condition.message}.`, where)
    : inform(
        `${running.condition.message}. Install it, for VS Code alone?`,
        yes,
        where,
        never,
      ));
  switch (choice) {
    case yes:
      await vscode.commands.executeCommand("citeLsp.install");
      break;
    case where:
      await vscode.commands.executeCommand("workbench.action.openSettings", `${SECTION}.server.path`);
      break;
    case never:
      await context.globalState.update(DO_NOT_ASK, true);
      break;
  }
}
