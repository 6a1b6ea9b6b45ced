import { type ChainProfile, depth, identity, recorded } from "../profile.ts";
import { ethereum } from "./ethereum.ts";

export const gnosisProfiles: readonly ChainProfile[] = [
  {
    ...ethereum,
    ...identity(100, "Gnosis", "Ethereum", "XDAI"),
    header: "aura",
    // A contract pays withdrawals in GNO. Its Transfer logs show them when they are claimed.
    withdrawals: "token",
    systemCredits:
      "the bridge mints xDAI by a system call; trace_block shows it as an external reward",
    traces: "rewards",
    blockTimeMs: 5_000,
    finality: "two epochs, about 3 minutes; `finalized` says so",
    // Ethereum's consensus with blocks of 5 s, so the same time is more blocks.
    confirmations: depth(24),
    explorer: "https://gnosisscan.io",
    unproved: "coin minted by the bridge is in no root: it is what trace_block says",
    evidence: recorded("blocks from 20,000,000 to 40,000,000; withdrawals by gnosischain/specs"),
  },
];
