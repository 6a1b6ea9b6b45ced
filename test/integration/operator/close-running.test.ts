import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeLease } from "../../../src/ledger/chain/lease.ts";
import {
  close,
  compareChain,
  endNovember,
  endScene,
  filesOf,
  openScene,
  portsOf,
  scene,
  textOf,
  verify,
  whole,
} from "../../support/ledger/closing-scene.ts";

beforeEach(openScene);
afterEach(endScene);

function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { give, given };
}

/** A run that waits in its comparison until it is let go on. */
async function begunClose() {
  const [begun, goOn] = [signal(), signal()];
  const compareLater = async () => {
    begun.give();
    await goOn.given;
    return compareChain(scene.watched);
  };
  const ended = close({}, { ...portsOf(), compareChain: compareLater });
  await Promise.race([begun.given, ended]);
  return { ended, goOn: goOn.give };
}

describe("closing a month while another process does", () => {
  it("is refused, also by another path, and leaves the folder to the first", async () => {
    await endNovember();
    const first = await begunClose();
    const before = textOf("index.json");
    const elsewhere = `${scene.folder}/elsewhere`;
    const outs = [scene.folder, elsewhere];
    const seconds = await Promise.allSettled(outs.map((out) => close({ out })));
    expect(seconds).toMatchObject(
      outs.map((out) => ({
        status: "rejected",
        reason: { code: "close_running", message: expect.stringContaining(out) },
      })),
    );
    expect(textOf("index.json")).toBe(before);
    expect(existsSync(elsewhere)).toBe(false);
    first.goOn();
    expect(await first.ended).toMatchObject({ closed: 2 });
    expect(await verify()).toMatchObject({ findings: [] });
    expect(await close()).toMatchObject({ kept: 2 });
  });

  it("outlasts a process that was killed", async () => {
    await endNovember();
    await takeLease(scene.watched.db, { name: "close", holder: randomUUID(), ttlMs: 1_500 });
    expect(await close()).toMatchObject({ closed: 2 });
  });

  it("writes nothing more once another one has had the lease", async () => {
    await endNovember();
    const first = await begunClose();
    const before = textOf("index.json");
    // It stood still for so long that another one closed, and ended.
    const { count } = await scene.watched.db.lease.deleteMany({ where: { name: "close" } });
    expect(count).toBe(1);
    const second = await close({ business: scene.other });
    expect(second).toMatchObject({ closed: 1 });
    const after = textOf("index.json");
    expect(after).not.toBe(before);
    first.goOn();
    await expect(first.ended).rejects.toMatchObject({ code: "close_running" });
    expect(textOf("index.json")).toBe(after);
    expect(await close()).toMatchObject({ closed: 1, kept: 1 });
    for (const business of [scene.watched.businessId, scene.other])
      expect(filesOf(business)).toEqual(whole);
    expect(await verify()).toMatchObject({ findings: [] });
  });

  it("ends what it shows of its progress where it fails, so that its process can end", async () => {
    await endNovember();
    const shown: string[] = [];
    const showProgress = (title: string) => {
      shown.push(title);
      return { update() {}, end: () => void shown.push("end") };
    };
    const compareChain = () => Promise.reject(new Error("lost"));
    await expect(close({}, { ...portsOf(), compareChain, showProgress })).rejects.toThrow("lost");
    expect(shown).toEqual(["Closing businesses", "end"]);
  });
});
