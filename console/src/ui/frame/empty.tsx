import type { ComponentChildren } from "preact";
import { useSession } from "../../wire/use-session.ts";
import { Icon, type IconName } from "../show/icon.tsx";
import { Command } from "./command.tsx";

type Shown = {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  /** The operator's command that makes the first entry. A business is shown none. */
  command?: string;
};

/** The text of an empty list: what the list will show, and how to fill it. */
export function Empty({ icon, title, children, command }: Shown) {
  const { session } = useSession();
  const mayRun = session.kind === "operator" || session.development;
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {command !== undefined && mayRun && <Command line={command} />}
    </div>
  );
}
