import { z } from "zod";
import type { Address } from "../../domain/chain/address.ts";
import type {
  AttestedBlock,
  EvidenceSource,
  LedgerStatement,
} from "../../domain/evidence/attestation.ts";
import type { AsOf } from "../../domain/evidence/balances-at.ts";
import type { Sign } from "../../domain/evidence/signing-key.ts";
import { Fault } from "../../domain/fault.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import { requireId } from "../../domain/not-found.ts";
import { invalidField } from "../../domain/text.ts";
import { count } from "../../schema/answers.ts";
import { atField } from "../../schema/fields.ts";
import { defineReading } from "../define-verb.ts";
import type { FolderFiles } from "../folder-files.ts";
import type { BusinessReader } from "../page-of-business.ts";
import { optional, type Reader, text } from "../parameter.ts";
import { blockAtTime } from "./block-at-time.ts";
import { type AttestedChain, presentChain } from "./present-attestation.ts";
import { headsLine } from "./published-heads.ts";
import { shownAttestation, signAttestation } from "./sign-attestation.ts";

type Ports = {
  ledger: BusinessReader & {
    readConfirmedHeight: (chainName: string) => Promise<bigint>;
    readStatement: (asked: {
      chainName: string;
      number: bigint;
      businessId: string | null;
    }) => Promise<LedgerStatement>;
  };
  openEvidence: (chainName: string) => Promise<EvidenceSource>;
  sign: Sign;
  /** @throws Fault `invalid_request` if the target does not accept the line */
  publish: (target: string, line: string) => Promise<void>;
  folderFiles: Pick<FolderFiles, "replace" | "requirePlace">;
  chainNames: readonly string[];
  clock: { now: () => number };
};

type Input = {
  at: AsOf | undefined;
  blockchain: string | undefined;
  business: string | undefined;
  out: string | undefined;
  publish: string | undefined;
};

type Command = {
  at: AsOf;
  chainNames: readonly string[];
  businessId: string | null;
  out: string | null;
  publish: string | null;
};

const at: Reader<AsOf> = {
  expected: "Expected a block number, or an ISO 8601 date or time.",
  read: (given) => atField.safeParse(given).data,
};

const reading = defineReading({
  noun: "ledger",
  http: null,
  cli: {
    name: "attest",
    isTopLevel: true,
    help: "Write a signed statement of every wallet's balances at a confirmed block, verifiable offline. It has the block's header, and the proofs of accounts and tokens where endpoints offer them. Status 3 where a proof says another balance than the ledger.",
    examples: [
      "attest --at 2026-01-01 --out attestation.json",
      "attest --out attestation.json --publish /mnt/elsewhere/heads.jsonl",
      "attest --blockchain ethereum --at 24000000 --business 018f… --json",
    ],
    takes: {
      at: optional(
        "--at <block>",
        at,
        "a block's number, or a date or time; the confirmed block where left out",
      ),
      blockchain: optional("--blockchain <name>", text, "of this chain alone"),
      business: optional("--business <id>", text, "of this business alone"),
      out: optional(
        "--out <file>",
        text,
        "write the statement there, also over a file that is there, and answer what is in it",
      ),
      publish: optional(
        "--publish <to>",
        text,
        "hand the heads of the seals to a file, an http(s) URL or exec:PROGRAM",
      ),
    },
    hasFindings: ({ differing }) => differing > 0,
  },
  check: ({ at, blockchain, business, out, publish }: Input, ports: Ports): Command => {
    const chainNames = blockchain === undefined ? ports.chainNames : [blockchain];
    if (at?.kind === "block" && chainNames.length > 1)
      throw invalidField(
        "blockchain",
        "must come with a block number where several chains are configured",
      );
    return {
      at: at ?? { kind: "confirmed" },
      chainNames,
      businessId: business === undefined ? null : requireId(business, "business_not_found"),
      out: out ?? null,
      publish: publish ?? null,
    };
  },
  async call(ports: Ports, command) {
    if (command.out !== null) await ports.folderFiles.requirePlace(command.out);
    // Nobody is given a signed attestation that a business which does not exist holds nothing.
    if (command.businessId !== null) await ports.ledger.readBusiness(command.businessId);
    const chains: AttestedChain[] = [];
    for (const name of command.chainNames) chains.push(await attestChain(ports, name, command));
    const attestation = await signAttestation(ports.sign, {
      attestation: 2,
      made_at: new Date(ports.clock.now()).toISOString(),
      business_id: command.businessId,
      chains: chains.map(presentChain),
    });
    if (command.out !== null)
      await ports.folderFiles.replace(command.out, `${JSON.stringify(attestation, null, 1)}\n`);
    if (command.publish !== null)
      await ports.publish(command.publish, await headsLine(ports.sign, attestation));
    return attestation;
  },
  answer: z.object({
    file: z.string().nullable(),
    balances: count,
    proved: count,
    differing: count,
    digest: z.string(),
    /** The id of the key: see `key signing`. */
    signed_by: z.string(),
    attestation: shownAttestation.nullable(),
  }),
  present: (attestation, { out }) => ({
    file: out,
    balances: attestation.totals.balances,
    proved: attestation.totals.proved,
    differing: attestation.totals.differing,
    digest: attestation.digest,
    signed_by: attestation.signature.key_id,
    attestation: out === null ? attestation : null,
  }),
});

/**
 * Writes a statement of the ledger's balances of every wallet at a confirmed block, with the
 * block's header. If endpoints offer proofs of the accounts after that block, they are included.
 * The statement can be verified without Chainbell and without a network.
 * @throws Fault `business_not_found`, `invalid_request`, `rpc_unavailable`, `rpc_inconsistent`,
 *   `state_unavailable`
 */
export const ledgerAttest = { ...reading, http: null };

async function attestChain(
  { ledger, openEvidence }: Ports,
  chainName: string,
  { at, businessId }: Command,
): Promise<AttestedChain> {
  const confirmed = await ledger.readConfirmedHeight(chainName);
  const source = await openEvidence(chainName);
  try {
    const block = await readAsOf(source, at, confirmed);
    const statement = await ledger.readStatement({ chainName, businessId, number: block.number });
    if (statement.hash !== null && statement.hash !== block.hash)
      throw new Fault(
        "rpc_inconsistent",
        `The endpoint's block ${block.number} of '${chainName}' is ${block.hash}, the ledger's is ${statement.hash}.`,
      );
    const nothing = { proofs: [], tokens: [] };
    const proved = block.header === null ? nothing : await proveAll(source, block, statement);
    return { block, statement, ...proved };
  } finally {
    source.close();
  }
}

/** Gets the proofs of the accounts, and those of each token's balances in its storage. */
async function proveAll(
  source: EvidenceSource,
  block: AttestedBlock,
  { balances }: LedgerStatement,
): Promise<Pick<AttestedChain, "proofs" | "tokens">> {
  const addresses = [...new Set(balances.map(({ address }) => address))];
  const ownersOf = new Map<Address, Address[]>();
  for (const { address, assetAddress } of balances) {
    if (assetAddress === nativeAddress) continue;
    ownersOf.set(assetAddress, [...(ownersOf.get(assetAddress) ?? []), address]);
  }
  const proofs = await Promise.all(addresses.map((one) => source.proveAccount(block, one)));
  const tokens = await Promise.all(
    [...ownersOf].map(([token, owners]) => source.proveToken(block, token, owners)),
  );
  return {
    proofs: proofs.filter((proof) => proof !== null),
    tokens: tokens.filter((proof) => proof !== null),
  };
}

async function readAsOf(
  source: EvidenceSource,
  at: AsOf,
  confirmed: bigint,
): Promise<AttestedBlock> {
  if (at.kind === "time") return blockAtTime(source, at.time, confirmed);
  const number = at.kind === "block" ? at.number : confirmed;
  if (number <= confirmed) return source.readBlock(number);
  throw invalidField(
    "at",
    `must be a confirmed block: ${number} is not, and the last is ${confirmed}`,
  );
}
