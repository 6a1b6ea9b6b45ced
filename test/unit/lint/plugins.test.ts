import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inCheckout } from "../../support/checkout.ts";

const sql = "Only the ledger runs statements: ask it for a function.";
const environment = "Only src/config reads the environment.";

/** One line in one file each, and what the linter says of it; null: nothing. */
const planted: readonly (readonly [file: string, line: string, said: string | null])[] = [
  ["app/environment", "await statementsOf(db).$executeRaw`DELETE FROM lease`;", sql],
  ["app/environment", 'import { statementsOf as s } from "../ledger/statements.ts";', sql],
  ["app/environment", "await clientsOf(db).pool.query(text);", sql],
  ["app", "await ledger.inTransaction(db, work);", sql],
  ["app", 'await ledger.inTransactionOf(db, "search", work);', sql],
  ["outbox", "type Ledger = { $executeRaw: (text: TemplateStringsArray) => unknown };", sql],
  ["outbox", "interface Ledger { $queryRaw(text: TemplateStringsArray): unknown }", sql],
  ["outbox", "const { $queryRaw } = ledger;", sql],
  ["outbox", "const { $queryRaw: ask } = ledger;", sql],
  ["operator", 'await ledger["$queryRawUnsafe"](text);', sql],
  ["ledger/chain", "await statementsOf(db).$executeRaw`DELETE FROM lease`;", null],
  ["outbox", "await ledger.readPending();", null],
  ["app", "const { env } = process;", environment],
  ["app", "const { argv, env: mine } = process;", environment],
  ["app", "const { env: { HOME } } = globalThis.process;", environment],
  ["app", "const all = process;", environment],
  ["app", "function read({ env } = process) {}", environment],
  ["app", 'const home = process["env"];', environment],
  ["app", "const home = process?.env;", environment],
  ["app", "const home = globalThis.process.env;", environment],
  ["app", 'import { env } from "node:process";', environment],
  ["app", 'import { exit, env as mine } from "process";', environment],
  ["app", 'import all from "node:process";', environment],
  ["app", 'import * as all from "node:process";', environment],
  ["config", "const { env } = process;", null],
  ["app", "process.exitCode = process.argv.length;", null],
];

let tree: string;
let said: Map<string, string[]>;

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), "chainbell-lint-"));
  await cp(inCheckout("biome.json"), join(tree, "biome.json"));
  await cp(inCheckout("scripts", "lint"), join(tree, "scripts", "lint"), { recursive: true });
  await mkdir(join(tree, ".git"));
  await Promise.all(
    planted.map(async ([folder, line], index) => {
      const path = join(tree, "src", folder, `planted-${index}.ts`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `${line}\n`);
    }),
  );
  const biome = inCheckout("test", "node_modules", "@biomejs", "biome", "bin", "biome");
  const asked = ["lint", "--reporter=json", "--max-diagnostics=none", "--vcs-enabled=false", "src"];
  // It ends with 1 where it found something.
  const { stdout } = await promisify(execFile)(process.execPath, [biome, ...asked], {
    cwd: tree,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error) => error);
  said = new Map();
  for (const { message, location } of JSON.parse(stdout).diagnostics) {
    const index = /planted-(\d+)/.exec(JSON.stringify(location))?.[1] ?? "";
    said.set(index, [...(said.get(index) ?? []), JSON.stringify(message)]);
  }
});

afterAll(() => rm(tree, { recursive: true, force: true }));

it.each(planted.map(([folder, line, wanted], index) => [folder, line, wanted, index] as const))(
  "in %s: %s",
  (_folder, _line, wanted, index) => {
    const ours = (said.get(String(index)) ?? []).filter(
      (message) => message.includes(sql) || message.includes(environment),
    );
    if (wanted === null) expect(ours).toEqual([]);
    else expect(ours.join()).toContain(wanted);
  },
);
