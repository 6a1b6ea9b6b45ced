import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { access, constants, mkdtemp, open, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { processEnvironment } from "../../config/load-config.ts";
import { Fault } from "../../domain/fault.ts";
import { systemCode } from "../../domain/file-fault.ts";
import type { Printer } from "../../operator/statement/print.ts";

/**
 * Names on the search path, and where macOS has the program. The program without a window comes
 * first.
 */
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

/** A page that takes longer hangs, or is longer than anybody reads on paper. */
const usualLimitMs = 600_000;

/** No name resolves, and the browser sends nothing to its maker. */
const withoutNetwork = [
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-extensions",
  "--disable-breakpad",
];

const first = ["--no-first-run", "--no-default-browser-check", "--password-store=basic"];

// A container may have a small /dev/shm. Tags for screen readers would make a PDF of 4,000 entries
// fourteen times as large. Printing would take three times as long. Screen readers can use the HTML
// page.
const printing = [
  "--headless",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-pdf-tagging",
];

/** Chromium's sandbox does not work for root. The page has no script. */
const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];

/**
 * Prints with a Chromium of this machine. It has its own profile, no network, and none of this
 * process's secrets. All its processes end with the printing in every case, and the folder with the
 * page is deleted. Refuses a PDF that is not whole, or not of this page.
 * @param chromium its path or name; null: the first of the usual names
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
    // Chromium's last processes may still write there.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The path of the first program that exists. @throws Fault `printing_failed` */
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

/** `how`: how it failed. Null: it succeeded. */
type Ended = { program: string; how: string | null; complaint: string };

type Run = Pick<Printing, "program" | "stop" | "limitMs"> & { args: string[]; folder: string };

/** Resolves once the program has ended, even if its children still have its output open. */
async function run({ program, args, folder, stop, limitMs }: Run): Promise<Ended> {
  const said = join(folder, "said");
  const output = await open(said, "w");
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", output.fd],
    env: environmentIn(folder),
    // Starts a process group, which can be ended as a whole.
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

/** The variables that a program needs to run and to find fonts. The others may be secret. */
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
    // The group has ended already. macOS says EPERM if only zombies remain.
    if (systemCode(error) !== "ESRCH" && systemCode(error) !== "EPERM") throw error;
  }
}

/** The reason why a file is not a whole PDF with this title. Null: it is one. */
async function faultOf(pdf: string, title: string): Promise<string | null> {
  const head = await startOf(pdf, 4_096);
  if (head === "") return "wrote nothing";
  if (!head.startsWith("%PDF-")) return "wrote no PDF";
  if (!(await endOf(pdf, 1_024)).includes("%%EOF")) return "wrote a PDF without its end";
  // Chromium writes the title of a page into the first object, unchanged if it is ASCII.
  return head.includes(`/Title (${title})`) ? null : "wrote a PDF of another page";
}

/** The first bytes of a file. Empty if there is no such file. */
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

/**
 * Makes a signal that would end this process end the printing instead, so that the folder is
 * deleted.
 */
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
    `${program} ${how}, and printed no page. Print the page of --format html from a browser, or set CHAINBELL_CHROMIUM to another Chromium.${said}`,
    { facts: { program } },
  );
}
