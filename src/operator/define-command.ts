import type { CommandNoun } from "./nouns.ts";
import { readInput, type TakesOf } from "./parameter.ts";
import type { VerbBindings } from "./verb-bindings.ts";

/** A command of the command line alone, which may be more than one verb. */
export function defineCommand<Input, Ports, Answer>(spec: {
  /** Null: it stands alone. */
  noun: CommandNoun | null;
  name: string;
  formerly?: string;
  alias?: string;
  isDefault?: true;
  help: string;
  examples: readonly string[];
  takes: TakesOf<NoInfer<Input>>;
  /** Answers what is printed. @throws Fault */
  run: (ports: Ports, input: Input) => Promise<Answer>;
  /** True if the exit status is to say that something was found; left out: it never does. */
  hasFindings?: (answer: NoInfer<Answer>) => boolean;
  /** True if the exit status is to say that another run does more; left out: it never does. */
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
