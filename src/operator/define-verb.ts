import { z } from "zod";
import type { Audited, AuditSubject } from "../domain/business/audit.ts";
import type { FaultCode } from "../domain/fault.ts";
import { dataAnswer, dataBody } from "../schema/answers.ts";
import type { DescribedRoute } from "../schema/described-route.ts";
import { noQuery } from "../schema/fields.ts";
import { type Noun, nouns } from "./nouns.ts";
import { readInput, type TakesOf } from "./parameter.ts";
import type { CliBinding, HttpBinding, VerbBindings } from "./verb-bindings.ts";

/**
 * A verb with one answer, by HTTP and on the command line. `perform` runs it with a parsed input.
 */
export type Verb<Ports, Input, Answer> = VerbBindings<Ports, Ports> & {
  perform: (ports: Ports, input: Input) => Promise<Answer>;
};

/** The description of a verb with one answer. */
type Spec<Input, Answer extends z.ZodType, Path extends string, Body, Whole extends object> = {
  noun: Noun;
  /** The schema of the answer: the type of the value that `present` returns. */
  answer: Answer;
  http: HttpSpec<Input, Answer, Path, Body, Whole> | null;
  cli: CliSpec<Input, Answer> | null;
};

type HttpSpec<Input, Answer extends z.ZodType, Path extends string, Body, Whole extends object> = {
  method: DescribedRoute["method"];
  path: Path;
  summary: string;
  description?: string;
  /** Left out: the body of a request is ignored. */
  body?: z.ZodType<Body>;
  bodyLimitBytes?: number;
  /** Faults in addition to those of the path, the method and the credentials. */
  refuses?: readonly FaultCode[];
  /** Left out: 200. */
  status?: DescribedRoute["status"];
  input: (request: { params: ParamsOf<Path>; body: Body }) => NoInfer<Input>;
  /** For an answer whose body has more than `success` and `data`. */
  whole?: { schema: z.ZodType<Whole>; of: (answer: z.output<Answer>) => NoInfer<Whole> };
};

type CliSpec<Input, Answer extends z.ZodType> = {
  name: string;
  /** The command has no noun before it, like `status`. */
  isTopLevel?: true;
  help: string;
  examples: readonly string[];
  takes: TakesOf<NoInfer<Input>>;
  /** True if the exit status has to say that something was found. */
  hasFindings?: (answer: z.output<Answer>) => boolean;
};

/** The steps: check the input before anything is opened, run the command, and show its output. */
type Steps<Input, Command, Output, Answer extends z.ZodType, CheckPorts> = {
  /**
   * Makes the command for the ledger.
   * @throws Fault that says what is wrong with the input
   */
  check: (input: Input, ports: CheckPorts) => Command | Promise<Command>;
  present: (output: Output, command: Command) => z.output<Answer> | Promise<z.output<Answer>>;
};

/**
 * Defines a verb that changes something. `call` runs in one transaction with the entry that `audit`
 * describes. Its `ledger` is bound to that transaction, and has only the methods that the verb
 * needs. A method that opens a connection of its own cannot be one of them.
 */
export function defineChange<
  Input,
  Command,
  Output,
  Answer extends z.ZodType,
  CheckPorts,
  CallPorts,
  Ledger,
  Path extends string,
  Body,
  Whole extends object,
>(
  spec: Spec<Input, Answer, Path, Body, Whole> &
    Steps<Input, Command, Output, Answer, CheckPorts> & {
      call: (ledger: Ledger, command: Command, ports: CallPorts) => Promise<Output>;
      audit: {
        /** The audited action, as noun.verb. */
        action: string;
        describe: (output: Output, command: Command) => AuditSubject;
      };
    },
): Verb<CheckPorts & CallPorts & { audited: Audited<Ledger> }, Input, z.output<Answer>> {
  const { check, call, audit, present } = spec;
  return offer(spec, async (ports, input) => {
    const command = await check(input, ports);
    const output = await ports.audited(audit.action, async (ledger) => {
      const done = await call(ledger, command, ports);
      return { output: done, entry: audit.describe(done, command) };
    });
    return present(output, command);
  });
}

/** Defines a verb that only reads, and makes no audit entry. */
export function defineReading<
  Input,
  Command,
  Output,
  Answer extends z.ZodType,
  CheckPorts,
  CallPorts,
  Path extends string,
  Body,
  Whole extends object,
>(
  spec: Spec<Input, Answer, Path, Body, Whole> &
    Steps<Input, Command, Output, Answer, CheckPorts> & {
      call: (ports: CallPorts, command: Command) => Promise<Output>;
    },
): Verb<CheckPorts & CallPorts, Input, z.output<Answer>> {
  const { check, call, present } = spec;
  return offer(spec, async (ports, input) => {
    const command = await check(input, ports);
    return present(await call(ports, command), command);
  });
}

type Perform<Ports, Input, Answer extends z.ZodType> = (
  ports: Ports,
  input: Input,
) => Promise<z.output<Answer>>;

function offer<
  Ports,
  Input,
  Answer extends z.ZodType,
  Path extends string,
  Body,
  Whole extends object,
>(
  spec: Spec<Input, Answer, Path, Body, Whole>,
  perform: Perform<Ports, Input, Answer>,
): Verb<Ports, Input, z.output<Answer>> {
  const { http, cli } = spec;
  return {
    http: http === null ? null : httpFace(spec, http, perform),
    cli: cli === null ? null : cliFace(spec.noun, cli, perform),
    perform,
  };
}

function httpFace<
  Ports,
  Input,
  Answer extends z.ZodType,
  Path extends string,
  Body,
  Whole extends object,
>(
  { noun, answer }: Pick<Spec<Input, Answer, Path, Body, Whole>, "noun" | "answer">,
  http: HttpSpec<Input, Answer, Path, Body, Whole>,
  perform: Perform<Ports, Input, Answer>,
): HttpBinding<Ports> {
  const { method, path, summary, whole } = http;
  return {
    method,
    path,
    tag: nouns[noun].tag,
    scope: method === "GET" ? "read" : nouns[noun].scope,
    summary,
    description: http.description ?? null,
    params: paramsOf(path),
    querystring: noQuery,
    body: http.body ?? null,
    bodyLimitBytes: http.bodyLimitBytes ?? null,
    status: http.status ?? 200,
    answer: whole?.schema ?? dataAnswer(answer),
    refuses: http.refuses ?? [],
    async handle(ports, request) {
      // The schemas above have parsed the request, so it has these types.
      const { params, body } = request as { params: ParamsOf<Path>; body: Body };
      const answered = await perform(ports, http.input({ params, body }));
      return whole === undefined ? dataBody(answered) : { ...whole.of(answered) };
    },
  };
}

function cliFace<Ports, Input, Answer extends z.ZodType>(
  noun: Noun,
  cli: CliSpec<Input, Answer>,
  perform: Perform<Ports, Input, Answer>,
): CliBinding<Ports> {
  const { name, isTopLevel, help, examples, takes, hasFindings } = cli;
  return {
    noun: isTopLevel === true ? null : noun,
    name,
    help,
    examples,
    takes,
    async run(ports, given) {
      const answer = await perform(ports, readInput<Input>(takes, given));
      return { answer, hasFindings: hasFindings?.(answer) ?? false, isUnfinished: false };
    },
  };
}

/** The parameters in a path: `/businesses/:id/verify` has `id`. */
export type ParamsOf<Path extends string> = Record<ParamNames<Path>, string>;

type ParamNames<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

/** The schema of a path's parameters. Null: it has none. */
export function paramsOf(path: string): z.ZodType | null {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => [name, z.string()]);
  return names.length === 0 ? null : z.strictObject(Object.fromEntries(names));
}
