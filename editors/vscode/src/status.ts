/** The language status item: what the server is doing, and what can be done about it. */

import * as vscode from "vscode";
import { presentation, type Condition } from "./condition";
import { SELECTOR } from "./drafts";

const SEVERITIES = {
  information: vscode.LanguageStatusSeverity.Information,
  warning: vscode.LanguageStatusSeverity.Warning,
  error: vscode.LanguageStatusSeverity.Error,
};

const ACTIONS = {
  restart: { title: "Restart", command: "citeLsp.restart", tooltip: "Restart the server" },
  install: { title: "Install", command: "citeLsp.install", tooltip: "Install the server" },
  log: { title: "Show Log", command: "citeLsp.showLog", tooltip: "Show the server's log" },
};

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("citeLsp.status", SELECTOR);

  constructor() {
    this.item.name = "cite-lsp";
    this.show({ kind: "starting" });
  }

  show(condition: Condition): void {
    const { text, detail, severity, busy, action } = presentation(condition);
    this.item.text = `cite-lsp: ${text}`;
    this.item.detail = detail;
    this.item.severity = SEVERITIES[severity];
    this.item.busy = busy;
    this.item.command = ACTIONS[action];
    this.item.accessibilityInformation = { label: `cite-lsp: ${text}. ${detail}` };
  }

  dispose(): void {
    this.item.dispose();
  }
}
