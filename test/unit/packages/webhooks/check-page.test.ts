import { expect, test } from "vitest";
import { checkPage } from "../../../../packages/webhooks/src/feed/check-page.ts";
import type { Notification } from "../../../../packages/webhooks/src/notification.ts";
import { encodeFeedCursor } from "../../../../src/domain/delivery/feed.ts";
import {
  placeAfter,
  type StreamPlace,
  streamStart,
} from "../../../../src/domain/delivery/stream.ts";

const idOf = (chain: string, sequence: number) =>
  `01a1fbc6-c76e-821e-8ff9-${chain === "one" ? "1" : "2"}${String(sequence).padStart(11, "0")}`;

const placeOf = (chain: string, sequence: number): StreamPlace =>
  sequence === 0 ? streamStart : placeAfter(placeOf(chain, sequence - 1), idOf(chain, sequence));

/** A cursor behind so many of each chain, as Chainbell makes it. */
const cursorAt = (reached: Record<string, number>) =>
  encodeFeedCursor(
    new Map(Object.entries(reached).map(([chain, sequence]) => [chain, placeOf(chain, sequence)])),
  );

const of = (chain: string, ...sequences: number[]) =>
  sequences.map(
    (sequence) =>
      ({ id: idOf(chain, sequence), sequence, data: { blockchain: chain } }) as Notification,
  );

const at = { one: 2, two: 1 };
const page = {
  after: cursorAt(at),
  cursor: cursorAt({ one: 4, two: 2 }),
  notifications: [...of("one", 3), ...of("two", 2), ...of("one", 4)],
  isWhole: true,
};

test.each([
  ["goes on in each stream", {}],
  ["is empty", { cursor: page.after, notifications: [] }],
  [
    "is the first of a stream that the cursor does not know",
    {
      after: cursorAt({ two: 1 }),
      cursor: cursorAt({ one: 1, two: 1 }),
      notifications: of("one", 1),
    },
  ],
  [
    "begins without a cursor",
    {
      after: null,
      cursor: cursorAt({ one: 2 }),
      notifications: of("one", 1, 2),
    },
  ],
  [
    "begins without a cursor behind what retention has removed",
    {
      after: null,
      cursor: cursorAt({ one: 9, two: 4 }),
      notifications: of("one", 8, 9),
    },
  ],
  [
    "leaves out by a filter",
    {
      isWhole: false,
      cursor: cursorAt({ one: 9, two: 4 }),
      notifications: of("one", 5, 7),
    },
  ],
])("a page that %s is let pass", (_what, given) => {
  expect(() => checkPage({ ...page, ...given })).not.toThrow();
});

const changed = (notifications: Notification[], id: string) =>
  notifications.map((one, index) => (index === 0 ? { ...one, id } : one)) as Notification[];

test.each([
  ["has a hole", { notifications: [...of("one", 4), ...of("two", 2)] }],
  ["ends early", { notifications: [...of("one", 3), ...of("two", 2)] }],
  ["goes on further than its cursor", { cursor: cursorAt({ one: 3, two: 2 }) }],
  ["is out of order", { notifications: [...of("one", 4, 3), ...of("two", 2)] }],
  ["repeats one", { notifications: [...of("one", 3, 3, 4), ...of("two", 2)] }],
  [
    "has another notification at its place",
    {
      notifications: changed(page.notifications, idOf("one", 99)),
    },
  ],
  ["says nothing of a stream any more", { cursor: cursorAt({ one: 4 }) }],
  [
    "says where a stream is that it has nothing of",
    {
      cursor: cursorAt({ one: 4, two: 2, three: 1 }),
    },
  ],
  ["has a cursor that is none", { cursor: "nonsense" }],
  ["repeats one behind a filter", { isWhole: false, notifications: of("one", 2) }],
  [
    "is further than its cursor behind a filter",
    {
      isWhole: false,
      notifications: of("one", 5),
    },
  ],
  [
    "has a notification without a sequence",
    {
      notifications: of("one", 0),
    },
  ],
])("a page that %s is broken", (_what, given) => {
  expect(() => checkPage({ ...page, ...given })).toThrow(
    expect.objectContaining({ name: "FeedFault", code: "broken_page" }),
  );
});
