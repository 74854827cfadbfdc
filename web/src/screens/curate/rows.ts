/** The rows that are curated, and what a decision does to them before the server has answered. */

import type { CandidateSchema, PageRef, ProposalSchema, TagSchema, TagWords } from "../../api/schemas";

export const [DECISION, UNDECIDED] = ["decision", "undecided"] as const;
export const DECISIONS = ["in", "out", UNDECIDED] as const;
const REJECTED_SUFFIX = "-rejected";

export type Scope = TagSchema["scope"];

/** A page, host, domain or entity to decide on. */
export interface Row extends PageRef {
  /** What a tag on it names. */
  scope: Scope;
  target: string;
  inlinks: number;
  /** Its value of the facet that is shown; it may be that of what covers it. */
  value: string;
  tags: readonly TagSchema[];
  proposal: ProposalSchema | null;
}

/** A tag before it has a target. */
export interface Draft {
  facet: string;
  value: string;
  why: string;
}

export function candidateRow(row: CandidateSchema): Row {
  return { ...row, proposal: null };
}

export function proposalRow(row: ProposalSchema): Row {
  const { url, title, kind, inlinks, tags } = row;
  return { url, title, kind, inlinks, tags, scope: "page", target: url, value: "", proposal: row };
}

/** Whether nobody has decided on a row. */
export function isOpen(row: Row): boolean {
  return row.value === "" || row.value === UNDECIDED;
}

export function rejectedFacet(facet: string): string {
  return facet + REJECTED_SUFFIX;
}

/** Whether a facet remembers what was rejected, and is no facet of the user's. */
export function isRejection(facet: string): boolean {
  return facet.endsWith(REJECTED_SUFFIX);
}

/** The own tag of a row of a facet; of several rejections the last. */
export function ownTag(row: Row, facet: string): TagSchema | undefined {
  return row.tags.findLast((tag) => tag.facet === facet);
}

/** The value that was proposed for a row and rejected; empty if none was. */
export function rejectedValue(row: Row, facet: string): string {
  return ownTag(row, rejectedFacet(facet))?.value ?? "";
}

/** A row as it will be with a tag; `facet` is the one whose values are shown. */
export function withTag(row: Row, facet: string, draft: Draft, by: string, time: number): Row {
  const others = row.tags.filter((tag) => tag.facet !== draft.facet);
  const tags = draft.value ? [...others, { ...draft, scope: row.scope, target: row.target, by, time }] : others;
  return { ...row, tags, value: draft.facet === facet ? draft.value : row.value };
}

/** The words of a request that tags a row. */
export function tagWords(row: Row, draft: Draft): TagWords {
  return { target: row.target, scope: row.scope, ...draft };
}

/** The tag that keeps a note on a row: its own of the facet, else its decision, else that it is undecided. */
export function noteDraft(row: Row, facet: string, why: string): Draft {
  const tag = ownTag(row, facet) ?? ownTag(row, DECISION);
  return { facet: tag?.facet ?? DECISION, value: tag?.value ?? UNDECIDED, why };
}

/** Accept the proposed value. */
export function acceptDraft(facet: string, proposal: ProposalSchema, method: string): Draft {
  return { facet, value: proposal.value, why: `proposed by ${method}, certainty ${proposal.certainty.toFixed(2)}` };
}

/** Reject the proposed value: it is not proposed for this page again. */
export function rejectDraft(facet: string, proposal: ProposalSchema, method: string): Draft {
  return { facet: rejectedFacet(facet), value: proposal.value, why: `was proposed by ${method}` };
}

/** What an action applies to: the selected rows, or else the current one. */
export function targetRows(rows: readonly Row[], selected: ReadonlySet<string>, current: number): Row[] {
  if (selected.size > 0) return rows.filter((row) => selected.has(row.url));
  const row = rows[current];
  return row ? [row] : [];
}

/** The place after the last of some rows; it may be behind all rows. */
export function rowAfter(rows: readonly Row[], done: readonly Row[]): number {
  return Math.max(...done.map((row) => rows.indexOf(row))) + 1;
}

/** Rows with those of the next request that are not among them yet. */
export function appendRows(rows: readonly Row[], more: readonly Row[]): Row[] {
  const known = new Set(rows.map((row) => row.url));
  return [...rows, ...more.filter((row) => !known.has(row.url))];
}

/** Rows where some are replaced by others with the same URL. */
export function replaceRows(rows: readonly Row[], changed: readonly Row[]): Row[] {
  const byUrl = new Map(changed.map((row) => [row.url, row]));
  return rows.map((row) => byUrl.get(row.url) ?? row);
}
