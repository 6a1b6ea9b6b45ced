import { readFile } from "node:fs/promises";
import { parseDocument } from "yaml";
import { type ConfigFault, pathText } from "./config-fault.ts";
import type { Environment } from "./environment.ts";

/**
 * The file's values as texts, lists and maps, with the environment filled in. Null: it is not YAML.
 */
export type ConfigFile = { values: unknown; faults: ConfigFault[] };

/** No configuration is longer. A wrong path (a device, a data file) must not be read whole. */
const maxFileCharacters = 4 * 1024 * 1024;

/** The file's text. Null: there is no such file. Any other failure to read it is thrown. */
export async function readConfigFile(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Parses YAML without changing any scalar (the `failsafe` schema: `1.10` keeps its zero, `NO` is no
 * boolean). An empty value counts as absent. Fills in `${NAME}` and `${NAME:-default}` after
 * parsing, so that a value never becomes syntax. `$${` is a plain `${`.
 */
export function parseConfigFile(text: string, env: Environment): ConfigFile {
  if (text.length > maxFileCharacters)
    return { values: null, faults: [{ path: "", message: "the file is too long" }] };
  const document = parseDocument(text, { schema: "failsafe", prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => ({
      path: `line ${lineOf(text, error.pos[0])}`,
      message: error.message,
    }));
    return { values: null, faults };
  }
  const faults: ConfigFault[] = [];
  const values = fillIn(document.toJS({ maxAliasCount: 100 }), { env, path: [], faults });
  return { values: values === undefined ? {} : values, faults };
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

const placeholderExpected = `expected \${NAME} or \${NAME:-default}`;

type Filling = { env: Environment; path: readonly PropertyKey[]; faults: ConfigFault[] };

function fillIn(value: unknown, filling: Filling): unknown {
  if (typeof value === "string") return fillInText(value, filling) || undefined;
  if (Array.isArray(value)) {
    return value.map((item, index) => fillIn(item, { ...filling, path: [...filling.path, index] }));
  }
  if (typeof value !== "object" || value === null) return undefined;
  const entries = Object.entries(value)
    .map(
      ([key, item]) => [key, fillIn(item, { ...filling, path: [...filling.path, key] })] as const,
    )
    .filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries);
}

function fillInText(text: string, { env, path, faults }: Filling): string {
  return text.replace(/\$(\$\{)|\$\{([^}]*)\}/g, (_whole, escaped?: string, inner?: string) => {
    if (escaped !== undefined) return escaped;
    const parts = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner ?? "");
    if (parts === null) {
      faults.push({ path: pathText(path), message: placeholderExpected });
      return "";
    }
    const [, name = "", fallback] = parts;
    const value = env[name] || fallback;
    if (value === undefined) {
      faults.push({
        path: pathText(path),
        message: `the environment variable ${name} is not set`,
        code: "not_set",
        values: { name },
      });
    }
    return value ?? "";
  });
}
