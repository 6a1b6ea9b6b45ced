import { fetchKeeping } from "../../wire/kept-answers.ts";
import { refused, type Session, tokenOfSession } from "../../wire/session.ts";
import type { Asking } from "../../wire/use-answer.ts";

/** Somebody who is signed in. */
export type ConsoleSession = {
  id: string;
  role: Session["role"];
  way: "link" | "api_key" | "admin_token" | "oidc";
  name: string;
  last_seen_at: string;
  expires_at: string;
  address: string | null;
  current: boolean;
};

const path = "/console/sessions";

/** The sessions that this one may see. */
export async function readSessions(as: Asking): Promise<ConsoleSession[]> {
  const response = await fetchKeeping(path, as);
  if (!response.ok) throw refused(response, await response.json().catch(() => null));
  const { data }: { data: ConsoleSession[] } = await response.json();
  return data;
}

/** Ends one of them. */
export async function endOther(id: string): Promise<void> {
  const headers = { "x-console-token": tokenOfSession() };
  const response = await fetch(`${path}/${id}`, { method: "DELETE", headers });
  if (!response.ok) throw refused(response, await response.json().catch(() => null));
}
