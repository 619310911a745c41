import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { SourceFile } from "./source-files.ts";

type Direction = {
  readonly folder: string;
  readonly mayImport: readonly string[];
  readonly mayImportTypesOf?: readonly string[];
  /** Absent: any. The pure folders name the few they may use. */
  readonly builtins?: readonly string[];
};

const contract = "toolpacks/contract";
const everything = [""];

// The folder table of the architecture. A folder may always import from itself; a name ending in `.ts` opens one file only.
const directions: readonly Direction[] = [
  { folder: contract, mayImport: [], builtins: ["node:crypto"] },
  { folder: "toolpacks/loaders", mayImport: [contract] },
  { folder: "toolpacks/packs", mayImport: [contract] },
  { folder: "ledger", mayImport: [contract] },
  { folder: "temporal", mayImport: [contract] },
  { folder: "activities", mayImport: [contract, "ledger", "temporal"] },
  {
    folder: "workflows",
    mayImport: [contract, "temporal/failures.ts", "temporal/search-attributes.ts"],
    mayImportTypesOf: ["activities"],
    builtins: [],
  },
  { folder: "gateway", mayImport: [contract, "ledger", "temporal/client-door.ts", "toolpacks/loaders"] },
  { folder: "client", mayImport: [contract] },
  { folder: "infra", mayImport: [] },
  {
    folder: "cli",
    mayImport: ["toolpacks", "ledger", "activities", "workflows", "temporal", "gateway"],
  },
  { folder: "test", mayImport: everything },
  { folder: "bench", mayImport: everything },
];

/** One line for each import that points the wrong way; none when the house stands. */
export function importFaultsOf(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const direction = directions.find(({ folder }) => isWithin(file.path, folder));
    if (!direction) return [];
    return importsOf(file).flatMap((imported) => faultOf(file, imported, direction));
  });
}

type Import = { readonly specifier: string; readonly typeOnly: boolean };

function faultOf(file: SourceFile, { specifier, typeOnly }: Import, direction: Direction): string[] {
  if (isBuiltin(specifier)) {
    const allowed = direction.builtins?.includes(specifier) ?? true;
    return allowed ? [] : [`${file.path}: ${direction.folder}/ may not import the built-in "${specifier}"`];
  }
  if (!specifier.startsWith(".")) return [];
  const target = posix.join(posix.dirname(file.path), specifier);
  const open = [direction.folder, ...direction.mayImport, ...(typeOnly ? (direction.mayImportTypesOf ?? []) : [])];
  if (open.some((folder) => isWithin(target, folder))) return [];
  return [`${file.path}: ${direction.folder}/ may not import ${target}`];
}

function isWithin(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

// Our formatter puts every import at the start of a line, so a pattern reads them as surely as a parser would.
const statement = /^(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm;
const expression = /(\btypeof\s+)?\bimport\(\s*"([^"]+)"/g;

function importsOf({ text }: SourceFile): Import[] {
  return [...text.matchAll(statement), ...text.matchAll(expression)].map(([, typeMark, specifier = ""]) => ({
    specifier,
    typeOnly: typeMark !== undefined,
  }));
}
