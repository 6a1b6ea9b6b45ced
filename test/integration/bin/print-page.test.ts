import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPrinter } from "../../../src/bin/cli/print-page.ts";
import { Fault } from "../../../src/domain/fault.ts";
import type { Printer } from "../../../src/operator/statement/print.ts";
import { chromiumProgram } from "../../support/console/chromium-program.ts";

const chromium = chromiumProgram();

/** Everything that is printed in a test lies here, until it is removed. */
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-print-test-"));
  vi.stubEnv("TMPDIR", folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function* pageOf(body: string) {
  yield `<!doctype html><title>${title}</title>`;
  yield body;
}

const title = "A page";

async function printed(printer: Printer, body = "words") {
  const parts: Uint8Array[] = [];
  for await (const part of printer.printPage(pageOf(body), title)) parts.push(part);
  return Buffer.concat(parts);
}

const left = (where = folder) =>
  readdirSync(where).filter((name) => name.startsWith("chainbell-print-"));

/** A program of ours in Chromium's place. */
function programOf(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

test.skipIf(chromium === undefined)("a page is printed, and asks for nothing", async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  }).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const urls = [`http://127.0.0.1:${port}/a.png`, `http://localhost:${port}/b.png`];
    const images = urls.map((url) => `<img src="${url}">`).join("");
    const pdf = await printed(createPrinter(chromium ?? null), `words ${images}`);
    expect(pdf.toString("latin1")).toMatch(/^%PDF-[\s\S]*\/Title \(A page\)/);
    expect(requests).toBe(0);
    expect(left()).toEqual([]);
  } finally {
    server.close();
  }
});

test("a machine without a Chromium is told what to do", async () => {
  const names = ["no-such-program", join(folder, "neither")];
  const printing = printed(createPrinter(null, { names }));
  await expect(printing).rejects.toThrow(Fault);
  await expect(printing).rejects.toThrow(
    /no-such-program, .*: install one, or set CHAINBELL_CHROM/,
  );
  await expect(printed(createPrinter("/nowhere/chromium"))).rejects.toThrow("/nowhere/chromium");
  expect(left()).toEqual([]);
});

/** A program that writes these lines as the PDF. */
function writes(name: string, ...lines: string[]): string {
  const find = `for word; do case $word in --print-to-pdf=*) out=\${word#*=};; esac; done`;
  const print = `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")} > "$out"`;
  return programOf(name, `${find}; ${print}`);
}

const whole = ["%PDF-1.4", "<</Title (A page)>>", "%%EOF"];

test("the first program that is there prints", async () => {
  const program = writes("writes", ...whole);
  const printer = createPrinter(null, { names: ["no-such-program", program, "neither"] });
  expect((await printed(printer)).toString()).toBe(`${whole.join("\n")}\n`);
  vi.stubEnv("PATH", `${join(folder, "nowhere")}:${folder}:${process.env["PATH"]}`);
  await createPrinter("writes").requireProgram();
  expect((await printed(createPrinter("writes"))).toString()).toContain("A page");
});

test.each([
  ["wrote a PDF of another page", whole.with(1, "<</Title (Your file couldnt be accessed)>>")],
  ["wrote a PDF without its end", whole.slice(0, 2)],
  ["wrote no PDF", ["<html>", ...whole]],
])("a Chromium that %s is refused, and nothing of it is given", async (how, lines) => {
  const program = writes("writes", ...lines);
  const printing = createPrinter(program).printPage(pageOf("words"), title);
  await expect(printing[Symbol.asyncIterator]().next()).rejects.toThrow(`${program} ${how}`);
  expect(left()).toEqual([]);
});

test.skipIf(chromium === undefined)("the folder may have any name", async () => {
  const odd = join(folder, "a#b %3F?d");
  mkdirSync(odd);
  vi.stubEnv("TMPDIR", odd);
  expect((await printed(createPrinter(chromium ?? null))).toString("latin1")).toContain(title);
  expect(left(odd)).toEqual([]);
});

test("the program is told no secret", async () => {
  const names = ["DATABASE_URL", "CHAINBELL_ENCRYPTION_KEY", "CHAINBELL_ADMIN_TOKEN"];
  for (const name of [...names, "FONTCONFIG_FILE", "LANG"]) vi.stubEnv(name, `of ${name}`);
  const told = join(folder, "told");
  await expect(printed(createPrinter(programOf("tells", `env > ${told}`)))).rejects.toThrow();
  const environment = Object.fromEntries(
    readFileSync(told, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
  const { PWD, SHLVL, _, OLDPWD, ...given } = environment;
  expect(Object.keys(given).sort()).toEqual(["FONTCONFIG_FILE", "HOME", "LANG", "PATH", "TMPDIR"]);
  expect(given["HOME"]).toMatch(/chainbell-print-[^/]+$/);
  expect(given["TMPDIR"]).toBe(given["HOME"]);
});

test.each([
  ["ended with status 7", "echo an error of its own >&2; exit 7", "an error of its own"],
  ["wrote nothing", "exit 0", "Print the page of --format html"],
])("a Chromium that %s is named, with what it said", async (how, script, said) => {
  const program = programOf("fails", script);
  const printing = printed(createPrinter(program));
  await expect(printing).rejects.toThrow(`${program} ${how}`);
  await expect(printing).rejects.toThrow(said);
  expect(left()).toEqual([]);
});

/** A program that has others. All of them have a pipe, whose other end we have. */
function withPipe(script: string) {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const program = programOf("hangs", `exec 3> ${pipe}; ${script}`);
  const read = createReadStream(pipe).resume();
  return { program, running: once(read, "open"), ended: once(read, "end") };
}

// Those of the test's own process are not called.
const others = process.listeners("SIGTERM");
const own = () => process.listeners("SIGTERM").filter((one) => !others.includes(one));

function terminate() {
  expect(own()).toHaveLength(1);
  for (const end of own()) end("SIGTERM");
}

test("a signal ends the Chromium with all that it started, and the page goes too", async () => {
  const { program, running, ended } = withPipe("sleep 3600; exit 0");
  const printing = printed(createPrinter(program));
  printing.catch(() => {});
  await running;
  terminate();
  await expect(printing).rejects.toThrow(`${program} was ended by SIGTERM`);
  await ended;
  expect(left()).toEqual([]);
  expect(own()).toEqual([]);
});

test("a program that ends and leaves another one behind takes it along", async () => {
  const { program, ended } = withPipe("sleep 3600 & exit 7");
  await expect(printed(createPrinter(program))).rejects.toThrow("ended with status 7");
  await ended;
  expect(left()).toEqual([]);
});

test("a Chromium that hangs ends at the limit, which is named", async () => {
  const program = programOf("hangs", "sleep 3600; exit 0");
  const printing = printed(createPrinter(program, { limitMs: 600 }));
  await expect(printing).rejects.toThrow("took longer than the limit of 0.01 minutes");
  expect(left()).toEqual([]);
});

test("a signal while the page is written, or is read, removes it too", async () => {
  async function* interrupted() {
    yield "<!doctype html>";
    terminate();
    yield "words";
  }
  const printer = createPrinter(writes("writes", ...whole));
  const writing = printer.printPage(interrupted(), title)[Symbol.asyncIterator]();
  await expect(writing.next()).rejects.toThrow("was ended by SIGTERM");
  expect([left(), own()]).toEqual([[], []]);
  const reading = printer.printPage(pageOf("words"), title)[Symbol.asyncIterator]();
  expect((await reading.next()).done).toBe(false);
  terminate();
  await expect(reading.next()).rejects.toThrow("was ended by SIGTERM");
  expect([left(), own()]).toEqual([[], []]);
});
