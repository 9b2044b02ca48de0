/** Having keys listed once: other extensions that complete them are asked to leave that to this one. */

import * as vscode from "vscode";
import { isDraft } from "./drafts";
import { doubling, type Neighbour, type Wish } from "./neighbours";
import { inform } from "./notices";
import type { Server } from "./server";
import { SECTION } from "./settings";

const DO_NOT_ASK = "citeLsp.doNotAskAbout.";

/** Asks once a session about each extension that lists the keys of a draft a second time. */
export class AloneOffer {
  private readonly asked = new Set<string>();

  constructor(
    private readonly memory: vscode.Memento,
    private readonly server: Server,
  ) {}

  /** Ask, where the draft that is open has its keys listed twice. */
  async look(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !this.server.isRunning || !isLatex(document) || !suggests(document)) {
      return;
    }
    for (const neighbour of doublingNow()) {
      if (!this.asked.has(neighbour.id) && !this.memory.get<boolean>(DO_NOT_ASK + neighbour.id, false)) {
        this.asked.add(neighbour.id);
        await this.ask(neighbour);
      }
    }
  }

  private async ask(neighbour: Neighbour): Promise<void> {
    const [yes, no] = ["Let cite-lsp List Them", "Keep Both"];
    const choice = await inform(
      `${neighbour.name} completes the keys of citations as well, so each of them is listed twice.`,
      yes,
      no,
    );
    if (choice === yes) {
      await leaveKeys([neighbour]);
    } else if (choice === no) {
      await this.memory.update(DO_NOT_ASK + neighbour.id, true);
    }
  }
}

/** Have all extensions that are here leave the keys to this one; for the command. */
export async function completeAlone(): Promise<void> {
  const neighbours = doublingNow();
  if (neighbours.length === 0) {
    void inform(
      "No other extension that cite-lsp knows of completes keys here.",
    );
    return;
  }
  await leaveKeys(neighbours);
}

async function leaveKeys(neighbours: Neighbour[]): Promise<void> {
  for (const { name, value, language } of neighbours.flatMap(({ wishes }) => wishes)) {
    const scope = language === undefined ? undefined : { languageId: language };
    await vscode.workspace
      .getConfiguration(undefined, scope)
      .update(name, value, vscode.ConfigurationTarget.Global, language !== undefined);
  }
  const remembering = neighbours.filter(({ remembers }) => remembers).map(({ name }) => name);
  if (remembering.length > 0) {
    const reload = "Reload Window";
    const drops = remembering.length > 1 ? "drop the keys they have" : "drops the keys it has";
    const choice = await inform(
      `Reload the window so that ${remembering.join(", ")} ${drops} already read.`,
      reload,
    );
    if (choice === reload) {
      await vscode.commands.executeCommand("workbench.action.reloadWindow");
    }
  }
}

function doublingNow(): Neighbour[] {
  return doubling(
    (id) => vscode.extensions.getExtension(id) !== undefined,
    ({ name, language }: Wish) =>
      vscode.workspace
        .getConfiguration(undefined, language === undefined ? undefined : { languageId: language })
        .get(name),
  );
}

function isLatex({ uri, languageId }: vscode.TextDocument): boolean {
  return isDraft(uri.scheme, languageId) && /^latex|^tex$/.test(languageId);
}

function suggests(document: vscode.TextDocument): boolean {
  return vscode.workspace.getConfiguration(SECTION, document).get("suggest.enabled", true);
}
