/** The view "For This Draft": what the draft as a whole should cite and does not, by topic. */

import * as vscode from "vscode";
import { isDraft } from "./drafts";
import { paperItem, type PaperNode } from "./paperItem";
import { PaperTree } from "./paperTree";
import { readReferences, ServerCommand, type Reference, type ReferenceGroup } from "./protocol";
import type { Server } from "./server";
import { completenessLine } from "./wording";

export interface GroupNode {
  kind: "group";
  name: string;
  papers: PaperNode[];
}

export const DRAFT_VIEW = "citeLsp.draftView";

export class DraftView extends PaperTree<GroupNode> {
  private shown: string | undefined;

  constructor(server: Server) {
    super(server, DRAFT_VIEW);
    const look = (): void => void this.look();
    this.subscriptions.push(
      this.view.onDidChangeVisibility(look),
      server.onDidRenewAnswers(look),
      vscode.window.onDidChangeActiveTextEditor(look),
    );
  }

  protected override item(node: GroupNode | PaperNode): vscode.TreeItem {
    if (node.kind === "group") {
      const item = new vscode.TreeItem(node.name, vscode.TreeItemCollapsibleState.Expanded);
      item.id = `group/${node.name}`;
      item.contextValue = "group";
      item.accessibilityInformation = { label: `${node.name}, ${node.papers.length} papers` };
      return item;
    }
    const item = paperItem(node, "draft");
    // Where it would be cited is not in sight yet.
    item.command = { title: "Go to Its Sentence", command: "citeLsp.item.goTo", arguments: [node] };
    return item;
  }

  /** Ask the server for another draft; of one that is being written only `refresh` asks again. */
  async look(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (this.view.visible && document && document.uri.toString() !== this.shown) {
      await this.refresh();
    }
  }

  /** Ask the server for the draft in front as it is now: it goes through all of it. */
  async refresh(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !isDraft(document.uri.scheme, document.languageId)) {
      return; // the focus may have gone to another part of the window
    }
    if (!this.view.visible || !this.server.knows(ServerCommand.references)) {
      return;
    }
    const answer = await this.askWithProgress(
      ServerCommand.references,
      [{ uri: this.server.uri(document) }],
      async (answer) => {
        const { groups, completeness } = readReferences(answer);
        return { groups: await Promise.all(groups.map((group) => groupNode(group, document))), completeness };
      },
      "papers for this draft",
    );
    if (answer) {
      this.shown = document.uri.toString();
      this.view.message = completenessLine(answer.completeness);
      this.show(answer.groups);
    }
  }
}

async function groupNode({ name, references }: ReferenceGroup, draft: vscode.TextDocument): Promise<GroupNode> {
  const papers = await Promise.all(
    references.map((reference, index) => paperNode(reference, index, references.length, draft)),
  );
  return { kind: "group", name, papers };
}

/** The sentence may be in another file of the draft than the one in front. */
async function paperNode(
  { row, place }: Reference,
  index: number,
  count: number,
  draft: vscode.TextDocument,
): Promise<PaperNode> {
  const document = place ? await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri)) : draft;
  return {
    kind: "paper",
    row,
    rank: index + 1,
    count,
    draft: document.uri,
    version: document.version,
    position: place?.position ?? { line: 0, character: 0 },
  };
}
