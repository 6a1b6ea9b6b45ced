import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { firstKnown, languages } from "../../../console/src/text/language.ts";
import { errorCodes } from "../../../src/api/answers/error-codes.ts";
import { alertKinds } from "../../../src/domain/alerts/alert-kinds.ts";

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

/** The API itself words these in English. */
const ofOtherLanguages = /^\/(fault|alert)\//;

const english = textsOf("en");
const others = Object.keys(languages).filter((language) => language !== "en");

describe.each(others)("%s", (language) => {
  const texts = textsOf(language);
  const own = [...texts].filter(([path]) => !ofOtherLanguages.test(path));

  test("has every text of the English console, with the same values in it", () => {
    expect(Object.fromEntries(own)).toEqual(Object.fromEntries(english));
  });

  test("words each fault that the API answers, and each alert", () => {
    const worded = (of: string) =>
      [...texts.keys()]
        .filter((path) => path.startsWith(`/${of}/`))
        .map((path) => path.split("/")[2]);
    expect([...errorCodes.keys()].filter((code) => !worded("fault").includes(code))).toEqual([]);
    expect(worded("alert").toSorted()).toEqual(Object.keys(alertKinds).toSorted());
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
