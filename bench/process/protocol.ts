import type { StatementFormat } from "../../src/domain/evidence/statement-formats.ts";

/** What `load` is asked to do: `connections` requests under way for `ms`, of the paths in turn. */
export type LoadQuestion = {
  url: string;
  paths: string[];
  headers: Record<string, string>;
  connections: number;
  ms: number;
};

/** A notification as it is signed and sent. */
export type Message = { notificationId: string; url: string; secret: string; body: string };

/** What came of one notification: its first request, and how many there were. */
export type Arrival = { id: string; firstAtMs: number; times: number; body: string };

/** What `catch-up` is asked to do; `folder` is where relative paths of the configuration begin. */
type CatchUpQuestion = {
  chainName: string;
  environment: Record<string, string>;
  folder: string;
};

/**
 * A request as block-to-webhook's receiver saw it: the hashes that its body names, in lower case,
 * and whether it was answered with 2xx.
 */
export type StampedArrival = { hashes: string[]; atMs: number; isAccepted: boolean };

/**
 * What it takes to have the watched wallets at hand, and to find those that a block concerns; by
 * the share that is watched.
 */
export type MatchFigures = { loadS: number; memoryMib: number; matchMs: Record<string, number> };

/** What a reader of the feed does: reads it from its start, waits for news, or waits no longer. */
type FeedQuestion =
  | { kind: "read"; as: "pages" | "stream"; url: string; key: string; events: number }
  /** So many requests with each of the keys, each asked again once its time is over. */
  | { kind: "wait"; url: string; keys: string[]; each: number }
  | { kind: "leave" };

/** SQL with its values. */
export type Statement = { text: string; values: unknown[] };

/**
 * The programs of this folder, each a process of its own beside the benchmark: what it is started
 * with, what it sends once it works, and what it may be asked after that. `never`: it is asked
 * nothing. `catch-up`, `commit-blocks` and `match-blocks` hold what is measured, and another
 * commit's are started beside ours: what they are given and asked changes in no other way than that
 * something is added.
 */
export type Programs = {
  "bare-api": {
    given: { databaseUrl: string; poolSize: number; statements: Record<string, Statement[]> };
    ready: { url: string };
    question: never;
    answer: never;
  };
  "bare-loop": {
    given: { wsUrl: string; token: string; port: number };
    ready: null;
    question: never;
    answer: never;
  };
  "catch-up": {
    given: null;
    ready: null;
    question: CatchUpQuestion;
    answer: { seconds: number };
  };
  "check-credits": {
    given: { databaseUrl: string; businessId: string };
    ready: null;
    /** Compares a file of credits with the ledger, and settles it. */
    question: { file: string };
    /** Seconds of the clock and of the process's CPUs, and what was found of each verdict. */
    answer: { seconds: number; cpuS: number; peakMib: number; counts: Record<string, number> };
  };
  "commit-blocks": {
    /**
     * `transfers` of the token in each block. A block is confirmed with itself, or with the next
     * one (left out).
     */
    given: {
      databaseUrl: string;
      chainName: string;
      token: `0x${string}`;
      transfers: number;
      confirmsAtOnce?: boolean;
    };
    ready: null;
    question: { blocks: number };
    /** Of each of the blocks. */
    answer: { ms: number[] };
  };
  "counting-receivers": {
    given: { count: number; answerAfterMs: number };
    ready: { ports: number[] };
    /** Answered once that many distinct notifications have come; then it counts from zero. */
    question: { expect: number };
    answer: { lastAtMs: number; requests: number };
  };
  "durable-loop": {
    given: {
      wsUrl: string;
      port: number;
      /** A database of its own, empty. */
      databaseUrl: string;
      wallets: readonly string[];
      secret: string;
    };
    ready: null;
    question: never;
    answer: never;
  };
  "durable-post-loop": {
    /** A database of its own, empty. */
    given: { databaseUrl: string };
    ready: null;
    /** The messages are stored before the start. */
    question: { messages: Message[]; concurrency: number };
    answer: { startedAtMs: number };
  };
  "feed-reader": {
    given: null;
    ready: null;
    question: FeedQuestion;
    /** `answered`: of the requests that wait, those whose time was over. */
    answer: { perSecond: number; answered: number };
  };
  "head-receiver": {
    given: { wsUrl: string };
    ready: { port: number };
    /** "take" forgets what it answers. */
    question: "count" | "take";
    answer: { count: number; latencies: number[] };
  };
  load: {
    given: null;
    ready: null;
    question: LoadQuestion;
    answer: { perSecond: number; bytes: number };
  };
  "log-poller": {
    given: {
      rpcUrl: string;
      token: string;
      wallets: readonly string[];
      url: string;
      pollMs: number;
    };
    ready: null;
    question: never;
    answer: never;
  };
  "make-statement": {
    given: { databaseUrl: string; businessId: string };
    ready: null;
    /** Makes a new statement of everything, or gives the one with this id. */
    question: { kind: "make" } | { kind: "give"; id: string; format: StatementFormat };
    /** `peakMib`: the most that the process had resident so far. */
    answer: { id: string; entries: number; seconds: number; peakMib: number };
  };
  "match-blocks": {
    given: { kind: "ours" | "set"; databaseUrl: string; chainName: string };
    ready: MatchFigures;
    question: never;
    answer: never;
  };
  "post-loop": {
    given: null;
    ready: null;
    question: { messages: Message[]; concurrency: number };
    answer: { startedAtMs: number };
  };
  "recording-receiver": {
    given: null;
    /** At the second port nothing is ever answered; at the third not after "hang". */
    ready: { port: number; hangingPort: number; turningPort: number };
    question: "count" | "all" | "forget" | "hang";
    answer: { count: number; arrivals: Arrival[] };
  };
  "stamping-receiver": {
    given: { wsUrl: string };
    ready: { port: number };
    /** `refuseEvery`: of so many new bodies one is answered with 503, once; null: none. */
    question: { kind: "look" } | { kind: "forget"; refuseEvery: number | null };
    /** `announced`: the number of each block, and when it was announced. */
    answer: { announced: [number, number][]; arrivals: StampedArrival[] };
  };
};

/** What a program sends to who started it. */
export type Sent<T> = { kind: "answer"; value: T } | { kind: "failure"; reason: string };
