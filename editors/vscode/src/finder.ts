/** Where the server is: looked for as a person would, the most deliberate choice first. */

import * as path from "node:path";

export type Origin = "setting" | "interpreter" | "uv" | "pipx" | "path" | "own";

/** All that finding depends on, so that it can be tried for any machine on any other. */
export interface Surroundings {
  platform: NodeJS.Platform;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The setting `citeLsp.server.path`; "" when it is not set. */
  setting: string;
  /** The first folder of the workspace, which a relative setting starts from; only a trusted one. */
  folder: string | undefined;
  /** The Python interpreter that the Python extension has selected. */
  interpreter: string | undefined;
  /** The environment that this extension makes for itself. */
  own: string;
  isExecutable: (file: string) => boolean;
}

export interface Found {
  file: string;
  origin: Origin;
}

const NAME = "cite-lsp";

/**
 * Return the server's executable, undefined where there is none.
 *
 * A setting that names no executable is a mistake to be told, so nothing is looked for in its place.
 */
export function findServer(where: Surroundings): Found | undefined {
  const candidates = where.setting ? fromSetting(where) : everywhere(where);
  return candidates.find(({ file }) => where.isExecutable(file));
}

/** Return the folder of an environment that its executables stand in. */
export function binaries(environment: string, platform: NodeJS.Platform): string {
  return paths(platform).join(environment, platform === "win32" ? "Scripts" : "bin");
}

/** Return the server's program in an environment that holds it. */
export function programIn(environment: string, platform: NodeJS.Platform): string {
  const [name = NAME] = names(platform, NAME);
  return paths(platform).join(binaries(environment, platform), name);
}

/** Return the command lines that may start a Python, the best first. */
export function pythons(where: Surroundings): string[][] {
  const selected = where.interpreter ? [[where.interpreter]] : [];
  if (where.platform === "win32") {
    return [...selected, ["py", "-3"], ["python"]];
  }
  const versions = ["3.14", "3.13", "3.12", "3.11"].map((version) => [`python${version}`]);
  return [...selected, ["python3"], ...versions, ["python"]];
}

function fromSetting(where: Surroundings): Found[] {
  const { resolve, isAbsolute } = paths(where.platform);
  const setting = where.setting
    .replace(/^~(?=[\\/]|$)/, () => where.home)
    .replaceAll("${workspaceFolder}", () => where.folder ?? ".")
    .replaceAll("${userHome}", () => where.home);
  if (!/[\\/]/.test(setting)) {
    return onPath(where, setting).map((file) => ({ file, origin: "setting" }));
  }
  if (!isAbsolute(setting) && !where.folder) {
    return [];
  }
  const named = resolve(where.folder ?? "", setting);
  return [named, ...names(where.platform, named)].map((file) => ({ file, origin: "setting" }));
}

function everywhere(where: Surroundings): Found[] {
  const from = (origin: Origin, folders: string[]): Found[] =>
    folders.flatMap((folder) =>
      names(where.platform, NAME).map((name) => ({
        file: paths(where.platform).join(folder, name),
        origin,
      })),
    );
  return [
    ...from("interpreter", besideInterpreter(where)),
    ...from("uv", uvFolders(where)),
    ...from("pipx", pipxFolders(where)),
    ...onPath(where, NAME).map((file): Found => ({ file, origin: "path" })),
    ...from("own", [binaries(where.own, where.platform)]),
  ];
}

function besideInterpreter({ interpreter, platform }: Surroundings): string[] {
  if (!interpreter) {
    return [];
  }
  const folder = paths(platform).dirname(interpreter);
  // A conda environment on Windows keeps python.exe above its Scripts.
  return platform === "win32" ? [folder, paths(platform).join(folder, "Scripts")] : [folder];
}

/** See "Storage" in uv's reference: its tools, and the folder that it links them into. */
function uvFolders({ platform, home, environment }: Surroundings): string[] {
  const { join } = paths(platform);
  const data = environment.XDG_DATA_HOME ?? join(home, ".local", "share");
  const tools = [join(data, "uv", "tools")];
  if (environment.UV_TOOL_DIR) {
    tools.unshift(environment.UV_TOOL_DIR);
  }
  if (platform === "win32" && environment.APPDATA) {
    tools.push(join(environment.APPDATA, "uv", "tools"));
    tools.push(join(environment.APPDATA, "uv", "data", "tools"));
  }
  const links =
    environment.UV_TOOL_BIN_DIR ??
    environment.XDG_BIN_HOME ??
    (environment.XDG_DATA_HOME && join(environment.XDG_DATA_HOME, "..", "bin"));
  const own = tools.map((folder) => binaries(join(folder, NAME), platform));
  return links ? [...own, links] : own;
}

/** See "Configure paths" in pipx's manual: its environments, and the folder it links them into. */
function pipxFolders({ platform, home, environment }: Surroundings): string[] {
  const { join } = paths(platform);
  const homes = environment.PIPX_HOME ? [environment.PIPX_HOME] : [join(home, ".local", "pipx")];
  if (platform === "win32") {
    homes.push(join(home, "pipx"));
    if (environment.LOCALAPPDATA) {
      homes.push(join(environment.LOCALAPPDATA, "pipx"));
    }
  } else if (platform === "darwin") {
    homes.push(join(home, "Library", "Application Support", "pipx"));
  } else {
    homes.push(join(environment.XDG_DATA_HOME ?? join(home, ".local", "share"), "pipx"));
  }
  const own = homes.map((folder) => binaries(join(folder, "venvs", NAME), platform));
  return [...own, environment.PIPX_BIN_DIR ?? join(home, ".local", "bin")];
}

function onPath({ platform, environment }: Surroundings, name: string): string[] {
  const { delimiter, isAbsolute, join } = paths(platform);
  const search = environment.PATH ?? environment.Path ?? "";
  // A relative folder in PATH would let any workspace bring a program of its own.
  const folders = search.split(delimiter).filter(isAbsolute);
  return folders.flatMap((folder) => names(platform, name).map((file) => join(folder, file)));
}

function names(platform: NodeJS.Platform, name: string): string[] {
  return platform === "win32" && !/\.(exe|cmd|bat)$/i.test(name) ? [`${name}.exe`] : [name];
}

function paths(platform: NodeJS.Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}
