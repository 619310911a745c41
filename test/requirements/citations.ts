import { sourceFilesOf, type SourceFile } from "../house/source-files.ts";

export type Citation = { readonly path: string; readonly title: string; readonly numbers: readonly string[] };

/** What the titles of our tests claim to prove: `"every call ends in one of four ways (C10, A9)"`. */
export function citations(root: string): Citation[] {
  return sourceFilesOf(root, isTestFile).flatMap(citationsOf);
}

// The suites in test/contract/ hold titles too: they run wherever an implementation calls them.
const isTestFile = (path: string) => /^test\/.*\.test\.ts$|^test\/contract\/.*\.ts$/.test(path);

// A title is a string literal that ends in a number in parentheses; rows of a `test.each` count, as they become titles.
const title = /(["`'])((?:(?!\1|\n).)*\((?=[^()"'`\n]*\b[TSACW]\d+\b)([^()"'`\n]*)\))\1/g;
const list = /^[TSACW]\d+(?:, [TSACW]\d+)*$/;

/** Throws on anything but a plain list: a range would claim numbers that nobody wrote down. */
export function citationsOf({ path, text }: SourceFile): Citation[] {
  return [...text.matchAll(title)].map(([, , words = "", numbers = ""]) => {
    if (!list.test(numbers)) throw new Error(`${path}: cite as "(C10, A9)", not "(${numbers})"`);
    return { path, title: words, numbers: numbers.split(", ") };
  });
}
