/** The commands, and which paper they are about: the one clicked, or the one focused in a view. */

import * as vscode from "vscode";
import { addEntry, cite, dismiss, pick } from "./citing";
import { editorRange, type GapNode, type MissingView } from "./missingView";
import type { PaperNode } from "./paperItem";
import { ADD_MISSING_KIND } from "./protocol";
import type { SentenceView } from "./sentenceView";
import type { Server } from "./server";

/** What the commands work on. */
export interface Parts {
  server: Server;
  sentence: SentenceView;
  missing: MissingView;
  install: () => Promise<void>;
}

/** Register all commands. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const { server, sentence, missing } = parts;
  const refresh = (): void => {
    void sentence.refresh();
    missing.invalidate();
  };
  const onPaper =
    (work: (paper: PaperNode) => Promise<void>) =>
    async (argument: unknown): Promise<void> => {
      const paper = await paperNow(parts, argument);
      if (paper) {
        await work(paper);
        refresh();
      }
    };
  const commands: Record<string, (argument: unknown) => unknown> = {
    "citeLsp.restart": () => server.restart(),
    "citeLsp.install": () => parts.install(),
    "citeLsp.showLog": () => {
      server.log.show();
    },
    "citeLsp.cite": () => pick(server),
    "citeLsp.addMissing": () =>
      vscode.commands.executeCommand("editor.action.codeAction", {
        kind: ADD_MISSING_KIND,
        apply: "first",
      }),
    "citeLsp.refresh": refresh,
    "citeLsp.item.insert": onPaper((paper) => cite(server, paper)),
    "citeLsp.item.addEntry": onPaper((paper) => addEntry(server, paper)),
    "citeLsp.item.dismiss": onPaper((paper) => dismiss(server, paper, refresh)),
    "citeLsp.item.open": onPaper(async ({ row }) => {
      await vscode.env.openExternal(vscode.Uri.parse(row.link));
    }),
    "citeLsp.item.jump": async (argument: unknown) => {
      const gap = nodeOf<GapNode>(argument, "gap") ?? missing.view.selection.find(isGap);
      const now = gap && (await missing.current(gap));
      if (now) {
        const document = await vscode.workspace.openTextDocument(now.draft);
        await vscode.window.showTextDocument(document, { selection: editorRange(now.range) });
      }
    },
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, work]) => vscode.commands.registerCommand(name, work)),
  );
}

/**
 * Return the paper that a command is about: its argument, or the one selected in the last view.
 *
 * A missing citation is looked up again where the draft was changed since it was listed.
 */
async function paperNow(parts: Parts, argument: unknown): Promise<PaperNode | undefined> {
  const { sentence, missing } = parts;
  const paper =
    nodeOf<PaperNode>(argument, "paper") ??
    [...sentence.view.selection, ...missing.view.selection].find(isPaper);
  const gap = paper && missing.getParent(paper);
  if (!paper || gap?.kind !== "gap") {
    return paper;
  }
  const now = await missing.current(gap);
  return now?.papers.find(({ row }) => row.key === paper.row.key);
}

function nodeOf<Node extends { kind: string }>(
  value: unknown,
  kind: Node["kind"],
): Node | undefined {
  return (value as { kind?: string } | undefined)?.kind === kind ? (value as Node) : undefined;
}

function isPaper(node: { kind: string }): node is PaperNode {
  return node.kind === "paper";
}

function isGap(node: { kind: string }): node is GapNode {
  return node.kind === "gap";
}
