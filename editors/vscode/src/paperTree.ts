/** A view of papers as a tree: below each what there is to know of it, and perhaps groups above. */

import * as vscode from "vscode";
import { detailItem, detailNodes, type DetailNode, type PaperNode } from "./paperItem";
import type { Server } from "./server";

/** What papers are listed below. */
export interface PaperGroup {
  kind: "group" | "gap";
  papers: PaperNode[];
}

/** A root of the tree, or a paper or a line below one. */
export type TreeNode<Root extends PaperGroup | PaperNode> = Root | PaperNode | DetailNode;

/** Lists what the server answers; of what it is asked, the last alone counts. */
export abstract class PaperTree<Root extends PaperGroup | PaperNode>
  implements vscode.TreeDataProvider<TreeNode<Root>>, vscode.Disposable
{
  readonly view: vscode.TreeView<TreeNode<Root>>;

  protected roots: Root[] = [];
  protected readonly subscriptions: vscode.Disposable[];

  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  private asking: vscode.CancellationTokenSource | undefined;

  constructor(
    protected readonly server: Server,
    private readonly id: string,
    options: Partial<vscode.TreeViewOptions<TreeNode<Root>>> = {},
  ) {
    this.view = vscode.window.createTreeView(id, { ...options, treeDataProvider: this });
    this.subscriptions = [this.view, this.changed];
  }

  /** Return how a root or a paper looks. */
  protected abstract item(node: Root | PaperNode): vscode.TreeItem;

  getTreeItem(node: TreeNode<Root>): vscode.TreeItem {
    return node.kind === "detail" ? detailItem(node) : this.item(node);
  }

  getChildren(node?: TreeNode<Root>): TreeNode<Root>[] {
    if (!node) {
      return this.roots;
    }
    switch (node.kind) {
      case "paper":
        return detailNodes(node);
      case "detail":
        return [];
      default:
        return node.papers;
    }
  }

  getParent(node: TreeNode<Root>): TreeNode<Root> | undefined {
    switch (node.kind) {
      case "paper":
        return this.roots.find((root) => root.kind !== "paper" && root.papers.includes(node));
      case "detail":
        return node.paper;
      default:
        return undefined;
    }
  }

  /**
   * Ask the server, which gives up what it was asked before.
   *
   * Return what was read of its answer, undefined where it was asked again meanwhile or failed:
   * that is logged, with what there is none of.
   */
  protected async ask<Answer>(
    command: string,
    parameters: unknown[],
    read: (answer: unknown) => Answer | Promise<Answer>,
    missing: string,
  ): Promise<Answer | undefined> {
    this.giveUp();
    const asking = new vscode.CancellationTokenSource();
    this.asking = asking;
    try {
      const answer = await read(await this.server.execute(command, parameters, asking.token));
      return asking.token.isCancellationRequested ? undefined : answer;
    } catch (error) {
      if (!asking.token.isCancellationRequested) {
        this.failed();
        this.server.log.warn(`no ${missing}: ${String(error)}`);
      }
      return undefined;
    } finally {
      asking.dispose();
      if (this.asking === asking) {
        this.asking = undefined;
      }
    }
  }

  /** Ask the server while the view shows that it works. */
  protected askWithProgress<Answer>(...question: Parameters<typeof this.ask<Answer>>): Thenable<Answer | undefined> {
    return vscode.window.withProgress({ location: { viewId: this.id } }, () => this.ask(...question));
  }

  /** Want no answer to what the server was asked. */
  protected giveUp(): void {
    this.asking?.cancel();
  }

  /** Called where the server failed. */
  protected failed(): void {
    // What is shown stays.
  }

  protected show(roots: Root[]): void {
    this.roots = roots;
    this.changed.fire(undefined);
  }

  dispose(): void {
    this.giveUp();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
