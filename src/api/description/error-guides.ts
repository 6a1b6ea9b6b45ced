import { attemptGuide } from "../../domain/delivery/attempt-guide.ts";
import type { ErrorGuide } from "../../domain/error-guide.ts";
import { faultCodes, isFaultCode } from "../../domain/fault.ts";
import { faultGuide } from "../../domain/fault-guide.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { stoppingCodes } from "../../domain/remedy.ts";
import { errorCodes } from "../answers/error-codes.ts";
import { refusalGuide } from "../answers/refusal-guide.ts";

/** One code with its guide, for the pages of errors. */
type GuidedCode = {
  title: string;
  anchor: string;
  /** The carrier of the code, such as an HTTP status. */
  shown: string;
  guide: ErrorGuide;
};

/** The codes that one place shows. */
type GuidedCodes = { title: string; about: string; codes: GuidedCode[] };

const refused: Readonly<Record<string, ErrorGuide>> = refusalGuide;

/**
 * Every code that Chainbell shows, grouped by where it appears.
 * @throws Error if a code has no guide
 */
export function guidedCodes(): GuidedCodes[] {
  return [
    {
      title: "Answers of the API",
      about: "`error.code` of an answer, with its status.",
      codes: [...errorCodes].map(([code, status]) => guided(code, `status ${status}`)),
    },
    {
      title: "Start and setup",
      about:
        "The last lines of the log, or the output of a verb. The process ends with status 1. A stopped chain ends no daemon that is running. The daemon watches its other chains, and tries this one until the fault is gone.",
      codes: faultCodes
        .filter((code) => !errorCodes.has(code))
        .map((code) => guided(code, "exit status 1")),
    },
    {
      title: "Attempts",
      about:
        "`error` of an attempt in `GET /notifications/:id`, where no answer came, or none is shown.",
      codes: keysOf(attemptGuide).map((code) => ({
        title: `${code} (attempt)`,
        anchor: `${code}-attempt`,
        shown: "an attempt",
        guide: attemptGuide[code],
      })),
    },
  ];
}

/** The codes with which a chain may stop. Each is also in one of the groups above. */
export const codesOfStoppedChains: readonly string[] = stoppingCodes;

const repeats = {
  no: "repeat it only after a change",
  later: "repeat it later",
  never: "do not repeat it",
} as const;

/** One line that says who has to act, and whether to repeat the request. */
export function lineOf({ shown, guide: [actor, repeat] }: GuidedCode): string {
  const line = `${shown} · the ${actor} acts · ${repeats[repeat]}`.replace("the C", "C");
  return line.charAt(0).toUpperCase() + line.slice(1);
}

function guided(code: string, shown: string): GuidedCode {
  const guide = isFaultCode(code) ? faultGuide[code] : refused[code];
  if (guide === undefined) throw new Error(`The code ${code} has no guide.`);
  return { title: code, anchor: code, shown, guide };
}
