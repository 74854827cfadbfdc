/** A plot that the server draws as SVG, inlined, so that styles and links of the workbench apply to it. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Picture, QueryParams } from "../api/client";
import { useApi } from "../api/useApi";
import { AsyncContent } from "../pieces/loading";
import { useElementWidth } from "./useElementWidth";

const [WIDTH, NARROW_WIDTH, MIN_WIDE_ELEMENT] = [640, 360, 480];

interface LinkProps {
  /** Where a part of the plot leads, by its key. */
  href?: (key: string) => string;
  chosen?: string;
  /** Whether the part under the pointer is described below the plot. */
  described?: boolean;
}

interface Props extends LinkProps {
  path: string;
  params: QueryParams;
  picture: string;
}

export function Plot({ path, params, picture, ...links }: Props) {
  const [box, width] = useElementWidth<HTMLDivElement>(WIDTH);
  const response = useApi<Picture>(`${path}/picture`, {
    ...params,
    picture,
    titled: false,
    width: width < MIN_WIDE_ELEMENT ? NARROW_WIDTH : WIDTH,
  });
  return (
    <div ref={box} class="plot-box">
      <AsyncContent response={response} label="the plot" placeholderLines={9}>
        {({ svg }) => <InlineSvg svg={svg} {...links} />}
      </AsyncContent>
    </div>
  );
}

function InlineSvg({ svg, href, chosen, described = false }: LinkProps & { svg: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [text, setText] = useState("");
  const parts = () => [...(box.current?.querySelectorAll<SVGAElement>("a[data-key]") ?? [])];
  useLayoutEffect(() => {
    const drawing = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    box.current?.replaceChildren(document.importNode(drawing, true));
    setText(titleOf(parts().at(-1)));
  }, [svg]);
  useLayoutEffect(() => {
    for (const part of parts()) {
      const key = part.dataset["key"] ?? "";
      if (href) part.setAttribute("href", href(key));
      if (key === chosen) part.setAttribute("aria-current", "true");
      else part.removeAttribute("aria-current");
    }
  });
  const describe = (event: Event) => {
    const part = event.target instanceof Element && event.target.closest("a[data-key]");
    if (part) setText(titleOf(part));
  };
  return (
    <>
      <div ref={box} onPointerOver={describe} />
      {described && text && <p class="soft small described-part">{text}</p>}
    </>
  );
}

function titleOf(part: Element | undefined): string {
  return part?.querySelector("title")?.textContent ?? "";
}
