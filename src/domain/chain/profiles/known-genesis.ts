import type { Hash } from "../block.ts";

/** The first block of a chain, and the source that says so. */
export type KnownGenesis = { hash: Hash; source: string };

// Chains of the OP stack were looked up in both registries, which agree. Celo Sepolia is left out
// because they differ.
const registry = "graphprotocol/networks-registry, registry/eip155 (2026-08-18)";
const superchain = "ethereum-optimism/superchain-registry, superchain/configs (2026-08-04)";
const monad = "category-labs/monad, its tests of the first header (2026-11-25)";

const inRegistry: readonly (readonly [chainId: number, hash: Hash])[] = [
  [1, "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"],
  [11_155_111, "0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9"],
  [560_048, "0xbbe312868b376a3001692a646dd2d7d1e4406380dfd86b98aa8a34d1557c971b"],
  [10, "0x7ca38a1916c42007829c55e69d3e9a73265554b586a499015373241b8a3fa48b"],
  [11_155_420, "0x102de6ffb001480cc9b8b548fd05c34cd4f46ae4aa91759393db90ea0409887d"],
  [8_453, "0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd"],
  [84_532, "0x0dcc9e089e30b90ddfc55be9a37dd15bc551aeee999d2e2b51414c54eaf934e4"],
  [130, "0x3425162ddf41a0a1f0106d67b71828c9a9577e6ddeb94e4f33d2cde1fdc3befe"],
  [1_301, "0xb7fe0bc9f98ca03294ca0094ff9374cc3e64130b6ec85850d6e260191f48bfe7"],
  [480, "0x70d316d2e0973b62332ba2e9768dd7854298d7ffe77f0409ffdb8d859f2d3fa3"],
  [57_073, "0x23a2658170ba70d014ba0d0d2709f8fbfe2fa660cd868c5f282f991eecbe38ee"],
  [763_373, "0xe5fd5cf0be56af58ad5751b401410d6b7a09d830fa459789746a3d0dd1c79834"],
  [1_868, "0x295d22d269634c7d0055b33b887519362d0b31899e97109d1789a8a168de1b21"],
  [1_946, "0x7ec49d93fa8f47c00e98cc5965cd3903a8faa9238743d2eba0e0550ab4c45c43"],
  [7_777_777, "0x47555a45a1af8d4728ca337a1e48375a83919b1ea16591e070a07388b7364e29"],
  [81_457, "0xb689b35ef29d0bec5816938e0e52683c7257d2e325420ea69b739a2be4754b89"],
  [168_587_773, "0x26a1c0faad7b041f34569a1bb383f00ab74b335883a44bed53e9f41ced5fd906"],
  [42_220, "0x19ea3339d3c8cda97235bc8293240d5b9dadcdfbb5d4b0b90ee731cac1bd11c3"],
  [747_474, "0x2d28253bc3362fb71336e4f45ba058a24167ef8f43aa2527d5ed9ecfa1d2d3d6"],
  [2_020, "0x6e675ee97607f4e695188786c3c1853fb1562f1c075629eb5dbcff269422a1a4"],
  [196, "0x11f32f605beb94a1acb783cb3b6da6d7975461ce3addf441e7ad60c2ec95e88f"],
  [204, "0x4dd61178c8b0f01670c231597e7bcb368e84545acd46d940a896d6a791dd6df4"],
  [42_161, "0x7ee576b35482195fc49205cec9af72ce14f003b9ae69f6ba0faef4514be8b442"],
  [42_170, "0x2ad24e03026118f9b3a48626f0636e38c93660e90a6812e853a99aa8c5371561"],
  [421_614, "0x77194da4010e549a7028a9c3c51c3e277823be6ac7d138d0bb8a70197b5c004c"],
  [4_663, "0xaad15f3d702aaea00caf3e9bb56395efe9127bc3b31b24921abf1eee3409305c"],
  [137, "0xa9c28ce2141b56c474f1dc504bee9b01eb1bd7d1a507580d5519d4437a97de1b"],
  [80_002, "0x7202b2b53c5a0836e773e319d18922cc756dd67432f9a1f65352b61f4406c697"],
  [43_114, "0x31ced5b9beb7f8782b014660da0cb18cc409f121f408186886e1ca3e8eeca96b"],
  [43_113, "0x31ced5b9beb7f8782b014660da0cb18cc409f121f408186886e1ca3e8eeca96b"],
  [100, "0x4f1dd23188aab3a76b463e4af801b52b1248ef073c648cbdc4c9333d3da79756"],
  [324, "0xe8e77626586f73b955364c7b4bbf0bb7f7685ebd40e852b164633a4acbd3244c"],
  [300, "0xe8e77626586f73b955364c7b4bbf0bb7f7685ebd40e852b164633a4acbd3244c"],
  [2_741, "0xe8e77626586f73b955364c7b4bbf0bb7f7685ebd40e852b164633a4acbd3244c"],
  [59_144, "0xb6762a65689107b2326364aefc18f94cda413209fab35c00d4af51eaa20ffbc6"],
  [534_352, "0xbbc05efd412b7cd47a2ed0e5ddfcf87af251e414ea4c801d78b6784513180a80"],
  [56, "0x0d21840abff46b96c84b2ac9e10e4f5cdaeb5693cb665db62a2f3b02d2d57b5b"],
  [146, "0x411c75a1b1c2f2f458bcf243e7743d114e0117a4233cc13d91e7efc8fe8b0f3b"],
  [80_094, "0xd57819422128da1c44339fc7956662378c17e2213e669b427ac91cd11dfcfb38"],
  [999, "0xd8fcc13b6a195b88b7b2da3722ff6cad767b13a8c1e9ffb1c73aa9d216d895f0"],
  [25, "0xa7f4e603aa51239a15e0a3fafb15c6e4c6d6f2c39c55770330efd2fa5afc12a9"],
  [5_042, "0x09944e07412986bb417fd0006c89ffb71ee523d68ce2017ec2dabc944c42edad"],
  [5_042_002, "0xe20e653af4441e8c6088e172b129d56420139824400477287b46e7101ae2bb1f"],
  [4_217, "0x49d7ec7085e77bf5a403d0fcb4cfc42a4084a89dfff60477579c5e09c9e03c54"],
  [42_431, "0xba49153e6f3996a340f3fe3d69e7c0826b717ae672cb115cf0527cada0b78e9e"],
];

const known = new Map<number, KnownGenesis>([
  ...inRegistry.map(([chainId, hash]) => [chainId, { hash, source: registry }] as const),
  [
    4_801,
    {
      hash: "0xf1deb67ee953f94d8545d2647918687fa8ba1f30fa6103771f11b7c483984070",
      source: superchain,
    },
  ],
  [
    999_999_999,
    {
      hash: "0x8b17d2d52564a5a90079d9c860e1386272579e87b17ea27a3868513f53facd74",
      source: superchain,
    },
  ],
  [
    143,
    { hash: "0x0c47353304f22b1c15706367d739b850cda80b5c87bbc335014fef3d88deaac9", source: monad },
  ],
]);

/** The first block of a public chain, by its EIP-155 id. Null: not known. */
export function knownGenesis(chainId: number): KnownGenesis | null {
  return known.get(chainId) ?? null;
}
