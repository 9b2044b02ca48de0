/** The commands, and which paper they are about: their argument, or that of the view it names. */

import * as vscode from "vscode";
import { completeAlone } from "./alone";
import { addEntry, cite, dismiss, pick, pickLinked } from "./citing";
import { DRAFT_VIEW, type DraftView } from "./draftView";
import { index } from "./indexing";
import { editorPosition, editorRange, MISSING_VIEW, type GapNode, type MissingView } from "./missingView";
import type { PaperNode } from "./paperItem";
import { ADD_MISSING_KIND } from "./protocol";
import { SENTENCE_VIEW, type SentenceView } from "./sentenceView";
import type { Server } from "./server";
import { show } from "./showing";

/** What the commands work on. */
export interface Parts {
  server: Server;
  sentence: SentenceView;
  missing: MissingView;
  draft: DraftView;
  install: () => Promise<void>;
}

/** Register all commands. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const { server, sentence, missing } = parts;
  const selected = new Map<string, Node>();
  const remember =
    (view: string) =>
    ({ selection }: { selection: readonly Node[] }): void => {
      const last = selection.at(-1);
      // The key of a command selects what is focused, which takes it out where it was selected.
      if (last) {
        selected.set(view, last);
      }
    };
  /** A key names the view that it was pressed in; a menu or a click gives what it is about. */
  const about = (argument: unknown): unknown => {
    if (typeof argument !== "string") {
      return argument;
    }
    const node = selected.get(argument);
    const paper = nodeOf<PaperNode>(node, "paper");
    // What is selected stays so when the same paper is listed for the next sentence.
    return argument === SENTENCE_VIEW && paper ? sentence.current(paper) : node;
  };
  const refresh = (): void => {
    void sentence.refresh();
    missing.invalidate();
  };
  const onPaper =
    (work: (paper: PaperNode) => Promise<void>) =>
    async (argument: unknown): Promise<void> => {
      const paper = await paperNow(missing, nodeOf<PaperNode>(about(argument), "paper"));
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
    "citeLsp.listCiting": () => pickLinked(server, "citing"),
    "citeLsp.listCitedBy": () => pickLinked(server, "citedBy"),
    "citeLsp.indexPapers": () => index(server),
    "citeLsp.completeAlone": completeAlone,
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
    "citeLsp.refreshDraft": () => parts.draft.refresh(),
    "citeLsp.item.goTo": async (argument: unknown) => {
      const paper = nodeOf<PaperNode>(about(argument), "paper");
      if (paper) {
        const document = await vscode.workspace.openTextDocument(paper.draft);
        const start = editorPosition(paper.position);
        await show(document, { selection: new vscode.Range(start, start) });
      }
    },
    "citeLsp.item.jump": async (argument: unknown) => {
      const gap = nodeOf<GapNode>(about(argument), "gap");
      const now = gap && (await missing.current(gap));
      if (now) {
        const document = await vscode.workspace.openTextDocument(now.draft);
        await show(document, { selection: editorRange(now.range) });
      }
    },
  };
  return vscode.Disposable.from(
    sentence.view.onDidChangeSelection(remember(SENTENCE_VIEW)),
    missing.view.onDidChangeSelection(remember(MISSING_VIEW)),
    parts.draft.view.onDidChangeSelection(remember(DRAFT_VIEW)),
    ...Object.entries(commands).map(([name, work]) => vscode.commands.registerCommand(name, work)),
  );
}

interface Node {
  kind: string;
}

/** Return a paper, and where its sentence is now if the draft was changed since it was listed. */
async function paperNow(
  missing: MissingView,
  paper: PaperNode | undefined,
): Promise<PaperNode | undefined> {
  const gap = paper && missing.getParent(paper);
  if (!paper || gap?.kind !== "gap") {
    return paper;
  }
  const now = await missing.current(gap);
  return now?.papers.find(({ row }) => row.key === paper.row.key);
}

function nodeOf<Wanted extends Node>(value: unknown, kind: Wanted["kind"]): Wanted | undefined {
  return (value as Node | undefined)?.kind === kind ? (value as Wanted) : undefined;
}
