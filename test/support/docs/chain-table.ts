import { expectedProof } from "../../../src/domain/chain/expected-proof.ts";
import type { ChainProfile } from "../../../src/domain/chain/profile.ts";
import { knownProfiles } from "../../../src/domain/chain/profiles/known-profiles.ts";
import { readCatalogue } from "../chain/recordings.ts";
import { wrapped } from "./markdown.ts";

const begin = "<!-- chains: begin (node scripts/run.mjs chain-table) -->";
const end = "<!-- chains: end -->";

/** The page with its tables of chains as the profiles have them. */
export function withChainTables(page: string): string {
  const [before, rest] = split(page, begin);
  const [, after] = split(rest, end);
  return `${before}${begin}\n\n${chainTables()}\n${end}${after}`;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`the page has no ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

function chainTables(): string {
  const reading = table(
    ["chain", "id", "coin", "block every", "confirmations", "proved by", "founded on"],
    knownProfiles.map((profile) => [
      profile.name,
      String(profile.chainId),
      profile.coin?.code ?? "none",
      secondsOf(profile.blockTimeMs),
      confirmationsOf(profile),
      proofIn(profile),
      `${profile.evidence.level}: ${profile.evidence.source} (${profile.evidence.checked})`,
    ]),
  );
  const differences = differencesOf(knownProfiles);
  const finality = table(
    ["chain", "a block cannot be undone any more"],
    knownProfiles.map(({ name, finality: text }) => [name, text]),
  );
  const upgrades = table(
    ["chain", "upgrade", "from", "read by this version"],
    knownProfiles.flatMap(({ name, forks }) =>
      forks.map((fork) => [name, fork.name, dateOf(fork.atSeconds), fork.isRead ? "yes" : "no"]),
    ),
  );
  const recorded = new Set(readCatalogue().map(({ chainId }) => chainId));
  const wanted = knownProfiles.filter(({ chainId }) => !recorded.has(chainId));
  const parts = [
    reading,
    `### What is different\n\n${differences}`,
    `### Finality\n\n${finality}`,
    `### Known upgrades\n\n${upgrades}`,
    `### Without a recording\n\n${wanted.map(({ name }) => `- ${name}\n`).join("")}`,
  ];
  return parts.join("\n");
}

/** Each difference once, with its chains, in the order of the profiles. */
function differencesOf(profiles: readonly ChainProfile[]): string {
  const chains = new Map<string, string[]>();
  for (const profile of profiles) {
    for (const what of peculiaritiesOf(profile))
      chains.set(what, [...(chains.get(what) ?? []), profile.name]);
  }
  return [...chains]
    .map(([what, names]) => `${wrapped(`- **${names.join(", ")}:** ${what}.`, "  ")}\n`)
    .join("");
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return `${[line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line)].join("\n")}\n`;
}

function dateOf(atSeconds: number | null): string {
  return atSeconds === null ? "announced" : new Date(atSeconds * 1_000).toISOString().slice(0, 10);
}

function secondsOf(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

function confirmationsOf({ confirmations: policy }: ChainProfile): string {
  switch (policy.kind) {
    case "depth":
      return String(policy.depth);
    case "tag":
      return policy.tag;
    case "age":
      return secondsOf(policy.ageMs);
  }
}

const receiptsWords = {
  root: "receipts",
  "root-op": "receipts",
  settled: "receipts not: their root comes in a later block, which is not read for it yet",
  bloom: "logs bloom",
  none: null,
} as const;

function proofIn(profile: ChainProfile): string {
  const { header, transactions, receipts } = expectedProof(profile, null);
  const parts = [
    header ? "header" : null,
    transactions ? "transactions" : null,
    receiptsWords[receipts],
  ].filter((part) => part !== null);
  return parts.length === 0 ? "that its parts belong together" : parts.join(", ");
}

function peculiaritiesOf(profile: ChainProfile): string[] {
  const { withdrawals, systemCredits, unproved, nativeAliases, looseTypes } = profile;
  const shown = nativeAliases.filter(({ address }) => !address.startsWith("0xffff"));
  const types = looseTypes.map((type) => `0x${type.toString(16)}`).join(", ");
  return [
    ...(withdrawals === "token" ? ["withdrawals are paid in a token"] : []),
    ...shown.map(
      ({ address, decimals }) =>
        `\`${address}\` is the coin seen as a token of ${decimals} decimals`,
    ),
    ...(systemCredits === null ? [] : [systemCredits]),
    ...(types === "" ? [] : [`transactions of type ${types} are not always covered by their root`]),
    ...(unproved === null ? [] : [unproved]),
  ];
}
