import { parseArgs } from "node:util";

/**
 * The numbers that a long run was given as options, the others as `usual` says; with `--quick`, as
 * `quick` says. Throws where one is no number.
 */
export function numberOptions<Name extends string>(
  usual: Record<Name, number>,
  quick: Record<Name, number> = usual,
): Record<Name, number> {
  const names = Object.keys(usual) as Name[];
  const numbered = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  const options = { ...numbered, quick: { type: "boolean" as const } };
  const given: Record<string, unknown> = parseArgs({ options }).values;
  const others = given["quick"] === true ? quick : usual;
  const numbers = names.map((name): [Name, number] => {
    const number = Number(given[name] ?? others[name]);
    if (Number.isNaN(number)) throw new Error(`--${name} is a number`);
    return [name, number];
  });
  return Object.fromEntries(numbers) as Record<Name, number>;
}
