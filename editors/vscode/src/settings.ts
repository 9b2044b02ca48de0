/** The settings that go to the server: those that the writer has set, and no others. */

export const SECTION = "citeLsp";

/** Settings of this extension itself, which the server does not know. */
const OWN = /^(?:server|suggest)\./;

/** The settings by what may set them, their names without the section. */
export interface SettingNames {
  all: readonly string[];
  /** What names a program, a model or an address: the workspace does not set it, trusted or not. */
  ofMachine: ReadonlySet<string>;
  /** What a workspace sets only once it is trusted, those of the machine included. */
  guarded: readonly string[];
}

/** What VS Code tells of one setting; the parts that matter here. */
export interface Inspection {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

type Inspect = (name: string) => Inspection | undefined;

/**
 * Return what the server is told when it starts: what the writer has set of the guarded settings.
 *
 * Told then, they are taken for the writer's own; told later, they might be the workspace's.
 */
export function settingsAtStart(names: SettingNames, inspect: Inspect): Record<string, unknown> {
  return tree(names.guarded, (name) => inspect(name)?.globalValue);
}

/**
 * Return what has been set, by the writer or for the workspace, but for settings of the machine.
 *
 * VS Code would send the default of each setting that nobody has touched, and the server would take
 * it for the writer's word, over what stands in `cite-lsp.toml`.
 */
export function chosenSettings(names: SettingNames, inspect: Inspect): Record<string, unknown> {
  const settable = names.all.filter((name) => !names.ofMachine.has(name));
  return tree(settable, (name) => {
    const { globalValue, workspaceValue, workspaceFolderValue } = inspect(name) ?? {};
    return workspaceFolderValue ?? workspaceValue ?? globalValue;
  });
}

/** Return the names of the settings in a package.json. */
export function settingNames(manifest: Manifest): SettingNames {
  const properties = manifest.contributes.configuration.flatMap((group) => Object.entries(group.properties));
  const nameOf = (setting: string): string => setting.slice(SECTION.length + 1);
  const ofMachine = properties.filter(([, { scope }]) => scope === "machine").map(([name]) => nameOf(name));
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.map(nameOf);
  return {
    all: properties.map(([name]) => nameOf(name)),
    ofMachine: new Set(ofMachine),
    guarded: [...new Set([...ofMachine, ...restricted])],
  };
}

/** The parts of a package.json that say what settings there are, and what may set them. */
export interface Manifest {
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
  contributes: { configuration: { properties: Record<string, { scope: string }> }[] };
}

/** Return values as a tree without the section; the settings of this extension stay here. */
function tree(names: readonly string[], valueOf: (name: string) => unknown): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name of names.filter((name) => !OWN.test(name))) {
    const value = valueOf(name);
    // A field that was emptied in the settings' editor is one that is not set.
    if (value !== undefined && value !== "") {
      put(values, name.split("."), value);
    }
  }
  return values;
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
