/** The running server: started, restarted, watched, and asked what the protocol has no words for. */

import * as vscode from "vscode";
import {
  type Executable,
  LanguageClient,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import { answersAnew, type Condition } from "./condition";
import { SELECTOR } from "./drafts";
import { middleware } from "./middleware";
import { readStatus, STATUS_NOTIFICATION } from "./protocol";
import { SECTION } from "./settings";
import { userSettings } from "./userSettings";

/** An executable, and the environment variables to start it with unless those of VS Code will do. */
export interface Program {
  file: string;
  variables?: NodeJS.ProcessEnv;
}

/** How a program is started. A batch file (`.cmd`) is run by a shell, or Node.js refuses it. */
export function launched(
  { file, variables }: Program,
  platform: NodeJS.Platform = process.platform,
): Executable {
  const options = variables ? { env: variables } : {};
  return platform === "win32" && /\.(cmd|bat)$/i.test(file)
    ? { command: `"${file}"`, args: ["serve"], options: { ...options, shell: true } }
    : { command: file, args: ["serve"], options };
}

/** Finds the executable to start, or says why there is none. */
export type Locate = () => Promise<Program | { missing: string }>;

export class Server implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Condition>();
  private client: LanguageClient | undefined;
  /** The program that was started last, whatever has become of it. */
  private program: string | undefined;
  private current: Condition = { kind: "starting" };
  /** Starts and stops wait for one another: two servers would answer everything twice. */
  private turn: Promise<void> = Promise.resolve();

  /** Fires whenever the condition changes. */
  readonly onDidChange = this.changed.event;

  private readonly renewed = new vscode.EventEmitter<void>();

  /** Fires whenever what was asked may be answered otherwise, and not while a corpus is built. */
  readonly onDidRenewAnswers = this.renewed.event;

  constructor(
    private readonly locate: Locate,
    readonly log: vscode.LogOutputChannel,
  ) {}

  get condition(): Condition {
    return this.current;
  }

  get isRunning(): boolean {
    return this.current.kind === "running";
  }

  /** Start the server; one that runs is stopped first. */
  restart(): Promise<void> {
    return this.inTurn(() => this.startAnew());
  }

  /** Start the server anew if another program is found by now; with none, what runs goes on. */
  relocate(): Promise<void> {
    return this.inTurn(async () => {
      const found = await this.locate();
      if (!("missing" in found) && found.file !== this.program) {
        await this.startAnew();
      }
    });
  }

  /** Stop the server, if one runs. */
  stop(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      this.set({ kind: "stopped" });
    });
  }

  /** Show another condition, as long as something else is done to the server. */
  set(condition: Condition): void {
    const before = this.current;
    this.current = condition;
    this.changed.fire(condition);
    if (answersAnew(before, condition)) {
      this.renewed.fire();
    }
  }

  /** Whether the server knows a command; an older one may not. */
  knows(command: string): boolean {
    const known = this.client?.initializeResult?.capabilities.executeCommandProvider?.commands;
    return this.isRunning && known?.includes(command) === true;
  }

  /** Let the server execute a command. */
  async execute(
    command: string,
    parameters: unknown[],
    token?: vscode.CancellationToken,
  ): Promise<unknown> {
    if (!this.client || !this.isRunning) {
      return undefined;
    }
    const request = { command, arguments: parameters };
    // A token that is undefined would be sent, as a second parameter.
    return token
      ? this.client.sendRequest<unknown>("workspace/executeCommand", request, token)
      : this.client.sendRequest<unknown>("workspace/executeCommand", request);
  }

  /** The name that the server knows a document by. */
  uri(document: vscode.TextDocument): string {
    return this.client?.code2ProtocolConverter.asUri(document.uri) ?? document.uri.toString();
  }

  dispose(): void {
    this.changed.dispose();
    this.renewed.dispose();
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    // Whoever asked for it is told of an error; those who come after are not.
    this.turn = done.catch(() => undefined);
    return done;
  }

  private async end(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (client) {
      try {
        if (client.state === State.Starting) {
          // After a crash it starts by itself, and could not be stopped before it has.
          await client.start();
        }
        await client.dispose();
      } catch (error) {
        this.log.warn(`the server did not stop in good order: ${reason(error)}`);
      }
    }
  }

  private async startAnew(): Promise<void> {
    await this.end();
    this.set({ kind: "starting" });
    const found = await this.locate();
    this.program = "missing" in found ? undefined : found.file;
    if ("missing" in found) {
      this.log.warn(found.missing);
      this.set({ kind: "notFound", message: found.missing });
      return;
    }
    this.log.info(`starting ${found.file}`);
    const client = this.newClient(found);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      if (this.client === client) {
        this.client = undefined;
        this.set({ kind: "failed", message: `${found.file} did not start: ${reason(error)}` });
      }
      this.log.error(`${found.file} did not start: ${reason(error)}`);
    }
  }

  private newClient(program: Program): LanguageClient {
    const client: LanguageClient = new LanguageClient(
      SECTION,
      "cite-lsp",
      launched(program),
      {
        documentSelector: SELECTOR,
        initializationOptions: () => ({ ...userSettings(), trusted: vscode.workspace.isTrusted }),
        outputChannel: this.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        middleware: middleware(() => client),
        // The condition says that it failed; a dialog beside it would say so twice.
        initializationFailedHandler: () => false,
      },
    );
    client.onNotification(STATUS_NOTIFICATION, (parameters: unknown) => {
      const status = readStatus(parameters);
      if (status && this.client === client) {
        this.set({ kind: "running", status, version: version(client) });
      }
    });
    client.onDidChangeState(({ newState }) => {
      if (this.client !== client) {
        return;
      }
      switch (newState) {
        case State.Starting:
          this.set({ kind: "starting" });
          break;
        case State.Running:
          this.set({ kind: "running", status: undefined, version: version(client) });
          break;
        case State.Stopped:
          this.set({ kind: "stopped" });
          break;
      }
    });
    return client;
  }
}

function version(client: LanguageClient): string {
  const server = client.initializeResult?.serverInfo;
  return server ? [server.name, server.version].filter(Boolean).join(" ") : "";
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
