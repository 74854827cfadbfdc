/** A hook that measures the width of an element. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** A ref for the element, and its width, updated as it changes. */
export function useElementWidth<T extends HTMLElement>(defaultWidth: number): [RefObject<T | null>, number] {
  const box = useRef<T>(null);
  const [width, setWidth] = useState(defaultWidth);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const update = () => setWidth(Math.max(240, Math.round(element.clientWidth)));
    update();
    const watcher = new ResizeObserver(update);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return [box, width];
}
