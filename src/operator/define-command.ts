import type { Noun } from "./nouns.ts";
import type { Offered } from "./offered.ts";
import { readInput, type TakesOf } from "./take.ts";

/** A command of the command line alone, which may be more than one verb. */
export function defineCommand<Input, Ports>(spec: {
  /** Null: it stands alone. */
  noun: Noun | null;
  name: string;
  help: string;
  examples: readonly string[];
  takes: TakesOf<NoInfer<Input>>;
  /** Answers what is printed. @throws Fault */
  run: (ports: Ports, input: Input) => Promise<unknown>;
}): Offered<unknown, Ports> {
  const { run, ...command } = spec;
  return {
    http: null,
    cli: {
      ...command,
      async run(ports, given) {
        const answer = await run(ports, readInput<Input>(spec.takes, given));
        return { answer, hasFindings: false };
      },
    },
  };
}
