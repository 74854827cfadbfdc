/** What the server answers; the same names as in its OpenAPI document. */

export type Level = "page" | "host" | "domain";
export type Role = "authority" | "hub";

export interface Answer {
  snapshot: number;
}

export interface Problem {
  title: string;
  status: number;
  detail: string;
  cure: string;
}

export interface Job {
  job: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  steps: { label: string; done: number; total: number | null }[];
  problem: Problem | null;
}

export interface Named {
  page: string;
  title: string;
  kind: string;
}

export interface Left {
  reason: string;
  pages: number;
  links: number;
}

export interface Host {
  host: string;
  pages: number;
  seen: number;
  inlinks: number;
  outlinks: number;
}

export interface CollectionBrief extends Answer {
  name: string;
  weft: string;
  counts: Record<string, number>;
  problems: { reason: string; count: number; damage: boolean; places: string[] }[];
  history: { time: string; inputs: string[]; pages: number }[];
  defaults: { topics: string; rank: string; compare: string[]; communities: string; similar: string; suggest: string };
}

export interface CollectionFacts extends CollectionBrief {
  facts: { name: string; value: string }[];
  hosts: Host[];
}

interface Portion extends Answer {
  total: number;
  offset: number;
}

export interface Hosts extends Portion {
  rows: Host[];
}

export interface Hit extends Named {
  place: number;
  score: number;
  language: string;
  time: number;
  snippet: string;
  marks: [number, number][];
}

export interface Found extends Portion {
  query: string;
  rows: Hit[];
}

export interface Support extends Named {
  amount: number;
  anchors: string[];
}

export interface Evidence extends Named {
  place: number;
  score: number;
  count: number;
  sites: number;
  said: string[];
  links: Support[];
  also: number[];
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

export interface Topic extends TopicSummary {
  topic: number;
  authorities: Evidence[];
  hubs: Evidence[];
}

export interface Base {
  found: number;
  root: number;
  pages: number;
  links: number;
  seen: number;
  story: string[];
  left_out: Left[];
  options: Record<string, unknown>;
}

export interface Ended {
  converged: boolean;
  rounds: number;
  change: number | null;
  stopped: string;
}

export interface TopicsFound extends Answer {
  query: string;
  method: string;
  level: Level;
  options: Record<string, unknown>;
  base: Base;
  total: number;
  topics: Topic[];
  overlap: { topic: number; other: number; pages: number; share: number }[];
  aside: (TopicSummary & { reason: string })[];
  ended: Ended;
  note: string;
  provenance: { note?: string };
}

export interface TopicFound extends Answer {
  topic: Topic;
}

export interface TopicMembers extends Portion {
  by: Role;
  rows: (Named & { place: number; authority: number; hub: number })[];
}

export interface TopicSites extends Portion {
  pages: number;
  rows: { site: string; pages: number; best: Named }[];
}

/** A block of a page whose links belong together; `fragment` is HTML, of which only the text is shown. */
export interface MicroHub {
  page: string;
  count: number;
  fragment: string;
}

export interface InTopic {
  topic: number;
  label: string;
  role: Role;
  score: number;
  place: number;
  count: number;
  sites: number;
}

export interface TopicsOfPage extends Answer {
  page: string;
  origin: string;
  alone: string;
  rows: InTopic[];
  aside: (InTopic & { reason: string })[];
}

export interface Ranked extends Named {
  place: number;
  scores: Record<string, number | null>;
}

export interface RankingFound extends Portion {
  method: string;
  level: Level;
  query: string;
  options: Record<string, unknown>;
  by: string;
  scores: string[];
  rows: Ranked[];
  ended: Ended;
  certainty: { unique: boolean; components: number; multiplicity: number; gap: number | null; note: string };
  left_out: Left[];
}

export interface Pair {
  first: string;
  second: string;
  tau_b: number | null;
  top: number;
  overlap: number | null;
  jaccard: number | null;
  rbo: number | null;
  geometric: number | null;
}

export interface Compared extends Answer {
  methods: string[];
  pages: number;
  unsettled: string[];
  matrix: (number | null)[][];
  pairs: Pair[];
  disagreements: (Named & { doublings: number; places: Record<string, number>; equals: Record<string, number> })[];
}

export interface PageFacts extends Answer, Named {
  host: string;
  domain: string;
  language: string;
  time: number;
  captures: number;
  inlinks: number;
  outlinks: number;
  aliases: { url: string; reason: string }[];
  beginning: string;
}

export interface PageLinks extends Portion {
  rows: (Named & { links: number; anchors: string[] })[];
}

export interface PageScores extends Answer {
  rows: { method: string; by: string; score: number | null; place: number; of: number }[];
}

export interface Explained extends Answer {
  page: string;
  method: string;
  by: string;
  score: number | null;
  place: number;
  of: number;
  total: number;
  more: number;
  rows: { source: string; pages: number; amount: number | null; share: number | null }[];
}

export interface KnownFor extends Answer {
  rows: { term: string; reputation: number; penetration: number; focus: number; pages: number }[];
}

export interface Node extends Named {
  x: number;
  y: number;
  authority: number;
  hub: number;
  group: string;
}

export interface Drawing extends Answer {
  level: Level;
  caption: string;
  nodes: Node[];
  links: { source: number; target: number; weight: number }[];
  groups: { group: string; label: string; nodes: number }[];
  all_nodes: number;
  all_links: number;
}

export interface LooseEnds extends Answer {
  level: Level;
  nodes: number;
  links: number;
  unlinked: number;
  dangling: number;
  isolated: number;
}

export interface Form {
  type?: string;
  enum?: (string | number)[];
  minimum?: number;
  maximum?: number;
  anyOf?: Form[];
  items?: Form;
}

export interface OptionCard {
  name: string;
  parameter: string;
  description: string;
  default: unknown;
  form: Form;
}

export interface MethodLine {
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

export interface Methods extends Answer {
  methods: MethodLine[];
  dimensions: Record<Dimension, string[]>;
  base: OptionCard[];
}

export interface Card extends Answer, MethodLine {
  words: string;
  formula: string;
  cost: string;
  fails: string;
  differs: string;
  reference: string;
  options: OptionCard[];
}
