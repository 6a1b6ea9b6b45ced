import { text } from "../../text/text.ts";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import type { IconName } from "../../ui/show/icon.tsx";

/** Says that a list is of one business, before one is chosen. */
export function ChooseBusiness({ icon }: { icon: IconName }) {
  return (
    <Card isFull={true}>
      <Empty icon={icon} title={text.businesses.choose}>
        {text.businesses.chooseMore}
      </Empty>
    </Card>
  );
}
