import { Fault } from "../domain/fault.ts";
import { dateField, hashRule, namedHashField } from "../schema/fields.ts";

/**
 * One input of a verb on the command line: an argument, or an option. `flags` are in commander's
 * notation: `<id>`, `[chain]`, `--name <name>`.
 */
export type Parameter<Value> = {
  kind: "argument" | "option";
  /** One, or two for a switch that can also be turned off. */
  forms: readonly { flags: string; help: string }[];
  isRequired: boolean;
  /** The default, as help shows it. Null: there is none. */
  standard: string | number | null;
  /**
   * Returns a sentence that says what is wrong with a given text, or null. Null instead of a
   * function: the parameter is a switch, which takes no text.
   */
  complaint: ((text: string) => string | null) | null;
  /** Makes the value from what was given: a text, true or false for a switch, or undefined. */
  read: (given: unknown) => Value;
};

/** Reads the text of an argument or an option. Undefined: the text is not as expected. */
export type Reader<Value> = {
  expected: string;
  read: (text: string) => Value | undefined;
};

export const text: Reader<string> = { expected: "Expected a text.", read: (given) => given };

export const count: Reader<number> = {
  expected: "Expected a whole number from 1.",
  read: (given) => (/^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined),
};

/** Reads one of some words. */
export function oneOf<Word extends string>(known: readonly Word[]): Reader<Word> {
  return {
    expected: `Expected one of ${known.join(", ")}.`,
    read: (given) => known.find((word) => word === given),
  };
}

/** Reads a date or a time: see `dateField`. */
export const moment: Reader<Date> = {
  expected: "Expected an ISO 8601 date or time, such as 2026-01-31.",
  read: (given) => dateField.safeParse(given).data,
};

/** Reads words, separated by commas. */
export const words: Reader<readonly string[]> = {
  expected: "Expected words, separated by commas.",
  read: (given) =>
    given
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
};

/** Reads the hash of a transaction, whole or shortened, as the routes do. */
export const namedHash: Reader<string> = {
  expected: `E${hashRule.slice(1)}.`,
  read: (given) => namedHashField.safeParse(given).data,
};

/** Reads the public key of an installation, in its published form. */
export const publicKey: Reader<string> = {
  expected: "Expected the base64 of a public key of 32 bytes, as `key signing` shows it.",
  read: (given) => (Buffer.from(given, "base64").length === 32 ? given : undefined),
};

/** Reads a block number. 0 is allowed. */
export const block: Reader<number> = {
  expected: "Expected a block number.",
  read: (given) => (/^\d{1,15}$/.test(given) ? Number(given) : undefined),
};

/** A required argument, `<name>`. */
export function argument(flags: `<${string}>`, help: string): Parameter<string> {
  return { ...required(flags, text, help), kind: "argument" };
}

/** An optional argument, `[name]`. */
export function optionalArgument(
  flags: `[${string}]`,
  help: string,
): Parameter<string | undefined> {
  return { ...optional(flags, text, help), kind: "argument" };
}

export function required<Value>(
  flags: string,
  reader: Reader<Value>,
  help: string,
): Parameter<Value> {
  const read = (given: unknown) => {
    const value = readWith(reader, given);
    if (value !== undefined) return value;
    throw new Fault("invariant_broken", `A command line without ${flags} was accepted.`);
  };
  return { ...option(flags, reader, help), isRequired: true, read };
}

export function optional<Value>(
  flags: string,
  reader: Reader<Value>,
  help: string,
): Parameter<Value | undefined> {
  return { ...option(flags, reader, help), read: (given) => readWith(reader, given) };
}

/** An option with a default. */
export function optionOr<Value extends string | number>(
  flags: string,
  reader: Reader<Value>,
  given: { help: string; standard: Value },
): Parameter<Value> {
  const { help, standard } = given;
  const read = (value: unknown) => readWith(reader, value) ?? standard;
  return { ...option(flags, reader, help), standard, read };
}

/** An option without a value. True if it is given. */
export function flag(flags: string, help: string): Parameter<boolean> {
  return { ...option(flags, text, help), complaint: null, read: (given) => given === true };
}

/** The switch `--name` and `--no-name`. Undefined if neither is given. */
export function toggle(
  name: string,
  help: { on: string; off: string },
): Parameter<boolean | undefined> {
  const forms = [
    { flags: `--${name}`, help: help.on },
    { flags: `--no-${name}`, help: help.off },
  ];
  const read = (given: unknown) => (typeof given === "boolean" ? given : undefined);
  return { ...option(name, text, ""), complaint: null, forms, read };
}

function option<Value>(flags: string, reader: Reader<Value>, help: string) {
  return {
    kind: "option" as const,
    forms: [{ flags, help }],
    isRequired: false,
    standard: null,
    complaint: (given: string) => (reader.read(given) === undefined ? reader.expected : null),
  };
}

function readWith<Value>(reader: Reader<Value>, given: unknown): Value | undefined {
  return typeof given === "string" ? reader.read(given) : undefined;
}

/** A parameter for each field of an input. */
export type TakesOf<Input> = { readonly [Field in keyof Input]-?: Parameter<Input[Field]> };

/** The values of a command line, by the names of the parameters. */
export type ParsedOptions = Readonly<Record<string, unknown>>;

export function readInput<Input>(takes: TakesOf<Input>, given: ParsedOptions): Input {
  const fields = Object.entries<Parameter<unknown>>(takes).map(([name, take]) => [
    name,
    take.read(given[name]),
  ]);
  // Each field has exactly one parameter, so this is an Input.
  return Object.fromEntries(fields) as Input;
}
