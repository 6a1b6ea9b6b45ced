import type { z } from "zod";
import type { AuditSubject } from "../domain/business/audit.ts";
import type { FaultCode } from "../domain/fault.ts";
import { noBody } from "../schema/fields.ts";
import { defineChange, type ParamsOf } from "./define-verb.ts";
import type { Noun } from "./nouns.ts";
import { argument } from "./parameter.ts";

/**
 * Defines a verb that changes one thing, and has only its name or id as input. By HTTP this is in
 * the path, on the command line an argument. The audited action is `noun.name`, unless `action`
 * names another.
 */
export function defineChangeOfOne<
  Subject,
  Output,
  Answer extends z.ZodType,
  Ledger,
  Path extends string,
>(spec: {
  noun: Noun;
  name: string;
  /** The name of the parameter in the path, and of the argument of the command line. */
  param: keyof ParamsOf<Path> & ("id" | "name");
  http: {
    method: "POST" | "DELETE";
    path: Path;
    summary: string;
    description?: string;
    status?: 202;
    refusesBody?: true;
    refuses?: readonly FaultCode[];
  };
  help: string;
  /** Makes the input of the ledger's function. @throws Fault that says what is wrong with the id */
  check: (given: string) => Subject;
  call: (ledger: Ledger, subject: Subject) => Promise<Output>;
  action?: string;
  describe: (output: Output, subject: Subject) => AuditSubject;
  answer: Answer;
  present: (output: Output, subject: Subject) => z.output<Answer>;
}) {
  const { noun, name, param, http, help, check, call, describe, answer, present } = spec;
  const { refusesBody, ...route } = http;
  return defineChange({
    noun,
    http: {
      ...route,
      ...(refusesBody === true ? { body: noBody } : {}),
      input: ({ params }) => ({ given: params[param] }),
    },
    cli: {
      name,
      help,
      examples: [`${noun} ${name} ${param === "id" ? "018f…" : "anvil"}`],
      takes: { given: argument(`<${param}>`, `the ${param} of the ${noun}`) },
    },
    check: ({ given }: { given: string }) => check(given),
    call,
    audit: { action: spec.action ?? `${noun}.${name}`, describe },
    answer,
    present,
  });
}
