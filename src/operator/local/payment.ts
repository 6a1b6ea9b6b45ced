import type { Address } from "../../domain/chain/address.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import { defineCommand } from "../define-command.ts";
import { optional, optionOr, text } from "../take.ts";
import { accountOf, amountOf, type LocalChain, type LocalPorts } from "./local-chain.ts";

type Input = {
  asset: string | undefined;
  amount: string;
  from: string | undefined;
  to: string | undefined;
};

type Sides = { from: Address; to: Address };

/** Pays a watched wallet on the local chain, by default one coin from an account of nobody's. Not safe to repeat. */
export const deposit = paymentVerb("deposit", {
  help: "Pay a watched wallet on the local chain of development mode.",
  examples: ["deposit", "deposit --asset DUSD --amount 12.5 --to 0x…"],
  from: "who pays; otherwise a funded account",
  to: "who is paid; otherwise the wallet that was added last",
  sides: async (ports, chain, { from, to }) => ({
    from: from === undefined ? chain.payer : await accountOf(ports, chain.name, from),
    to: await accountOf(ports, chain.name, to),
  }),
});

/** Pays out of a watched wallet on the local chain; the wallet must have the coin for the fee. Not safe to repeat. */
export const withdraw = paymentVerb("withdraw", {
  help: "Pay out of a watched wallet on the local chain of development mode. It pays the fee in the chain's coin.",
  examples: ["withdraw --amount 0.25", "withdraw --asset DUSD --from 0x… --to 0x…"],
  from: "who pays; otherwise the wallet that was added last",
  to: "who is paid; otherwise a funded account",
  sides: async (ports, chain, { from, to }) => ({
    from: await accountOf(ports, chain.name, from),
    to: to === undefined ? chain.payer : await accountOf(ports, chain.name, to),
  }),
});

function paymentVerb(
  name: "deposit" | "withdraw",
  spec: {
    help: string;
    examples: readonly string[];
    from: string;
    to: string;
    sides: (ports: LocalPorts, chain: LocalChain, input: Input) => Promise<Sides>;
  },
) {
  return defineCommand({
    noun: null,
    name,
    help: spec.help,
    examples: spec.examples,
    takes: {
      asset: optional("--asset <code>", text, "what is paid; otherwise the chain's coin"),
      amount: optionOr("--amount <decimal>", text, { help: "how much", standard: "1" }),
      from: optional("--from <address>", text, spec.from),
      to: optional("--to <address>", text, spec.to),
    },
    run: async (ports: LocalPorts, input: Input) => {
      const chain = await ports.openLocalChain();
      const { asset, amountAtomic } = amountOf(chain, input);
      const sides = await spec.sides(ports, chain, input);
      const { txHash, blockNumber } = await chain.pay({ asset, amountAtomic, ...sides });
      const amount = toDecimal(amountAtomic, asset.decimals);
      const shown = { tx_hash: txHash, block_number: Number(blockNumber) };
      return { ...shown, asset: asset.code, amount, ...sides };
    },
  });
}
