/** A cause of no progress: a stable word or the code of a fault, and its values. */
export type TroubleCause = {
  code: string;
  values: Readonly<Record<string, string>>;
  /** The error of a failed step. */
  error?: Error;
};

/** The trouble of a part in words, and each of its causes. */
export type Trouble = { message: string; causes: readonly TroubleCause[] };

export function troubleOf(
  code: string,
  message: string,
  values: TroubleCause["values"] = {},
): Trouble {
  return { message, causes: [{ code, values }] };
}
