import type { CommandNoun } from "./nouns.ts";
import type { Offered } from "./offered.ts";
import { readInput, type TakesOf } from "./take.ts";

/** A command of the command line alone, which may be more than one verb. */
export function defineCommand<Input, Ports, Answer>(spec: {
  /** Null: it stands alone. */
  noun: CommandNoun | null;
  name: string;
  help: string;
  examples: readonly string[];
  takes: TakesOf<NoInfer<Input>>;
  /** Answers what is printed. @throws Fault */
  run: (ports: Ports, input: Input) => Promise<Answer>;
  /** Whether the exit status says that something was found; left out: it never does. */
  hasFindings?: (answer: NoInfer<Answer>) => boolean;
}): Offered<unknown, Ports> {
  const { run, hasFindings, ...command } = spec;
  return {
    http: null,
    cli: {
      ...command,
      async run(ports, given) {
        const answer = await run(ports, readInput<Input>(spec.takes, given));
        return { answer, hasFindings: hasFindings?.(answer) ?? false };
      },
    },
  };
}
