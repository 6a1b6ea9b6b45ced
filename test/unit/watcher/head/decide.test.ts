import { describe, expect, it } from "vitest";
import type { Stretch } from "../../../../src/watcher/catch-up/plan-stretch.ts";
import { nothingSeen } from "../../../../src/watcher/head/decide.ts";
import {
  announcing,
  block,
  type Case,
  hash,
  known,
  looked,
  next,
  position,
  quiet,
  state,
  tip,
  wait,
} from "../../../support/chain/head-cases.ts";

describe("where the head is unknown", () => {
  it.each<Case>([
    [
      "the ledger is looked at, and nothing beside it",
      { kind: "unknown" },
      nothingSeen,
      announcing(11n),
      { kind: "look", beside: "nothing" },
    ],
    [
      "a chain without a position is started",
      { kind: "unknown" },
      looked({ state: { ...state, position: null } }),
      quiet,
      { kind: "start" },
    ],
    [
      "a chain that has not reached its start block is waited for",
      { kind: "unknown" },
      looked({ state: { ...state, position: null }, done: "start" }),
      quiet,
      wait("early"),
    ],
  ])("%s", (_, head, seen, now, expected) => expect(next(head, seen, now)).toEqual(expected));
});

describe("where the last position is known, the ledger is looked at", () => {
  const commits: Case[] = [
    [
      "with an announced block beside it",
      known(),
      nothingSeen,
      quiet,
      { kind: "look", beside: "announced" },
    ],
    [
      "with the next block beside it, where one is known to be there",
      known({ headNumber: 12n }),
      nothingSeen,
      quiet,
      { kind: "look", beside: "next" },
    ],
    [
      "with no block by its height where the chain may be far behind",
      known({ headNumber: 111n }),
      nothingSeen,
      quiet,
      { kind: "look", beside: "announced" },
    ],
    [
      "with the next block beside it where the confirmed height is known to be near",
      known({ headNumber: 111n, nearHead: 111n }),
      nothingSeen,
      quiet,
      { kind: "look", beside: "next" },
    ],
    [
      "unless a commit left nothing to do and the tip is the announced head",
      known({ headNumber: null }),
      { ...nothingSeen, done: "commit" },
      announcing(10n),
      wait("at_head"),
    ],
    [
      "unless a commit left nothing to do and the next block is not due",
      known(),
      { ...nothingSeen, done: "commit" },
      { ...quiet, quietMs: 900 },
      wait("at_head", 900),
    ],
    [
      "after a commit where another block is announced by now",
      known(),
      { ...nothingSeen, done: "commit" },
      announcing(11n),
      { kind: "look", beside: "announced" },
    ],
    [
      "after a commit where nothing says that the tip is the head",
      known(),
      { ...nothingSeen, done: "commit" },
      quiet,
      { kind: "look", beside: "announced" },
    ],
  ];
  it.each(commits)("%s", (_, head, seen, now, expected) =>
    expect(next(head, seen, now)).toEqual(expected),
  );
});

describe("far below the head", () => {
  const stretch = { target: 900n } as Stretch;
  const replaying = looked({ state: { ...state, settleNumber: 12n } });
  it.each<Case>([
    [
      "a stretch is planned where the head is not known",
      known({ headNumber: null }),
      looked(),
      announcing(10n),
      { kind: "plan_stretch" },
    ],
    [
      "a stretch is planned where the head is further than that",
      known({ headNumber: 111n }),
      looked(),
      quiet,
      { kind: "plan_stretch" },
    ],
    [
      "the next block alone is read where the head has just been asked for",
      known({ headNumber: 111n }),
      looked({ head: position(111n) }),
      quiet,
      { kind: "read_block", number: 11n },
    ],
    [
      "it goes block by block where the head is as far as that",
      known({ headNumber: 110n }),
      looked(),
      quiet,
      { kind: "read_block", number: 11n },
    ],
    [
      "it goes block by block where the confirmed height was found to be near",
      known({ headNumber: 111n, nearHead: 111n }),
      looked(),
      quiet,
      { kind: "read_block", number: 11n },
    ],
    [
      "the next block alone is read where the stretch did not fit the tip",
      known({ headNumber: 500n }),
      looked({ done: "catch_up" }),
      quiet,
      { kind: "read_block", number: 11n },
    ],
    [
      "a reorganisation is replayed block by block",
      known({ headNumber: 500n }),
      replaying,
      quiet,
      { kind: "read_block", number: 11n },
    ],
    [
      "the head is asked for while a reorganisation is replayed",
      known({ headNumber: null }),
      replaying,
      quiet,
      { kind: "ask_head" },
    ],
    [
      "the ledger is looked at before each part of a stretch, and no block beside it",
      { ...known(), kind: "catching_up", stretch },
      nothingSeen,
      announcing(11n),
      { kind: "look", beside: "nothing" },
    ],
    [
      "the stretch goes on",
      { ...known(), kind: "catching_up", stretch },
      looked(),
      quiet,
      { kind: "catch_up", state, stretch },
    ],
  ])("%s", (_, head, seen, now, expected) => expect(next(head, seen, now)).toEqual(expected));
});

describe("above the tip", () => {
  const eleven = block(11n);
  it.each<Case>([
    [
      "a block that is known to be there is read",
      known({ headNumber: 12n }),
      looked(),
      announcing(10n),
      { kind: "read_block", number: 11n },
    ],
    [
      "one that follows the tip is written",
      known({ headNumber: 11n }),
      looked({ next: eleven }),
      quiet,
      { kind: "commit", state, blocks: [eleven] },
    ],
    [
      "one of another branch is a reorganisation",
      known({ headNumber: 11n }),
      looked({ next: block(11n, { branch: "b" }) }),
      quiet,
      { kind: "undo", state, lowerHead: null },
    ],
    [
      "what cannot be undone yet is waited for",
      known({ headNumber: 11n }),
      looked({ next: block(11n, { branch: "b" }), done: "undo" }),
      { ...quiet, quietMs: 900 },
      wait("held"),
    ],
    [
      "so is what cannot be undone yet where the head is to be asked for anew",
      known({ headNumber: null }),
      looked({ next: block(11n, { branch: "b" }), done: "undo" }),
      quiet,
      wait("held"),
    ],
    [
      "the head is asked for where nothing says what it is",
      known(),
      looked(),
      quiet,
      { kind: "ask_head" },
    ],
    [
      "the head is asked for where a head of another hash is announced",
      known(),
      looked(),
      announcing(10n, "b"),
      { kind: "ask_head" },
    ],
    [
      "what may be confirmed is, where the tip is the announced head",
      known({ headNumber: 9n }),
      looked(),
      announcing(10n),
      { kind: "confirm", state },
    ],
    [
      "what may be confirmed is, where the next block is not due",
      known(),
      looked(),
      { ...quiet, quietMs: 900 },
      { kind: "confirm", state },
    ],
    [
      "what may be confirmed is, where the tip is the head that was asked for",
      known(),
      looked({ head: tip }),
      quiet,
      { kind: "confirm", state },
    ],
    [
      "the next block is waited for after that",
      known(),
      looked({ head: tip, done: "confirm" }),
      quiet,
      wait("at_head"),
    ],
    [
      "a block that is due late is waited for, but no longer than the lease allows",
      known(),
      looked({ done: "confirm" }),
      { ...quiet, quietMs: 60_000 },
      wait("at_head", 1_500),
    ],
    [
      "a head of the tip's height and another hash is a reorganisation",
      known(),
      looked({ head: position(10n, "b") }),
      quiet,
      { kind: "undo", state, lowerHead: null },
    ],
    [
      "a lower head is compared with the ledger",
      known({ headNumber: 9n }),
      looked({ head: position(9n) }),
      quiet,
      { kind: "read_hash", number: 9n },
    ],
    [
      "a lower head that is stored is an endpoint that lags",
      known({ headNumber: 9n }),
      looked({ head: position(9n), storedAtHead: hash(9n) }),
      { ...quiet, quietMs: 900 },
      wait("lagging"),
    ],
    [
      "a lower head that is not stored is a shorter branch",
      known({ headNumber: 9n }),
      looked({ head: position(9n, "b"), storedAtHead: hash(9n) }),
      quiet,
      { kind: "undo", state, lowerHead: 9n },
    ],
    [
      "a lower head of which nothing is stored is a shorter branch",
      known({ headNumber: 2n }),
      looked({ head: position(2n), storedAtHead: null }),
      quiet,
      { kind: "undo", state, lowerHead: 2n },
    ],
  ])("%s", (_, head, seen, now, expected) => expect(next(head, seen, now)).toEqual(expected));
});
