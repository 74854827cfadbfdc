/** How wide a part of the screen is. */

import { type RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** An element to measure, and its width, followed as it changes. */
export function useRoom<T extends HTMLElement>(usual: number): [RefObject<T | null>, number] {
  const box = useRef<T>(null);
  const [width, setWidth] = useState(usual);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const follow = () => setWidth(Math.max(240, Math.round(element.clientWidth)));
    follow();
    const watcher = new ResizeObserver(follow);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return [box, width];
}
