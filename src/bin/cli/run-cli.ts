import { CommanderError } from "commander";
import {
  type CommandLinePorts,
  type CommandLineTools,
  createAdministration,
  type OperatorTools,
  verbs,
} from "../../app/operator.ts";
import { type SetupPorts, type SetupVerbPorts, setupVerbs } from "../../app/setup/setup.ts";
import { faultIn } from "../../domain/fault.ts";
import { messageWithCause } from "../../domain/fault-cause.ts";
import { fieldSentence } from "../../domain/text.ts";
import type { Database } from "../../ledger/postgres/database.ts";
import type { ParsedOptions } from "../../operator/parameter.ts";
import type { CliBinding, CliOutcome, VerbBindings } from "../../operator/verb-bindings.ts";
import { systemClock as clock } from "../../runtime/clock.ts";
import { shownJson, shownLines } from "../../runtime/shown-text.ts";
import { verifyFile as verifyStatementFile } from "../../verifying/verify-file.ts";
import { exitStatusOf, foundDifferences, tryAgain } from "../process/exit-status.ts";
import { readVersion } from "../process/version.ts";
import { folderFiles } from "./folder-files.ts";
import { lineFiles } from "./line-files.ts";
import { documentText, errorDocument, peopleText } from "./output.ts";
import { type Chosen, createProgram } from "./program.ts";
import { publish } from "./publish.ts";
import { readWalletFile } from "./read-wallet-file.ts";
import { streamFile } from "./stream-file.ts";

/** The tools that work on an open ledger. */
export type LedgerTools = Pick<OperatorTools, "compareChain" | "requiredConfirmations"> &
  Omit<
    CommandLineTools,
    | "configured"
    | "showProgress"
    | "readWalletFile"
    | "lineFiles"
    | "folderFiles"
    | "streamFile"
    | "publish"
    | "emit"
  >;

/** An open ledger and its tools, for a verb that needs them. */
export type OpenedLedger = LedgerTools &
  Pick<CommandLineTools, "configured"> & {
    db: Database;
    config: { chains: readonly { name: string }[] };
    close: () => Promise<void>;
  };

/** A field or a line with a fault. */
type Detail = { line?: number; field: string; message: string };

export type CliDeps = {
  /** Not called for help or wrong usage. */
  openLedger: () => Promise<OpenedLedger>;
  /** For verbs that need no ledger. */
  setup: SetupPorts;
  /** Takes the answer. */
  stdout: (text: string) => void;
  /** Takes what people read: what went wrong. */
  stderr: (text: string) => void;
  /** The name for the audit trail. */
  user: string;
  /** Removes the secrets of the configuration from an error's text. */
  redact: (text: string) => string;
} & Pick<CommandLineTools, "showProgress">;

/**
 * Runs one command line (without the program's name), and returns the exit status. With `--json` it
 * prints exactly one JSON document, even for a failure. Opens the ledger only for a complete
 * command line, and always closes it.
 */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  const isJson = args.includes("--json");
  const help: string[] = [];
  const complaints: string[] = [];
  const chosen: Chosen<Opened>[] = [];
  const version = await readVersion();
  const program = createProgram({
    version,
    verbs: [...facesOf(verbs, onLedger), ...facesOf(setupVerbs, onSetup)],
    onVerb: (verb) => chosen.push(verb),
    stdout: (text) => help.push(text),
    stderr: (text) => complaints.push(text),
  });
  try {
    await program.parseAsync(args, { from: "user" });
    const [verb] = chosen;
    if (verb === undefined) return 0;
    const { formerName } = verb;
    if (formerName !== null) deps.stderr(renamed(formerName, verb.verb));
    const { answer, hasFindings, isUnfinished } = await verb.verb.run({ deps, isJson }, verb.given);
    deps.stdout(isJson ? documentText(answer) : peopleText(answer));
    if (isUnfinished) return tryAgain;
    return hasFindings ? foundDifferences : 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      return endOfUsage(error, { deps, isJson, help, complaints });
    }
    const { status, code, details, ...described } = describe(error);
    const message = deps.redact(described.message);
    if (isJson) deps.stdout(errorDocument(code, message, details));
    const ofLines = details.filter(isOfLine).map(lineText).join("");
    deps.stderr(shownLines(`chainbell: ${message}\n${ofLines}`));
    return status;
  }
}

function renamed(formerName: string, { noun, name }: CliBinding<Opened>): string {
  const now = [noun ?? [], name].flat().join(" ");
  return `chainbell: '${formerName}' is now called '${now}'. The old name works until 0.4.\n`;
}

/** The surroundings of every verb, before its own needs are known. */
type Opened = { deps: CliDeps; isJson: boolean };

type Open<Ports> = (
  opened: Opened,
  run: (ports: Ports) => Promise<CliOutcome>,
) => Promise<CliOutcome>;

/** Makes the command lines of verbs. Each opens what its verb needs. */
function facesOf<Ports>(
  offered: readonly VerbBindings<never, Ports>[],
  open: Open<Ports>,
): CliBinding<Opened>[] {
  return offered.flatMap(({ cli }) =>
    cli === null
      ? []
      : [
          {
            ...cli,
            run: (opened: Opened, given: ParsedOptions) =>
              open(opened, (ports) => cli.run(ports, given)),
          },
        ],
  );
}

const onSetup: Open<SetupVerbPorts> = ({ deps }, run) =>
  run({ ...deps.setup, folderFiles, verifyStatementFile });

const onLedger: Open<CommandLinePorts> = async ({ deps, isJson }, run) => {
  const { openLedger, user, showProgress, stdout } = deps;
  const { db, config, close, ...tools } = await openLedger();
  try {
    const administration = createAdministration(
      db,
      { name: user, via: "cli", address: null },
      null,
    );
    const chainNames = config.chains.map((chain) => chain.name);
    const emit = (document: object, text: string) =>
      stdout(`${isJson ? shownJson(JSON.stringify(document)) : shownLines(text)}\n`);
    const files = { readWalletFile, lineFiles, folderFiles, streamFile, publish };
    return await run({
      ...tools,
      ...administration,
      ...files,

      chainNames,
      clock,
      showProgress,
      emit,
    });
  } finally {
    await close();
  }
};

type Usage = { deps: CliDeps; isJson: boolean; help: string[]; complaints: string[] };

/**
 * Ends after help or wrong usage. Requested help is an answer; a command line that cannot be parsed
 * is the caller's fault.
 */
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
  // Without a command, commander complains with the whole help.
  const isHelp = message.startsWith("Usage:");
  deps.stderr(
    isHelp ? `${message}\n` : `chainbell: ${message}\nAdd --help to see what it takes.\n`,
  );
  return 1;
}

type Described = { status: number; code: string; message: string; details: Detail[] };

function describe(error: unknown): Described {
  const status = exitStatusOf(error);
  const fault = faultIn(error);
  if (fault !== undefined) {
    const found = Array.isArray(fault.facts["details"]) ? fault.facts["details"] : [];
    const details = found.map(sentenceOf);
    return { status, code: fault.code, message: messageWithCause(fault), details };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { status, code: "internal_error", message, details: [] };
}

function isOfLine(detail: Detail): boolean {
  return detail.line !== undefined;
}

function sentenceOf(detail: Detail): Detail {
  return { ...detail, message: fieldSentence(detail.field, detail.message) };
}

function lineText({ line, message }: Detail): string {
  return `  line ${line}: ${message}\n`;
}
