// The scripts of the kernel view. They are put together into one (presentation/page/page.py), so that names are global:
// tsc knows them all, see tsconfig.page.json.
import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    languageOptions: { sourceType: "script", ecmaVersion: 2023 },
    rules: {
      "no-undef": "off",
      "no-unused-vars": ["error", { vars: "local" }],
      "no-redeclare": ["error", { builtinGlobals: false }],
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
