import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { binaries, findServer, pythons, type Surroundings } from "../src/finder";

function machine(files: string[], changes: Partial<Surroundings> = {}): Surroundings {
  return {
    platform: "linux",
    home: "/home/ada",
    environment: { PATH: "/usr/local/bin:/usr/bin" },
    setting: "",
    folder: "/home/ada/thesis",
    interpreter: undefined,
    own: "/storage/environment",
    isExecutable: (file) => files.includes(file),
    ...changes,
  };
}

describe("the server is found", () => {
  const everywhere = [
    "/home/ada/thesis/.venv/bin/cite-lsp",
    "/home/ada/.local/share/uv/tools/cite-lsp/bin/cite-lsp",
    "/home/ada/.local/share/pipx/venvs/cite-lsp/bin/cite-lsp",
    "/usr/bin/cite-lsp",
    "/storage/environment/bin/cite-lsp",
  ];
  const interpreter = "/home/ada/thesis/.venv/bin/python";

  it("in the most deliberate of the places that have it", () => {
    const origins = everywhere.map((_, index) => {
      const left = everywhere.slice(index);
      return findServer(machine(left, { interpreter }))?.origin;
    });

    assert.deepEqual(origins, ["interpreter", "uv", "pipx", "path", "own"]);
  });

  it("nowhere when it is nowhere", () => {
    assert.equal(findServer(machine([])), undefined);
  });

  it("where the setting says, before all others", () => {
    const setting = "/opt/cite-lsp/bin/cite-lsp";
    const found = findServer(machine([setting, ...everywhere], { setting, interpreter }));

    assert.deepEqual(found, { file: setting, origin: "setting" });
  });

  it("nowhere when the setting is wrong: another server would be a surprise", () => {
    assert.equal(findServer(machine(everywhere, { setting: "/opt/gone", interpreter })), undefined);
  });

  it("nowhere in a workspace that is not to be looked into", () => {
    for (const setting of ["${workspaceFolder}/bin/cite-lsp", "./bin/cite-lsp", "bin/cite-lsp"]) {
      const files = ["/bin/cite-lsp", "/home/ada/thesis/bin/cite-lsp"];
      assert.equal(findServer(machine(files, { setting, folder: undefined })), undefined);
    }
  });

  it("by a setting that starts from the home or the workspace", () => {
    const file = "/home/ada/thesis/.venv/bin/cite-lsp";
    for (const setting of [
      "~/thesis/.venv/bin/cite-lsp",
      "${workspaceFolder}/.venv/bin/cite-lsp",
      "${userHome}/thesis/.venv/bin/cite-lsp",
      ".venv/bin/cite-lsp",
    ]) {
      assert.equal(findServer(machine([file], { setting }))?.file, file, setting);
    }
  });

  it("on PATH by a setting that is a name", () => {
    const found = findServer(machine(["/usr/bin/cite-lsp-dev"], { setting: "cite-lsp-dev" }));

    assert.equal(found?.file, "/usr/bin/cite-lsp-dev");
  });

  it("not in a relative folder of PATH, which any workspace could provide", () => {
    const environment = { PATH: "node_modules/.bin:." };

    assert.equal(
      findServer(machine(["node_modules/.bin/cite-lsp", "cite-lsp"], { environment })),
      undefined,
    );
  });

  it("where the variables of uv and pipx say", () => {
    for (const [name, value, file] of [
      ["UV_TOOL_DIR", "/tools", "/tools/cite-lsp/bin/cite-lsp"],
      ["UV_TOOL_BIN_DIR", "/links", "/links/cite-lsp"],
      ["XDG_DATA_HOME", "/data", "/data/uv/tools/cite-lsp/bin/cite-lsp"],
      ["XDG_BIN_HOME", "/bin-home", "/bin-home/cite-lsp"],
      ["PIPX_HOME", "/pipx", "/pipx/venvs/cite-lsp/bin/cite-lsp"],
      ["PIPX_BIN_DIR", "/pipx-links", "/pipx-links/cite-lsp"],
    ] as const) {
      assert.equal(findServer(machine([file], { environment: { [name]: value } }))?.file, file);
    }
  });

  it("on Windows under the names and in the folders of Windows", () => {
    const windows = {
      platform: "win32" as const,
      home: "C:\\Users\\ada",
      own: "C:\\storage\\environment",
      environment: { Path: "C:\\bin;D:\\bin", APPDATA: "C:\\Users\\ada\\AppData\\Roaming" },
    };
    for (const [file, changes] of [
      ["D:\\bin\\cite-lsp.exe", {}],
      ["C:\\Users\\ada\\AppData\\Roaming\\uv\\tools\\cite-lsp\\Scripts\\cite-lsp.exe", {}],
      ["C:\\Users\\ada\\pipx\\venvs\\cite-lsp\\Scripts\\cite-lsp.exe", {}],
      ["C:\\conda\\Scripts\\cite-lsp.exe", { interpreter: "C:\\conda\\python.exe" }],
      ["C:\\storage\\environment\\Scripts\\cite-lsp.exe", {}],
      ["C:\\venv\\Scripts\\cite-lsp.exe", { setting: "C:\\venv\\Scripts\\cite-lsp" }],
      ["D:\\thesis\\venv\\cite-lsp.exe", { setting: "venv/cite-lsp", folder: "D:\\thesis" }],
      ["C:\\tools\\cite-lsp.cmd", { setting: "C:\\tools\\cite-lsp.cmd" }],
    ] as const) {
      assert.equal(findServer(machine([file], { ...windows, ...changes }))?.file, file);
    }
  });

  it("on a Mac where pipx once put it", () => {
    const file = "/home/ada/Library/Application Support/pipx/venvs/cite-lsp/bin/cite-lsp";

    assert.equal(findServer(machine([file], { platform: "darwin" }))?.origin, "pipx");
  });
});

describe("an environment", () => {
  it("keeps its programs where its system does", () => {
    assert.equal(binaries("/e", "linux"), "/e/bin");
    assert.equal(binaries("C:\\e", "win32"), "C:\\e\\Scripts");
  });

  it("is made with the selected Python before any other", () => {
    const interpreter = "/opt/python3.12/bin/python";

    assert.deepEqual(pythons(machine([], { interpreter }))[0], [interpreter]);
    assert.deepEqual(pythons(machine([]))[0], ["python3"]);
    assert.deepEqual(pythons(machine([], { platform: "win32" }))[0], ["py", "-3"]);
  });
});
