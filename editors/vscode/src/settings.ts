/** The settings that go to the server: those that the writer has set, and no others. */

export const SECTION = "citeLsp";

/** Settings of this extension itself, which the server does not know. */
const OWN = /^(?:server|suggest)\./;

/** What VS Code tells of one setting; the parts that matter here. */
export interface Inspection {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/**
 * Return what has been set among the settings called `names`, as a tree without the section.
 *
 * VS Code would send the default of each setting that nobody has touched, and the server would take
 * it for the writer's word, over what stands in `cite-lsp.toml`. Those of this
 * extension stay here.
 */
export function chosenSettings(
  names: readonly string[],
  inspect: (name: string) => Inspection | undefined,
): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const name of names) {
    if (OWN.test(name)) {
      continue;
    }
    const { globalValue, workspaceValue, workspaceFolderValue } = inspect(name) ?? {};
    const value = workspaceFolderValue ?? workspaceValue ?? globalValue;
    // A field that was emptied in the settings' editor is one that is not set.
    if (value !== undefined && value !== "") {
      put(chosen, name.split("."), value);
    }
  }
  return chosen;
}

/** Return the names of the settings in a package.json, without the section. */
export function settingNames(manifest: unknown): string[] {
  const { contributes } = manifest as { contributes: { configuration: Configuration[] } };
  return contributes.configuration
    .flatMap(({ properties }) => Object.keys(properties))
    .map((name) => name.slice(SECTION.length + 1));
}

interface Configuration {
  properties: Record<string, unknown>;
}

function put(tree: Record<string, unknown>, path: string[], value: unknown): void {
  const [first, ...rest] = path;
  if (first === undefined) {
    return;
  }
  if (rest.length === 0) {
    tree[first] = value;
    return;
  }
  const branch = (tree[first] ?? {}) as Record<string, unknown>;
  tree[first] = branch;
  put(branch, rest, value);
}
