/** The faults at a place of the configuration. */
export const configFaultCodes = {
  unknown_key: { description: "there is no such key" },
  required: { description: "the value is required" },
  not_a_list: { description: "the value is not a list" },
  not_a_map: { description: "the value is not a map of keys" },
  same_as: { description: "the value is the same as that of `other`, and must not be" },
  not_set: { description: "the value names the environment variable `name`, which is not set" },
  no_file: { description: "there is no file `file`" },
  unreadable: { description: "the file cannot be read: the system says `reason`" },
  invalid: { description: "the value is not allowed: `message` says why" },
} as const;

export type ConfigFaultCode = keyof typeof configFaultCodes;
