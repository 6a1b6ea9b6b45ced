import type { DescribedRoute, ParsedRequest } from "../schema/described-route.ts";
import type { CommandNoun } from "./nouns.ts";
import type { Given, Take } from "./take.ts";

/** A verb as the two sides offer it. What a face needs is its `Ports`; null: that side does not offer it. */
export type Offered<HttpPorts, CliPorts> = {
  http: HttpFace<HttpPorts> | null;
  cli: CliFace<CliPorts> | null;
};

export type HttpFace<Ports> = DescribedRoute & {
  /** Answers the body of a success. @throws Fault */
  handle: (ports: Ports, request: ParsedRequest) => Promise<object>;
};

export type CliFace<Ports> = {
  /** The noun under which the verb stands; null: it stands alone, as `status` does. */
  noun: CommandNoun | null;
  /** As it is typed after its noun. */
  name: string;
  help: string;
  /** Whole command lines, without the program's name. */
  examples: readonly string[];
  /** In the order of help; arguments in the order in which they are typed. */
  takes: Readonly<Record<string, Take<unknown>>>;
  /** @throws Fault */
  run: (ports: Ports, given: Given) => Promise<CliOutcome>;
};

export type CliOutcome = {
  /** What is printed. */
  answer: unknown;
  /** The verb did its work and found what it looks for: a script reads it from the exit status. */
  hasFindings: boolean;
};

/** How far a long verb is, as people see it; `end` leaves the line as it is. */
export type Progress = { update: (done: number) => void; end: () => void };

export type ShowProgress = (title: string, total: number) => Progress;

/** Prints one of many things while a verb goes on: as a document of one line for `--json`, else as a text. */
export type Emit = (document: object, text: string) => void;
