import { fill, type Said, text, worded } from "../../text/text.ts";
import type { Installed } from "./installed.ts";

type Trouble = Pick<Installed["parts"][number], "causes"> & { trouble: string };

/** The trouble of a part. One cause without words shows the API's sentence for all. */
export function troubleText({ trouble, causes }: Trouble): Said {
  const words: Readonly<Record<string, string>> = text.trouble;
  const said = causes.flatMap(({ code, values }) => {
    const known = words[code];
    return known === undefined ? [] : [fill(known, values)];
  });
  const isWhole = said.length > 0 && said.length === causes.length;
  return { said: isWhole ? said.join(" ") : trouble, sentence: trouble };
}

/** The fault at a place of the configuration. */
export function configFaultText(of: Installed["configuration_faults"][number]): Said {
  const { message: sentence, code, values } = of;
  return { said: worded(text.configFault, code, { ...values, sentence }), sentence };
}

/** The effect of a change of the configuration on a chain or an asset. */
export function configChangeText(of: Installed["configuration_changes"][number]): Said {
  const { change: sentence, code } = of;
  return { said: worded(text.configChange, code, { sentence }), sentence };
}
