/** The settings that are the writer's own: no workspace sets them. */

import * as vscode from "vscode";
import manifest from "../package.json";
import { SECTION, settingNames, settingsAtStart } from "./settings";

export const NAMES = settingNames(manifest);

/** Return a text of the writer's own settings, "" where it is not set. */
export function userSetting(name: string): string {
  const value = vscode.workspace.getConfiguration(SECTION).inspect<string>(name)?.globalValue;
  return value?.trim() ?? "";
}

/** Return what the server is told when it starts. */
export function userSettings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  return settingsAtStart(NAMES, (name) => configuration.inspect(name));
}

/** Whether a change of settings is of one that the server is only told when it starts. */
export function needsRestart(change: vscode.ConfigurationChangeEvent): boolean {
  return [...NAMES.ofMachine].some((name) => change.affectsConfiguration(`${SECTION}.${name}`));
}
