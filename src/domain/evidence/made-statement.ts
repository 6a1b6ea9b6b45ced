import type { Page, PageRequest } from "../page.ts";
import type { StatementAsked } from "./account-statement.ts";
import type { ActorVia } from "./audit-chain.ts";
import type { Sign } from "./signing-key.ts";
import type { StatedChain, StatedFilter, StatementOutcome } from "./statement-lines.ts";
import type { StatementPeriod } from "./statement-period.ts";

/** The actor who had a statement made, as in the audit trail. */
type StatementMaker = { name: string; via: ActorVia };

/** A statement that is stored with its lines. It never changes. */
export type MadeStatement = StatementOutcome & {
  id: string;
  businessId: string;
  madeAt: Date;
  madeBy: StatementMaker;
  period: StatementPeriod;
  filter: StatedFilter;
  chains: readonly StatedChain[];
  /** False: the period was not over on some chain. */
  isFinal: boolean;
};

/** Called with how many of a statement's expected entries were read. */
export type OnProgress = (read: number, expected: number) => void;

/** A statement that is being made. */
export type StatementUnderWay = {
  id: string;
  begunAt: Date;
  period: StatementPeriod;
  filter: StatedFilter;
  /** The number that was read so far, at most one second old. */
  entries: number;
  entriesExpected: number;
};

/** A statement that is asked for. */
export type StatementMaking = {
  asked: StatementAsked;
  by: StatementMaker;
  /** True: a new statement, even if there is one of the same period. */
  isAnew: boolean;
  sign: Sign;
  /** In ms since the epoch. */
  nowMs: number;
  /** Left out: progress is not reported. */
  onProgress?: OnProgress;
};

/** `businessId` null: of any business. */
export type StatementName = { id: string; businessId: string | null };

/** The methods that make statements, and read them again. */
export type StatementLedger = {
  /**
   * @throws Fault `business_not_found`, `wallet_not_found`, `chain_not_found`, `invalid_request`,
   *   `limit_reached`, `invariant_broken`
   */
  makeStatement: (making: StatementMaking) => Promise<MadeStatement>;
  /** The statements of a business, newest first. */
  readStatements: (businessId: string, page: PageRequest) => Promise<Page<MadeStatement>>;
  /** The statements that are being made, newest first. */
  readStatementsUnderWay: (
    businessId: string,
    page: PageRequest,
  ) => Promise<Page<StatementUnderWay>>;
  /** @throws Fault `statement_not_found` */
  findStatement: (name: StatementName) => Promise<MadeStatement>;
  /** The lines as they were signed. @throws Fault `statement_not_found`, `invariant_broken` */
  readStatementTexts: (made: MadeStatement) => AsyncIterable<string>;
};
