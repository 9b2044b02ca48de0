/** Where this client does otherwise than any client: settings that are sent, commands that show. */

import * as vscode from "vscode";
import type { LanguageClient, Location, Middleware } from "vscode-languageclient/node";
import { ServerCommand, type Position } from "./protocol";
import { chosenSettings, SECTION } from "./settings";
import { NAMES } from "./userSettings";
import { inOneLine } from "./wording";

/** Return the middleware of the client that `client` returns once there is one. */
export function middleware(client: () => LanguageClient): Middleware {
  return {
    workspace: {
      configuration: (parameters, token, next) =>
        parameters.items.every(({ section }) => section === SECTION)
          ? parameters.items.map(({ scopeUri }) => settings(client(), scopeUri))
          : next(parameters, token),
    },
    async provideCompletionItem(document, position, context, token, next) {
      const configuration = vscode.workspace.getConfiguration(SECTION, document);
      if (!configuration.get<boolean>("suggest.enabled", true)) {
        return undefined;
      }
      const answer = await next(document, position, context, token);
      for (const item of (Array.isArray(answer) ? answer : answer?.items) ?? []) {
        item.label = inOneLine(item.label);
      }
      return answer;
    },
    async executeCommand(command, parameters, next) {
      const answer: unknown = await next(command, parameters);
      if (command === ServerCommand.showReferences) {
        await showReferences(client(), parameters, answer);
      }
      return answer;
    },
  };
}

function settings(client: LanguageClient, scope: string | undefined): Record<string, unknown> {
  const resource = scope === undefined ? undefined : client.protocol2CodeConverter.asUri(scope);
  const configuration = vscode.workspace.getConfiguration(SECTION, resource);
  return chosenSettings(NAMES, (name) => configuration.inspect(name));
}

/** The lens over an entry asks for places; they open as references do anywhere else. */
async function showReferences(
  client: LanguageClient,
  parameters: unknown[],
  answer: unknown,
): Promise<void> {
  const [uri, position] = parameters as [string, Position];
  const { protocol2CodeConverter: convert } = client;
  await vscode.commands.executeCommand(
    "editor.action.showReferences",
    convert.asUri(uri),
    new vscode.Position(position.line, position.character),
    ((answer ?? []) as Location[]).map((location) => convert.asLocation(location)),
  );
}
