/** A drawing with all that belongs to it: keys, caption, a table of the same, files. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Params } from "../ask/ask";
import type { Drawing } from "../ask/shapes";
import { useAsk } from "../ask/use";
import { Answered, Empty, sentence } from "../pieces/answered";
import { Choice, Files } from "../pieces/small";
import { clean, number } from "../pieces/words";
import { type Place, changed, go } from "../route";
import type { Moving } from "./graph";
import { save } from "./keep";
import { type Look, lookOf } from "./look";
import { NodeCard, NodeTable, SiteTable } from "./nodes";
import { picture, pngFile, svgFile } from "./picture";

interface Props {
  heading: string;
  path: string;
  params: Params;
  place: Place;
  from?: string;
  open?: string;
  tall?: boolean;
}

export function DrawingFigure({ heading, path, params, place, from = "", open, tall = false }: Props) {
  const asked = useAsk<Drawing>(path, params);
  const show = place.search.get("show") ?? "picture";
  const topic = Number(params["topic"] ?? 0);
  const scheme = useScheme();
  const look = useMemo(() => asked.data && lookOf(asked.data, topic), [asked.data, topic, scheme]);
  return (
    <figure class="drawing" id="drawing">
      <div class="tools">
        <h2>{heading}</h2>
        <Choice
          place={place}
          name="show"
          label="Show as"
          chosen={show}
          of={[
            ["picture", "Picture"],
            ["table", "Table"],
            ["sites", "Sites"],
          ]}
        />
      </div>
      <Answered asked={asked} what={`drawing ${heading.toLowerCase()}`} lines={10}>
        {(drawing) =>
          !look || drawing.nodes.length === 0 ? (
            <Empty>There is nothing to draw: no page here links to another.</Empty>
          ) : (
            <>
              {show === "table" ? (
                <NodeTable drawing={drawing} from={from} />
              ) : show === "sites" ? (
                <SiteTable drawing={drawing} />
              ) : (
                <Canvas drawing={drawing} look={look} place={place} from={from} tall={tall} />
              )}
              <figcaption>
                <Caption words={sentence(clean(drawing.caption))} />
                <p class="tools">
                  <span>
                    <button type="button" class="file" onClick={() => void pngFile(drawing, look).then((file) => save(file, "map.png"))}>
                      PNG
                    </button>
                    <button type="button" class="file" onClick={() => save(svgFile(drawing, look), "map.svg")}>
                      SVG
                    </button>
                    <Files path={path} params={params} formats={["gexf", "csv"]} />
                  </span>
                  {open && <a href={open}>Open on the map</a>}
                </p>
              </figcaption>
            </>
          )
        }
      </Answered>
    </figure>
  );
}

/** What is drawn, then how many; a name that is written from right to left keeps to its place. */
function Caption({ words }: { words: string }) {
  const end = words.lastIndexOf(":");
  return (
    <p>
      <bdi>{words.slice(0, end)}</bdi>
      {words.slice(end)}
    </p>
  );
}

function Canvas({ drawing, look, place, from, tall }: { drawing: Drawing; look: Look; place: Place; from: string; tall: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const moving = useRef<Moving | null>(null);
  const [still, setStill] = useState(false);
  const chosen = drawing.nodes.findIndex((node) => node.page === place.search.get("node"));
  const select = (node: number | null) => go(changed(place, { node: node === null ? null : drawing.nodes[node]?.page }), { replace: true });
  const latest = useRef(select);
  latest.current = select;

  useEffect(() => {
    let ended = false;
    setStill(false);
    void import("./graph").then(({ draw }) => {
      if (ended || !box.current) return;
      try {
        moving.current = draw(box.current, drawing, look, (node) => latest.current(node));
        moving.current.select(chosen < 0 ? null : chosen);
      } catch {
        box.current.replaceChildren(picture(drawing, look));
        setStill(true);
      }
    });
    return () => {
      ended = true;
      moving.current?.end();
      moving.current = null;
    };
  }, [drawing, look]);
  useEffect(() => moving.current?.select(chosen < 0 ? null : chosen), [chosen]);

  const node = drawing.nodes[chosen];
  return (
    <div class={tall ? "canvas tall" : "canvas"}>
      <div
        ref={box}
        class="stage"
        tabIndex={0}
        role="application"
        aria-label={`${clean(drawing.caption)}. Arrow keys move, plus and minus zoom, 0 shows all. The table says the same in words.`}
        onKeyDown={(event) => press(event, moving.current)}
      />
      {!still && (
        <div class="zoom" role="group" aria-label="Zoom">
          <button type="button" aria-label="Closer" onClick={() => moving.current?.zoom(1.5)}>
            +
          </button>
          <button type="button" aria-label="Further" onClick={() => moving.current?.zoom(1 / 1.5)}>
            −
          </button>
          <button type="button" aria-label="Show all" onClick={() => moving.current?.reset()}>
            ⤢
          </button>
        </div>
      )}
      {node && <NodeCard drawing={drawing} chosen={chosen} place={place} from={from} close={() => select(null)} />}
      <Keys look={look} drawing={drawing} />
    </div>
  );
}

const STEPS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-0.1, 0],
  ArrowRight: [0.1, 0],
  ArrowUp: [0, 0.1],
  ArrowDown: [0, -0.1],
};

function press(event: KeyboardEvent, moving: Moving | null): void {
  const step = STEPS[event.key];
  if (!moving || event.ctrlKey || event.metaKey || event.altKey) return;
  if (step) moving.pan(...step);
  else if (event.key === "+" || event.key === "=") moving.zoom(1.5);
  else if (event.key === "-") moving.zoom(1 / 1.5);
  else if (event.key === "0") moving.reset();
  else return;
  event.preventDefault();
}

function Keys({ look, drawing }: { look: Look; drawing: Drawing }) {
  const hubs = drawing.nodes.some((node) => node.hub > 0.05);
  const seen = drawing.nodes.some((node) => node.kind === "seen");
  return (
    <ul class="keys">
      {look.keys.map((key) => (
        <li key={key.group}>
          <span class="dot" style={{ background: key.colour }} />
          {look.numbered && <span class="soft">{key.group} </span>}
          <bdi>{clean(key.label)}</bdi> <b>{number(key.nodes)}</b>
        </li>
      ))}
      {look.others > 0 && look.keys.length > 0 && (
        <li>
          <span class="dot" />
          others <b>{number(look.others)}</b>
        </li>
      )}
      <li>
        <span class="dot sizes" /> larger: linked by more
      </li>
      {hubs && (
        <li>
          <span class="dot ringed" /> ring: hub
        </li>
      )}
      {seen && (
        <li>
          <span class="dot hollow" /> hollow: only seen
        </li>
      )}
    </ul>
  );
}

function useScheme(): boolean {
  const [dark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setDark(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return dark;
}
