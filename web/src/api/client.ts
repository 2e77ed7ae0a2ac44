import createClient from 'openapi-fetch';

import type { components, paths } from './schema';
import { versions } from './version';

type Schemas = components['schemas'];
export type Batch = Schemas['Batch'];
export type BatchResult = Schemas['BatchResult'];
export type BridgeAcross = Schemas['BridgeAcross'];
export type BridgeApplication = Schemas['BridgeApplication'];
export type BridgePreview = Schemas['BridgePreview'];
export type Account = Schemas['Account'];
export type APIKey = Schemas['APIKey'];
export type KeyRule = Schemas['Rule'];
export type AuditEntry = Schemas['AuditEntry'];
export type AuditPage = Schemas['AuditPage'];
export type AuditProof = Schemas['AuditProof'];
export type OwnRights = Schemas['OwnRights'];
export type BridgeCluster = Schemas['BridgeCluster'];
export type BridgeFleetKey = Schemas['BridgeFleetKey'];
export type BridgeKey = Schemas['BridgeKey'];
export type BridgeKeyCluster = Schemas['BridgeKeyCluster'];
export type BridgeOverview = Schemas['BridgeOverview'];
export type BridgeReader = Schemas['BridgeReader'];
export type BridgeSummary = Schemas['BridgeSummary'];
export type Acted = Schemas['Acted'];
export type Action = Schemas['Action'];
export type Application = Schemas['Application'];
export type Between = Schemas['Between'];
export type Cluster = Schemas['Health'];
export type Commit = Schemas['Commit'];
export type CommitDetail = Schemas['CommitDetail'];
export type CommitStage = Schemas['CommitStage'];
export type CommitStep = Schemas['CommitStep'];
export type Condition = Schemas['Condition'];
export type Delta = Schemas['Delta'];
export type Difference = Schemas['Difference'];
export type EnvironmentCell = Schemas['EnvironmentCell'];
export type Environments = Schemas['EnvironmentMatrix'];
export type Expansion = Schemas['Expansion'];
export type Event = Schemas['Event'];
export type Find = Schemas['Find'];
export type FindKind = Schemas['FoundGroup']['kind'];
export type Found = Schemas['Found'];
export type Fleet = Schemas['Fleet'];
export type FleetCell = Schemas['FleetCell'];
export type FleetCluster = Schemas['FleetCluster'];
export type GeneratedApp = Schemas['GeneratedApp'];
export type GuardedDeletion = Schemas['GuardedDeletion'];
export type HeldBy = Schemas['HeldBy'];
export type HeldObjects = Schemas['HeldObjects'];
export type Hold = Schemas['Hold'];
export type Key = Schemas['Key'];
export type Node = Schemas['Node'];
export type ObjectDetail = Schemas['Object'];
export type Operation = Schemas['Operation'];
export type Parameter = Schemas['Parameter'];
export type ParameterKey = Schemas['ParameterKey'];
export type ParameterKeys = Schemas['ParameterKeys'];
export type ParameterLayer = Schemas['ParameterLayer'];
export type ParameterSource = Schemas['ParameterSource'];
export type Page = Schemas['Page'];
export type PastSync = Schemas['PastSync'];
export type PastWave = Schemas['PastWave'];
export type PastObject = Schemas['PastObject'];
export type Product = Schemas['EnvironmentProduct'];
export type Project = Schemas['Project'];
export type Ref = Schemas['Ref'];
export type Member = Schemas['Member'];
export type MemberApplication = Schemas['MemberApplication'];
export type MemberDeletion = Schemas['MemberDeletion'];
export type MemberWish = Schemas['MemberWish'];
export type ProjectDetail = Schemas['ProjectDetail'];
export type ProjectSpec = Schemas['AppProjectSpec'];
export type Repository = Schemas['Repository'];
export type RepositoryWish = Schemas['RepositoryWish'];
export type Probed = Schemas['Probed'];
export type Resource = Schemas['Resource'];
export type Row = Schemas['Row'];
export type Schedule = Schemas['Schedule'];
export type Session = Schemas['Session'];
export type AppSet = Schemas['Set'];
export type SetDetail = Schemas['SetDetail'];
export type StepStage = Schemas['StepStage'];
export type SyncWish = Schemas['Sync'];
export type Trace = Schemas['Trace'];
export type Tree = Schemas['Tree'];
export type Unowned = Schemas['Unowned'];

/** The client of the API; its types are generated from the OpenAPI document. */
export const api = createClient<paths>({
  baseUrl: window.location.origin,
  fetch: async (request) => {
    const response = await globalThis.fetch(request);
    versions.read(response.headers);
    return response;
  },
});

/** Problem is an answer that is none: a problem document, or no server at all (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    /** What is wrong with a field of what was sent, by its path: secrets.password. */
    readonly fields: Record<string, string> = {},
  ) {
    super(detail);
    this.name = 'Problem';
  }
}

type Answer<T> = { data?: T; error?: unknown; response: Response };

/** body gives what the server answered, or throws a Problem. */
export async function body<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Problem(0, '');
  }
  if (answer.response.ok) return answer.data as T;
  throw new Problem(answer.response.status, detailOf(answer.error), fieldsOf(answer.error));
}

/** fieldsOf reads what a problem document says of each field of a body, a line each. */
export function fieldsOf(error: unknown): Record<string, string> {
  const errors = typeof error === 'object' && error !== null ? (error as { errors?: unknown }).errors : undefined;
  const out: Record<string, string> = {};
  for (const one of Array.isArray(errors) ? (errors as { location?: unknown; message?: unknown }[]) : [])
    if (typeof one.location === 'string' && typeof one.message === 'string') {
      const field = one.location.replace(/^body\.?/, '');
      out[field] = out[field] ? `${out[field]}\n${one.message}` : one.message;
    }
  return out;
}

/** detailOf reads a problem document; proxies answer with something else. */
export function detailOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { detail, title } = error as { detail?: unknown; title?: unknown };
  if (typeof detail === 'string' && detail !== '') return detail;
  return typeof title === 'string' ? title : '';
}
