/** The faults at a place of the configuration. */
export const configFaultCodes = {
  unknown_key: { description: "there is no such key" },
  required: { description: "the value is required" },
  not_a_list: { description: "the value is not a list" },
  not_a_map: { description: "the value is not a map of keys" },
  one_value: { description: "the value is a list or a map, and must be one value" },
  choice: { description: "the value is none of `choices`" },
  whole_number: { description: "the value is not a whole number from `min` to `max`" },
  true_or_false: { description: "the value is neither true nor false" },
  decimal: { description: "the value is not a plain decimal" },
  address: { description: "the value is not an address, or its EIP-55 checksum is wrong" },
  hash: { description: "the value is not 0x and 64 hexadecimal digits" },
  url: { description: "the value is not a URL that begins with one of `schemes`" },
  duration: { description: "the value is not a length of time" },
  too_short: { description: "the time is shorter than `least`" },
  too_long: { description: "the time is longer than `most` seconds" },
  address_range: { description: "the value is not a range of IP addresses" },
  confirmations: {
    description: "the value is not a depth up to `most`, a time up to a day, safe or finalized",
  },
  too_few: { description: "the list has fewer than `least` entries" },
  too_many: { description: "the list has more than `most` entries" },
  same_as: { description: "the value is the same as that of `other`, and must not be" },
  not_set: { description: "the value names the environment variable `name`, which is not set" },
  no_file: { description: "there is no file `file`" },
  unreadable: { description: "the file cannot be read: the system says `reason`" },
  invalid: { description: "the value is not allowed: `message` says why" },
} as const;

/** The values in the sentence of a fault, by their names. */
export type ConfigFaultValues = Readonly<Record<string, string>>;

export type ConfigFaultCode = keyof typeof configFaultCodes;
