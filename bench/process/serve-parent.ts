import type { Programs, Sent } from "./protocol.ts";

/** What this program was started with. */
export function givenTo<Name extends keyof Programs>(): Programs[Name]["given"] {
  return JSON.parse(process.argv[2] ?? "null") as Programs[Name]["given"];
}

/**
 * Says that this program works, and answers what it is asked from then on. It ends when who started
 * it has ended. Call it last.
 */
export function serveParent<Name extends keyof Programs>(
  ready: Programs[Name]["ready"],
  answer?: (
    question: Programs[Name]["question"],
  ) => Programs[Name]["answer"] | Promise<Programs[Name]["answer"]>,
): void {
  process.on("disconnect", () => process.exit());
  if (answer !== undefined) {
    process.on("message", async (question) => {
      try {
        const value = await answer(question as Programs[Name]["question"]);
        send({ kind: "answer", value });
      } catch (error) {
        const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
        send({ kind: "failure", reason });
      }
    });
  }
  send({ kind: "answer", value: ready });
}

function send(sent: Sent<unknown>): void {
  if (process.send === undefined) throw new Error("A benchmark starts this program.");
  process.send(sent);
}
