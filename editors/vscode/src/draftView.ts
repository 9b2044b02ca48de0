/** The view "For This Draft": what the draft as a whole should cite and does not, by topic. */

import * as vscode from "vscode";
import { isDraft } from "./drafts";
import { detailItem, detailNodes, paperItem, type DetailNode, type PaperNode } from "./paperItem";
import { readReferences, ServerCommand, type Reference, type ReferenceGroup } from "./protocol";
import type { Server } from "./server";
import { completenessLine } from "./wording";

export interface GroupNode {
  kind: "group";
  name: string;
  papers: PaperNode[];
}

type Node = GroupNode | PaperNode | DetailNode;

export const DRAFT_VIEW = "citeLsp.draftView";

export class DraftView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly view: vscode.TreeView<Node>;

  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  private readonly subscriptions: vscode.Disposable[];
  private groups: GroupNode[] = [];
  private shown: string | undefined;
  private asking: vscode.CancellationTokenSource | undefined;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView<Node>(DRAFT_VIEW, { treeDataProvider: this });
    const look = (): void => void this.look();
    this.subscriptions = [
      this.view,
      this.changed,
      this.view.onDidChangeVisibility(look),
      server.onDidRenewAnswers(look),
      vscode.window.onDidChangeActiveTextEditor(look),
    ];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "group": {
        const item = new vscode.TreeItem(node.name, vscode.TreeItemCollapsibleState.Expanded);
        item.id = `group/${node.name}`;
        item.contextValue = "group";
        item.accessibilityInformation = { label: `${node.name}, ${node.papers.length} papers` };
        return item;
      }
      case "paper": {
        const item = paperItem(node, "draft");
        // Where it would be cited is not in sight yet.
        item.command = { title: "Go to Its Sentence", command: "citeLsp.item.goTo", arguments: [node] };
        return item;
      }
      case "detail":
        return detailItem(node);
    }
  }

  getChildren(node?: Node): Node[] {
    switch (node?.kind) {
      case undefined:
        return this.groups;
      case "group":
        return node.papers;
      case "paper":
        return detailNodes(node);
      case "detail":
        return [];
    }
  }

  getParent(node: Node): Node | undefined {
    switch (node.kind) {
      case "group":
        return undefined;
      case "paper":
        return this.groups.find(({ papers }) => papers.includes(node));
      case "detail":
        return node.paper;
    }
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
    this.asking?.cancel();
    const asking = new vscode.CancellationTokenSource();
    this.asking = asking;
    try {
      const parameters = [{ uri: this.server.uri(document) }];
      const answer = await vscode.window.withProgress({ location: { viewId: DRAFT_VIEW } }, () =>
        this.server.execute(ServerCommand.references, parameters, asking.token),
      );
      const { groups, completeness } = readReferences(answer);
      const nodes = await Promise.all(groups.map((group) => groupNode(group, document)));
      if (!asking.token.isCancellationRequested) {
        this.groups = nodes;
        this.shown = document.uri.toString();
        this.view.message = completenessLine(completeness);
        this.changed.fire(undefined);
      }
    } catch (error) {
      if (!asking.token.isCancellationRequested) {
        this.server.log.warn(`no papers for this draft: ${String(error)}`);
      }
    } finally {
      asking.dispose();
      if (this.asking === asking) {
        this.asking = undefined;
      }
    }
  }

  dispose(): void {
    this.asking?.cancel();
    vscode.Disposable.from(...this.subscriptions).dispose();
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
