/** What the server answers about structure, communities and pages near a page. */

import type { Answer, Left, Level, Named } from "./shapes";

export type Cell = string | number | boolean | null | readonly Cell[];

export interface Table {
  columns: string[];
  total: number;
  offset: number;
  rows: Cell[][];
}

export interface ShapeFound extends Answer {
  method: string;
  level: Level;
  query: string;
  options: Record<string, unknown>;
  facts: Record<string, Cell>;
  tables: Record<string, Table>;
  notes: string[];
  names: Record<string, { title: string; kind: string }>;
  pictures: string[];
  left_out: Left[];
}

export interface PlaceFound extends Answer {
  page: string;
  level: Level;
  region: string;
  meaning: string;
  path: Named[];
  both_ways: boolean;
  note: string;
}

export interface RegionFound extends Answer {
  region: string;
  meaning: string;
  level: Level;
  total: number;
  offset: number;
  rows: (Named & { inlinks: number; outlinks: number })[];
}

export interface Member extends Named {
  authority: number;
  hub: number;
}

export interface Community {
  community: number;
  label: string;
  terms: string[];
  title: string;
  pages: number;
  inside: number;
  leaving: number;
  arriving: number;
  strength: number | null;
  facts: Record<string, Cell>;
  centres: Member[];
  hubs: Member[];
  evidence: { what: string; total: number; rows: Named[][] }[];
}

export interface CommunitiesFound extends Answer {
  method: string;
  level: Level;
  query: string;
  options: Record<string, unknown>;
  facts: Record<string, Cell>;
  notes: string[];
  base: { found: number; root: number; pages: number; links: number; seen: number };
  left_out: Left[];
  total: number;
  inside: number;
  overlapping: boolean;
  communities: Community[];
  matrix: { communities: number[]; labels: string[]; cells: number[][] };
  between: (Named & { communities: number[]; through: Named[]; inlinks: number; pagerank: number })[];
}

export interface CommunityFound extends Answer {
  community: Community;
  ties: { community: number; label: string; to: number; by: number }[];
  total: number;
  offset: number;
  rows: Member[];
}

export interface CommunityLinks extends Answer {
  community: number;
  label: string;
  other: number;
  other_label: string;
  total: number;
  offset: number;
  rows: { source: Named; target: Named; anchors: string[] }[];
}

export interface AgreementFound extends Answer {
  method: string;
  other: string;
  communities: number;
  other_communities: number;
  nmi: number;
  ari: number;
  purity: number;
  pages: number;
  of: number;
}

export interface CommunitiesOfPage extends Answer {
  page: string;
  level: Level;
  known: boolean;
  links_in: number;
  links_out: number;
  rows: {
    community: number;
    label: string;
    centre: number;
    hub: number;
    inside_in: number;
    inside_out: number;
    linked_from: Named[];
    links_to: Named[];
  }[];
  elsewhere: { community: number; label: string; links: number }[];
  alone: string;
}

export interface Witness extends Named {
  pattern: string;
  anchor: string;
  other: string;
}

export interface Alike extends Named {
  place: number;
  score: number;
  parts: Record<string, number>;
  shared: Record<string, number>;
  witnesses: Witness[];
  words: string[];
}

export interface SimilarFound extends Answer {
  page: string;
  method: string;
  parts: string[];
  notes: string[];
  rows: Alike[];
}

export interface Suggested extends Named {
  place: number;
  score: number;
  scores: Record<string, number>;
  between: number;
  peers: number;
  reason: string;
  witnesses: Witness[];
  anchor: string;
  anchor_from: "links" | "title" | "";
}

export interface SuggestionsFound extends Answer {
  page: string;
  method: string;
  to: Suggested[];
  from: Suggested[];
  notes: string[];
}

/** A table as records, by the names of its columns. */
export function records(table: Table | undefined): Record<string, Cell>[] {
  return (table?.rows ?? []).map((row) => Object.fromEntries(row.map((cell, k) => [table?.columns[k] ?? "", cell])));
}

/** A cell that holds a number; null where it is not known. */
export function amount(cell: Cell | undefined): number | null {
  return typeof cell === "number" ? cell : null;
}

/** A page that a row names, with what is known of it. */
export function namedIn(found: ShapeFound, page: string): Named {
  const known = found.names[page];
  return { page, title: known?.title ?? "", kind: known?.kind ?? found.level };
}
