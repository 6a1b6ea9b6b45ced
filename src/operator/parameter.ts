import { Fault } from "../domain/fault.ts";
import { dateField, hashRule, namedHashField } from "../schema/fields.ts";

/**
 * One thing that a verb takes from its command line: an argument, or an option. `flags` are in
 * commander's notation: `<id>`, `[chain]`, `--name <name>`.
 */
export type Parameter<Value> = {
  kind: "argument" | "option";
  /** Two of them for a switch that is also turned off. */
  forms: readonly { flags: string; help: string }[];
  isRequired: boolean;
  /** The value that is taken where none is given, as help shows it; null: there is none. */
  standard: string | number | null;
  /**
   * Says in a sentence what is wrong with a text that was given, or null. A switch takes no text.
   */
  complaint: ((text: string) => string | null) | null;
  /** The value, from what was given: a text, true or false for a switch, or undefined. */
  read: (given: unknown) => Value;
};

/** Reads the text of an argument or an option; undefined: it is not what is expected. */
export type Reader<Value> = {
  expected: string;
  read: (text: string) => Value | undefined;
};

export const text: Reader<string> = { expected: "Expected a text.", read: (given) => given };

export const count: Reader<number> = {
  expected: "Expected a whole number from 1.",
  read: (given) => (/^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined),
};

/** One of some words. */
export function oneOf<Word extends string>(known: readonly Word[]): Reader<Word> {
  return {
    expected: `Expected one of ${known.join(", ")}.`,
    read: (given) => known.find((word) => word === given),
  };
}

/** A date or a time, see `dateField`. */
export const moment: Reader<Date> = {
  expected: "Expected an ISO 8601 date or time, such as 2026-01-31.",
  read: (given) => dateField.safeParse(given).data,
};

/** Separated by commas. */
export const words: Reader<readonly string[]> = {
  expected: "Expected words, separated by commas.",
  read: (given) =>
    given
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
};

/** Of a transaction of a chain, whole or shortened, as the routes take it. */
export const namedHash: Reader<string> = {
  expected: `E${hashRule.slice(1)}.`,
  read: (given) => namedHashField.safeParse(given).data,
};

/** Of an installation, as it is published. */
export const publicKey: Reader<string> = {
  expected: "Expected the base64 of a public key of 32 bytes, as `key signing` shows it.",
  read: (given) => (Buffer.from(given, "base64").length === 32 ? given : undefined),
};

/** 0 is one. */
export const block: Reader<number> = {
  expected: "Expected a block number.",
  read: (given) => (/^\d{1,15}$/.test(given) ? Number(given) : undefined),
};

/** `<name>`: it must be there. */
export function argument(flags: `<${string}>`): Parameter<string> {
  return { ...required(flags, text, ""), kind: "argument" };
}

/** `[name]`: it may be left out. */
export function optionalArgument(flags: `[${string}]`): Parameter<string | undefined> {
  return { ...optional(flags, text, ""), kind: "argument" };
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

/** An option with a value also where it is not given. */
export function optionOr<Value extends string | number>(
  flags: string,
  reader: Reader<Value>,
  given: { help: string; standard: Value },
): Parameter<Value> {
  const { help, standard } = given;
  const read = (value: unknown) => readWith(reader, value) ?? standard;
  return { ...option(flags, reader, help), standard, read };
}

/** An option without a value: true where it is given. */
export function flag(flags: string, help: string): Parameter<boolean> {
  return { ...option(flags, text, help), complaint: null, read: (given) => given === true };
}

/** `--name` and `--no-name`; undefined where neither is given. */
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

/** A take for each field of an input. */
export type TakesOf<Input> = { readonly [Field in keyof Input]-?: Parameter<Input[Field]> };

/** The values of a command line, by the names of the takes. */
export type ParsedOptions = Readonly<Record<string, unknown>>;

export function readInput<Input>(takes: TakesOf<Input>, given: ParsedOptions): Input {
  const fields = Object.entries<Parameter<unknown>>(takes).map(([name, take]) => [
    name,
    take.read(given[name]),
  ]);
  // One value for each take, and one take for each field: an Input.
  return Object.fromEntries(fields) as Input;
}
