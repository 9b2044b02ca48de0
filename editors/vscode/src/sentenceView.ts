/** The view "For This Sentence": the papers to cite where the cursor is, best first. */

import * as vscode from "vscode";
import { isDraft } from "./drafts";
import { detailItem, detailNodes, paperItem, paperNodes, type DetailNode, type PaperNode } from "./paperItem";
import { readRows, ServerCommand } from "./protocol";
import type { Server } from "./server";

type Node = PaperNode | DetailNode;

export const SENTENCE_VIEW = "citeLsp.sentenceView";
/** The name that dragged papers go by. */
export const PAPER_MIME = "application/vnd.code.tree.citelsp.sentenceview";

const LIMIT = 15;
/** Milliseconds that the cursor rests before the server is asked. */
const REST = 250;

export class SentenceView
  implements vscode.TreeDataProvider<Node>, vscode.TreeDragAndDropController<Node>, vscode.Disposable
{
  readonly dropMimeTypes = [];
  readonly dragMimeTypes = [PAPER_MIME];
  readonly view: vscode.TreeView<Node>;

  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  private readonly subscriptions: vscode.Disposable[];
  private papers: PaperNode[] = [];
  private timer: NodeJS.Timeout | undefined;
  private asking: vscode.CancellationTokenSource | undefined;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView<Node>(SENTENCE_VIEW, {
      treeDataProvider: this,
      dragAndDropController: this,
    });
    const soon = (): void => {
      this.refreshSoon();
    };
    this.subscriptions = [
      this.view,
      this.changed,
      this.view.onDidChangeVisibility(soon),
      server.onDidRenewAnswers(soon),
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) {
          soon();
        }
      }),
    ];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return node.kind === "paper" ? paperItem(node) : detailItem(node);
  }

  getChildren(node?: Node): Node[] {
    if (!node) {
      return this.papers;
    }
    return node.kind === "paper" ? detailNodes(node) : [];
  }

  getParent(node: Node): Node | undefined {
    return node.kind === "detail" ? node.paper : undefined;
  }

  handleDrag(nodes: readonly Node[], data: vscode.DataTransfer): void {
    const paper = nodes.find((node) => node.kind === "paper");
    if (paper) {
      data.set(PAPER_MIME, new vscode.DataTransferItem(paper.row.key));
    }
  }

  /** Return a paper as it is listed now, for the sentence at the cursor, if it still is. */
  current({ row }: PaperNode): PaperNode | undefined {
    return this.papers.find((paper) => paper.row.key === row.key);
  }

  /** Ask the server again as soon as the cursor rests. */
  refreshSoon(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    if (this.view.visible) {
      this.timer = setTimeout(() => void this.refresh(), REST);
    }
  }

  /** Ask the server again. */
  async refresh(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!this.server.isRunning || !editor || !isDraft(editor.document.uri.scheme, editor.document.languageId)) {
      // The focus may have gone to another part of the window: only what cannot be cited goes.
      if (!this.server.isRunning || editor) {
        this.show([], "");
      }
      return;
    }
    const { document, selection } = editor;
    const { version } = document;
    const { line, character } = selection.active;
    const position = { line, character };
    const asking = new vscode.CancellationTokenSource();
    this.asking?.cancel();
    this.asking = asking;
    try {
      const parameters = [this.server.uri(document), position, LIMIT];
      const answer = await this.server.execute(ServerCommand.recommend, parameters, asking.token);
      if (!asking.token.isCancellationRequested) {
        const papers = paperNodes(readRows(answer), document, version, position);
        this.show(papers, `line ${line + 1}`);
      }
    } catch (error) {
      if (!asking.token.isCancellationRequested) {
        this.server.log.warn(`no recommendations for line ${line + 1}: ${String(error)}`);
      }
    } finally {
      asking.dispose();
      if (this.asking === asking) {
        this.asking = undefined;
      }
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.asking?.cancel();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private show(papers: PaperNode[], description: string): void {
    const same = JSON.stringify(papers.map(({ row }) => row)) === JSON.stringify(this.papers.map(({ row }) => row));
    this.view.description = description;
    if (same) {
      // The tree stays as it is, what is open and focused in it too; only the place is another.
      this.papers.forEach((paper, index) => Object.assign(paper, papers[index]));
      return;
    }
    this.papers = papers;
    this.changed.fire(undefined);
  }
}
