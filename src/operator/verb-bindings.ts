import type { AdminScope } from "../domain/business/admin-scope.ts";
import type { DescribedRoute, ParsedRequest } from "../schema/described-route.ts";
import type { CommandNoun } from "./nouns.ts";
import type { Parameter, ParsedOptions } from "./parameter.ts";

/**
 * A verb by HTTP and on the command line. Null: it is not offered there. `HttpPorts` and `CliPorts`
 * are what it needs on each side.
 */
export type VerbBindings<HttpPorts, CliPorts> = {
  http: HttpBinding<HttpPorts> | null;
  cli: CliBinding<CliPorts> | null;
};

export type HttpBinding<Ports> = DescribedRoute & {
  /** The scope that an admin token with scopes must have. */
  scope: AdminScope;
  /** Returns the body of a success. @throws Fault */
  handle: (ports: Ports, request: ParsedRequest) => Promise<object>;
};

export type CliBinding<Ports> = {
  /** The noun before the verb's name. Null: it has none, like `status`. */
  noun: CommandNoun | null;
  /** The name, as it is typed after the noun. */
  name: string;
  /** Its earlier name without a noun. It still works, and help does not show it. */
  formerly?: string;
  /** A permanent other name without a noun. Help does not show it. */
  alias?: string;
  /** This verb runs if its noun is typed alone, with this verb's options. */
  isDefault?: true;
  help: string;
  /** Whole command lines, without the program's name. */
  examples: readonly string[];
  /** In the order of help. Arguments are in the order in which they are typed. */
  takes: Readonly<Record<string, Parameter<unknown>>>;
  /** @throws Fault */
  run: (ports: Ports, given: ParsedOptions) => Promise<CliOutcome>;
};

export type CliOutcome = {
  /** The answer to print. */
  answer: unknown;
  /** The verb worked, and found what it looks for. The exit status tells scripts. */
  hasFindings: boolean;
  /** The verb left something out that was out of reach. Another run can do it. */
  isUnfinished: boolean;
};

/** The progress of a long verb, as people see it. `end` leaves the last line on the screen. */
export type Progress = { update: (done: number) => void; end: () => void };

export type ShowProgress = (title: string, total: number) => Progress;

/**
 * Prints one of many things while a verb runs: a document in one line for `--json`, else the text.
 */
export type Emit = (document: object, text: string) => void;
