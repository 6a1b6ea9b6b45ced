import type { AdminScope } from "../domain/business/admin-scope.ts";
import type { DescribedRoute, ParsedRequest } from "../schema/described-route.ts";
import type { CommandNoun } from "./nouns.ts";
import type { Parameter, ParsedOptions } from "./parameter.ts";

/**
 * A verb as the two sides offer it. `Ports` are the needs of a side; null: that side does not offer
 * it.
 */
export type VerbBindings<HttpPorts, CliPorts> = {
  http: HttpBinding<HttpPorts> | null;
  cli: CliBinding<CliPorts> | null;
};

export type HttpBinding<Ports> = DescribedRoute & {
  /** The scope that an admin token with scopes must have. */
  scope: AdminScope;
  /** Answers the body of a success. @throws Fault */
  handle: (ports: Ports, request: ParsedRequest) => Promise<object>;
};

export type CliBinding<Ports> = {
  /** The noun under which the verb stands; null: it stands alone, as `status` does. */
  noun: CommandNoun | null;
  /** As it is typed after its noun. */
  name: string;
  /** A name under which it stood alone before; it still works, and help does not show it. */
  formerly?: string;
  /** Another name under which it stands alone, for good. Help does not show it. */
  alias?: string;
  /** It is run where its noun stands alone, with this verb's options. */
  isDefault?: true;
  help: string;
  /** Whole command lines, without the program's name. */
  examples: readonly string[];
  /** In the order of help; arguments in the order in which they are typed. */
  takes: Readonly<Record<string, Parameter<unknown>>>;
  /** @throws Fault */
  run: (ports: Ports, given: ParsedOptions) => Promise<CliOutcome>;
};

export type CliOutcome = {
  /** The answer to print. */
  answer: unknown;
  /** The verb did its work and found what it looks for: a script reads it from the exit status. */
  hasFindings: boolean;
  /** It left something out that was out of reach. Run again, it does that. */
  isUnfinished: boolean;
};

/** The progress of a long verb, as people see it; `end` leaves the line as it is. */
export type Progress = { update: (done: number) => void; end: () => void };

export type ShowProgress = (title: string, total: number) => Progress;

/**
 * Prints one of many things while a verb goes on: as a document of one line for `--json`, else as a
 * text.
 */
export type Emit = (document: object, text: string) => void;
