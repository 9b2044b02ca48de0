import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "out/", "node_modules/", "*.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // The functions of node:path use no `this`, and Disposable is a shape, not a class to extend.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "max-lines": ["error", 300],
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  {
    files: ["test/**"],
    // `test()` of node:test returns a promise that its runner waits for.
    rules: { "@typescript-eslint/no-floating-promises": "off" },
  },
);
