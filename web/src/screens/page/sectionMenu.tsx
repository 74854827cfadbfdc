/** A menu of the sections of a screen, which stays in sight and marks the one that is read. */

import { useEffect, useState } from "preact/hooks";

export function SectionMenu({ sections }: { sections: readonly (readonly [string, string])[] }) {
  const [current, setCurrent] = useState(sections[0]?.[0] ?? "");
  const ids = sections.map(([id]) => id).join(" ");
  useEffect(() => {
    const visible = new Set<string>();
    const order = ids.split(" ");
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) visible.add(target.id);
          else visible.delete(target.id);
        }
        const first = order.find((id) => visible.has(id));
        if (first) setCurrent(first);
      },
      { rootMargin: "-80px 0px -40% 0px" },
    );
    const watch = () => {
      for (const id of order) {
        const section = document.getElementById(id);
        if (section) watcher.observe(section);
      }
    };
    watch();
    const added = new MutationObserver(watch); // sections appear as their data arrive
    const main = document.querySelector("main");
    if (main) added.observe(main, { childList: true, subtree: true });
    return () => {
      watcher.disconnect();
      added.disconnect();
    };
  }, [ids]);
  return (
    <nav class="section-menu" aria-label="Sections of the page">
      <ul>
        {sections.map(([id, label]) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current ? "true" : undefined}
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(id)?.scrollIntoView();
                setCurrent(id);
              }}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
