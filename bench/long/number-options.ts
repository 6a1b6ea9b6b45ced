import { parseArgs } from "node:util";

/**
 * The numbers that a long run was given as options, the others as `usual` says; with `--quick`, as
 * `quick` says. Throws where one is no number. `texts` are the names of options for `textOption`.
 */
export function numberOptions<Name extends string>(
  usual: Record<Name, number>,
  quick: Record<Name, number> = usual,
  texts: readonly string[] = [],
): Record<Name, number> {
  const names = Object.keys(usual) as Name[];
  const known = [...names, ...texts].map((name) => [name, { type: "string" as const }]);
  const options = { ...Object.fromEntries(known), quick: { type: "boolean" as const } };
  const given: Record<string, unknown> = parseArgs({ options }).values;
  const others = given["quick"] === true ? quick : usual;
  const numbers = names.map((name): [Name, number] => {
    const number = Number(given[name] ?? others[name]);
    if (Number.isNaN(number)) throw noNumber(name);
    return [name, number];
  });
  return Object.fromEntries(numbers) as Record<Name, number>;
}

/** As the errors of parseArgs are. */
function noNumber(name: string): Error {
  const code = "ERR_PARSE_ARGS_INVALID_OPTION_VALUE";
  return Object.assign(new TypeError(`Option '--${name} <value>' takes a number`), { code });
}

/** The text that a long run was given as an option; null: none. */
export function textOption(name: string): string | null {
  const { values } = parseArgs({ options: { [name]: { type: "string" } }, strict: false });
  const given = values[name];
  return typeof given === "string" ? given : null;
}
