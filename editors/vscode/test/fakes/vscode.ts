/** VS Code as far as the unit tests need it: events are fired, and what is shown is set, by hand. */

type Listener<T> = (event: T) => unknown;

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();

  readonly event = (listener: Listener<T>): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };

  fire(event: T): void {
    for (const listener of [...this.listeners]) {
      listener(event);
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export class Disposable {
  constructor(readonly dispose: () => unknown) {}

  static from(...all: { dispose: () => unknown }[]): Disposable {
    return new Disposable(() => {
      all.forEach((one) => one.dispose());
    });
  }
}

/** What the tests set and look at. */
export const state = {
  trusted: true,
};

export const workspace = {
  get isTrusted(): boolean {
    return state.trusted;
  },
};

/** A log that keeps nothing. */
export const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, show: ignore };

function ignore(): void {
  // What is logged does not matter here.
}
