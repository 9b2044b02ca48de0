/** The view "Missing Citations": the sentences of the draft that lack one, each with its papers. */

import * as vscode from "vscode";
import { setContext } from "./context";
import { isDraft } from "./drafts";
import { levelInForce } from "./missingLevel";
import { paperItem, paperNodes, type PaperNode } from "./paperItem";
import { PaperTree } from "./paperTree";
import { plain } from "./plain";
import { readGaps, ServerCommand, type Position, type Range } from "./protocol";
import type { Server } from "./server";
import { SECTION } from "./settings";
import { shortened } from "./wording";

export interface GapNode {
  kind: "gap";
  text: string;
  range: Range;
  /** Where the citation would go: of one sentence two may be missing. */
  insert: Position;
  papers: PaperNode[];
  draft: vscode.Uri;
  version: number;
}

/** What is known of the draft in front: what an empty view says depends on it. */
type Knowledge = "looking" | "known" | "failed";

export const MISSING_VIEW = "citeLsp.missingView";

const LONGEST_DESCRIPTION = 120;
/** Milliseconds without a keystroke before the draft is gone through again. */
const REST = 1500;

export class MissingView extends PaperTree<GapNode> {
  private shown: { draft: string; version: number } | undefined;
  private timer: NodeJS.Timeout | undefined;
  private knowledge: Knowledge | undefined;

  constructor(server: Server) {
    super(server, MISSING_VIEW);
    this.know("looking");
    const soon = (): void => {
      this.refreshSoon();
    };
    this.subscriptions.push(
      this.view.onDidChangeVisibility(soon),
      server.onDidRenewAnswers(() => {
        this.forget();
        soon();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(`${SECTION}.missing`)) {
          this.forget();
          soon();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        const draft = editor && draftIn(editor.document);
        if (draft !== undefined && draft !== this.shown?.draft) {
          this.know("looking");
        }
        soon();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) {
          soon();
        }
      }),
    );
  }

  protected override item(node: GapNode | PaperNode): vscode.TreeItem {
    return node.kind === "gap"
      ? gapItem(node)
      : paperItem(node, `${node.position.line}:${node.position.character}`);
  }

  /**
   * Return the sentence as it stands now, however the draft was changed since it was listed.
   *
   * Where it lacks two citations it is the one that the same paper is the best for.
   */
  async current(gap: GapNode): Promise<GapNode | undefined> {
    const document = await vscode.workspace.openTextDocument(gap.draft);
    if (document.version === gap.version) {
      return gap;
    }
    await this.refresh(document);
    const same = this.roots.filter(({ text }) => text === gap.text);
    return same.find((one) => best(one) === best(gap)) ?? same[0];
  }

  /** Go through the draft again although it has not changed. */
  invalidate(): void {
    this.forget();
    if (this.view.visible) {
      void this.refresh();
    }
  }

  refreshSoon(): void {
    clearTimeout(this.timer);
    if (this.view.visible) {
      this.timer = setTimeout(() => void this.refresh(), REST);
    }
  }

  /** Go through a draft, unless what is shown is what it is now. */
  async refresh(document = vscode.window.activeTextEditor?.document): Promise<void> {
    if (!this.server.knows(ServerCommand.missing)) {
      this.list([], undefined);
      return;
    }
    const draft = document && draftIn(document);
    // With the focus in another part of the window, the draft that was shown stays.
    if (!document || draft === undefined) {
      return;
    }
    const { version } = document;
    if (this.shown?.draft === draft && this.shown.version === version) {
      this.know("known");
      return;
    }
    void levelInForce().then((level) => {
      setContext("missingLevel", level);
    });
    const gaps = await this.askWithProgress(
      ServerCommand.missing,
      [this.server.uri(document)],
      (answer) =>
        readGaps(answer).map(({ text, range, insert, rows }): GapNode => {
          const papers = paperNodes(rows, document, version, insert);
          return { kind: "gap", text, range, insert, papers, draft: document.uri, version };
        }),
      "list of missing citations",
    );
    if (gaps) {
      this.list(gaps, { draft, version });
    }
  }

  protected override failed(): void {
    this.know("failed");
  }

  override dispose(): void {
    clearTimeout(this.timer);
    super.dispose();
  }

  private forget(): void {
    this.shown = undefined;
    this.know("looking");
  }

  private know(knowledge: Knowledge): void {
    if (this.knowledge !== knowledge) {
      this.knowledge = knowledge;
      setContext("missingState", knowledge);
    }
  }

  private list(gaps: GapNode[], shown: { draft: string; version: number } | undefined): void {
    this.shown = shown;
    this.know(shown ? "known" : "looking");
    if (gaps.length === 0 && this.roots.length === 0) {
      return;
    }
    this.view.description = gaps.length > 0 ? String(gaps.length) : "";
    this.show(gaps);
  }
}

/** The name of a draft, undefined for another document. */
function draftIn({ uri, languageId }: vscode.TextDocument): string | undefined {
  return isDraft(uri.scheme, languageId) ? uri.toString() : undefined;
}

/** The editor's range of a range of the protocol; both count in UTF-16. */
export function editorRange({ start, end }: Range): vscode.Range {
  return new vscode.Range(editorPosition(start), editorPosition(end));
}

export function editorPosition({ line, character }: Position): vscode.Position {
  return new vscode.Position(line, character);
}

/** Return the key of the best paper for a sentence. */
function best({ papers }: GapNode): string | undefined {
  return papers[0]?.row.key;
}

function gapItem(gap: GapNode): vscode.TreeItem {
  const { text, range, insert, papers } = gap;
  const sentence = plain(text);
  const line = range.start.line + 1;
  const [first] = papers;
  const item = new vscode.TreeItem(`Line ${line}`, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${line}:${range.start.character}/${insert.line}:${insert.character}`;
  item.description = shortened(sentence, LONGEST_DESCRIPTION);
  item.tooltip = sentence;
  item.iconPath = new vscode.ThemeIcon("question");
  item.contextValue = "gap";
  item.accessibilityInformation = {
    label: `Line ${line} lacks a citation: ${sentence} ${first ? `First of ${papers.length} papers: ${first.row.name}` : ""}`,
  };
  item.command = { title: "Go to Sentence", command: "citeLsp.item.jump", arguments: [gap] };
  return item;
}
