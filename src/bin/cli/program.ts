import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { type CommandNoun, helpOf } from "../../operator/nouns.ts";
import type { Parameter, ParsedOptions } from "../../operator/parameter.ts";
import type { CliBinding } from "../../operator/verb-bindings.ts";

/** A complete command line: the verb that it names, and the values for the verb. */
export type Chosen<Ports> = {
  verb: CliBinding<Ports>;
  given: ParsedOptions;
  /** The verb's former name, if it was called by that. Otherwise null. */
  formerName: string | null;
};

type ProgramDeps<Ports> = {
  version: string;
  verbs: readonly CliBinding<Ports>[];
  /** Called once, when the command line is complete and before anything is done. */
  onVerb: (chosen: Chosen<Ports>) => void;
  stdout: (text: string) => void;
  stderr: (text: string) => void;
};

const exitStatusHelp = `
Exit status:
  0   done
  1   your command line, configuration or environment is at fault
  3   the command did its work and found something: its own help says what
  75  try again: the database or an endpoint is out of reach, or the command left something out and said so

\`chainbell wallet\` lists the commands of a noun, and \`chainbell wallet add --help\` says what one takes.

Examples:
  $ npm run -s chainbell -- business create --name "Example Ltd" --verified
  $ npm run -s chainbell -- key create --business 018f… --label production
  $ npm run -s chainbell -- wallet add --business 018f… --blockchain ethereum --address 0x…
  $ npm run -s chainbell -- wallet import --business 018f… wallets.csv
  $ npm run -s chainbell -- status --json
`;

/**
 * Makes the command line of every verb. Parsing throws a CommanderError, and does not end the
 * process.
 */
export function createProgram<Ports>(deps: ProgramDeps<Ports>): Command {
  const program = new Command("chainbell")
    .description("The operator's commands: businesses, their API keys and wallets, and the chains.")
    .version(deps.version, "-V, --version", "print the version")
    .option("--json", "print exactly one JSON document")
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({ writeOut: deps.stdout, writeErr: deps.stderr })
    .addHelpText("after", exitStatusHelp);
  for (const verb of deps.verbs) {
    const parent = verb.noun === null ? program : commandOf(program, verb.noun);
    const command = parent.command(verb.name, { isDefault: verb.isDefault === true });
    addVerb(command, verb, (given) => deps.onVerb({ verb, given, formerName: null }));
    const { formerly, alias } = verb;
    for (const name of [formerly, alias]) {
      if (name === undefined) continue;
      const formerName = name === formerly ? name : null;
      addVerb(program.command(name, { hidden: true }), verb, (given) =>
        deps.onVerb({ verb, given, formerName }),
      );
    }
  }
  return program;
}

/** The command of a noun. Without a verb it runs only if one of its verbs is the default. */
function commandOf(program: Command, noun: CommandNoun): Command {
  const known = program.commands.find((command) => command.name() === noun);
  return known ?? program.command(noun).description(helpOf(noun));
}

/** Adds a verb with its own help and examples, and `--json` as for all verbs. */
function addVerb<Ports>(
  command: Command,
  { help, examples, takes }: CliBinding<Ports>,
  onGiven: (given: ParsedOptions) => void,
): void {
  const lines = examples.map((example) => `  $ npm run -s chainbell -- ${example}\n`);
  const title = examples.length === 1 ? "Example" : "Examples";
  command
    .description(help)
    .option("--json", "print exactly one JSON document")
    .addHelpText("after", `\n${title}:\n${lines.join("")}`);
  const readers = Object.entries(takes).map(([field, take]) => {
    const read = take.kind === "argument" ? addArgument(command, take) : addOption(command, take);
    return { field, read };
  });
  command.action(() =>
    onGiven(Object.fromEntries(readers.map(({ field, read }) => [field, read()]))),
  );
}

/** Reads the value that was given, once the command line is parsed. */
type ReadGiven = () => unknown;

function addArgument(command: Command, { forms, complaint }: Parameter<unknown>): ReadGiven {
  const position = command.registeredArguments.length;
  for (const { flags, help } of forms) {
    const taken = new Argument(flags, help);
    if (complaint !== null) taken.argParser(checked(complaint));
    command.addArgument(taken);
  }
  return () => command.args[position];
}

function addOption(command: Command, take: Parameter<unknown>): ReadGiven {
  const { forms, isRequired, standard, complaint } = take;
  const options = forms.map(({ flags, help }) =>
    new Option(flags, isRequired ? `${help} (required)` : help).makeOptionMandatory(isRequired),
  );
  for (const option of options) {
    if (complaint !== null) option.argParser(checked(complaint));
    if (standard !== null) option.default(standard);
    command.addOption(option);
  }
  return () => {
    const given: Record<string, unknown> = command.opts();
    return given[options[0]?.attributeName() ?? ""];
  };
}

/** Accepts a text unchanged, or refuses it while the command line is parsed. */
function checked(complaint: (text: string) => string | null): (text: string) => string {
  return (text) => {
    const wrong = complaint(text);
    if (wrong === null) return text;
    throw new InvalidArgumentError(wrong);
  };
}
