import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPrintPage } from "../../../src/bin/cli/print-page.ts";
import { Fault } from "../../../src/domain/fault.ts";
import { chromiumProgram } from "../../support/console/chromium-program.ts";
import { waitFor } from "../../support/wait-for.ts";

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
  yield "<!doctype html><title>A page</title>";
  yield body;
}

async function printed(print: ReturnType<typeof createPrintPage>, body = "words") {
  const parts: Uint8Array[] = [];
  for await (const part of print(pageOf(body))) parts.push(part);
  return Buffer.concat(parts);
}

const left = () => readdirSync(folder).filter((name) => name.startsWith("chainbell-print-"));

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
    const pdf = await printed(createPrintPage(chromium ?? null), `words ${images}`);
    expect(pdf.toString("latin1")).toMatch(/^%PDF-[\s\S]*\/Title \(A page\)/);
    expect(requests).toBe(0);
    expect(left()).toEqual([]);
  } finally {
    server.close();
  }
});

test("a machine without a Chromium is told what to do", async () => {
  const names = ["no-such-program", join(folder, "neither")];
  const printing = printed(createPrintPage(null, names));
  await expect(printing).rejects.toThrow(Fault);
  await expect(printing).rejects.toThrow(
    /no-such-program, .*: install one, or set CHAINBELL_CHROM/,
  );
  await expect(printed(createPrintPage("/nowhere/chromium"))).rejects.toThrow("/nowhere/chromium");
  expect(left()).toEqual([]);
});

test("the first program that is there prints", async () => {
  const words = "for word; do out=$word; case $word in --print-to-pdf=*) break;; esac; done";
  const writes = programOf("writes", `${words}; echo %PDF > $(echo $out | cut -d = -f 2)`);
  const print = createPrintPage(null, ["no-such-program", writes, "neither"]);
  expect((await printed(print)).toString()).toBe("%PDF\n");
});

test.each([
  ["ended with status 7", "echo an error of its own >&2; exit 7", "an error of its own"],
  ["wrote nothing", "exit 0", "print the page of --format html"],
])("a Chromium that %s is named, with what it said", async (how, script, said) => {
  const program = programOf("fails", script);
  const printing = printed(createPrintPage(program));
  await expect(printing).rejects.toThrow(`${program} ${how}`);
  await expect(printing).rejects.toThrow(said);
  expect(left()).toEqual([]);
});

test("a signal ends the Chromium, and the page goes with it", async () => {
  const pid = join(folder, "pid");
  const program = programOf("hangs", `echo $$ > ${pid}.new; mv ${pid}.new ${pid}; exec sleep 3600`);
  // Those of the test's own process are not called.
  const others = process.listeners("SIGTERM");
  const own = () => process.listeners("SIGTERM").filter((one) => !others.includes(one));
  const printing = printed(createPrintPage(program));
  printing.catch(() => {});
  const what = "the program to run";
  const running = await waitFor(() => Number(readFileSync(pid, "utf8")), {
    what,
    timeoutMs: 60_000,
  });
  expect(own()).toHaveLength(1);
  for (const end of own()) end("SIGTERM");
  await expect(printing).rejects.toThrow("was ended by SIGKILL");
  expect(() => process.kill(running, 0)).toThrow("ESRCH");
  expect(left()).toEqual([]);
  expect(own()).toEqual([]);
});
