import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rulesOf } from "../../../scripts/floors/rules.mjs";
import { type Room, readFloors } from "../../../scripts/floors/table.mjs";

/** An import that must be refused: the rule, the file that imports, and what it imports. */
type Case = { rule: string; file: string; text: string };

const root = fileURLToPath(new URL("../../..", import.meta.url));
const table = readFloors();
const rooms = table.rooms.filter((room) => !room.generated);
let tree: string;
let refused: Set<string>;

/** The floors as the issue asks for them, whatever the table says. */
const neverAllowed = [
  ["ledger/commit", "app"],
  ["metrics", "api"],
  ["metrics", "ledger"],
  ["chain/blocks", "watcher"],
  ["watcher/head", "ledger/commit"],
  ["watcher/head", "chain/blocks"],
  ["api/routes/business", "ledger"],
  ["operator/business", "ledger/postgres"],
  ["dispatcher", "outbox"],
  ["outbox", "queue"],
  ["ledger", "chain"],
  ["webhook", "price"],
  ["chain/proof", "chain/blocks"],
  ["ledger/postgres", "ledger/commit"],
  ["domain", "runtime"],
  ["domain", "domain/money"],
  ["config", "app"],
] as const;

const neverFrom = [
  ["ledger", "viem"],
  ["watcher", "viem"],
  ["domain/money", "viem"],
  ["chain", "pg"],
  ["api", "@prisma/client"],
  ["operator/business", "fastify"],
  ["metrics", "bullmq"],
  ["dispatcher", "undici"],
] as const;

/** A room of the console, and what it may not import. Nothing is above `app` but what starts it. */
const consoleRooms = [
  ["app", "styles"],
  ["pages", "app"],
  ["ui", "pages"],
  ["wire", "ui"],
  ["route", "wire"],
  ["format", "ui"],
  ["text", "format"],
  ["browser", "text"],
] as const;

/** Every way to name another file. */
const forms = [
  (path: string) => `import type { A } from "${path}";\nexport type B = A;\n`,
  (path: string) => `import { type A } from "${path}";\nexport type B = A;\n`,
  (path: string) => `export type { A } from "${path}";\n`,
  (path: string) => `export type B = import("${path}").A;\n`,
  (path: string) => `export type B = typeof import("${path}");\n`,
  (path: string) => `import "${path}";\n`,
  (path: string) => `export * from "${path}";\n`,
  (path: string) => `export const b = () => import("${path}");\n`,
] as const;

const cases: Case[] = [
  ...rooms.map((room) => importOf(room.name, forbiddenTo(room), `every-${key(room.name)}`)),
  ...neverAllowed.flatMap(([from, to]) =>
    forms.map((form, index) => importOf(from, to, `never-${index}-${key(to)}`, form)),
  ),
  ...[...table.libraries].map(([name, owners]) =>
    importing(`library ${name}`, `src/${strangerTo(owners)}/library-${key(name)}.ts`, name),
  ),
  ...neverFrom.map(([from, name]) => ({
    rule: `library ${name}`,
    file: `src/${from}/never-${key(name)}.ts`,
    text: `import { a } from "${name}";\nexport const b = a;\n`,
  })),
  ...[...table.node].map(([name, owners]) => ({
    rule: `node:${name}`,
    file: `src/${strangerTo(owners)}/node-${name}.ts`,
    text: `import * as a from "node:${name}";\nexport const b = a;\n`,
  })),
  {
    rule: "no cycles",
    file: "src/domain/circle-one.ts",
    text: `import type { Two } from "./circle-two.ts";\nexport type One = Two;\n`,
  },
  importing("every folder has a row", "src/attic/trunk.ts", "../domain/own.ts"),
  importing("src stands alone", "src/domain/tested.ts", "../../test/support/own.ts"),
  importing("a package stands alone", "packages/webhooks/borrowed.ts", "../../src/domain/own.ts"),
  importing("tests share by support", "test/unit/borrowed.test.ts", "../integration/own.ts"),
  importing("every library has a row", "src/domain/unknown.ts", "a-library-without-a-row"),
  importing("no development dependency", "src/runtime/development.ts", "vitest"),
  importing("nothing unresolved", "src/domain/lost.ts", "./nowhere.ts"),
  ...consoleRooms.map(([room, other]) =>
    importing(`console ${room}`, `console/src/${room}/up.ts`, `../${other}/own.ts`),
  ),
  importing(
    "a page of the console stands alone",
    "console/src/pages/one/aside.ts",
    "../two/own.ts",
  ),
  importing("the console stands alone", "console/src/text/inside.ts", "../../../src/domain/own.ts"),
  importing("only tests see the console", "src/domain/shown.ts", "../../console/src/ui/own.ts"),
  importing("libraries of the console", "console/src/ui/drawn.ts", "uplot"),
];

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), "chainbell-floors-"));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await writeFile(join(tree, path), text);
  };
  for (const room of table.rooms) await write(`src/${room.name}/own.ts`, "export type A = string;");
  for (const folder of ["support", "integration"])
    await write(`test/${folder}/own.ts`, "export type A = string;");
  for (const [, other] of consoleRooms)
    await write(`console/src/${other}/own.ts`, "export type A = string;");
  await write("console/src/pages/two/own.ts", "export type A = string;");
  await write("src/domain/circle-two.ts", `export type { One as Two } from "./circle-one.ts";`);
  const libraries = [...table.libraries.keys(), "a-library-without-a-row", "vitest", "uplot"];
  for (const library of libraries) await write(`node_modules/${library}/index.js`, "");
  const dependencies = Object.fromEntries(libraries.map((name) => [name, "*"]));
  const { vitest, uplot, ...others } = dependencies;
  const manifest = { dependencies: others, devDependencies: { vitest, uplot } };
  await write("package.json", JSON.stringify(manifest));
  for (const { file, text } of cases) await write(file, text);
  refused = await cruise();
});

afterAll(() => rm(tree, { recursive: true, force: true }));

test("every rule is broken by a case", () => {
  const broken = new Set(cases.map((each) => each.rule));
  const rules = rulesOf(table).map((rule) => rule.name);
  // The generated client's own imports are not read.
  const generated = table.rooms.filter((room) => room.generated).map((room) => `room ${room.name}`);
  expect([...broken, ...generated].sort()).toEqual([...rules].sort());
});

test.each(cases)("$rule: $file is refused", ({ rule, file }) => {
  expect(refused).toContain(`${rule}: ${file}`);
});

test("nothing else is refused", () => {
  const expected = new Set(cases.map(({ rule, file }) => `${rule}: ${file}`));
  // Its library is for development and has no row.
  expected.add("every library has a row: src/runtime/development.ts");
  expect([...refused].sort()).toEqual([...expected].sort());
});

function importing(rule: string, file: string, path: string): Case {
  return { rule, file, text: `import type { A } from "${path}";\nexport type B = A;\n` };
}

/** What dependency-cruiser refuses in the tree, started as `npm run check` starts it. */
async function cruise(): Promise<Set<string>> {
  const program = join(root, "test/node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const config = join(root, ".dependency-cruiser.mjs");
  const folders = ["src", "console", "packages", "test"];
  const args = [program, ...folders, "--config", config, "--output-type", "json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: tree,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string }; from: string }[] };
  };
  return new Set(summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`));
}

function importOf(
  from: string,
  to: string,
  name: string,
  form: (path: string) => string = forms[0],
): Case {
  const up = "../".repeat(from.split("/").length);
  return {
    rule: `room ${from}`,
    file: `src/${from}/${name}.ts`,
    text: form(`${up}${to}/own.ts`),
  };
}

function forbiddenTo(room: Room): string {
  const other = rooms.find((each) => each.name !== room.name && !room.imports.includes(each.name));
  if (other === undefined) throw new Error(`${room.name} may import everything`);
  return other.name;
}

function strangerTo(owners: readonly string[]): string {
  const other = rooms.find((room) => !owners.includes(room.name));
  if (other === undefined) throw new Error("everybody is an owner");
  return other.name;
}

function key(name: string): string {
  return name.replaceAll(/[^a-z]+/g, "-");
}
