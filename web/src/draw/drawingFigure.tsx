/** A drawing with legend, caption, tables of the same data, and downloads. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { QueryParams } from "../api/client";
import type { DrawingNode, DrawingResponse } from "../api/schemas";
import { useApi } from "../api/useApi";
import { DownloadLinks, LinkTabs } from "../pieces/controls";
import { displayName, formatNumber, stripControlChars, toSentence } from "../pieces/format";
import { AsyncContent, EmptyMessage } from "../pieces/loading";
import { navigate, type Route, withParams } from "../route";
import { useTheme } from "../theme";
import { downloadBlob } from "./download";
import { drawingPngBlob, drawingSvgBlob, drawingToSvg } from "./drawingSvg";
import { bundleLinks } from "./bundles";
import type { GraphView } from "./interactiveGraph";
import { NodeCard, NodeTable, SiteTable } from "./nodeTables";
import { colourChoices, type DrawingStyle, drawingStyle, SIZE_CHOICES } from "./style";

interface Props {
  heading: string;
  path: string;
  params: QueryParams;
  route: Route;
  from?: string;
  open?: string;
  tall?: boolean;
  /** Whether nodes can be found, coloured, sized and filtered. */
  controls?: boolean;
  /** The group that stands out. */
  region?: string;
  /** The URL of the page that is pointed at elsewhere on the screen. */
  pointed?: string | null;
  onPoint?: (url: string | null) => void;
  onRegion?: (group: string) => void;
  /** What is shown in place of the heading. */
  tools?: ComponentChildren;
}

export function DrawingFigure(props: Props) {
  const { heading, path, params, route, from = "", open, controls = false, tools } = props;
  const response = useApi<DrawingResponse>(path, params);
  const show = route.search.get("show") ?? "picture";
  const group = Number(params["number"] ?? 0);
  const { shown: scheme } = useTheme();
  const chosenColour = route.search.get("colour") ?? "";
  const sizeBy = route.search.get("size") ?? "authority";
  const choices = useMemo(() => (response.data ? colourChoices(response.data) : []), [response.data]);
  const colourBy = choices.some(([value]) => value === chosenColour) ? chosenColour : "";
  const style = useMemo(
    () => response.data && drawingStyle(response.data, group, { colourBy, sizeBy }),
    [response.data, group, colourBy, sizeBy, scheme],
  );
  const [view, setView] = useState<GraphView | null>(null);
  const [minWeight, setMinWeight] = useState(0);
  const facet = colourBy.startsWith("tag:") ? colourBy.slice("tag:".length) : "";
  return (
    <figure class="drawing" id="drawing">
      <div class="tools">
        <h2 class={tools || controls ? "visually-hidden" : undefined}>{heading}</h2>
        {tools}
        {controls && show === "picture" && response.data && view && (
          <MapFilters drawing={response.data} view={view} route={route} minWeight={minWeight} onMinWeight={setMinWeight} />
        )}
        {controls && show === "picture" && (
          <>
            <Choice route={route} name="colour" label="Colour" value={colourBy} choices={choices} />
            <Choice route={route} name="size" label="Size" value={sizeBy} choices={SIZE_CHOICES} />
          </>
        )}
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
                <NodeTable drawing={drawing} facet={facet} from={from} />
              ) : show === "sites" ? (
                <SiteTable drawing={drawing} />
              ) : (
                <GraphCanvas
                  {...props}
                  drawing={drawing}
                  style={style}
                  sizeBy={sizeBy}
                  view={view}
                  setView={setView}
                  minWeight={minWeight}
                />
              )}
              <figcaption>
                <Caption text={toSentence(stripControlChars(drawing.caption))} />
                <p class="tools">
                  <span>
                    <button
                      type="button"
                      class="file"
                      onClick={() => void drawingPngBlob(drawing, style).then((file) => downloadBlob(file, "map.png"))}
                    >
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

interface ChoiceProps {
  route: Route;
  name: string;
  label: string;
  value: string;
  choices: readonly (readonly [string, string])[];
}

/** A choice that is kept in the address. */
function Choice({ route, name, label, value, choices }: ChoiceProps) {
  return (
    <span class="field inline">
      <label for={`drawing-${name}`}>{label}</label>
      <select
        id={`drawing-${name}`}
        value={value}
        onChange={(event) => navigate(withParams(route, { [name]: event.currentTarget.value || null }), { replace: true })}
      >
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </span>
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

interface CanvasProps {
  drawing: DrawingResponse;
  style: DrawingStyle;
  sizeBy: string;
  view: GraphView | null;
  setView: (view: GraphView | null) => void;
  minWeight: number;
}

interface FilterProps {
  drawing: DrawingResponse;
  view: GraphView;
  route: Route;
  minWeight: number;
  onMinWeight: (weight: number) => void;
}

/** Find a node by its name; hide links below a weight. */
function MapFilters({ drawing, view, route, minWeight, onMinWeight }: FilterProps) {
  const heaviest = Math.max(1, ...drawing.links.map((link) => link.weight));
  const find = (name: string) => {
    const found = drawing.nodes.findIndex((each) => findName(each) === name);
    if (found < 0) return;
    navigate(withParams(route, { node: drawing.nodes[found]?.url }), { replace: true });
    view.lookAt(found);
  };
  return (
    <>
      <span class="field inline find-node">
        <label for="find-node">Find</label>
        <input
          id="find-node"
          type="text"
          list="node-names"
          placeholder={`a ${drawing.level} of this map`}
          autocomplete="off"
          onInput={(event) => find(event.currentTarget.value)}
        />
        <datalist id="node-names">
          {drawing.nodes.map((each) => (
            <option key={each.url} value={findName(each)} />
          ))}
        </datalist>
      </span>
      {heaviest > 1 && (
        <span class="field inline">
          <label for="min-weight">Links ≥ {formatNumber(Math.max(1, minWeight))}</label>
          <input
            id="min-weight"
            type="range"
            min={1}
            max={Math.ceil(heaviest)}
            value={Math.max(1, minWeight)}
            onInput={(event) => onMinWeight(Number(event.currentTarget.value))}
          />
        </span>
      )}
    </>
  );
}

function GraphCanvas({
  drawing,
  style,
  sizeBy,
  route,
  from = "",
  tall = false,
  controls = false,
  region = "",
  pointed,
  onPoint,
  onRegion,
  view,
  setView,
  minWeight,
}: Props & CanvasProps) {
  const box = useRef<HTMLDivElement>(null);
  const [staticFallback, setStaticFallback] = useState(false);
  const [hiddenValues, setHiddenValues] = useState<ReadonlySet<string>>(new Set());
  const chosen = drawing.nodes.findIndex((node) => node.url === route.search.get("node"));
  const select = (node: number | null) =>
    navigate(withParams(route, { node: node === null ? null : drawing.nodes[node]?.url }), { replace: true });
  const latest = useRef({ select, onPoint, onRegion });
  latest.current = { select, onPoint, onRegion };

  useEffect(() => setHiddenValues(new Set()), [style.colourBy, drawing]);
  useEffect(() => {
    let unmounted = false;
    let graphView: GraphView | null = null;
    setStaticFallback(false);
    void import("./interactiveGraph").then(({ drawGraph }) => {
      if (unmounted || !box.current) return;
      try {
        graphView = drawGraph(box.current, drawing, style, {
          onSelect: (node) => latest.current.select(node),
          onHover: (node) => latest.current.onPoint?.(node === null ? null : (drawing.nodes[node]?.url ?? null)),
          onRegion: (group) => latest.current.onRegion?.(group),
        });
        setView(graphView);
      } catch {
        box.current.replaceChildren(drawingToSvg(drawing, style));
        setStaticFallback(true);
      }
    });
    return () => {
      unmounted = true;
      setView(null);
      graphView?.destroy();
    };
  }, [drawing, style]);
  useEffect(() => view?.select(chosen < 0 ? null : chosen), [view, chosen]);
  useEffect(() => {
    if (pointed === undefined) return;
    const node = drawing.nodes.findIndex(({ url }) => url === pointed);
    view?.highlight(node < 0 ? null : node);
  }, [view, pointed]);
  useEffect(
    () => view?.show({ hidden: (node: DrawingNode) => hiddenValues.has(style.value(node)), minWeight, region }),
    [view, hiddenValues, minWeight, region],
  );

  const node = drawing.nodes[chosen];
  return (
    <div class={tall ? "canvas tall" : "canvas"}>
      <div class="stage-frame">
        <div
          ref={box}
          class="stage"
          tabIndex={0}
          role="application"
          aria-label={`${stripControlChars(drawing.caption)}. Arrow keys move, plus and minus zoom, 0 shows all. The table shows the same data.`}
          onKeyDown={(event) => handleKey(event, view)}
        />
        {!staticFallback && (
          <div class="zoom" role="group" aria-label="Zoom">
            <button type="button" aria-label="Zoom in" onClick={() => view?.zoom(1.5)}>
              +
            </button>
            <button type="button" aria-label="Zoom out" onClick={() => view?.zoom(1 / 1.5)}>
              −
            </button>
            <button type="button" aria-label="Show all" onClick={() => view?.reset()}>
              ⤢
            </button>
          </div>
        )}
        {node && <NodeCard drawing={drawing} chosen={chosen} route={route} from={from} close={() => select(null)} />}
      </div>
      <Legend
        style={style}
        drawing={drawing}
        sizeBy={sizeBy}
        compact={!controls && style.regions.length > 0}
        hidden={hiddenValues}
        {...(controls && { toggle: (value: string) => setHiddenValues(toggled(hiddenValues, value)) })}
      />
    </div>
  );
}

/** What a node is found by: its name, and its address where another has the same name. */
function findName(node: DrawingNode): string {
  const name = displayName(node);
  return name === node.url ? name : `${name} · ${stripControlChars(node.url)}`;
}

function toggled(values: ReadonlySet<string>, value: string): ReadonlySet<string> {
  const copy = new Set(values);
  if (!copy.delete(value)) copy.add(value);
  return copy;
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

interface LegendProps {
  style: DrawingStyle;
  drawing: DrawingResponse;
  sizeBy: string;
  /** Whether colours are left out, since the regions are labelled. */
  compact: boolean;
  hidden: ReadonlySet<string>;
  toggle?: (value: string) => void;
}

/** What colours, sizes and marks mean; with `toggle` a value can be hidden. */
function Legend({ style, drawing, sizeBy, compact, hidden, toggle }: LegendProps) {
  const hubs = drawing.nodes.some((node) => node.hub > 0.05);
  const uncaptured = drawing.nodes.some((node) => node.kind === "uncaptured");
  const bundled = bundleLinks(drawing).length > 0;
  const sizeName = SIZE_CHOICES.find(([value]) => value === sizeBy)?.[1] ?? "authority";
  const colours = compact ? [] : style.legend;
  const others = !compact && style.otherNodes > 0 && (style.colourBy || style.legend.length > 0);
  return (
    <div class="legend">
      {(colours.length > 0 || others) && (
        <ul>
          {colours.map((key) => {
            const text = (
              <>
                <span class="dot" style={{ background: key.colour }} />
                {style.numbered && <span class="soft">{key.value} </span>}
                <bdi>{stripControlChars(key.label)}</bdi> <b>{formatNumber(key.pages ?? key.nodes)}</b>
              </>
            );
            return (
              <li key={key.value}>
                {toggle ? (
                  <button type="button" class="legend-toggle" aria-pressed={!hidden.has(key.value)} onClick={() => toggle(key.value)}>
                    {text}
                  </button>
                ) : (
                  text
                )}
              </li>
            );
          })}
          {others && (
            <li>
              <span class="dot" />
              {style.colourBy.startsWith("tag:") ? "without this tag" : "others"} <b>{formatNumber(style.otherNodes)}</b>
            </li>
          )}
        </ul>
      )}
      <ul class="marks">
        {sizeBy !== "same" && (
          <li>
            <span class="dot sizes" /> larger: more {sizeName}
          </li>
        )}
        {bundled && (
          <li>
            <span class="dash" /> line: links between regions
          </li>
        )}
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
    </div>
  );
}
