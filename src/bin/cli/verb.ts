import { type Command, InvalidArgumentError } from "commander";
import type { CatchUpNow, FollowHistory } from "../../app/catch-up-now.ts";
import type { Reconcile } from "../../app/reconcile-now.ts";
import type { Commands } from "../../commands/commands.ts";
import type { ExitStatus } from "../process/exit-status.ts";
import type { Progress } from "./progress.ts";

/** What people see while a verb works. */
export type Terminal = {
  showProgress: (title: string, total: number) => Progress;
  /** The exit status of a verb that did its work and has something to say by it. */
  endWith: (status: ExitStatus) => void;
};

/** The configured chains, as far as a verb works on one itself. */
type Chains = {
  names: readonly string[];
  backfill: CatchUpNow;
  followHistory: FollowHistory;
  reconcile: Reconcile;
};

/** What a verb does with the operator's commands, and what it answers. */
export type Verb = (commands: Commands, terminal: Terminal, chains: Chains) => Promise<unknown>;

/** A verb of a noun, with its own help and examples. It takes `--json` like every other. */
export function addVerb(
  noun: Command,
  verb: { usage: string; description: string; examples: string[] },
): Command {
  const lines = verb.examples.map((example) => `  $ npm run -s chainbell -- ${example}\n`);
  const title = verb.examples.length === 1 ? "Example" : "Examples";
  return noun
    .command(verb.usage)
    .description(verb.description)
    .option("--json", "print exactly one JSON document")
    .addHelpText("after", `\n${title}:\n${lines.join("")}`);
}

/** A noun alone is not a command: its verbs are named. */
export function addNoun(program: Command, name: string, description: string): Command {
  return program.command(name).description(description);
}

export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 1.");
}

/** 0 is one. */
export function parseBlock(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a block number.");
}

type PageInput = { limit: number; cursor?: string };
type Listed<T> = { data: T[]; next_cursor: string | null };

/** Rows asked for at once: the largest page there is. */
const pageSize = 500;

/** Every row of a list, page after page, at most `limit` where one is given. */
export async function readAll<T>(
  readPage: (page: PageInput) => Promise<Listed<T>>,
  limit?: number,
): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const wanted = Math.min(pageSize, (limit ?? Number.POSITIVE_INFINITY) - rows.length);
    const page: Listed<T> = await readPage(
      cursor === null ? { limit: wanted } : { limit: wanted, cursor },
    );
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && (limit === undefined || rows.length < limit));
  return rows;
}
