import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { access, constants, mkdtemp, open, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { processEnvironment } from "../../config/load-config.ts";
import { Fault } from "../../domain/fault.ts";
import type { Printer } from "../../operator/statement/print.ts";
import { codeOf } from "./line-files.ts";

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
const usualLimitMs = 600_000;

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
 * Prints by a Chromium of this machine. It has a profile of its own, no network, and none of this
 * process's secrets. It ends with the printing, on every path and with all its processes; so does
 * the folder that has the page meanwhile. A PDF that is not whole, or not of this page, is refused.
 * @param chromium its path or name; null: the first one of the usual names
 */
export function createPrinter(
  chromium: string | null,
  { names = usualNames, limitMs = usualLimitMs }: { names?: string[]; limitMs?: number } = {},
): Printer {
  const programs = chromium === null ? names : [chromium];
  return {
    async requireProgram() {
      await programIn(programs);
    },
    async *printPage(page, title) {
      const program = await programIn(programs);
      const stop = new AbortController();
      const forget = stopBySignals(stop);
      try {
        yield* printed({ program, page, title, stop, limitMs });
        stop.signal.throwIfAborted();
      } catch (error) {
        if (!stop.signal.aborted) throw error;
        throw failed({ program, how: String(stop.signal.reason), complaint: "" });
      } finally {
        forget();
      }
    },
  };
}

type Printing = {
  program: string;
  page: AsyncIterable<string | Uint8Array>;
  title: string;
  stop: AbortController;
  limitMs: number;
};

async function* printed({ program, page, title, stop, limitMs }: Printing) {
  const { signal } = stop;
  const folder = await mkdtemp(join(tmpdir(), "chainbell-print-"));
  const [html, pdf] = [join(folder, "page.html"), join(folder, "page.pdf")];
  try {
    await writeFile(html, page, { mode: 0o600, signal });
    const args = [
      ...[...printing, ...sandbox, ...withoutNetwork, ...first],
      ...[`--user-data-dir=${join(folder, "profile")}`, "--no-pdf-header-footer"],
      ...[`--print-to-pdf=${pdf}`, pathToFileURL(html).href],
    ];
    const ended = await run({ program, args, folder, stop, limitMs });
    signal.throwIfAborted();
    const how = ended.how ?? (await faultOf(pdf, title));
    if (how !== null) throw failed({ ...ended, how });
    yield* createReadStream(pdf, { signal });
  } finally {
    // Its last processes may still write there.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The path of the first program that is there. @throws Fault `printing_failed` */
async function programIn(programs: readonly string[]): Promise<string> {
  const folders = (processEnvironment()["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "");
  for (const program of programs) {
    const isPath = program.includes(sep);
    for (const path of isPath ? [program] : folders.map((folder) => join(folder, program)))
      if (await isProgram(path)) return path;
  }
  throw new Fault(
    "printing_failed",
    `There is no Chromium here (${programs.join(", ")}): install one, or set CHAINBELL_CHROMIUM to its path.`,
  );
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** `how`: in which way it did not end well; null: it did. */
type Ended = { program: string; how: string | null; complaint: string };

type Run = Pick<Printing, "program" | "stop" | "limitMs"> & { args: string[]; folder: string };

/** Returns once the program has ended, whoever else still has its output. */
async function run({ program, args, folder, stop, limitMs }: Run): Promise<Ended> {
  const said = join(folder, "said");
  const output = await open(said, "w");
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", output.fd],
    env: environmentIn(folder),
    // A group of its own, which is ended as one.
    detached: true,
  });
  const end = () => endGroup(child);
  stop.signal.addEventListener("abort", end);
  if (stop.signal.aborted) end();
  const tooLong = `took longer than the limit of ${limitMs / 60_000} minutes`;
  const timer = setTimeout(() => stop.abort(tooLong), limitMs);
  try {
    const [status, signal] = await once(child, "exit");
    const asked = signal === null ? `ended with status ${status}` : `was ended by ${signal}`;
    return { program, how: status === 0 ? null : asked, complaint: await endOf(said, 2_000) };
  } catch (error) {
    return { program, how: "did not start", complaint: String(error) };
  } finally {
    clearTimeout(timer);
    stop.signal.removeEventListener("abort", end);
    end();
    await output.close();
  }
}

/** A program needs these to run and to find fonts. The rest of the environment has secrets. */
function environmentIn(folder: string): NodeJS.ProcessEnv {
  const handed = Object.entries(processEnvironment()).filter(
    ([name]) => name === "PATH" || name === "LANG" || name.startsWith("FONTCONFIG_"),
  );
  return { ...Object.fromEntries(handed), HOME: folder, TMPDIR: folder };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Nobody of the group is left; macOS says EPERM where only zombies are.
    if (codeOf(error) !== "ESRCH" && codeOf(error) !== "EPERM") throw error;
  }
}

/** In which way a file is not a whole PDF of this title; null: it is one. */
async function faultOf(pdf: string, title: string): Promise<string | null> {
  const head = await startOf(pdf, 4_096);
  if (head === "") return "wrote nothing";
  if (!head.startsWith("%PDF-")) return "wrote no PDF";
  if (!(await endOf(pdf, 1_024)).includes("%%EOF")) return "wrote a PDF without its end";
  // Chromium writes the title of a page into the first object, and as it is where it is ASCII.
  return head.includes(`/Title (${title})`) ? null : "wrote a PDF of another page";
}

/** The first bytes of a file; none of one that is not there. */
async function startOf(path: string, length: number): Promise<string> {
  const read = createReadStream(path, { encoding: "latin1", end: length - 1 });
  return read.toArray().then(
    (parts) => parts.join(""),
    () => "",
  );
}

/** The last bytes of a file. */
async function endOf(path: string, length: number): Promise<string> {
  const { size } = await stat(path);
  const start = Math.max(size - length, 0);
  return (await createReadStream(path, { encoding: "utf8", start }).toArray()).join("");
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A signal that would end this process ends the printing, so that what follows cleans up. */
function stopBySignals(stop: AbortController): () => void {
  const end = (signal: string) => stop.abort(`was ended by ${signal}`);
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
    `${program} ${how}, and printed no page: print the page of --format html from a browser, or set CHAINBELL_CHROMIUM to another one.${said}`,
    { facts: { program } },
  );
}
