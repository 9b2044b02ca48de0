/**
 * Stand-ins for other extensions that complete keys: the names, settings and items of the real
 * ones, as far as keys go, and nothing else of them.
 *
 * LaTeX Workshop reads the bibliographies when it starts, those below its size limit, and lists
 * each entry by its key as a "reference". texlab's items have a kind for each sort of entry.
 */

const READ_KEYS = `
const fs = require("fs"), path = require("path"), vscode = require("vscode");
function entries() {
  const found = [];
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    for (const name of fs.readdirSync(uri.fsPath).filter((name) => name.endsWith(".bib"))) {
      const file = path.join(uri.fsPath, name);
      for (const [, sort, key] of fs.readFileSync(file, "utf8").matchAll(/@(\\w+)\\{([^,\\s]+),/g)) {
        found.push({ sort: sort.toLowerCase(), key, size: fs.statSync(file).size });
      }
    }
  }
  return found;
}
function offer(items) {
  const provideCompletionItems = (document, position) => {
    const before = document.lineAt(position).text.slice(0, position.character);
    const inside = /\\\\[a-zA-Z]*[Cc]ite[a-zA-Z]*\\*?(?:\\[[^\\]]*\\])*\\{([^}]*)$/.exec(before);
    if (inside) {
      return items();
    }
    return [new vscode.CompletionItem("fromNeighbour", vscode.CompletionItemKind.Function)];
  };
  const selector = [{ scheme: "file", language: "latex" }, { scheme: "file", language: "tex" }];
  return vscode.languages.registerCompletionItemProvider(
    selector, { provideCompletionItems }, "{", ",", "\\\\",
  );
}
`;

const LATEX_WORKSHOP = `${READ_KEYS}
exports.activate = (context) => {
  const limit = vscode.workspace.getConfiguration("latex-workshop").get("bibtex.maxFileSize");
  const read = entries().filter(({ size }) => size < limit * 1024 * 1024);
  context.subscriptions.push(offer(() => read.map(({ key }) => {
    const item = new vscode.CompletionItem(key, vscode.CompletionItemKind.Reference);
    item.filterText = key + " Title and authors";
    item.insertText = key;
    return item;
  })));
};
`;

const TEXLAB = `${READ_KEYS}
const { CompletionItemKind: Kind } = vscode;
const KINDS = { article: Kind.Event, book: Kind.Struct, inproceedings: Kind.Operator, misc: Kind.Interface,
                phdthesis: Kind.Unit, proceedings: Kind.TypeParameter };
exports.activate = (context) => {
  context.subscriptions.push(offer(() => entries().map(({ sort, key }) => {
    const item = new vscode.CompletionItem(key, KINDS[sort] ?? Kind.Interface);
    item.filterText = key;
    return item;
  })));
};
`;

function manifest(publisher, name, settings = {}) {
  return {
    publisher,
    name,
    version: "10.0.0",
    engines: { vscode: "^1.82.0" },
    activationEvents: ["onLanguage:latex", "onLanguage:tex"],
    main: "./extension.js",
    contributes: { configuration: { title: name, properties: settings } },
  };
}

export const latexWorkshop = {
  manifest: manifest("James-Yu", "latex-workshop", {
    "latex-workshop.bibtex.maxFileSize": { type: "number", default: 5, scope: "resource" },
    "latex-workshop.hover.citation.enabled": { type: "boolean", default: true, scope: "window" },
  }),
  code: LATEX_WORKSHOP,
};

export const texlab = { manifest: manifest("efoerster", "texlab"), code: TEXLAB };
