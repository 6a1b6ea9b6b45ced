import type { Address } from "../chain/address.ts";

/** A token that its issuer itself lists. */
export type KnownToken = { code: string; address: Address; decimals: number };

/** The issuer of a token, and the page that lists its addresses. */
type Issuer = { name: string; url: string };

/**
 * A list with which the addresses on these chains were compared, digit for digit, on 2026-11-22.
 * `with`: repository, commit and file.
 */
type Compared = { with: string; chains: readonly number[] };

type Listed = {
  code: string;
  decimals: number;
  issuer: Issuer;
  /** Each chain occurs once. */
  compared: readonly Compared[];
  /** The addresses by chain id, with EIP-55 checksum. A test checks the checksums. */
  addresses: Readonly<Record<number, Address>>;
};

/**
 * Tokens that the issuer itself issues and lists. Bridged forms are other tokens, and are left out.
 * Operators watch these addresses for money, so compare every address that you add with the
 * issuer's page.
 */
export const knownTokens: readonly Listed[] = [
  {
    code: "USDC",
    decimals: 6,
    issuer: {
      name: "Circle",
      url: "https://developers.circle.com/stablecoins/usdc-contract-addresses",
    },
    compared: [
      {
        with: "Circle's circlefin/skills at 26dc09e, plugins/circle/skills/use-usdc/SKILL.md",
        chains: [
          ...[1, 10, 137, 8_453, 42_161, 43_114],
          ...[43_113, 80_002, 84_532, 421_614, 11_155_111, 11_155_420],
        ],
      },
      {
        with: "Circle's circlefin/modularwallets-web-sdk at 2a628e8, constants/contractAddress.ts",
        chains: [130],
      },
      {
        with: "Sonic's docs.soniclabs.com/sonic/build-on-sonic/contract-addresses",
        chains: [146],
      },
      { with: "Celo's celo-org/celo-token-list at 0dac11e, celo.tokenlist.json", chains: [42_220] },
      {
        with: "Linea's Consensys/linea-token-list at 93b2258, json/linea-mainnet-token-shortlist.json",
        chains: [59_144],
      },
      // Aave's list, because neither Circle nor the chain offers one of its own.
      { with: "Aave's bgd-labs/aave-address-book at f61c976, AaveV3ZkSync.sol", chains: [324] },
    ],
    addresses: {
      1: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      10: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
      130: "0x078D782b760474a361dDA0AF3839290b0EF57AD6",
      137: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
      146: "0x29219dd400f2Bf60E5a23d13Be72B486D4038894",
      324: "0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4",
      8453: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      42161: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
      42220: "0xcebA9300f2b948710d2653dD7B07f33A8B32118C",
      43114: "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
      59144: "0x176211869cA2b568f2A7D4EE941E073a821EE1ff",
      43113: "0x5425890298aed601595a70AB815c96711a31Bc65",
      80002: "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582",
      84532: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      421614: "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d",
      11155111: "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
      11155420: "0x5fd84259d66Cd46123540766Be93DFE6D43130D7",
    },
  },
  {
    code: "USDT",
    decimals: 6,
    issuer: { name: "Tether", url: "https://tether.to/en/supported-protocols" },
    compared: [
      {
        with: "Tether's tetherto/wdk-docs at e2f6b3b, skills/wdk/references/deployments.md",
        chains: [1, 42_220, 43_114],
      },
    ],
    addresses: {
      1: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      42220: "0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e",
      43114: "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7",
    },
  },
];

/** The known tokens on a chain. */
export function knownTokensOn(chainId: number): KnownToken[] {
  return knownTokens.flatMap(({ code, decimals, addresses }) => {
    const address = addresses[chainId];
    return address === undefined ? [] : [{ code, decimals, address }];
  });
}
