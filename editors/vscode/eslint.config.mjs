import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["out/", "*.mjs", "smoke/"] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", name: ["test", "it", "describe"], package: "node:test" }] }],
    },
  },
);
