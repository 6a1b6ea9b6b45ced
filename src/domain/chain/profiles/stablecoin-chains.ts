import { type ChainProfile, depth, documented, eip7708, identity, recorded } from "../profile.ts";
import { cosmos } from "./cosmos.ts";
import { ethereum } from "./ethereum.ts";

const arc: ChainProfile = {
  ...ethereum,
  // One balance, shown as an 18-decimal coin and as a 6-decimal ERC-20. The ERC-20 moves the coin
  // by a precompile.
  ...identity(5_042, "Arc", "Arc", "USDC"),
  nativeAliases: [
    { ...eip7708, logs: "completes" },
    { address: "0x3600000000000000000000000000000000000000", logs: "shares", decimals: 6 },
  ],
  withdrawals: "none",
  systemCredits: "USDC is minted and burned by a precompile, whose moves show as EIP-7708 logs",
  blockTimeMs: 500,
  finality: "at once: an accepted block stays",
  confirmations: depth(4),
  explorer: "https://arcscan.app",
  forks: [],
  evidence: recorded(
    "header of block 55,052,543; circlefin/arc-node v0.8.1, circlefin/arc-node#91",
  ),
};

const stable: ChainProfile = {
  ...cosmos,
  chainId: 988,
  name: "Stable",
  // Its root covers the receipts, although Tendermint makes the header's hash. So an endpoint
  // cannot contradict itself.
  hasTransactionsRoot: true,
  receipts: "root",
  coin: { code: "USDT0" },
  // One balance, as on Arc. The reserve holds the remainder below six decimals.
  nativeAliases: [
    {
      address: "0x779ded0c9e1022225f8e0630b35a9b54be713736",
      logs: "shares",
      decimals: 6,
      reserve: "0x6d11e1a6bdcc974ebe1ca73cc2c1ea3fde624370",
    },
  ],
  blockTimeMs: 700,
  explorer: "https://stablescan.xyz",
  unproved:
    "the block's hash cannot be rebuilt, so the roots only hold an endpoint to its own word",
  evidence: recorded("blocks 13,683,593 and 14,692,806; docs.stable.xyz for the shared balance"),
};

const tempo: ChainProfile = {
  ...ethereum,
  chainId: 4_217,
  name: "Tempo",
  family: "Tempo",
  // eth_getBalance answers a number that has no meaning.
  coin: null,
  header: "tempo",
  keepsFailedLogs: true,
  nativeAliases: [],
  paysFeeRecipient: false,
  withdrawals: "none",
  blockTimeMs: 600,
  finality: "at once: an accepted block stays",
  confirmations: depth(4),
  explorer: "https://explore.tempo.xyz",
  forks: [],
  evidence: recorded("blocks 17,708,868, 20,660,166 and 25,403,305"),
};

export const stablecoinProfiles: readonly ChainProfile[] = [
  arc,
  {
    ...arc,
    chainId: 5_042_002,
    name: "Arc Testnet",
    explorer: "https://testnet.arcscan.app",
    evidence: documented("circlefin/arc-node v0.8.1; read as Arc is"),
  },
  stable,
  {
    ...stable,
    chainId: 2_201,
    name: "Stable Testnet",
    nativeAliases: [
      {
        address: "0x78cf24370174180738c5b8e352b6d14c83a6c9a9",
        logs: "shares",
        decimals: 6,
        reserve: "0x6d11e1a6bdcc974ebe1ca73cc2c1ea3fde624370",
      },
    ],
    explorer: "https://testnet.stablescan.xyz",
    evidence: recorded("blocks 42,767,022, 59,083,166 and 61,696,562"),
  },
  tempo,
  {
    ...tempo,
    chainId: 42_431,
    name: "Tempo Moderato",
    explorer: "https://explore.moderato.tempo.xyz",
    evidence: recorded("blocks 6,541 and 6,000,178"),
  },
];
