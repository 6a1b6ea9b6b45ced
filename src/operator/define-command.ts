import type { CommandNoun } from "./nouns.ts";
import { readInput, type TakesOf } from "./parameter.ts";
import type { VerbBindings } from "./verb-bindings.ts";

/** Defines a command that only the command line has. It may combine several verbs. */
export function defineCommand<Input, Ports, Answer>(spec: {
  /** Null: it has no noun before it. */
  noun: CommandNoun | null;
  name: string;
  formerly?: string;
  alias?: string;
  isDefault?: true;
  help: string;
  examples: readonly string[];
  takes: TakesOf<NoInfer<Input>>;
  /** Returns what to print. @throws Fault */
  run: (ports: Ports, input: Input) => Promise<Answer>;
  /** True if the exit status has to say that something was found. Left out: never. */
  hasFindings?: (answer: NoInfer<Answer>) => boolean;
  /** True if the exit status has to say that another run would do more. Left out: never. */
  isUnfinished?: (answer: NoInfer<Answer>) => boolean;
}): VerbBindings<unknown, Ports> {
  const { run, hasFindings, isUnfinished, ...command } = spec;
  return {
    http: null,
    cli: {
      ...command,
      async run(ports, given) {
        const answer = await run(ports, readInput<Input>(spec.takes, given));
        return {
          answer,
          hasFindings: hasFindings?.(answer) ?? false,
          isUnfinished: isUnfinished?.(answer) ?? false,
        };
      },
    },
  };
}
