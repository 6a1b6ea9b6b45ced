import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { firstKnown, languages } from "../../../console/src/text/language.ts";
import { errorCodes } from "../../../src/api/answers/error-codes.ts";
import { alertKinds } from "../../../src/domain/alerts/alert-kinds.ts";
import { channelFailures } from "../../../src/domain/alerts/channel-failure.ts";
import { drawbacks } from "../../../src/domain/chain/chain-rules.ts";
import { creditProblems } from "../../../src/domain/credits/credit-problem.ts";
import { creditVerdicts } from "../../../src/domain/credits/verdicts.ts";
import { auditFaults } from "../../../src/domain/evidence/audit-chain.ts";
import { fieldProblems } from "../../../src/domain/field-problem.ts";
import { partTroubles } from "../../../src/domain/part-trouble.ts";
import { stoppingCodes } from "../../../src/domain/remedy.ts";
import { configFaultCodes } from "../../../src/domain/setup/config-fault-codes.ts";
import { configurationChanges } from "../../../src/operator/config/changes.ts";

/** The paths of all texts of a language, each with the names that it has in braces. */
function textsOf(language: string): Map<string, string[]> {
  const url = new URL(`../../../console/src/text/${language}.json`, import.meta.url);
  const found = new Map<string, string[]>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "string") {
      found.set(path, [...new Set(value.match(/\{\w+\}/g) ?? [])].sort());
      return;
    }
    for (const [key, inner] of Object.entries(value ?? {})) walk(inner, `${path}/${key}`);
  };
  walk(JSON.parse(readFileSync(url, "utf8")), "");
  return found;
}

/** The texts themselves, by their paths. */
function valuesOf(language: string): Map<string, string> {
  const url = new URL(`../../../console/src/text/${language}.json`, import.meta.url);
  const found = new Map<string, string>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "string") found.set(path, value);
    else for (const [key, inner] of Object.entries(value ?? {})) walk(inner, `${path}/${key}`);
  };
  walk(JSON.parse(readFileSync(url, "utf8")), "");
  return found;
}

/** Commands and examples are the same in every language. */
const ofMachines = /[cC]ommand$|example$/;

/** The API itself words these in English. */
const ofOtherLanguages =
  /^\/(fault|creditCause|creditProblem|fieldProblem|trouble|channelFailure|configFault|configChange|auditFault|drawback|ledgerFinding|unread)\//;

/** The API gives no values for these. */
const withoutValues = /^\/(fault|creditCause)\//;

const english = textsOf("en");
const others = Object.keys(languages).filter((language) => language !== "en");

describe.each(others)("%s", (language) => {
  const texts = textsOf(language);
  const own = [...texts].filter(([path]) => !ofOtherLanguages.test(path));

  test("has every text of the English console, with the same values in it", () => {
    expect(Object.fromEntries(own)).toEqual(Object.fromEntries(english));
  });

  test("words each fault that the API answers, each alert, drawback and fault of the audit trail", () => {
    const worded = (of: string) =>
      [...texts.keys()]
        .filter((path) => path.startsWith(`/${of}/`))
        .map((path) => path.split("/")[2]);
    expect([...errorCodes.keys()].filter((code) => !worded("fault").includes(code))).toEqual([]);
    expect(worded("alert").toSorted()).toEqual(Object.keys(alertKinds).toSorted());
    const causes = Object.values(creditVerdicts).flatMap((verdict) => Object.keys(verdict.causes));
    expect([...new Set(worded("creditCause"))].toSorted()).toEqual([...new Set(causes)].toSorted());
    expect(worded("creditProblem").toSorted()).toEqual(Object.keys(creditProblems).toSorted());
    // The sentence of the API says why a value is not allowed.
    const problems = Object.keys(fieldProblems).filter((code) => code !== "invalid");
    expect(worded("fieldProblem").toSorted()).toEqual(problems.toSorted());
    expect(worded("trouble")).toEqual(
      expect.arrayContaining([...Object.keys(partTroubles), ...stoppingCodes]),
    );
    expect(worded("channelFailure").toSorted()).toEqual(Object.keys(channelFailures).toSorted());
    expect(worded("configChange").toSorted()).toEqual(Object.keys(configurationChanges).toSorted());
    const faults = Object.keys(configFaultCodes).filter((code) => code !== "invalid");
    expect(worded("configFault").toSorted()).toEqual(faults.toSorted());
    expect(worded("drawback").toSorted()).toEqual(Object.keys(drawbacks).toSorted());
    expect(worded("auditFault")).toEqual(expect.arrayContaining(Object.keys(auditFaults)));
  });

  test("has no value in braces that nobody fills", () => {
    const unfilled = [...texts].filter(
      ([path, names]) => withoutValues.test(path) && names.length > 0,
    );
    expect(unfilled).toEqual([]);
  });

  test("is no copy of the English text where that has several words", () => {
    const values = valuesOf(language);
    const same = [...valuesOf("en")].filter(
      ([path, value]) => / .* /.test(value) && values.get(path) === value,
    );
    expect(same.map(([path]) => path).filter((path) => !ofMachines.test(path))).toEqual([]);
  });

  test("is taken for a reader of any country", () => {
    expect(firstKnown([`${language.toUpperCase()}-CH`, "en"])).toBe(language);
  });
});

test("the first language is taken that there is", () => {
  expect(firstKnown(["", "pt-BR", "en-US", "de"])).toBe("en");
  expect(firstKnown(["pt"])).toBeUndefined();
  expect(firstKnown(["toString"])).toBeUndefined();
});
