import js from '@eslint/js';
import hooks from 'eslint-plugin-react-hooks';
import { defineConfig } from 'eslint/config';
import globals from 'globals';
import ts from 'typescript-eslint';

// What comes from clusters is text: nothing is ever put into a page as markup.
const markup = [
  { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'Render text.' },
  { selector: 'MemberExpression[property.name=/^(inner|outer)HTML$/]', message: 'Render text.' },
];

// Who translates the pages has one place to look at.
const said = 'Literal[value=/[A-Za-z]{2}/]';
const either = `:matches(LogicalExpression, ConditionalExpression) > ${said}`;
const read = 'JSXAttribute[name.name=/^(aria-label|aria-description|alt|title|label|placeholder|description)$/]';
const words = [
  'JSXText[value=/[A-Za-z]/]',
  ...[said, either].map((text) => `JSXElement > JSXExpressionContainer > ${text}`),
  ...[said, `JSXExpressionContainer > ${said}`, `JSXExpressionContainer > ${either}`].map(
    (text) => `${read} > ${text}`,
  ),
].map((selector) => ({ selector, message: 'Put the text into src/text/en, and take it from there.' }));

// The server is spoken to in one place, which keeps to what the pages and the server agree on.
const asking = ['fetch', 'EventSource', 'WebSocket', 'XMLHttpRequest'].map((name) => ({
  name,
  message: 'Speak to the server in src/api.',
}));

export default defineConfig(
  { ignores: ['static', 'node_modules', 'src/api/schema.d.ts'] },
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  hooks.configs.flat['recommended-latest'],
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers in texts are what they look like.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-syntax': ['error', ...markup],
    },
  },
  {
    files: ['src/**/*.tsx'],
    ignores: ['src/**/*.test.tsx', 'src/testing/**'],
    rules: { 'no-restricted-syntax': ['error', ...markup, ...words] },
  },
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    ignores: ['src/api/**', 'src/**/*.test.ts', 'src/**/*.test.tsx', 'src/testing/**'],
    rules: {
      'no-restricted-globals': ['error', ...asking],
      'no-restricted-properties': [
        'error',
        ...['window', 'globalThis'].flatMap((object) =>
          asking.map(({ name, message }) => ({ object, property: name, message })),
        ),
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [ts.configs.disableTypeChecked],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
);
