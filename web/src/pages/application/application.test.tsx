import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';

import { show } from '../../testing/render';
import { application, hostile } from '../../testing/samples';
import { refused, serve } from '../../testing/server';
import type { Hold, Trace } from '../../api/client';
import { refOf, refText, useKnown, type Address } from './address';
import { Approvals } from './approvals';
import { concernsOf, Conditions } from './conditions';
import { Differences } from './diff';
import Drawer from './drawer';
import { Held, titleOf } from './hold';
import History from './history';
import { Logs } from './logs';
import { Partial } from './objects';
import { SyncForm } from './syncform';
import Timeline, { spanOf, stretchesOf } from './timeline';
import { branches, ownersOf, visible } from './tree';
import { Unwell } from './unwell';

const base = '/api/v1/applications/argocd/web';
const nothing = () => undefined;

test('conditions are told in plain words with the way out, and nothing twice', () => {
  const app = application('web', {
    conditions: [{ type: 'SyncError', message: 'Service web: port 99999 is invalid' }],
    operation: { phase: 'Failed', message: 'Service web: port 99999 is invalid' },
  });
  expect(concernsOf(app).map((c) => c.title)).toEqual(['The last sync failed']);
  expect(
    concernsOf(application('web', { conditions: [{ type: 'SomethingNewWarning', message: 'x' }] }))[0]?.title,
  ).toBe('Something New Warning');
});

test('an application that is not healthy says which object is to blame and why, the worst first', () => {
  const object = (name: string, health: string, message: string) => ({
    group: 'apps',
    kind: 'Deployment',
    namespace: 'shop',
    name,
    health,
    message,
    wave: 0,
  });
  const app = application('web', {
    row: { ...application('web').row, health: 'Degraded', message: 'exceeded its progress deadline' },
    resources: [
      object('new', 'Progressing', 'Waiting for rollout'),
      object('fine', 'Healthy', ''),
      object('stuck', 'Degraded', `Deployment "stuck" exceeded its progress deadline`),
    ],
  });
  show(<Unwell app={app} />, '/applications/argocd/web?tab=diff');
  expect(screen.getAllByRole('link').map((a) => a.textContent)).toEqual(['Deployment stuck', 'Deployment new']);
  expect(screen.getByRole('link', { name: 'Deployment stuck' }).getAttribute('href')).toBe(
    '/applications/argocd/web?tab=diff&object=apps%7E%7EDeployment%7Eshop%7Estuck',
  );
  expect(screen.getByText('Deployment "stuck" exceeded its progress deadline')).toBeDefined();
  expect(screen.queryByText('exceeded its progress deadline')).toBeNull();
});

test('a healthy application says nothing of its objects, one that says why itself is believed', () => {
  const { unmount } = show(<Unwell app={application('web')} />);
  expect(screen.queryByRole('region')).toBeNull();
  unmount();
  show(
    <Unwell app={application('web', { row: { ...application('web').row, health: 'Degraded', message: hostile } })} />,
  );
  expect(screen.getByText(hostile)).toBeDefined();
});

test('messages are text', () => {
  show(<Conditions app={application('web', { conditions: [{ type: 'ComparisonError', message: hostile }] })} />);
  expect(screen.getByText(hostile)).toBeDefined();
  expect(document.querySelector('img')).toBeNull();
});

test('an object that is created is shown whole, and not as a field', () => {
  const whole = { path: '', new: { kind: 'ConfigMap', data: { beta: 'true' } } };
  const text = 'kind: ConfigMap\ndata:\n  beta: "true"\n';
  show(<Differences list={[{ verb: 'create', kind: 'ConfigMap', name: 'flags', desired: text, changes: [whole] }]} />);
  expect(screen.getByText('kind: ConfigMap')).toBeDefined();
  expect(screen.queryByText('1 field')).toBeNull();
  expect(screen.queryByText(/"data"/)).toBeNull();
});

test('differences are text', () => {
  show(
    <Differences
      list={[{ verb: 'update', kind: 'ConfigMap', name: hostile, live: `a: ${hostile}\n`, desired: 'a: b\n' }]}
    />,
  );
  expect(screen.getByText(`a: ${hostile}`)).toBeDefined();
  expect(document.querySelector('img')).toBeNull();
});

test('a sync asks for what was chosen, and shows the same as a command', async () => {
  const { sent } = serve({
    [`GET ${base}/diff`]: () => [{ verb: 'update', kind: 'Deployment', name: 'web' }],
    [`POST ${base}/sync`]: () => ({ id: 'mark', follow: '' }),
  });
  const resources = [
    { kind: 'Deployment', group: 'apps', name: 'web', namespace: 'shop', sync: 'OutOfSync', wave: 0 },
    { kind: 'Service', name: 'web', namespace: 'shop', sync: 'Synced', wave: 0 },
  ];
  show(<SyncForm app={application('web', { resources })} opened close={nothing} />);
  expect(await screen.findByText('1 to change')).toBeDefined();
  expect(screen.getByText('Deployment web')).toBeDefined();
  await userEvent.click(screen.getByLabelText('Delete objects that are no longer in Git'));
  await userEvent.click(screen.getByLabelText('Only some objects'));
  await userEvent.type(screen.getByLabelText('Revision'), 'v1; rm');
  expect(
    screen.getByText("causeway sync web --prune --revision 'v1; rm' --resource apps:Deployment:shop/web"),
  ).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Sync' }));
  await expect
    .poll(() => sent.find((s) => s.what.startsWith('POST'))?.body)
    .toMatchObject({
      prune: true,
      force: false,
      revision: 'v1; rm',
      resources: [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' }],
    });
});

test('a sync that is refused says why, and what was filled in stays', async () => {
  serve({ [`GET ${base}/diff`]: () => [], [`POST ${base}/sync`]: () => refused(409, 'a sync runs already') });
  show(<SyncForm app={application('web')} opened close={nothing} />);
  await userEvent.type(await screen.findByLabelText('Revision'), 'v2');
  await userEvent.click(screen.getByRole('button', { name: 'Sync' }));
  expect((await screen.findByRole('alert')).textContent).toBe('a sync runs already');
  expect(screen.getByLabelText<HTMLInputElement>('Revision').value).toBe('v2');
});

test('many objects of a kind are taken together until somebody opens them', () => {
  const pods = Array.from({ length: 980 }, (_, i) => ({
    kind: 'Pod',
    name: `web-${i}`,
    uid: `p${i}`,
    health: i === 5 ? 'Degraded' : 'Healthy',
  }));
  const all = branches({ nodes: [{ kind: 'ReplicaSet', name: 'web', uid: 'rs', children: pods }] });
  const closed = visible(all, { toggled: new Set() });
  expect(closed.map((b) => [b.kind, b.size, b.bad])).toEqual([
    ['ReplicaSet', 1, 0],
    ['Pod', 980, 1],
  ]);
  expect(visible(all, { toggled: new Set([closed[1]?.id ?? '']) })).toHaveLength(982);
});

test('an object that owns itself in a circle is shown once', () => {
  const node = { kind: 'A', name: 'a', uid: '1' };
  expect(visible(branches({ nodes: [{ ...node, children: [node] }] }), { toggled: new Set() })).toHaveLength(1);
});

test('an object in an address is read as it was written, and anything else is none', () => {
  const ref = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  expect(refOf(refText(ref))).toEqual(ref);
  for (const text of [null, '', '~~~~', 'a~b', hostile]) expect(refOf(text)).toBeNull();
});

const nowhere: Address = {
  key: { namespace: 'argocd', name: 'web' },
  tab: 'graph',
  object: null,
  part: 'live',
  sync: null,
  compared: [],
  compare: nothing,
  show: nothing,
  open: nothing,
};

function Known() {
  useKnown();
  return null;
}

test('a tab that there is none of leaves the address, and the rest of it stays', async () => {
  const { router } = show(<Known />, '/applications/argocd/web?tab=grahp&object=~~Pod~shop~web&part=diff');
  await expect.poll(() => router.state.location.search).not.toContain('tab=');
  expect(router.state.location.search).toContain('part=diff');
  expect(router.state.location.search).toContain('Pod');
});

test('a wave that waits is told with the object, why, and the way to it', async () => {
  const opened: (string | undefined)[] = [];
  const hold: Hold = {
    for: 'wave',
    phase: 'Sync',
    wave: 1,
    message: 'waiting for apps/Deployment:shop/web in wave 1: 1 of 3',
    since: '2026-01-01T10:00:00Z',
    objects: [
      {
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
        health: 'Progressing',
        message: hostile,
      },
      { kind: 'Service', namespace: 'shop', name: 'web', health: 'Progressing' },
    ],
  };
  const address: Address = { ...nowhere, open: (object) => opened.push(object?.kind) };
  show(<Held app={application('web', { hold })} address={address} />);
  expect(screen.getByRole('heading').textContent).toContain('Wave 1 waits for Deployment web and 1 more');
  expect(screen.getByText(hostile)).toBeDefined();
  expect(screen.getByText('causeway why web/Deployment/shop/web')).toBeDefined();
  await userEvent.click(screen.getByRole('button', { name: 'Deployment web' }));
  expect(opened).toEqual(['Deployment']);
  expect(
    titleOf({ for: 'wave', message: '', phase: 'PreSync', wave: -1, objects: [{ kind: 'Job', name: 'migrate' }] }),
  ).toBe('PreSync wave -1 waits for Job migrate');
});

test('a wave that waits for another application leads to its page, and says that the cause is told there', async () => {
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'argocd', name: 'ingress', health: 'Degraded' };
  const hold: Hold = { for: 'wave', phase: 'Sync', wave: 1, message: 'waiting', objects: [child] };
  const { unmount } = show(<Held app={application('web', { hold })} address={nowhere} />);
  for (const name of ['Application ingress', 'Open ingress'])
    expect(screen.getByRole('link', { name }).getAttribute('href')).toBe('/applications/argocd/ingress');
  expect(screen.getByText(/its own page says/)).toBeDefined();
  expect(screen.queryByRole('button', { name: /Events of/ })).toBeNull();
  unmount();
  serve({ [`GET ${base}/object`]: () => ({ ...child, live: 'kind: Application' }) });
  show(<Drawer address={nowhere} object={child} />);
  expect((await screen.findByRole('link', { name: 'Open ingress' })).getAttribute('href')).toBe(
    '/applications/argocd/ingress',
  );
});

test('what several kinds say of their cluster is told once', () => {
  show(<Partial text={'cluster dev does not answer\ncluster dev does not answer\npods are not read'} />);
  expect(
    screen.getByText(/Not everything can be shown: cluster dev does not answer · pods are not read$/),
  ).toBeDefined();
});

test('the log of a container that was never restarted is said not to be there', async () => {
  const said = 'previous terminated container "web" in pod "web-1" not found';
  vi.stubGlobal('fetch', () => Promise.resolve(refused(502, said)));
  show(<Logs app={nowhere.key} namespace="shop" pod="web-1" containers={['web']} />, '/?previous=1');
  expect(await screen.findByText(/was not restarted/)).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

test('the command of an object names the container that is chosen, and says where it shows more', async () => {
  const pod = { version: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-1' };
  serve({
    [`GET ${base}`]: () => application('web'),
    [`GET ${base}/object`]: () => ({ ...pod, live: 'kind: Pod', containers: ['web', 'proxy'] }),
    [`GET ${base}/diff`]: () => [],
    [`GET ${base}/terminal`]: () => ({ on: true, permitted: true, running: ['web', 'proxy'], idle: 60, longest: 600 }),
  });
  const at = (part: Address['part'], search = '') => {
    const { unmount } = show(<Drawer address={{ ...nowhere, part }} object={pod} />, `/${search}`);
    return unmount;
  };
  let leave = at('logs');
  expect(await screen.findByText('causeway logs web --pod=shop/web-1 --container=web')).toBeDefined();
  leave();
  leave = at('logs', '?container=proxy&previous=1');
  expect(await screen.findByText('causeway logs web --pod=shop/web-1 --container=proxy --previous')).toBeDefined();
  expect(screen.queryByText('shows all')).toBeNull();
  leave();
  leave = at('terminal', '?container=proxy');
  expect(await screen.findByText('kubectl exec -it --context=prod -n shop web-1 -c proxy -- sh')).toBeDefined();
  leave();
  at('diff');
  expect(await screen.findByText('causeway diff web')).toBeDefined();
  expect(screen.getByText('shows all')).toBeDefined();
});

test('the focus goes back to what opened an object', async () => {
  serve({ [`GET ${base}/object`]: () => ({ kind: 'Service', name: 'web', live: 'kind: Service' }) });
  function Page() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <button onClick={() => setOpen(true)}>of the graph</button>
        {open && (
          <Drawer address={{ ...nowhere, open: () => setOpen(false) }} object={{ kind: 'Service', name: 'web' }} />
        )}
      </>
    );
  }
  show(<Page />);
  await userEvent.click(screen.getByRole('button', { name: 'of the graph' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Close' }));
  await expect.poll(() => document.activeElement?.textContent).toBe('of the graph');
});

const runs: Trace = {
  sync: {
    id: 'now',
    app: { namespace: 'argocd', name: 'web', uid: 'web' },
    started: '2026-01-01T10:00:00Z',
    phase: 'Running',
    message: 'waiting for apps/Deployment:shop/web in wave 1',
    cause: 'requested',
    changed: {},
    waves: [
      {
        phase: 'Sync',
        number: 1,
        started: '2026-01-01T10:00:00Z',
        applied: '2026-01-01T10:00:02Z',
        objects: [
          { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', verb: 'update', took: 1e9 },
          { kind: 'Service', namespace: 'shop', name: 'web', verb: 'update', healthy: '2026-01-01T10:00:02Z' },
        ],
      },
    ],
  },
};

test('a sync that runs takes until now, and one that has ended until its end', () => {
  const now = Date.parse('2026-01-01T10:05:00Z');
  const from = Date.parse('2026-01-01T10:00:00Z');
  expect(spanOf(runs, now)).toEqual({ from, to: now });
  const ended = { ...runs, sync: { ...runs.sync, phase: 'Succeeded', finished: '2026-01-01T10:01:00Z' } };
  expect(spanOf(ended, now)).toEqual({ from, to: from + 60_000 });
});

test('what a sync did before its first wave is part of its time', () => {
  const started = '2026-01-01T09:59:50Z';
  const of = (second: number) => Date.parse(started) + second * 1000;
  const sync = { ...runs.sync, started };
  expect(stretchesOf({ ...runs, sync })).toEqual([{ name: 'prepare', from: of(0), to: of(10) }]);
  const passes = {
    began: '2026-01-01T09:59:50Z',
    fetched: '2026-01-01T09:59:53Z',
    rendered: '2026-01-01T09:59:53Z',
    planned: '2026-01-01T09:59:59Z',
  };
  expect(stretchesOf({ ...runs, sync: { ...sync, passes } })).toEqual([
    { name: 'fetch', from: of(0), to: of(3) },
    { name: 'plan', from: of(3), to: of(9) },
  ]);
  expect(stretchesOf(runs)).toEqual([]);
});

test('the timeline of a sync that runs says what it waits for, with the way to it, and not as an error', async () => {
  serve({ [`GET ${base}/history`]: () => [runs.sync], [`GET ${base}/history/now`]: () => runs });
  const hold: Hold = {
    for: 'wave',
    phase: 'Sync',
    wave: 1,
    message: 'waiting for apps/Deployment:shop/web in wave 1',
    objects: [{ group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web', health: 'Progressing' }],
  };
  show(<Timeline address={nowhere} app={application('web', { hold })} />, '/applications/argocd/web?tab=timeline');
  expect((await screen.findByText(/Wave 1 waits for/)).textContent).toContain('Wave 1 waits for Deployment web');
  expect(screen.getByRole('link', { name: 'Deployment web' }).getAttribute('href')).toBe(
    '/applications/argocd/web?tab=timeline&object=apps%7E%7EDeployment%7Eshop%7Eweb',
  );
  expect(screen.queryByText('waiting for apps/Deployment:shop/web in wave 1')).toBeNull();
  expect(screen.getByText(/has run for/)).toBeDefined();
  expect(screen.getAllByText(/^waits, /)).toHaveLength(1);
});

test('the timeline of a sync of many tries says what is left out', async () => {
  const waves = [
    ...(runs.sync.waves ?? []),
    { phase: 'Sync', number: 1, started: runs.sync.started, try: 20, unchanged: 2 },
  ];
  const sync = { ...runs.sync, waves, leftOut: 17, omitted: { total: 1 } };
  serve({ [`GET ${base}/history`]: () => [sync], [`GET ${base}/history/now`]: () => ({ sync }) });
  show(<Timeline address={nowhere} app={application('web')} />, '/applications/argocd/web?tab=timeline');
  expect(await screen.findByText('2 objects unchanged since an earlier try')).toBeDefined();
  expect(screen.getByText('Of tries 2 to 18, only objects are kept that no later try has.')).toBeDefined();
  expect(screen.getByText('1 object is not kept: there were too many.')).toBeDefined();
});

test('an object that only its owner makes says so, with the way to it and to what Git has', async () => {
  const pod = { kind: 'Pod', namespace: 'shop', name: 'web-1' };
  const deployment = { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' };
  const set = { group: 'apps', kind: 'ReplicaSet', namespace: 'shop', name: 'web-5c9f' };
  const tree = { nodes: [{ ...deployment, children: [{ ...set, children: [pod] }] }] };
  expect(ownersOf(tree, pod).map((n) => n.kind)).toEqual(['Deployment', 'ReplicaSet']);
  expect(ownersOf(tree, deployment)).toEqual([]);
  expect(ownersOf(undefined, pod)).toEqual([]);
  serve({
    [`GET ${base}/diff`]: () => [],
    [`GET ${base}/tree`]: () => tree,
    [`GET ${base}/object`]: () => ({ ...pod, live: 'kind: Pod' }),
  });
  show(<Drawer address={{ ...nowhere, part: 'diff' }} object={pod} />, '/applications/argocd/web?part=diff');
  expect(await screen.findByText('Made by its ReplicaSet, not by Git')).toBeDefined();
  expect(screen.queryByText('No difference')).toBeNull();
  expect(screen.getByRole('link', { name: 'ReplicaSet web-5c9f' }).getAttribute('href')).toContain('part=diff');
  expect(screen.getByRole('link', { name: 'Deployment web' })).toBeDefined();
});

test('what Git has is not said to be nothing where it is not known', async () => {
  const service = { kind: 'Service', namespace: 'shop', name: 'web' };
  serve({
    [`GET ${base}/object`]: () => ({ ...service, live: 'kind: Service', problem: 'chart web has no template' }),
  });
  show(<Drawer address={{ ...nowhere, part: 'desired' }} object={service} />);
  expect(await screen.findByText('chart web has no template')).toBeDefined();
  expect(screen.getByText('What Git has is not known')).toBeDefined();
  expect(screen.queryByText('Git does not have it.')).toBeNull();
});

test('other waits are told as they are, and nothing is told of a sync that does not wait', () => {
  const { container } = show(<Held app={application('web')} address={nowhere} />);
  expect(container.querySelector('section')).toBeNull();
  show(
    <Held app={application('web', { hold: { for: 'approval', message: 'denied: 40 objects' } })} address={nowhere} />,
  );
  expect(screen.getByText('denied: 40 objects')).toBeDefined();
  expect(screen.getByText('causeway approve web')).toBeDefined();
});

test('what is held is listed before it is let go, by who may', async () => {
  const held = {
    approval: { digest: 'abc', count: 7, objects: [{ kind: 'ConfigMap', namespace: 'shop', name: hostile }] },
    confirmation: { digest: 'def', count: 1, objects: [{ kind: 'Namespace', name: 'shop' }] },
  };
  const { unmount } = show(<Approvals app={application('web', { held })} />);
  expect(screen.queryByRole('button', { name: 'Approve deletion…' })).toBeNull();
  expect(screen.getAllByText('causeway approve web')).toHaveLength(2);
  unmount();
  const { sent } = serve({ [`POST ${base}/approve`]: () => undefined });
  show(<Approvals app={application('web', { held, can: ['update'] })} />);
  await userEvent.click(screen.getByRole('button', { name: 'Approve deletion…' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain(hostile);
  expect(dialog.textContent).toContain('and 6 more');
  expect(sent).toEqual([]);
  await userEvent.click(within(dialog).getByRole('button', { name: 'Approve deletion' }));
  await expect.poll(() => sent.map((s) => s.body)).toEqual([{ digest: 'abc', minutes: 60 }]);
});

const pastSync = (id: string, minute: number) => ({
  id,
  app: { namespace: 'argocd', name: 'web', uid: 'web' },
  started: `2026-01-01T10:${minute}:00Z`,
  finished: `2026-01-01T10:${minute}:30Z`,
  phase: 'Succeeded',
  cause: 'requested',
  changed: {},
  rendering: 'a',
});

test('the history goes on with older syncs, and an address compares with one of them before that', async () => {
  const compared: string[] = [];
  const list = (syncs: unknown[], next = '') =>
    new Response(JSON.stringify(syncs), {
      headers: { 'Content-Type': 'application/json', ...(next && { 'X-Causeway-Next': next }) },
    });
  serve({
    [`GET ${base}/history`]: (_, url) =>
      url.searchParams.get('before') === 'here' ? list([pastSync('old', 10)]) : list([pastSync('new', 30)], 'here'),
    [`GET ${base}/history/old`]: () => ({ sync: pastSync('old', 10), changes: [] }),
    [`GET ${base}/history/old/compare/new`]: () => {
      compared.push('old to new');
      return [];
    },
  });
  show(<History address={{ ...nowhere, compared: ['new', 'old'] }} app={application('web')} />);
  expect(await screen.findByText('Nothing differs from the last sync.')).toBeDefined();
  expect(compared).toEqual(['old to new']);
  expect(screen.getAllByRole('checkbox')).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'Older syncs' }));
  await expect.poll(() => screen.getAllByRole('checkbox')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: 'Older syncs' })).toBeNull();
});

test('the timeline names the sync that it shows, also where that is older than those that are known', async () => {
  serve({
    [`GET ${base}/history`]: () => [pastSync('new', 30), pastSync('last', 20)],
    [`GET ${base}/history/old`]: () => ({ sync: pastSync('old', 10), changes: [] }),
  });
  show(<Timeline address={{ ...nowhere, sync: 'old' }} app={application('web')} />);
  const choice = await screen.findByRole<HTMLSelectElement>('combobox');
  expect(choice.value).toBe('old');
  expect(choice.options).toHaveLength(3);
});

test('a sync that is not in the history is asked for again when the list has changed, and not before', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const old = { sync: pastSync('old', 10), changes: [] };
  let known = [pastSync('new', 30)];
  const { sent } = serve({
    [`GET ${base}/history`]: () => known,
    [`GET ${base}/history/old`]: () => (known.length > 1 ? old : refused(404, 'sync old is not in the history')),
    [`GET ${base}/history/old/compare/new`]: () => [],
  });
  const asked = (what: string) => sent.filter((s) => s.what === `GET ${base}/${what}`).length;
  show(<History address={{ ...nowhere, compared: ['new', 'old'] }} app={application('web')} />);
  await expect.poll(() => asked('history/old')).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked('history')).toBeGreaterThan(2);
  expect(asked('history/old')).toBe(1);
  known = [pastSync('last', 40), ...known];
  await vi.advanceTimersByTimeAsync(16_000);
  expect(await screen.findByText('Nothing differs from the last sync.')).toBeDefined();
  expect(asked('history/old')).toBe(2);
});

test('a rollback of what syncs by itself is said to stay, and prunes only where that is chosen', async () => {
  const sync = {
    id: 'older',
    app: { namespace: 'argocd', name: 'web', uid: 'web' },
    started: '2026-01-01T10:00:00Z',
    phase: 'Succeeded',
    cause: 'requested',
    changed: {},
    rendering: 'a',
    history: 3,
  };
  serve({
    [`GET ${base}/history`]: () => [{ ...sync, id: 'newer', history: 4 }, sync],
    [`GET ${base}/history/newer/compare/older`]: () => [{ verb: 'prune', kind: 'ConfigMap', name: 'flags' }],
  });
  show(<History address={nowhere} app={application('web')} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Roll back to this' }));
  expect((await screen.findByText(/stays as it is then/)).textContent).toContain('until its manifests change in Git');
  expect(screen.getByText('causeway rollback web 3 --prune=false')).toBeDefined();
  expect(await screen.findByText(/is not in that version/)).toBeDefined();
  expect(screen.queryByText(/is no longer in Git/)).toBeNull();
  await userEvent.click(screen.getByLabelText('Delete objects that it did not have'));
  expect(screen.getByText('causeway rollback web 3')).toBeDefined();
});
