import { expect, test } from "vitest";
import { freePort } from "../../../src/development/process/free-port.ts";

test("a process goes from port to port by a step of its own, so it parts from one that it met", async () => {
  const ports: number[] = [];
  while (ports.length < 10) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
  const neighbours = ports.filter((port) => ports.includes(port + 1));
  expect(neighbours).toEqual([]);
});
