/** The client of a language server that is nowhere: it counts as started once the test says so. */

import { EventEmitter } from "./vscode";

export enum State {
  Stopped = 1,
  Running = 2,
  Starting = 3,
}

export const RevealOutputChannelOn = { Never: 4 };

interface Options {
  initializationOptions: () => unknown;
}

type Handler = (parameters: unknown) => void;

export class LanguageClient {
  /** All that have been made, the last one last. */
  static readonly made: LanguageClient[] = [];

  /** What starting waits for. */
  static ready: Promise<void> = Promise.resolve();

  readonly initializeResult = {
    capabilities: {
      executeCommandProvider: { commands: ["citeLsp.missing", "citeLsp.recommend", "citeLsp.references"] },
    },
  };
  readonly code2ProtocolConverter = { asUri: String };
  readonly requests: unknown[] = [];
  /** What the server answers to a command, if anything. */
  readonly answers: Record<string, unknown> = {};
  readonly initializationOptions: unknown;
  state = State.Stopped;

  private readonly changed = new EventEmitter<{ newState: State }>();
  readonly onDidChangeState = this.changed.event;

  private readonly handlers = new Map<string, Handler>();
  private starting: Promise<void> | undefined;

  constructor(
    _id: string,
    _name: string,
    readonly program: { command: string },
    options: Options,
  ) {
    this.initializationOptions = options.initializationOptions();
    LanguageClient.made.push(this);
  }

  onNotification(method: string, handler: Handler): void {
    this.handlers.set(method, handler);
  }

  /** Have the server say something. */
  notify(method: string, parameters: unknown): void {
    this.handlers.get(method)?.(parameters);
  }

  start(): Promise<void> {
    this.starting ??= this.startAnew();
    return this.starting;
  }

  /** Start again by itself, as after a crash. */
  crash(): void {
    this.starting = this.startAnew();
  }

  sendRequest(_method: string, { command }: { command: string }): Promise<unknown> {
    this.requests.push(command);
    return Promise.resolve(this.answers[command] ?? []);
  }

  /** As the real one does, it refuses while it is being started. */
  dispose(): Promise<void> {
    if (this.state === State.Starting) {
      return Promise.reject(new Error("Client is not running and can't be stopped."));
    }
    this.become(State.Stopped);
    return Promise.resolve();
  }

  private async startAnew(): Promise<void> {
    this.become(State.Starting);
    await LanguageClient.ready;
    this.become(State.Running);
  }

  private become(newState: State): void {
    this.state = newState;
    this.changed.fire({ newState });
  }
}
