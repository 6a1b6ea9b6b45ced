import { toChecksum } from "../../domain/chain/checksum.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { defineCommand } from "../define-command.ts";
import { optional, optionOr, text } from "../parameter.ts";
import { accountOf, amountOf, type LocalPorts } from "./local-chain.ts";

type Input = {
  asset: string | undefined;
  amount: string;
  from: string | undefined;
  to: string | undefined;
};

/**
 * Pays a watched wallet on the local chain. By default pays one coin from an account that is
 * nobody's wallet. Not safe to repeat.
 */
export const deposit = paymentVerb("deposit", {
  help: "Pay a watched wallet on the local chain of development mode.",
  examples: ["deposit", "deposit --asset DUSD --amount 12.5 --to 0x…"],
  watched: "to",
});

/**
 * Pays out of a watched wallet on the local chain. The wallet must have coin for the fee. Not safe
 * to repeat.
 */
export const withdraw = paymentVerb("withdraw", {
  help: "Pay out of a watched wallet on the local chain of development mode. It pays the fee in the chain's coin.",
  examples: ["withdraw --amount 0.25", "withdraw --asset DUSD --from 0x… --to 0x…"],
  watched: "from",
});

function paymentVerb(
  name: "deposit" | "withdraw",
  {
    help,
    examples,
    watched,
  }: { help: string; examples: readonly string[]; watched: "from" | "to" },
) {
  const unsaid = (side: "from" | "to") =>
    side === watched ? "otherwise the demo business's wallet" : "otherwise a funded account";
  return defineCommand({
    noun: null,
    name,
    help,
    examples,
    takes: {
      asset: optional("--asset <code>", text, "what is paid; otherwise the chain's coin"),
      amount: optionOr("--amount <decimal>", text, { help: "how much", standard: "1" }),
      from: optional("--from <address>", text, `who pays; ${unsaid("from")}`),
      to: optional("--to <address>", text, `who is paid; ${unsaid("to")}`),
    },
    run: async (ports: LocalPorts, input: Input) => {
      const chain = await ports.openLocalChain();
      const { asset, amountAtomic } = amountOf(chain, input);
      const account = async (side: "from" | "to") =>
        input[side] === undefined && side !== watched
          ? chain.payer
          : await accountOf(ports, chain, input[side]);
      const sides = { from: await account("from"), to: await account("to") };
      const { txHash, blockNumber } = await chain.pay({ asset, amountAtomic, ...sides });
      const amount = toDecimal(amountAtomic, asset.decimals);
      const shown = { tx_hash: txHash, block_number: Number(blockNumber) };
      return {
        ...shown,
        asset: asset.code,
        amount,
        from: toChecksum(sides.from),
        to: toChecksum(sides.to),
      };
    },
  });
}
