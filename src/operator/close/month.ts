import type { Business } from "../../domain/business/business.ts";
import { businessOf, type LedgerCheck } from "../../domain/evidence/ledger-check.ts";
import {
  matterOf,
  type OpenMatter,
  type OpenMattersAsked,
} from "../../domain/evidence/open-matter.ts";
import type { SigningKey } from "../../domain/evidence/signing-key.ts";
import { statementPeriod } from "../../domain/evidence/statement-period.ts";
import { Fault } from "../../domain/fault.ts";
import { requireId } from "../../domain/not-found.ts";
import { maxPageSize, type Page, type PageRequest, parsePageRequest } from "../../domain/page.ts";
import { invalidField } from "../../domain/text.ts";
import { presentMatter } from "../../schema/open-matter.ts";
import { defineCommand } from "../define-command.ts";
import { presentFinding } from "../ledger/finding.ts";
import { optional, required, text } from "../parameter.ts";
import type { ShowProgress } from "../verb-bindings.ts";
import { type AlonePorts, closeAlone } from "./close-alone.ts";
import { type CloseBusinessPorts, closeBusiness, type Run } from "./close-business.ts";
import {
  type ClosingIndex,
  filesAtFault,
  indexName,
  isWritten,
  type ListedBusiness,
  readIndex,
  type WrittenBusiness,
  writeIndex,
} from "./closing-index.ts";
import { type ComparePorts, createComparedChains, openOn } from "./compared-chains.ts";

type Ports = Omit<CloseBusinessPorts, "ledger"> &
  ComparePorts & {
    ledger: CloseBusinessPorts["ledger"] &
      AlonePorts["ledger"] & {
        checkLedger: () => Promise<LedgerCheck>;
        listBusinesses: (page: PageRequest) => Promise<Page<Business>>;
        readBusiness: (id: string) => Promise<Business>;
        listSigningKeys: () => Promise<SigningKey[]>;
        readOpenMatters: (asked: OpenMattersAsked) => Promise<OpenMatter[]>;
        readChainsOf: (businessId: string) => Promise<string[]>;
      };
    showProgress: ShowProgress;
  };

type Input = {
  month: string;
  zone: string | undefined;
  business: string | undefined;
  out: string;
};

/**
 * The result of one run for a business. `kept`: an earlier run closed it, and its files are whole.
 */
type Outcome =
  | { kind: "kept" | "written"; listed: WrittenBusiness }
  | { kind: "refused"; business: Business; open: OpenMatter[] };

/**
 * Closes a month. Checks the ledger, and compares it with the chains. Writes each business's
 * attestations and signed statement into a folder with a signed index. Refuses a business with an
 * open matter, and closes the others. If the endpoints of a chain fail, its businesses are
 * unfinished, and the others are closed. Safe to interrupt and to repeat: it continues, and leaves
 * each whole file unchanged. Only one process of an installation closes at a time.
 * @throws Fault `invalid_request`, `business_not_found`, `close_running`
 */
export const closeMonth = defineCommand({
  noun: "close",
  name: "month",
  isDefault: true,
  help: "Close a month. Checks the ledger, compares it with the chains, and writes each business's attestations and statement into a folder. A signed index has their digests. A business with something open is refused with a list of it; the others are closed. Run it again to go on. One process closes at a time. Status 3: a business is refused. Status 75: a chain's endpoints failed, and another run makes up for it. The word month may be left out.",
  examples: [
    "close --month 2026-10 --out 2026-10",
    "close month --month 2026-10 --time-zone Europe/Zurich --business 018f… --out 2026-10 --json",
  ],
  takes: {
    month: required("--month <month>", text, "the month, such as 2026-10"),
    zone: optional("--time-zone <name>", text, "the time zone of the month; UTC by default"),
    business: optional("--business <id>", text, "of this business alone"),
    out: required(
      "--out <folder>",
      text,
      "the folder; it is made if it is missing, and the one above it is not",
    ),
  },
  async run(ports: Ports, input: Input) {
    const period = statementPeriod({ month: input.month, zone: input.zone });
    const businesses = await readBusinesses(ports, input.business);
    const folder = input.out;
    const publicKeys = (await ports.ledger.listSigningKeys()).map(({ publicKey }) => publicKey);
    return closeAlone(ports, folder, async (alone) => {
      const run = { folder, period, publicKeys, chains: createComparedChains(alone) };
      return present(folder, await closeInto(alone, run, businesses));
    });
  },
  hasFindings: ({ refused }) => refused > 0,
  isUnfinished: ({ unfinished }) => unfinished > 0,
});

async function closeInto(
  ports: Ports,
  run: Run,
  businesses: readonly Business[],
): Promise<Outcome[]> {
  const { folder } = run;
  await ports.folderFiles.make(folder);
  const index = await readIndexOf(ports, run);
  // Finds out before long work whether the folder can be written.
  await writeIndex(ports, folder, index);
  const outcomes: Outcome[] = [];
  const waiting: Business[] = [];
  for (const business of businesses) {
    const outcome = await judgeKept(ports, { folder, index, business });
    if (outcome === null) waiting.push(business);
    else outcomes.push(outcome);
  }
  return [...outcomes, ...(await closeAll(ports, { run, index, waiting }))];
}

/** Closes businesses one after the other. Writes each into the index as soon as it is done. */
async function closeAll(
  ports: Ports,
  { run, index: before, waiting }: { run: Run; index: ClosingIndex; waiting: Business[] },
): Promise<Outcome[]> {
  if (waiting.length === 0) return [];
  const { ledger, findings } = await checkLedger(ports);
  let index: ClosingIndex = { ...before, ledger };
  const outcomes: Outcome[] = [];
  const progress = ports.showProgress("Closing businesses", waiting.length);
  try {
    for (const [done, business] of waiting.entries()) {
      progress.update(done);
      const outcome = await closeOne(ports, { run, business, findings });
      index = withOutcome(index, run, outcome);
      await writeIndex(ports, run.folder, index);
      outcomes.push(outcome);
    }
  } finally {
    progress.end();
  }
  return outcomes;
}

function present(folder: string, outcomes: readonly Outcome[]) {
  const many = (what: "closed" | "kept" | "unfinished" | "refused") =>
    outcomes.filter((one) => (one.kind === "written" ? one.listed.status : one.kind) === what)
      .length;
  return {
    index: `${folder}/${indexName}`,
    closed: many("closed"),
    kept: many("kept"),
    unfinished: many("unfinished"),
    refused: many("refused"),
    open: outcomes.flatMap((one) =>
      one.kind === "refused"
        ? one.open.map((matter) => ({ business_id: one.business.id, ...presentMatter(matter) }))
        : [],
    ),
    not_attested: outcomes.flatMap((one) =>
      one.kind === "refused"
        ? []
        : one.listed.not_attested.map((chain) => ({
            business_id: one.listed.business_id,
            ...chain,
          })),
    ),
  };
}

async function readBusinesses({ ledger }: Ports, only: string | undefined): Promise<Business[]> {
  if (only !== undefined) return [await ledger.readBusiness(requireId(only, "business_not_found"))];
  const businesses: Business[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page<Business> = await ledger.listBusinesses(
      parsePageRequest({ limit: maxPageSize, ...(cursor === null ? {} : { cursor }) }),
    );
    businesses.push(...page.rows);
    cursor = page.nextCursor;
    if (cursor === null) return businesses;
  }
}

/**
 * The index of the folder, or an empty one.
 * @throws Fault `invalid_request` if it is of another period, or if this installation did not sign
 *   it
 */
async function readIndexOf(
  { folderFiles }: Ports,
  { folder, period, publicKeys }: Run,
): Promise<ClosingIndex> {
  const own = {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    time_zone: period.zone,
  };
  const known = await readIndex(folderFiles, folder, publicKeys);
  if (known === null) return { close: 1, ...own, ledger: null, chains: [], businesses: [] };
  const { index, signedness } = known;
  // This run signs the list again, so it accepts only a list that this installation signed.
  if (signedness !== "signed")
    throw new Fault(
      "invalid_request",
      `${folder}/${indexName} is not as this installation signed it: close into another folder.`,
    );
  if (index.from === own.from && index.to === own.to && index.time_zone === own.time_zone)
    return index;
  throw invalidField(
    "out",
    `must be another folder: this one has ${index.from} to ${index.to} (${index.time_zone})`,
  );
}

/**
 * The outcome for a business whose files are in the folder. Null: it is not finished yet. A file
 * that was changed is never overwritten.
 */
async function judgeKept(
  { folderFiles }: Ports,
  { folder, index, business }: { folder: string; index: ClosingIndex; business: Business },
): Promise<Outcome | null> {
  const listed = index.businesses.find(({ business_id }) => business_id === business.id);
  if (listed === undefined || !isWritten(listed)) return null;
  const faults = await filesAtFault(folderFiles, folder, listed);
  const open = faults
    .filter(({ isMissing }) => !isMissing)
    .map(({ file }) => matterOf("file_changed", `${folder}/${file} is not as it was written`));
  if (open.length > 0) return { kind: "refused", business, open };
  return faults.length === 0 && listed.status === "closed" ? { kind: "kept", listed } : null;
}

/** A finding of the ledger's check, and its business. Null: it concerns all businesses. */
type CheckedFinding = { businessId: string | null; matter: OpenMatter };

type Checked = { ledger: ClosingIndex["ledger"]; findings: readonly CheckedFinding[] };

async function checkLedger({ ledger, clock }: Ports): Promise<Checked> {
  const { entries, heads, findings } = await ledger.checkLedger();
  return {
    ledger: {
      checked_at: new Date(clock.now()).toISOString(),
      entries: Number(entries),
      heads: heads.map((head) => ({
        blockchain: head.chainName,
        number: Number(head.number),
        hash: head.hash,
      })),
    },
    findings: findings.map((found) => ({
      businessId: businessOf(found),
      matter: matterOf("ledger_finding", presentFinding(found).what),
    })),
  };
}

type Closing = { run: Run; business: Business; findings: readonly CheckedFinding[] };

async function closeOne(ports: Ports, { run, business, findings }: Closing): Promise<Outcome> {
  const { chainNames, ledger } = ports;
  const open: OpenMatter[] = [];
  for (const { businessId, matter } of findings)
    if (businessId === null || businessId === business.id) open.push(matter);
  // Compares first, because a comparison reads blocks again, and may find transactions that then
  // wait.
  for (const chainName of await ledger.readChainsOf(business.id)) {
    if (!chainNames.includes(chainName)) continue;
    open.push(...openOn(await run.chains.of(chainName), business.id));
  }
  const asked = { businessId: business.id, period: run.period, chainNames };
  open.push(...(await ledger.readOpenMatters(asked)));
  if (open.length > 0) return { kind: "refused", business, open };
  const outcome = await closeBusiness(ports, run, business);
  return outcome.kind === "refused" ? { ...outcome, business } : outcome;
}

/** The index with this business's outcome, and the present state of the chains. */
function withOutcome(index: ClosingIndex, { chains }: Run, outcome: Outcome): ClosingIndex {
  const listed: ListedBusiness =
    outcome.kind === "refused"
      ? {
          status: "refused",
          business_id: outcome.business.id,
          name: outcome.business.name,
          open: outcome.open.map(presentMatter),
        }
      : outcome.listed;
  const others = index.businesses.filter(({ business_id }) => business_id !== listed.business_id);
  const now = chains.listed();
  const before = index.chains.filter((one) =>
    now.every(({ blockchain }) => blockchain !== one.blockchain),
  );
  return { ...index, chains: [...before, ...now], businesses: [...others, listed] };
}
