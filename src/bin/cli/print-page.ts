import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../domain/fault.ts";
import type { PrintPage } from "../../operator/statement/print.ts";

/** By its name on the search path, or where macOS has it. The one without a window starts first. */
const usualNames = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
  "microsoft-edge",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/** A page that takes longer hangs, or is more than anybody reads on paper. */
const timeoutMs = 600_000;

/** No name leads anywhere, and nothing of the browser itself asks its maker. */
const withoutNetwork = [
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--disable-breakpad",
];

const first = ["--no-first-run", "--no-default-browser-check", "--password-store=basic"];

// A container may have little of /dev/shm. Tags for screen readers make a PDF of 4,000 entries
// fourteen times as large, and printing three times as long. The page of HTML is for them.
const printing = [
  "--headless",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-pdf-tagging",
];

/** Its sandbox needs a user of its own, and root has none. The page has no script. */
const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/**
 * Prints by a Chromium of this machine, with a profile of its own and without a network. Its
 * process ends with this, on every path; so does the folder that has the page meanwhile.
 * @param chromium its path or name; null: the first one of the usual names
 */
export function createPrintPage(
  chromium: string | null,
  names: readonly string[] = usualNames,
): PrintPage {
  const programs = chromium === null ? names : [chromium];
  return async function* (page) {
    const folder = await mkdtemp(join(tmpdir(), "chainbell-print-"));
    const [html, pdf] = [join(folder, "page.html"), join(folder, "page.pdf")];
    try {
      await writeFile(html, page, { mode: 0o600 });
      const printed = await runFirst(programs, [
        ...[...printing, ...sandbox, ...withoutNetwork, ...first],
        ...[`--user-data-dir=${join(folder, "profile")}`, "--no-pdf-header-footer"],
        ...[`--print-to-pdf=${pdf}`, `file://${html}`],
      ]);
      const isThere = await stat(pdf).then(
        ({ size }) => size > 0,
        () => false,
      );
      if (printed.how !== null || !isThere) throw failed(printed);
      yield* createReadStream(pdf);
    } finally {
      // Its last processes may still write there.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  };
}

/** `how`: in which way it did not end well; null: it did. */
type Ended = { program: string; how: string | null; complaint: string };

/** Runs the first of the programs that is there. @throws Fault `printing_failed` */
async function runFirst(programs: readonly string[], args: string[]): Promise<Ended> {
  for (const program of programs) {
    const ended = await run(program, args);
    if (ended !== null) return ended;
  }
  throw new Fault(
    "printing_failed",
    `There is no Chromium here (${programs.join(", ")}): install one, or set CHAINBELL_CHROMIUM to its path.`,
  );
}

/** Null: there is no such program. */
async function run(program: string, args: string[]): Promise<Ended | null> {
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-2_000);
  });
  const forget = endWithUs(child);
  try {
    const [status, signal] = await once(child, "close");
    const how =
      signal === null
        ? status === 0
          ? null
          : `ended with status ${status}`
        : `was ended by ${signal}`;
    return { program, how, complaint };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    return { program, how: "did not start", complaint: String(error) };
  } finally {
    forget();
    child.kill("SIGKILL");
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A signal that would end this process ends the child, so that what follows cleans up. */
function endWithUs(child: ChildProcess): () => void {
  const end = () => child.kill("SIGKILL");
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

function failed({ program, how, complaint }: Ended): Fault {
  const lines = complaint.trim().split("\n");
  const last = lines.findLast((line) => /error|fatal|sandbox/i.test(line)) ?? lines.at(-1) ?? "";
  const said = last === "" ? "" : ` It said: ${last}`;
  return new Fault(
    "printing_failed",
    `${program} ${how ?? "wrote nothing"}, and printed no page: print the page of --format html from a browser, or set CHAINBELL_CHROMIUM to another one.${said}`,
    { facts: { program } },
  );
}
