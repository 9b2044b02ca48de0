/** The view "For This Sentence": the papers to cite where the cursor is, best first. */

import * as vscode from "vscode";
import { isDraft } from "./drafts";
import { paperItem, paperNodes, type DetailNode, type PaperNode } from "./paperItem";
import { PaperTree } from "./paperTree";
import { readRows, ServerCommand } from "./protocol";
import type { Server } from "./server";

export const SENTENCE_VIEW = "citeLsp.sentenceView";
/** The name that dragged papers go by. */
export const PAPER_MIME = "application/vnd.code.tree.citelsp.sentenceview";

const LIMIT = 15;
/** Milliseconds that the cursor rests before the server is asked. */
const REST = 250;

const DRAGGING: vscode.TreeDragAndDropController<PaperNode | DetailNode> = {
  dropMimeTypes: [],
  dragMimeTypes: [PAPER_MIME],
  handleDrag: (nodes, data) => {
    const paper = nodes.find((node) => node.kind === "paper");
    if (paper) {
      data.set(PAPER_MIME, new vscode.DataTransferItem(paper.row.key));
    }
  },
};

export class SentenceView extends PaperTree<PaperNode> {
  private timer: NodeJS.Timeout | undefined;

  constructor(server: Server) {
    super(server, SENTENCE_VIEW, { dragAndDropController: DRAGGING });
    const soon = (): void => {
      this.refreshSoon();
    };
    this.subscriptions.push(
      this.view.onDidChangeVisibility(soon),
      server.onDidRenewAnswers(soon),
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) {
          soon();
        }
      }),
    );
  }

  protected override item(node: PaperNode): vscode.TreeItem {
    return paperItem(node);
  }

  /** Return a paper as it is listed now, for the sentence at the cursor, if it still is. */
  current({ row }: PaperNode): PaperNode | undefined {
    return this.roots.find((paper) => paper.row.key === row.key);
  }

  /** Ask the server again as soon as the cursor rests. */
  refreshSoon(): void {
    clearTimeout(this.timer);
    this.giveUp();
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
        this.list([], "");
      }
      return;
    }
    const { document, selection } = editor;
    const { version } = document;
    const { line, character } = selection.active;
    const position = { line, character };
    const papers = await this.ask(
      ServerCommand.recommend,
      [this.server.uri(document), position, LIMIT],
      (answer) => paperNodes(readRows(answer), document, version, position),
      `recommendations for line ${line + 1}`,
    );
    if (papers) {
      this.list(papers, `line ${line + 1}`);
    }
  }

  override dispose(): void {
    clearTimeout(this.timer);
    super.dispose();
  }

  private list(papers: PaperNode[], description: string): void {
    const same = JSON.stringify(papers.map(({ row }) => row)) === JSON.stringify(this.roots.map(({ row }) => row));
    this.view.description = description;
    if (same) {
      // The tree stays as it is, what is open and focused in it too; only the place is another.
      this.roots.forEach((paper, index) => Object.assign(paper, papers[index]));
      return;
    }
    this.show(papers);
  }
}
