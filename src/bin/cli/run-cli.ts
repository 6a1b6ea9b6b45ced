import { writeFile } from "node:fs/promises";
import { CommanderError } from "commander";
import {
  type CommandLinePorts,
  type CommandLineTools,
  createAdministration,
  type OperatorTools,
  verbs,
} from "../../app/operator.ts";
import { faultIn } from "../../domain/fault.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { CliOutcome } from "../../operator/offered.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import { exitStatusOf, foundDifferences } from "../process/exit-status.ts";
import { readVersion } from "../process/version.ts";
import { documentText, errorDocument, peopleText } from "./output.ts";
import { type Chosen, createProgram } from "./program.ts";
import { readWalletFile } from "./read-wallet-file.ts";

/** What a verb needs opened. */
export type OpenedLedger = Pick<OperatorTools, "compareChain"> &
  Omit<CommandLineTools, "showProgress" | "readWalletFile" | "writeFile" | "emit"> & {
    db: Database;
    config: { chains: readonly { name: string }[] };
    close: () => Promise<void>;
  };

/** A field or a line that is at fault. */
type Detail = { line?: number; field: string; message: string };

export type CliDeps = {
  /** Help and bad usage never come here. */
  openLedger: () => Promise<OpenedLedger>;
  /** For the answer. */
  stdout: (text: string) => void;
  /** For people: what went wrong. */
  stderr: (text: string) => void;
  /** Whose name goes into the audit trail. */
  user: string;
  /** Takes what the configuration keeps secret out of what went wrong. */
  redact: (text: string) => string;
} & Pick<CommandLineTools, "showProgress">;

/**
 * Runs one command line (without the program's name) and answers the exit status. With `--json` exactly one JSON
 * document is printed, also of a failure. Opens the ledger only for a command that is whole, and closes it on every
 * path.
 */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  const isJson = args.includes("--json");
  const help: string[] = [];
  const complaints: string[] = [];
  const chosen: Chosen<CommandLinePorts>[] = [];
  const version = await readVersion();
  const program = createProgram({
    version,
    verbs: verbs.flatMap(({ cli }) => (cli === null ? [] : [cli])),
    onVerb: (verb) => chosen.push(verb),
    stdout: (text) => help.push(text),
    stderr: (text) => complaints.push(text),
  });
  try {
    await program.parseAsync(args, { from: "user" });
    const [verb] = chosen;
    if (verb === undefined) return 0;
    const { answer, hasFindings } = await perform(deps, verb, isJson);
    deps.stdout(isJson ? documentText(answer) : peopleText(answer));
    return hasFindings ? foundDifferences : 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      return endOfUsage(error, { deps, isJson, help, complaints });
    }
    const { status, code, details, ...described } = describe(error);
    const message = deps.redact(described.message);
    if (isJson) deps.stdout(errorDocument(code, message, details));
    deps.stderr(`chainbell: ${message}\n${details.filter(isOfLine).map(lineText).join("")}`);
    return status;
  }
}

async function perform(
  { openLedger, user, showProgress, stdout }: CliDeps,
  { verb, given }: Chosen<CommandLinePorts>,
  isJson: boolean,
): Promise<CliOutcome> {
  const { db, config, close, ...tools } = await openLedger();
  try {
    const administration = createAdministration(db, { name: user, via: "cli", address: null });
    const chainNames = config.chains.map((chain) => chain.name);
    const ports = {
      ...tools,
      ...administration,
      chainNames,
      clock,
      showProgress,
      readWalletFile,
      writeFile,
      emit: (document: object, text: string) =>
        stdout(`${isJson ? JSON.stringify(document) : text}\n`),
    };
    return await verb.run(ports, given);
  } finally {
    await close();
  }
}

type Usage = { deps: CliDeps; isJson: boolean; help: string[]; complaints: string[] };

/** Help that was asked for is an answer; a command line that cannot be read is the caller's fault. */
function endOfUsage(error: CommanderError, { deps, isJson, help, complaints }: Usage): number {
  if (error.exitCode === 0) {
    const text = help.join("");
    const document = error.code === "commander.version" ? { version: text.trim() } : { help: text };
    deps.stdout(isJson ? documentText(document) : text);
    return 0;
  }
  const message =
    complaints
      .join("")
      .trim()
      .replace(/^error: /, "") || "No command was given.";
  if (isJson) deps.stdout(errorDocument("invalid_usage", message));
  deps.stderr(`chainbell: ${message}\n`);
  return 1;
}

type Described = { status: number; code: string; message: string; details: Detail[] };

function describe(error: unknown): Described {
  const status = exitStatusOf(error);
  const fault = faultIn(error);
  if (fault !== undefined) {
    const details = Array.isArray(fault.facts["details"]) ? fault.facts["details"] : [];
    return { status, code: fault.code, message: fault.message, details };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { status, code: "internal_error", message, details: [] };
}

function isOfLine(detail: Detail): boolean {
  return detail.line !== undefined;
}

function lineText({ line, field, message }: Detail): string {
  return `  line ${line}${field === "" ? "" : `, ${field}`}: ${message}\n`;
}
