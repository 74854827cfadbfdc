/** Responses of the server; the names are those of its OpenAPI document. */

export type Level = "page" | "host" | "domain";
export type Role = "authority" | "hub";

export interface ApiResponse {
  snapshot: number;
}

export interface Problem {
  title: string;
  status: number;
  detail: string;
  hint: string;
}

export interface JobStatus {
  id: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  steps: { label: string; done: number; total: number | null }[];
  problem: Problem | null;
}

export interface PageRef {
  page: string;
  title: string;
  kind: string;
}

export interface Exclusion {
  reason: string;
  pages: number;
  links: number;
}

export interface HostRow {
  host: string;
  pages: number;
  uncaptured: number;
  inlinks: number;
  outlinks: number;
}

export interface CollectionSummaryResponse extends ApiResponse {
  name: string;
  weft_version: string;
  counts: Record<string, number>;
  problems: { reason: string; count: number; damage: boolean; places: string[] }[];
  history: { time: string; inputs: string[]; pages: number }[];
  defaults: { topics: string; rank: string; compare: string[]; communities: string; similar: string; suggest: string };
}

export interface CollectionResponse extends CollectionSummaryResponse {
  facts: { name: string; value: string }[];
  hosts: HostRow[];
}

interface PagedResponse extends ApiResponse {
  total: number;
  offset: number;
}

export interface HostsResponse extends PagedResponse {
  rows: HostRow[];
}

export interface SearchHit extends PageRef {
  place: number;
  score: number;
  language: string;
  time: number;
  snippet: string;
  highlights: [number, number][];
}

export interface SearchResponse extends PagedResponse {
  query: string;
  rows: SearchHit[];
}

export interface SupportingLink extends PageRef {
  contribution: number;
  anchors: string[];
}

export interface TopicEvidence extends PageRef {
  place: number;
  score: number;
  count: number;
  sites: number;
  anchors: string[];
  links: SupportingLink[];
  other_topics: number[];
  snippet: string;
}

export interface TopicSummary {
  label: string;
  terms: string[];
  title: string;
  pages: number;
  strength: number | null;
  facts: Record<string, unknown>;
}

export interface TopicDetails extends TopicSummary {
  topic: number;
  authorities: TopicEvidence[];
  hubs: TopicEvidence[];
  uncaptured: UncapturedPage[];
  subtopics: TopicSummary[];
}

export interface SearchResult extends PageRef {
  score: number;
}

export interface UncapturedPage extends PageRef {
  votes: number;
}

export interface BaseSetDetails {
  found: number;
  root: number;
  pages: number;
  links: number;
  uncaptured: number;
  notes: string[];
  left_out: Exclusion[];
  options: Record<string, unknown>;
}

export interface TraceSchema {
  converged: boolean;
  iterations: number;
  change: number | null;
  stopped: string;
}

export interface TopicsResponse extends ApiResponse {
  query: string;
  method: string;
  level: Level;
  options: Record<string, unknown>;
  base: BaseSetDetails;
  total: number;
  results: SearchResult[];
  topics: TopicDetails[];
  overlap: { topic: number; other: number; pages: number; share: number }[];
  set_aside: (TopicSummary & { reason: string })[];
  trace: TraceSchema;
  note: string;
  provenance: { note?: string };
}

export interface TopicResponse extends ApiResponse {
  topic: TopicDetails;
}

export interface TopicMembersResponse extends PagedResponse {
  by: Role;
  rows: (PageRef & { place: number; authority: number; hub: number })[];
}

export interface TopicSitesResponse extends PagedResponse {
  pages: number;
  rows: { site: string; pages: number; best: PageRef }[];
}

/** A part of a page that acts as a hub; `fragment` is HTML, of which only the text is shown. */
export interface MicroHub {
  page: string;
  count: number;
  fragment: string;
}

export interface TopicRole {
  topic: number;
  label: string;
  role: Role;
  score: number;
  place: number;
  count: number;
  sites: number;
}

export interface PageTopicsResponse extends ApiResponse {
  page: string;
  origin: string;
  unassigned_reason: string;
  rows: TopicRole[];
  set_aside: (TopicRole & { reason: string })[];
}

export interface RankingRow extends PageRef {
  place: number;
  scores: Record<string, number | null>;
}

export interface RankingResponse extends PagedResponse {
  method: string;
  level: Level;
  query: string;
  options: Record<string, unknown>;
  by: string;
  scores: string[];
  rows: RankingRow[];
  trace: TraceSchema;
  certainty: { unique: boolean; components: number; multiplicity: number; gap: number | null; note: string };
  left_out: Exclusion[];
}

export interface RankingPair {
  first: string;
  second: string;
  tau_b: number | null;
  top: number;
  overlap: number | null;
  jaccard: number | null;
  rbo: number | null;
  geometric: number | null;
}

export interface RankingComparisonResponse extends ApiResponse {
  methods: string[];
  pages: number;
  not_converged: string[];
  matrix: (number | null)[][];
  pairs: RankingPair[];
  disagreements: (PageRef & { log2_ratio: number; places: Record<string, number>; tied_pages: Record<string, number> })[];
}

export interface PageResponse extends ApiResponse, PageRef {
  host: string;
  domain: string;
  language: string;
  time: number;
  captures: number;
  inlinks: number;
  outlinks: number;
  aliases: { url: string; reason: string }[];
  opening_text: string;
}

export interface PageLinksResponse extends PagedResponse {
  rows: (PageRef & { links: number; anchors: string[] })[];
}

export interface PageScoresResponse extends ApiResponse {
  rows: { method: string; by: string; score: number | null; place: number; ranked_pages: number }[];
}

export interface ScoreExplanationResponse extends ApiResponse {
  page: string;
  method: string;
  by: string;
  score: number | null;
  place: number;
  ranked_pages: number;
  total: number;
  remainder: number;
  rows: { source: string; pages: number; amount: number | null; share: number | null }[];
}

export interface KnownForResponse extends ApiResponse {
  rows: { term: string; reputation: number; penetration: number; focus: number; pages: number }[];
}

export interface DrawingNode extends PageRef {
  x: number;
  y: number;
  authority: number;
  hub: number;
  group: string;
}

export interface DrawingResponse extends ApiResponse {
  level: Level;
  caption: string;
  nodes: DrawingNode[];
  links: { source: number; target: number; weight: number }[];
  groups: { group: string; label: string; nodes: number }[];
  total_nodes: number;
  total_links: number;
}

export interface GraphCountsResponse extends ApiResponse {
  level: Level;
  nodes: number;
  links: number;
  unlinked: number;
  dangling: number;
  isolated: number;
}

export interface JsonSchema {
  type?: string;
  enum?: (string | number)[];
  minimum?: number;
  maximum?: number;
  anyOf?: JsonSchema[];
  items?: JsonSchema;
}

export interface MethodOption {
  name: string;
  parameter: string;
  description: string;
  default: unknown;
  json_schema: JsonSchema;
}

export interface MethodSummary {
  kind: string;
  name: string;
  summary: string;
  cites: string;
  model: string;
  metric: string;
  algorithm: string;
  scope: string;
  data: string;
  applications: string[];
}

export type Dimension = "model" | "metric" | "algorithm" | "scope" | "data" | "application";

export interface MethodsResponse extends ApiResponse {
  methods: MethodSummary[];
  dimensions: Record<Dimension, string[]>;
  base_options: MethodOption[];
}

export interface MethodCardResponse extends ApiResponse, MethodSummary {
  description: string;
  formula: string;
  cost: string;
  limitations: string;
  differences: string;
  reference: string;
  options: MethodOption[];
}
