/**
 * What fast typing asks of VS Code: ten keys a second into a citation, a library of 5,000 entries.
 *
 *     CODE_SERVER=… node benchmarks/vscode_typing.mjs [rounds]
 *
 * The same keys are typed with the extension and without it, in turn. Told are the most that the
 * extension host computed between two turns of a timer in an extension of its own, how late that
 * timer came at most, and the longest task of the page; other work on the machine lengthens the
 * last two. tests/editors/vscode/workplace.mjs says what must be there.
 */

import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { open, unavailable } from "../tests/editors/vscode/workplace.mjs";

const ENTRIES = 5000;
const KEY_EVERY = 100;
const BEAT = 5;
const FIRST_START = 600_000;
const KEYS = "spectral glaciers part 2005";
const TOPICS = ["galaxies", "proteins", "glaciers", "markets", "grammars", "polymers", "neurons"];
const METHODS = ["spectral", "bayesian", "adaptive", "recursive", "stochastic"];
const DRAFT = `\\documentclass{article}
\\begin{document}
Spectral methods have been used for a long time \\cite{}.
\\bibliography{large}
\\end{document}
`;

/** An extension that writes down how late its timer came, and what was computed meanwhile. */
const PROBE = {
  manifest: {
    publisher: "cite-lsp",
    name: "probe",
    version: "1.0.0",
    engines: { vscode: "^1.82.0" },
    activationEvents: ["onStartupFinished"],
    main: "./extension.js",
    contributes: { commands: [{ command: "probe.write", title: "Write What Was Seen" }] },
  },
  code: `
const fs = require("fs"), vscode = require("vscode");
exports.activate = () => {
  const late = [], file = vscode.workspace.workspaceFolders[0].uri.fsPath + "/../late.json";
  let last = performance.now(), before = process.cpuUsage();
  setInterval(() => {
    const now = performance.now(), { user, system } = process.cpuUsage(before);
    late.push([Date.now(), now - last - ${BEAT}, (user + system) / 1000]);
    last = now;
    before = process.cpuUsage();
  }, ${BEAT});
  vscode.commands.registerCommand("probe.write", () => fs.writeFileSync(file, JSON.stringify(late)));
};
`,
};

function library() {
  return Array.from({ length: ENTRIES }, (_, number) => {
    const topic = TOPICS[number % TOPICS.length];
    const method = METHODS[number % METHODS.length];
    const title = `On ${method} estimates of ${topic}, part ${number}`;
    const year = 1980 + (number % 45);
    return `@article{paper${number}, author = {Writer, A.}, title = {${title}}, year = {${year}}}\n`;
  }).join("");
}

/** Where the library is embedded once for all rounds. */
const home = process.env.CITE_LSP_HOME ?? fs.mkdtempSync(path.join(os.tmpdir(), "cite-lsp-typing-"));

/** Type once; return the longest busy times in milliseconds, and how many items were listed at last. */
async function measure(withExtension) {
  const place = await open({ "paper.tex": DRAFT, "large.bib": library() }, "paper.tex", {
    neighbours: [PROBE],
    without: !withExtension,
    environment: { CITE_LSP_HOME: home },
  });
  const { editor, root } = place;
  try {
    await (withExtension ? editor.isReady(FIRST_START) : editor.page.waitForTimeout(40_000));
    await editor.page.evaluate(() => {
      window.longTasks = [];
      new PerformanceObserver((list) => {
        window.longTasks.push(...list.getEntries().map(({ duration }) => duration));
      }).observe({ type: "longtask" });
    });
    // Once for warmth: the first list is drawn from nothing, in any extension.
    await editor.putCursorBehind("paper.tex", "a long time \\cite{");
    await editor.type("bayes", KEY_EVERY);
    await editor.page.waitForTimeout(3000);
    await editor.press("Escape", ...Array.from("bayes", () => "Backspace"));
    await editor.page.waitForTimeout(1000);
    await editor.page.evaluate(() => window.longTasks.splice(0));
    const begin = Date.now();
    await editor.type(KEYS, KEY_EVERY);
    const end = Date.now();
    await editor.page.waitForTimeout(1000);
    const tasks = await editor.page.evaluate(() => window.longTasks.splice(0));
    const listed = await editor.suggestions.count();
    await editor.press("Escape");
    await editor.command("Write What Was Seen");
    await editor.page.waitForTimeout(2000);
    const late = JSON.parse(fs.readFileSync(path.join(root, "late.json"), "utf8"));
    const turns = late.filter(([when]) => when >= begin && when <= end + 500);
    return {
      computed: Math.max(...turns.map(([, , ms]) => ms)),
      late: Math.max(...turns.map(([, ms]) => ms)),
      page: Math.max(0, ...tasks),
      tasks: tasks.length,
      listed,
    };
  } finally {
    await place.close();
  }
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

if (unavailable) {
  console.error(unavailable);
  process.exit(1);
}
const rounds = Number(process.argv[2] ?? 3);
const seen = { with: [], without: [] };
for (let round = 0; round < rounds; round++) {
  for (const way of ["with", "without"]) {
    const found = await measure(way === "with");
    console.error(way, JSON.stringify(found));
    seen[way].push(found);
  }
}
if (!process.env.CITE_LSP_HOME) {
  fs.rmSync(home, { recursive: true });
}
console.log("ms: median, most      computed in one go   timer late   task of the page   tasks over 50 ms");
for (const [way, found] of Object.entries(seen)) {
  const figures = ["computed", "late", "page", "tasks"].map((name) => {
    const values = found.map((one) => one[name]);
    return `${median(values).toFixed(0)}, ${Math.max(...values).toFixed(0)}`.padEnd(19);
  });
  console.log(way.padEnd(22) + figures.join(""));
}
