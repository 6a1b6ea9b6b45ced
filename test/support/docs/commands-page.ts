import { verbs } from "../../../src/app/operator.ts";
import { setupVerbs } from "../../../src/app/setup/setup.ts";
import { type CommandNoun, helpOf } from "../../../src/operator/nouns.ts";
import type { Parameter } from "../../../src/operator/parameter.ts";
import { table, withContents } from "./markdown.ts";

const head = `# Commands

Every command of the command line. This page is made from the table that the program itself reads. Do not edit it here:
run \`npm test -- unit/docs -u\`. Run a command with \`npm run -s chainbell -- COMMAND\`, and add \`--json\` for one JSON
document instead of text. [Operations](operations.md) says when to use which.
`;

/** What a page needs to know of a command. */
type Command = {
  noun: CommandNoun | null;
  name: string;
  formerly?: string;
  alias?: string;
  help: string;
  examples: readonly string[];
  takes: Readonly<Record<string, Parameter<unknown>>>;
};

/** docs/commands.md. */
export function commandsPage(): string {
  const commands = [...verbs, ...setupVerbs].flatMap(({ cli }): Command[] =>
    cli === null ? [] : [cli],
  );
  const nouns = [...new Set(commands.map(({ noun }) => noun))];
  const ordered = [...nouns.filter((noun) => noun !== null), null];
  const sections = ordered.map((noun) => {
    const title = noun === null ? "## Commands without a noun" : `## ${noun}\n\n${helpOf(noun)}`;
    const own = commands.filter((command) => command.noun === noun);
    return [title, ...own.map(describe)].join("\n\n");
  });
  return withContents([head, `${sections.join("\n\n")}\n`].join("\n"));
}

function describe({ noun, name, formerly, alias, help, examples, takes }: Command): string {
  const full = noun === null ? name : `${noun} ${name}`;
  const rows = Object.values(takes).flatMap(({ forms, isRequired, standard }) =>
    forms.map(({ flags, help: meaning }) => [
      `\`${inCell(flags)}\``,
      inCell(meaning),
      isRequired ? "required" : standard === null ? "" : `\`${inCell(String(standard))}\``,
    ]),
  );
  const text = wrapped(help);
  const former = formerly === undefined ? [] : [`Its former name is \`${formerly}\`.`];
  const other = alias === undefined ? [] : [`\`${alias}\` is the same.`];
  const options = rows.length === 0 ? [] : [table(["takes", "meaning", "default"], rows).trimEnd()];
  const lines = examples.map((example) => `npm run -s chainbell -- ${example}`);
  const shown = lines.length === 0 ? [] : [`\`\`\`sh\n${lines.join("\n")}\n\`\`\``];
  return [`### ${full}`, text, ...former, ...other, ...options, ...shown].join("\n\n");
}

/** Breaks a paragraph into lines of at most 120 columns. */
function wrapped(text: string): string {
  return text.replace(/(?=.{121})(.{1,120}) /g, "$1\n");
}

/** A bar would end the cell. */
function inCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
