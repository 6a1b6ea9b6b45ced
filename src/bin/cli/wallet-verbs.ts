import type { Command } from "commander";
import { readWalletFile } from "./read-wallet-file.ts";
import type { Verb } from "./verb.ts";
import { addNoun, addVerb, parseBlock, parseCount, readAll } from "./verb.ts";

type Addition = {
  business: string;
  blockchain: string;
  address: string;
  purpose: string;
  reference?: string;
  label?: string;
  fromBlock?: number;
};

/** `wallet add | import | list | remove` */
export function addWalletVerbs(program: Command, onVerb: (verb: Verb) => void): void {
  const wallet = addNoun(program, "wallet", "Addresses that are watched.");
  addVerb(wallet, {
    usage: "add",
    description: "Watch an address for a business, from the next block processed.",
    examples: [
      "wallet add --business 018f… --blockchain ethereum --address 0x…",
      "wallet add --business 018f… --blockchain base --address 0x… --purpose payment --reference order-17",
    ],
  })
    .requiredOption("--business <id>", "whose wallet it is")
    .requiredOption("--blockchain <name>", "one of the configured chains")
    .requiredOption("--address <address>", "in any case; a mixed-case checksum must be right")
    .option("--purpose <purpose>", "deposit, or payment for a checkout address", "deposit")
    .option("--reference <reference>", "your own word for it, repeated in notifications")
    .option("--label <label>", "what it is for")
    .option("--from-block <n>", "fill its history in from this block on", parseBlock)
    .action(({ business, ...fields }: Addition) =>
      onVerb(async (commands) => {
        const { blockchain, address, purpose, reference = null, label = null } = fields;
        const { fromBlock: from_block = null } = fields;
        const input = { blockchain, address, purpose, reference, label, from_block };
        const wallets = { businessId: business, wallets: [input], isList: false };
        return (await commands.addWallets(wallets))[0];
      }),
    );
  addImportVerb(wallet, onVerb);
  addVerb(wallet, {
    usage: "list",
    description: "List the watched wallets, newest first.",
    examples: ["wallet list", "wallet list --business 018f… --json"],
  })
    .option("--business <id>", "of this business alone")
    .option("--limit <n>", "at most so many", parseCount)
    .action(({ business, limit }: { business?: string; limit?: number }) =>
      onVerb((commands) => {
        const owner = business === undefined ? {} : { businessId: business };
        return readAll((page) => commands.listWallets({ ...page, ...owner }), limit);
      }),
    );
  addVerb(wallet, {
    usage: "remove <id>",
    description: "Watch a wallet no more; its history stays.",
    examples: ["wallet remove 018f…"],
  }).action((id: string) => onVerb((commands) => commands.removeWallet(id)));
}

function addImportVerb(wallet: Command, onVerb: (verb: Verb) => void): void {
  addVerb(wallet, {
    usage: "import <file>",
    description:
      "Watch every address of a CSV file, all or none. Its first line names the columns: blockchain, address, and any of purpose, reference, label, from_block. Each line that is refused is named.",
    examples: [
      "wallet import --business 018f… wallets.csv",
      "wallet import --business 018f… wallets.csv --json",
    ],
  })
    .requiredOption("--business <id>", "whose wallets they are")
    .action((path: string, { business }: { business: string }) =>
      onVerb(async (commands, terminal) => {
        const { lines, faults } = await readWalletFile(path);
        const progress = terminal.showProgress("wallets", lines.length);
        try {
          const onProgress = progress.update;
          return await commands.importWallets({ businessId: business, lines, faults, onProgress });
        } finally {
          progress.end();
        }
      }),
    );
}
