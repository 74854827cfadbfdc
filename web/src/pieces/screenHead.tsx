/** The heading of a screen: what it shows, and of what; beside it what can be chosen. */

import type { ComponentChildren } from "preact";

interface Props {
  /** What the screen shows, such as "Topics of". */
  kicker?: ComponentChildren;
  /** Of what, such as a query or the name of the collection. */
  heading: string;
  children?: ComponentChildren;
}

export function ScreenHead({ kicker, heading, children }: Props) {
  return (
    <div class="screen-head">
      <h1>
        {kicker && <span class="kicker">{kicker} </span>}
        <bdi>{heading}</bdi>
      </h1>
      {children}
    </div>
  );
}
