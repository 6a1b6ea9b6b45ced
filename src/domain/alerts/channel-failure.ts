/** The reasons of a channel that did not take a message. */
export const channelFailures = {
  answered: { description: "it answered `answer`, which is no success" },
  late: { description: "it did not answer in time" },
  failed: { description: "the attempt failed with the error `error`" },
} as const;

/** A failed attempt in words, with its word for machines and its values. */
export type ChannelFailure = {
  message: string;
  code: keyof typeof channelFailures;
  values: Readonly<Record<string, string>>;
};
