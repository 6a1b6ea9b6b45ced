import { defineCommand } from "../define-command.ts";

/** The answer of one channel to a message. */
type TriedChannel = { channel: string; taken: boolean; answer: string };

export type AlertTestPorts = {
  /**
   * Sends a message that says it is a test to each channel of the configuration.
   * @throws Fault `invalid_configuration`
   */
  tryAlerts: () => Promise<readonly TriedChannel[]>;
};

const examples = ["alert test", "alert test --json"];

/** Tries each channel for alerts. Needs neither database nor daemon, and stores nothing. */
export const alertTest = defineCommand({
  noun: "alert",
  name: "test",
  help: "Send a test message to each channel of `alerts`, and show what it answered. Exit status 3 where one did not take it.",
  examples,
  takes: {},
  hasFindings: (tried) => tried.some(({ taken }) => !taken),
  run: async ({ tryAlerts }: AlertTestPorts, _: object) => [...(await tryAlerts())],
});
