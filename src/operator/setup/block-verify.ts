import type { RecordedBlockFinding } from "../../domain/setup/recorded-block.ts";
import { defineCommand } from "../define-command.ts";
import { argument } from "../parameter.ts";

export type BlockVerifyPorts = {
  /**
   * Verifies the recording in a file.
   * @throws Fault `invalid_request` if there is no such file, or if it is no recording
   */
  verifyBlock: (path: string) => Promise<{
    chainId: number;
    chain: string;
    number: bigint;
    hash: string;
    findings: readonly RecordedBlockFinding[];
  }>;
};

/**
 * Shows which parts of a recorded block are proved. Needs no endpoint, no configuration and no
 * database.
 */
export const blockVerify = defineCommand({
  noun: "block",
  name: "verify",
  help: "Say what is proved of a recorded block: hash, roots, senders, logs, traces and state. Exit status 3 where a part is refused.",
  examples: ["block verify 1-24000000.json.gz", "block verify block.json.gz --json"],
  takes: { file: argument("<file>", "a file of `block record`") },
  run: async ({ verifyBlock }: BlockVerifyPorts, { file }: { file: string }) => {
    const { chainId, chain, number, hash, findings } = await verifyBlock(file);
    return { chain, chain_id: chainId, number: Number(number), hash, parts: [...findings] };
  },
  hasFindings: ({ parts }) => parts.some(({ state }) => state === "refused"),
});
