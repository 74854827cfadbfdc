/** Responses about structure, communities, similar pages and suggested links. */

import type { ApiResponse, Exclusion, Level, PageRef } from "./schemas";

export type Cell = string | number | boolean | null | readonly Cell[];

export interface TableSlice {
  columns: string[];
  total: number;
  offset: number;
  rows: Cell[][];
}

export interface ShapeResponse extends ApiResponse {
  method: string;
  level: Level;
  query: string;
  options: Record<string, unknown>;
  facts: Record<string, Cell>;
  tables: Record<string, TableSlice>;
  notes: string[];
  names: Record<string, { title: string; kind: string }>;
  pictures: string[];
  left_out: Exclusion[];
}

export interface PageRegionResponse extends ApiResponse {
  page: string;
  level: Level;
  region: string;
  meaning: string;
  path: PageRef[];
  undirected: boolean;
  note: string;
}

export interface RegionPagesResponse extends ApiResponse {
  region: string;
  meaning: string;
  level: Level;
  total: number;
  offset: number;
  rows: (PageRef & { inlinks: number; outlinks: number })[];
}

export interface CommunityMember extends PageRef {
  authority: number;
  hub: number;
}

export interface CommunitySchema {
  community: number;
  label: string;
  terms: string[];
  title: string;
  pages: number;
  internal_links: number;
  outgoing_links: number;
  incoming_links: number;
  strength: number | null;
  facts: Record<string, Cell>;
  centres: CommunityMember[];
  hubs: CommunityMember[];
  evidence: { name: string; total: number; rows: PageRef[][] }[];
}

export interface CommunitiesResponse extends ApiResponse {
  method: string;
  level: Level;
  query: string;
  options: Record<string, unknown>;
  facts: Record<string, Cell>;
  notes: string[];
  base: { found: number; root: number; pages: number; links: number; uncaptured: number };
  left_out: Exclusion[];
  total: number;
  assigned_pages: number;
  overlapping: boolean;
  communities: CommunitySchema[];
  matrix: { communities: number[]; labels: string[]; cells: number[][] };
  bridge_pages: (PageRef & { communities: number[]; through: PageRef[]; inlinks: number; pagerank: number })[];
}

export interface CommunityResponse extends ApiResponse {
  community: CommunitySchema;
  linked_communities: { community: number; label: string; links_to: number; links_from: number }[];
  total: number;
  offset: number;
  rows: CommunityMember[];
}

export interface CommunityLinksResponse extends ApiResponse {
  community: number;
  label: string;
  other: number;
  other_label: string;
  total: number;
  offset: number;
  rows: { source: PageRef; target: PageRef; anchors: string[] }[];
}

export interface AgreementResponse extends ApiResponse {
  method: string;
  other: string;
  communities: number;
  other_communities: number;
  nmi: number;
  ari: number;
  purity: number;
  compared_pages: number;
  total_pages: number;
}

export interface PageCommunitiesResponse extends ApiResponse {
  page: string;
  level: Level;
  computed: boolean;
  links_in: number;
  links_out: number;
  rows: {
    community: number;
    label: string;
    centre: number;
    hub: number;
    inside_in: number;
    inside_out: number;
    linked_from: PageRef[];
    links_to: PageRef[];
  }[];
  other_communities: { community: number; label: string; links: number }[];
  unassigned_reason: string;
}

export interface WitnessSchema extends PageRef {
  pattern: string;
  page_anchor: string;
  other_anchor: string;
}

export interface SimilarPage extends PageRef {
  place: number;
  score: number;
  contributions: Record<string, number>;
  witness_counts: Record<string, number>;
  witnesses: WitnessSchema[];
  shared_words: string[];
}

export interface SimilarPagesResponse extends ApiResponse {
  page: string;
  method: string;
  contribution_names: string[];
  notes: string[];
  rows: SimilarPage[];
}

export interface SuggestedLink extends PageRef {
  place: number;
  score: number;
  scores: Record<string, number>;
  intermediate_count: number;
  peer_count: number;
  reason: string;
  witnesses: WitnessSchema[];
  anchor: string;
  anchor_source: "links" | "title" | "";
}

export interface SuggestedLinksResponse extends ApiResponse {
  page: string;
  method: string;
  to: SuggestedLink[];
  from: SuggestedLink[];
  notes: string[];
}

/** The rows of a table as records by column. */
export function tableRecords(table: TableSlice | undefined): Record<string, Cell>[] {
  return (table?.rows ?? []).map((row) => Object.fromEntries(row.map((cell, k) => [table?.columns[k] ?? "", cell])));
}

/** The number in a cell; null if there is none. */
export function numberOrNull(cell: Cell | undefined): number | null {
  return typeof cell === "number" ? cell : null;
}

/** A page in a row, with its title and kind. */
export function pageRefIn(data: ShapeResponse, page: string): PageRef {
  const name = data.names[page];
  return { page, title: name?.title ?? "", kind: name?.kind ?? data.level };
}
