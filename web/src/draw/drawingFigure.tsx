/** A drawing with legend, caption, tables of the same data, and downloads. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { QueryParams } from "../api/client";
import type { DrawingResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { DownloadLinks, LinkTabs } from "../pieces/controls";
import { formatNumber, stripControlChars, toSentence } from "../pieces/format";
import { navigate, type Route, withParams } from "../route";
import type { GraphView } from "./interactiveGraph";
import { downloadBlob } from "./download";
import { type DrawingStyle, drawingStyle } from "./style";
import { NodeCard, NodeTable, SiteTable } from "./nodeTables";
import { drawingPngBlob, drawingSvgBlob, drawingToSvg } from "./drawingSvg";

interface Props {
  heading: string;
  path: string;
  params: QueryParams;
  route: Route;
  from?: string;
  open?: string;
  tall?: boolean;
}

export function DrawingFigure({ heading, path, params, route, from = "", open, tall = false }: Props) {
  const response = useApi<DrawingResponse>(path, params);
  const show = route.search.get("show") ?? "picture";
  const group = Number(params["number"] ?? 0);
  const scheme = useDarkScheme();
  const style = useMemo(() => response.data && drawingStyle(response.data, group), [response.data, group, scheme]);
  return (
    <figure class="drawing" id="drawing">
      <div class="tools">
        <h2>{heading}</h2>
        <LinkTabs
          route={route}
          name="show"
          label="Show as"
          chosen={show}
          tabs={[
            ["picture", "Picture"],
            ["table", "Table"],
            ["sites", "Sites"],
          ]}
        />
      </div>
      <AsyncContent response={response} label={`the drawing: ${heading.toLowerCase()}`} placeholderLines={10}>
        {(drawing) =>
          !style || drawing.nodes.length === 0 ? (
            <EmptyMessage>There is nothing to draw: no page links to another.</EmptyMessage>
          ) : (
            <>
              {show === "table" ? (
                <NodeTable drawing={drawing} from={from} />
              ) : show === "sites" ? (
                <SiteTable drawing={drawing} />
              ) : (
                <GraphCanvas drawing={drawing} style={style} route={route} from={from} tall={tall} />
              )}
              <figcaption>
                <Caption text={toSentence(stripControlChars(drawing.caption))} />
                <p class="tools">
                  <span>
                    <button type="button" class="file" onClick={() => void drawingPngBlob(drawing, style).then((file) => downloadBlob(file, "map.png"))}>
                      PNG
                    </button>
                    <button type="button" class="file" onClick={() => downloadBlob(drawingSvgBlob(drawing, style), "map.svg")}>
                      SVG
                    </button>
                    <DownloadLinks path={path} params={params} formats={["gexf", "csv"]} />
                  </span>
                  {open && <a href={open}>Open on the map</a>}
                </p>
              </figcaption>
            </>
          )
        }
      </AsyncContent>
    </figure>
  );
}

/** Title and counts; the title is isolated, since it may be written from right to left. */
function Caption({ text }: { text: string }) {
  const end = text.lastIndexOf(":");
  return (
    <p>
      <bdi>{text.slice(0, end)}</bdi>
      {text.slice(end)}
    </p>
  );
}

function GraphCanvas({ drawing, style, route, from, tall }: { drawing: DrawingResponse; style: DrawingStyle; route: Route; from: string; tall: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const graphView = useRef<GraphView | null>(null);
  const [staticFallback, setStaticFallback] = useState(false);
  const chosen = drawing.nodes.findIndex((node) => node.url === route.search.get("node"));
  const select = (node: number | null) => navigate(withParams(route, { node: node === null ? null : drawing.nodes[node]?.url }), { replace: true });
  const latest = useRef(select);
  latest.current = select;

  useEffect(() => {
    let unmounted = false;
    setStaticFallback(false);
    void import("./interactiveGraph").then(({ drawGraph }) => {
      if (unmounted || !box.current) return;
      try {
        graphView.current = drawGraph(box.current, drawing, style, (node) => latest.current(node));
        graphView.current.select(chosen < 0 ? null : chosen);
      } catch {
        box.current.replaceChildren(drawingToSvg(drawing, style));
        setStaticFallback(true);
      }
    });
    return () => {
      unmounted = true;
      graphView.current?.destroy();
      graphView.current = null;
    };
  }, [drawing, style]);
  useEffect(() => graphView.current?.select(chosen < 0 ? null : chosen), [chosen]);

  const node = drawing.nodes[chosen];
  return (
    <div class={tall ? "canvas tall" : "canvas"}>
      <div
        ref={box}
        class="stage"
        tabIndex={0}
        role="application"
        aria-label={`${stripControlChars(drawing.caption)}. Arrow keys move, plus and minus zoom, 0 shows all. The table shows the same data.`}
        onKeyDown={(event) => handleKey(event, graphView.current)}
      />
      {!staticFallback && (
        <div class="zoom" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom in" onClick={() => graphView.current?.zoom(1.5)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => graphView.current?.zoom(1 / 1.5)}>
            −
          </button>
          <button type="button" aria-label="Show all" onClick={() => graphView.current?.reset()}>
            ⤢
          </button>
        </div>
      )}
      {node && <NodeCard drawing={drawing} chosen={chosen} route={route} from={from} close={() => select(null)} />}
      <Legend style={style} drawing={drawing} />
    </div>
  );
}

const PAN_STEPS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-0.1, 0],
  ArrowRight: [0.1, 0],
  ArrowUp: [0, 0.1],
  ArrowDown: [0, -0.1],
};

function handleKey(event: KeyboardEvent, graphView: GraphView | null): void {
  const step = PAN_STEPS[event.key];
  if (!graphView || event.ctrlKey || event.metaKey || event.altKey) return;
  if (step) graphView.pan(...step);
  else if (event.key === "+" || event.key === "=") graphView.zoom(1.5);
  else if (event.key === "-") graphView.zoom(1 / 1.5);
  else if (event.key === "0") graphView.reset();
  else return;
  event.preventDefault();
}

function Legend({ style, drawing }: { style: DrawingStyle; drawing: DrawingResponse }) {
  const hubs = drawing.nodes.some((node) => node.hub > 0.05);
  const uncaptured = drawing.nodes.some((node) => node.kind === "uncaptured");
  return (
    <ul class="legend">
      {style.legend.map((key) => (
        <li key={key.group}>
          <span class="dot" style={{ background: key.colour }} />
          {style.numbered && <span class="soft">{key.group} </span>}
          <bdi>{stripControlChars(key.label)}</bdi> <b>{formatNumber(key.nodes)}</b>
        </li>
      ))}
      {style.otherNodes > 0 && style.legend.length > 0 && (
        <li>
          <span class="dot" />
          others <b>{formatNumber(style.otherNodes)}</b>
        </li>
      )}
      <li>
        <span class="dot sizes" /> larger: more in-links
      </li>
      {hubs && (
        <li>
          <span class="dot ringed" /> ring: hub
        </li>
      )}
      {uncaptured && (
        <li>
          <span class="dot hollow" /> hollow: not captured
        </li>
      )}
    </ul>
  );
}

function useDarkScheme(): boolean {
  const [dark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const update = () => setDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return dark;
}
