import { addressOf, go } from "../../route/place.ts";
import { fill, text, wordOf } from "../../text/text.ts";
import type { Session } from "../../wire/session.ts";
import { pagesOf } from "../pages.ts";
import { isNamed } from "./is-named.ts";
import type { Found } from "./search.ts";

/** Something that the search box offers: a page, an action, or an object of the server. */
export type Choice = {
  key: string;
  /** In words, as `Page`. */
  kind: string;
  label: string;
  detail: string;
  /** True: it leads to a place, and is offered again as a recent one. */
  isPlace: boolean;
  choose: () => void;
};

/**
 * The pages and actions whose words are sought. With nothing sought: the `recent` places, then all
 * pages and actions.
 */
export function commandsFor(
  session: Session,
  sought: string,
  recent: readonly Choice[],
): readonly Choice[] {
  const commands = [...pages(session), ...actions()];
  if (sought !== "") return commands.filter(({ label }) => isNamed(label, sought));
  const before = new Set(recent.map(({ key }) => key));
  return [...recent, ...commands.filter(({ key }) => !before.has(key))];
}

/** An object that the server has found. */
export function choiceOf(found: Found): Choice {
  const { address, kind, id, label } = found;
  return placeAt(address, {
    key: `${kind} ${id}`,
    kind: wordOf(text.search.kinds, kind),
    label: kind === "notification" ? wordOf(text.event, label) : label,
    detail: detailOf(found),
  });
}

/** The detail of an object: the server has it in words of the API. */
function detailOf({ kind, detail }: Found): string {
  const parts = detail.split(" ");
  if (kind === "transaction") {
    const [type = "", status = "", ...chain] = parts;
    const words = [wordOf(text.transactionType, type), wordOf(text.transactionStatus, status)];
    return [...words, ...chain].join(" · ");
  }
  if (kind === "chain") return fill(text.search.chainId, { id: parts.at(-1) ?? "" });
  if (kind === "key")
    return parts.map((part) => (part === "revoked" ? text.keys.revoked : part)).join(" · ");
  if (kind !== "business") return detail;
  const { verified, unverified, suspended } = text.businesses;
  return wordOf({ verified, "not verified": unverified, suspended }, detail);
}

function pages(session: Session): readonly Choice[] {
  return pagesOf(session).map(({ path, name: label }) =>
    placeAt(addressOf(path), { key: `page ${path}`, kind: text.search.page, label, detail: "" }),
  );
}

function placeAt(address: string, shown: Omit<Choice, "isPlace" | "choose">): Choice {
  return { ...shown, isPlace: true, choose: () => go(address) };
}

/**
 * The buttons in the head of the page and below the navigation, by the words that they show. An
 * action does what its button does, and its dialog gives the focus back to the button.
 */
function actions(): readonly Choice[] {
  const shown = document.querySelectorAll<HTMLButtonElement>(
    ".page-head button:enabled, .sidebar-foot button:enabled",
  );
  return [...shown]
    .filter((button) => button.getAttribute("aria-pressed") !== "true")
    .map((button) => {
      const words = button.textContent.trim();
      const group = button.closest("fieldset")?.querySelector("legend")?.textContent;
      const label = group == null ? words : fill(text.search.choice, { group, words });
      const choose = () => {
        button.focus();
        button.click();
      };
      const shown = { key: `action ${label}`, kind: text.search.action, label, detail: "" };
      return { ...shown, isPlace: false, choose };
    });
}
