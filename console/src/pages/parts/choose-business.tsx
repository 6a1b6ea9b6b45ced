import { text } from "../../text/text.ts";
import { Card } from "../../ui/frame/card.tsx";
import { Empty } from "../../ui/frame/empty.tsx";
import { Failure } from "../../ui/frame/failure.tsx";
import type { IconName } from "../../ui/show/icon.tsx";
import { useBusinesses } from "./use-businesses.ts";

/** Says that a list is of one business, before one is chosen; and where none can be. */
export function ChooseBusiness({ icon }: { icon: IconName }) {
  const { answer, again } = useBusinesses();
  return (
    <Card isFull={true}>
      {answer.state === "failed" ? (
        <Failure fault={answer.fault} onAgain={again} />
      ) : (
        <Empty icon={icon} title={text.businesses.choose}>
          {text.businesses.chooseMore}
        </Empty>
      )}
    </Card>
  );
}
