/** Papers as items of a tree: one line each, and all there is to know of them below it. */

import * as vscode from "vscode";
import type { Position, Row } from "./protocol";
import { details, spoken, subtitle, tooltip, type DetailKind } from "./wording";

/** A paper that could be cited at a position of a draft. */
export interface PaperNode {
  kind: "paper";
  row: Row;
  rank: number;
  count: number;
  draft: vscode.Uri;
  /** The version of the draft that the position belongs to. */
  version: number;
  position: Position;
}

/** One line of what there is to know of a paper. */
export interface DetailNode {
  kind: "detail";
  paper: PaperNode;
  text: string;
  icon: string;
  link: string;
}

/** How many columns fit in a side bar of the usual width. */
const WIDTH = 32;

const ICONS: Record<DetailKind, string> = {
  title: "book",
  authors: "person",
  venue: "calendar",
  reason: "lightbulb",
  link: "link-external",
  abstract: "note",
};

/** Return the papers for a position, as nodes. */
export function paperNodes(
  rows: Row[],
  document: vscode.TextDocument,
  version: number,
  position: Position,
): PaperNode[] {
  return rows.map((row, index) => ({
    kind: "paper",
    row,
    rank: index + 1,
    count: rows.length,
    draft: document.uri,
    version,
    position,
  }));
}

/** Return the lines below a paper. */
export function detailNodes(paper: PaperNode): DetailNode[] {
  return details(paper.row, WIDTH).map(({ kind, text, continued }) => ({
    kind: "detail",
    paper,
    text,
    icon: continued ? "blank" : ICONS[kind],
    link: kind === "link" ? paper.row.link : "",
  }));
}

/** Return how a paper looks; `within` tells the same paper below two sentences apart. */
export function paperItem(node: PaperNode, within = ""): vscode.TreeItem {
  const { row, rank, count } = node;
  const item = new vscode.TreeItem(row.name, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${within}/${row.key}`;
  item.description = subtitle(row);
  item.tooltip = new vscode.MarkdownString(tooltip(row));
  item.iconPath = new vscode.ThemeIcon(icon(row));
  item.accessibilityInformation = { label: spoken(row, rank, count) };
  item.contextValue = ["paper", row.inLibrary ? "" : "addable", row.link ? "link" : ""]
    .filter(Boolean)
    .join(" ");
  item.command = { title: "Cite", command: "citeLsp.item.insert", arguments: [node] };
  return item;
}

/** Return how a line below a paper looks. */
export function detailItem(node: DetailNode): vscode.TreeItem {
  const item = new vscode.TreeItem(node.text);
  item.iconPath = new vscode.ThemeIcon(node.icon);
  item.tooltip = node.text;
  if (node.link) {
    item.command = { title: "Open", command: "vscode.open", arguments: [vscode.Uri.parse(node.link)] };
  }
  return item;
}

function icon(row: Row): string {
  if (row.cited) {
    return "check";
  }
  return row.inLibrary ? "book" : "globe";
}
