/**
 * What fast typing asks of VS Code: ten keys a second into a citation, a library of 5,000 entries.
 *
 *     CODE_SERVER=… node benchmarks/vscode_typing.mjs [rounds]
 *
 * The same keys are typed with the extension and without it, in turn. Told are the longest time that
 * the extension host was busy, by the lateness of a timer in an extension of its own, and the
 * longest task of the page. tests/editors/vscode/workplace.mjs says what must be there.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { open, unavailable } from "../tests/editors/vscode/workplace.mjs";

const ENTRIES = 5000;
const KEY_EVERY = 100;
const BEAT = 5;
const KEYS = "spectral glaciers part 2005";
const TOPICS = ["galaxies", "proteins", "glaciers", "markets", "grammars", "polymers", "neurons"];
const METHODS = ["spectral", "bayesian", "adaptive", "recursive", "stochastic"];
const DRAFT = `\\documentclass{article}
\\begin{document}
Spectral methods have been used for a long time \\cite{}.
\\bibliography{large}
\\end{document}
`;

/** An extension that writes down when the host of all extensions came late to a timer. */
const PROBE = {
  manifest: {
    publisher: "cite-lsp",
    name: "probe",
    version: "1.0.0",
    engines: { vscode: "^1.82.0" },
    activationEvents: ["onStartupFinished"],
    main: "./extension.js",
  },
  code: `
const fs = require("fs"), vscode = require("vscode");
exports.activate = () => {
  const late = [], file = vscode.workspace.workspaceFolders[0].uri.fsPath + "/../late.json";
  let last = performance.now();
  setInterval(() => {
    const now = performance.now(), delay = now - last - ${BEAT};
    last = now;
    if (delay > 2) late.push([Date.now(), delay]);
  }, ${BEAT});
  setInterval(() => fs.writeFileSync(file, JSON.stringify(late)), 1000);
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

/** Type once; return the longest busy times in milliseconds, and how many lists were seen. */
async function measure(withExtension) {
  const place = await open({ "paper.tex": DRAFT, "large.bib": library() }, "paper.tex", {
    neighbours: [PROBE],
    without: !withExtension,
  });
  const { editor, root } = place;
  try {
    await (withExtension ? editor.isReady() : editor.page.waitForTimeout(20_000));
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
    await editor.page.waitForTimeout(2500);
    const late = JSON.parse(fs.readFileSync(path.join(root, "late.json"), "utf8"));
    const delays = late.filter(([when]) => when >= begin && when <= end + 500).map(([, ms]) => ms);
    const tasks = await editor.page.evaluate(() => window.longTasks);
    return {
      host: Math.max(0, ...delays),
      page: Math.max(0, ...tasks),
      tasks: tasks.length,
      listed: await editor.suggestions.count(),
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
console.log("longest, ms (median, most)   extension host       page   tasks over 50 ms");
for (const [way, found] of Object.entries(seen)) {
  const longest = (name) => {
    const values = found.map((one) => one[name]);
    return `${median(values).toFixed(0)}, ${Math.max(...values).toFixed(0)}`;
  };
  console.log(
    `${way.padEnd(29)}${longest("host").padEnd(21)}${longest("page").padEnd(11)}${longest("tasks")}`,
  );
}
