/** Telling the writer something; what a file says in it becomes no link. */

import * as vscode from "vscode";
import { notice, plain } from "./plain";

/** How long a note stays in the status bar, in milliseconds. */
const STAYS = 5000;

/** Say something in a notification; the choices are its buttons. */
export function inform<Choice extends string>(text: string, ...choices: Choice[]): Thenable<Choice | undefined> {
  return vscode.window.showInformationMessage(notice(text), ...choices);
}

/** Warn of something in a notification. */
export function warn<Choice extends string>(text: string, ...choices: Choice[]): Thenable<Choice | undefined> {
  return vscode.window.showWarningMessage(notice(text), ...choices);
}

/** Tell of an error in a notification. */
export function tellError<Choice extends string>(text: string, ...choices: Choice[]): Thenable<Choice | undefined> {
  return vscode.window.showErrorMessage(notice(text), ...choices);
}

/** Say something in the status bar for a moment. */
export function note(text: string): void {
  vscode.window.setStatusBarMessage(plain(text), STAYS);
}
