import { beforeEach, expect, test, vi } from 'vitest';

import { page, row, application } from '../testing/samples';
import type { Application, Page } from './client';
import { Live, merge, type Connection } from './live';
import { newQueryClient } from './queries';
import { versionHeader, versions } from './version';

class Source extends EventTarget {
  static all: Source[] = [];
  closed = false;
  onerror: (() => void) | null = null;
  constructor(readonly url: string) {
    super();
    Source.all.push(this);
  }
  close() {
    this.closed = true;
  }
  send(type: string, data: unknown, lastEventId = '') {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data), lastEventId }));
  }
}

beforeEach(() => {
  Source.all = [];
  vi.stubGlobal('EventSource', Source);
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const list = ['applications', 'list', {}, 0];

test('a change is put into lists in place, and the rest stays the same object', () => {
  const client = newQueryClient();
  const before = page([row('a'), row('b')]);
  client.setQueryData(list, before);
  client.setQueryData(['applications', 'one', 'argocd', 'b'], application('b'));
  merge(client, { changed: [row('b', { health: 'Degraded' })] });
  const after = client.getQueryData<Page>(list);
  expect(after?.items?.map((r) => r.health)).toEqual(['Healthy', 'Degraded']);
  expect(after?.items?.[0]).toBe(before.items?.[0]);
  expect(client.getQueryData<Application>(['applications', 'one', 'argocd', 'b'])?.row.health).toBe('Degraded');
});

test('what a page has open of an Application that changed is read again', () => {
  const client = newQueryClient();
  const of = (part: string, name: string) => ['applications', part, 'argocd', name, { kind: 'ConfigMap', name: 'c' }];
  for (const part of ['object', 'actions', 'parameters'])
    for (const name of ['a', 'b']) client.setQueryData(of(part, name), {});
  merge(client, { changed: [row('b')] });
  const old = (part: string, name: string) => client.getQueryState(of(part, name))?.isInvalidated;
  expect([old('object', 'a'), old('object', 'b')]).toEqual([false, true]);
  expect([old('actions', 'a'), old('actions', 'b')]).toEqual([false, true]);
  expect([old('parameters', 'a'), old('parameters', 'b')]).toEqual([false, true]);
});

test('a list without what changed is not drawn again', () => {
  const client = newQueryClient();
  const before = page([row('a')]);
  client.setQueryData(list, before);
  merge(client, { changed: [row('z')] });
  expect(client.getQueryData(list)).toBe(before);
});

test('changes have lists read again, and no set expanded', () => {
  const client = newQueryClient();
  const live = new Live(client, () => undefined);
  const compared = ['environments', 'diff', 'shop', 'dev', 'prod'];
  for (const key of [['fleet'], compared, ['sets'], ['sets', 'argocd', 'addons']]) client.setQueryData(key, {});
  live.start();
  Source.all[0]?.send('applications', { changed: [row('a')] }, '7');
  vi.advanceTimersByTime(2_000);
  const old = (...key: string[]) => client.getQueryState(key)?.isInvalidated;
  expect([old('fleet'), old(...compared), old('sets')]).toEqual([true, true, true]);
  expect(old('sets', 'argocd', 'addons')).toBe(false);
  live.stop();
});

test('a lost stream is taken up where it ended, and told only when it stays lost', () => {
  const said: Connection[] = [];
  const live = new Live(newQueryClient(), (c) => said.push(c));
  live.start();
  Source.all[0]?.send('reset', { version: '5' }, '5');
  Source.all[0]?.send('applications', { changed: [] }, '7');
  Source.all[0]?.onerror?.();
  expect(said.at(-1)).toBe('live');
  vi.advanceTimersByTime(60_000);
  expect(Source.all[1]?.url).toBe('/api/v1/events?from=7');
  Source.all[1]?.onerror?.();
  expect(said.at(-1)).toBe('lost');
  vi.advanceTimersByTime(60_000);
  Source.all[2]?.send('beat', {});
  expect(said.at(-1)).toBe('live');
  live.stop();
});

test('a stream on which nothing comes is begun anew', () => {
  const live = new Live(newQueryClient(), () => undefined);
  live.start();
  vi.advanceTimersByTime(70_000);
  expect(Source.all[0]?.closed).toBe(true);
  expect(Source.all.length).toBeGreaterThan(1);
  live.stop();
});

test('when too much has happened everything is read again; not at the beginning', () => {
  const client = newQueryClient();
  const invalidate = vi.spyOn(client, 'invalidateQueries');
  const live = new Live(client, () => undefined);
  live.start();
  Source.all[0]?.send('reset', { version: '1' }, '1');
  expect(invalidate).not.toHaveBeenCalled();
  Source.all[0]?.send('reset', { version: '9' }, '9');
  expect(invalidate).toHaveBeenCalledWith();
  live.stop();
});

test('what changed between the first answer and the begin of the stream is read again, and nothing else', () => {
  const answer = (version: number) => versions.read(new Headers({ [versionHeader]: String(version) }));
  const begun = () => {
    const client = newQueryClient();
    const invalidate = vi.spyOn(client, 'invalidateQueries');
    const live = new Live(client, () => undefined);
    live.start();
    return { live, invalidate, begin: (v: string) => Source.all.at(-1)?.send('reset', { version: v }, v) };
  };
  const before = begun();
  answer(7);
  answer(9);
  before.begin('9');
  vi.advanceTimersByTime(100);
  expect(before.invalidate).toHaveBeenCalledTimes(1);
  // An answer that was on its way meanwhile is as old.
  answer(8);
  answer(8);
  vi.advanceTimersByTime(100);
  expect(before.invalidate).toHaveBeenCalledTimes(2);
  // Another server may count otherwise: nobody reads for ever.
  answer(8);
  vi.advanceTimersByTime(100);
  expect(before.invalidate).toHaveBeenCalledTimes(2);
  before.live.stop();
  const same = begun();
  answer(9);
  same.begin('9');
  answer(9);
  answer(12);
  vi.advanceTimersByTime(100);
  expect(same.invalidate).not.toHaveBeenCalled();
  same.live.stop();
});
