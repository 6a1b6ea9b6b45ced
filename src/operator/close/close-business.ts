import type { Actor } from "../../domain/business/audit.ts";
import type { Business } from "../../domain/business/business.ts";
import type { MadeStatement, StatementLedger } from "../../domain/evidence/made-statement.ts";
import { matterOf, notOver, type OpenMatter } from "../../domain/evidence/open-matter.ts";
import { type StatementFormat, statementFormats } from "../../domain/evidence/statement-formats.ts";
import type { StatedChain } from "../../domain/evidence/statement-lines.ts";
import type { StatementPeriod } from "../../domain/evidence/statement-period.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { presentStatement } from "../../schema/statement.ts";
import type { FolderFiles } from "../folder-files.ts";
import { ledgerAttest } from "../ledger/attest.ts";
import { shownAttestation } from "../ledger/sign-attestation.ts";
import { readSigned } from "../signed-document.ts";
import { unshown } from "../statement/progress.ts";
import { digestOfStatement, type WritePorts, writeStatement } from "../statement/write.ts";
import type { NotAttested, WrittenBusiness } from "./closing-index.ts";
import type { ComparedChains, FailedChain } from "./compared-chains.ts";

type AttestPorts = Parameters<typeof ledgerAttest.perform>[0];

export type CloseBusinessPorts = Omit<AttestPorts, "ledger"> &
  Pick<WritePorts, "lineFiles"> & {
    ledger: AttestPorts["ledger"] & WritePorts["ledger"] & Pick<StatementLedger, "makeStatement">;
    folderFiles: FolderFiles;
    by: Actor;
  };

/** One run, for all of its businesses. */
export type Run = {
  folder: string;
  period: StatementPeriod;
  chains: ComparedChains;
  /** Every public key of the installation. */
  publicKeys: readonly string[];
};

/**
 * Writes a business's statement in all its forms, and an attestation of each chain at the
 * statement's closing block. Leaves a file unchanged if it is whole already. The business is
 * `unfinished` if the endpoints of a chain failed. It is `refused` if a proof contradicts the
 * ledger, or if a chain has lost blocks of the period since.
 */
export async function closeBusiness(
  ports: CloseBusinessPorts,
  run: Run,
  business: Business,
): Promise<{ kind: "written"; listed: WrittenBusiness } | { kind: "refused"; open: OpenMatter[] }> {
  const { ledger, by, sign, clock, folderFiles } = ports;
  const { folder, period } = run;
  const asked = { businessId: business.id, period, filter: {} };
  const nowMs = clock.now();
  const made = await ledger.makeStatement({ asked, by, isAnew: false, sign, nowMs });
  await folderFiles.make(`${folder}/${business.id}`);
  const { names, notAttested, open } = await attestChains(ports, run, made);
  if (open.length > 0) return { kind: "refused", open };
  for (const format of keysOf(statementFormats)) {
    const name = `${business.id}/statement.${format}`;
    await stated(ports, { made, format, out: `${folder}/${name}` });
    names.push(name);
  }
  const { id, digest, chains } = presentStatement(made);
  const isUnfinished = notAttested.some(({ why }) => why === "unavailable");
  const listed: WrittenBusiness = {
    status: isUnfinished ? "unfinished" : "closed",
    business_id: business.id,
    name: business.name,
    closed_at: new Date(clock.now()).toISOString(),
    statement_id: id,
    statement_digest: digest,
    chains,
    not_attested: notAttested,
    files: [],
  };
  for (const file of names) {
    const found = await folderFiles.digest(`${folder}/${file}`);
    if (found !== null) listed.files.push({ file, ...found });
  }
  return { kind: "written", listed };
}

/** Replaces a file that is not what was signed: an earlier run wrote only a part of it. */
async function stated(
  ports: CloseBusinessPorts,
  { made, format, out }: { made: MadeStatement; format: StatementFormat; out: string },
): Promise<void> {
  const { folderFiles, ledger } = ports;
  const found = await folderFiles.digest(out);
  if (found !== null) {
    if (found.sha256 === (await digestOfStatement({ ledger }, made, format))) return;
    await folderFiles.remove(out);
  }
  await writeStatement({ ...ports, showProgress: unshown }, made, { format, out });
}

async function attestChains(ports: CloseBusinessPorts, run: Run, made: MadeStatement) {
  const names: string[] = [];
  const notAttested: NotAttested[] = [];
  const open: OpenMatter[] = [];
  for (const stated of made.chains) {
    const { blockchain, closing } = stated;
    const isConfigured = ports.chainNames.includes(blockchain);
    if (isConfigured && !closing.final) open.push(notOver(blockchain));
    const name = `${made.businessId}/attestation-${blockchain}.json`;
    const outcome: AttestOutcome = isConfigured
      ? await attestChain(ports, run, { stated, businessId: made.businessId, name })
      : { kind: "left_out", why: "not_configured", what: `${blockchain} is not configured` };
    if (outcome.kind === "attested") names.push(name);
    else if (outcome.kind === "open") open.push(outcome.matter);
    else notAttested.push({ blockchain, why: outcome.why, what: outcome.what });
  }
  return { names, notAttested, open };
}

type AttestOutcome =
  | { kind: "attested" }
  | { kind: "open"; matter: OpenMatter }
  | ({ kind: "left_out" } & Omit<NotAttested, "blockchain">);

type Attesting = { stated: StatedChain; businessId: string; name: string };

async function attestChain(
  ports: CloseBusinessPorts,
  run: Run,
  { stated: { blockchain, closing }, businessId, name }: Attesting,
): Promise<AttestOutcome> {
  const compared = await run.chains.of(blockchain);
  if (compared.kind !== "compared") return notAsked(blockchain, compared);
  const number = closing.block;
  if (number === null)
    return {
      kind: "left_out",
      why: "nothing_recorded",
      what: `nothing was recorded of ${blockchain} before the end`,
    };
  const path = `${run.folder}/${name}`;
  if (await isAttested(ports, run, { path, blockchain, number, businessId }))
    return { kind: "attested" };
  const at = { kind: "block" as const, number: BigInt(number) };
  const asked = { at, blockchain, business: businessId, out: path, publish: undefined };
  try {
    const { differing } = await ledgerAttest.perform(ports, asked);
    return differing > 0
      ? { kind: "open", matter: proofDiffers(blockchain) }
      : { kind: "attested" };
  } catch (error) {
    return notAsked(blockchain, run.chains.giveUp(blockchain, error));
  }
}

function proofDiffers(chainName: string): OpenMatter {
  const what = `a proof of ${chainName} contradicts a balance: see the attestation`;
  return matterOf("proof_differs", what, { chainName });
}

function notAsked(blockchain: string, chain: FailedChain): AttestOutcome {
  if (chain.kind === "unreadable") return { kind: "open", matter: chain.matter };
  const what = `the endpoints of ${blockchain} failed: ${chain.code}`;
  return { kind: "left_out", why: "unavailable", what };
}

type Attested = { path: string; blockchain: string; number: number; businessId: string };

/** True if an earlier run left a signed attestation, and no proof in it contradicts the ledger. */
async function isAttested(
  { folderFiles }: CloseBusinessPorts,
  { publicKeys }: Run,
  { path, blockchain, number, businessId }: Attested,
): Promise<boolean> {
  const text = await folderFiles.readText(path);
  const expected = { what: "attestation", schema: shownAttestation, publicKeys } as const;
  const read = text === null ? null : readSigned(text, expected);
  if (read?.signedness !== "signed") return false;
  const { business_id, totals, chains } = read.document;
  return (
    business_id === businessId &&
    totals.differing === 0 &&
    chains.every((one) => one.blockchain === blockchain && one.block.number === number)
  );
}
