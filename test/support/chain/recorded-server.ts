import { knownGenesis } from "../../../src/domain/chain/profiles/known-genesis.ts";
import { serveAnswers } from "./serve-answers.ts";

type Answer = Readonly<Record<string, unknown>>;

type Recorded = { chainId: number; block: Answer; receipts: Answer[] };

/**
 * A node over HTTP that has one recorded block and, before it, ancestors that are made up: of those
 * only the place is asked for. The block is there once it is revealed. Every account holds nothing,
 * and what else is asked is not offered.
 */
export async function serveRecorded({ chainId, block, receipts }: Recorded) {
  const height = BigInt(String(block["number"]));
  let isRevealed = false;

  function ancestor(number: bigint): Answer {
    const timestamp = BigInt(String(block["timestamp"])) - (height - number);
    const first = number === 0n ? knownGenesis(chainId)?.hash : null;
    const hash = number === height - 1n ? block["parentHash"] : (first ?? hashOf(number));
    return {
      number: toHex(number),
      hash,
      parentHash: hashOf(number - 1n),

      timestamp: toHex(timestamp > 0n ? timestamp : 0n),
      transactionsRoot: hashOf(0n),
    };
  }

  function blockAt(at: unknown): Answer | null {
    const head = isRevealed ? height : height - 1n;
    const number = at === "latest" ? head : BigInt(String(at));
    if (number > head) return null;
    return number === height ? block : ancestor(number);
  }

  function resultOf(method: string, params: unknown[]): unknown {
    switch (method) {
      case "eth_chainId":
        return toHex(BigInt(chainId));
      case "eth_getBlockByNumber":
        return blockAt(params[0]);
      case "eth_getBlockReceipts":
        return params[0] === block["hash"] ? receipts : null;
      case "eth_getBalance":
        return "0x0";
      case "eth_call":
        return "0x";
      default:
        return undefined;
    }
  }

  const { url, stop } = await serveAnswers(async (method, params) => resultOf(method, params));
  return {
    url,
    height,
    /** The recorded block is the head from now on. */
    reveal() {
      isRevealed = true;
    },
    stop,
  };
}

function toHex(number: bigint): string {
  return `0x${number.toString(16)}`;
}

/** Made up, and another one for each height. */
function hashOf(number: bigint): string {
  return `0x${(number < 0n ? 0n : number).toString(16).padStart(62, "0").padStart(64, "a")}`;
}
