import { expect, test } from 'vitest';

import { commandOf as auditCommand } from '../pages/audit/filter';
import {
  approveSetCommand,
  bridgeCommand,
  changesCommand,
  clusterCommand,
  commandsOf,
  fixed,
  fleetCommand,
  keysCommand,
  listCommand,
  makeKeyCommand,
  projectCommand,
  repositoryCommand,
  revokeKeyCommand,
  rolloutCommand,
  setCommand,
  shellCommand,
} from './commands';

const own = { namespace: 'argocd', name: 'web' };
const other = { namespace: 'team-a', name: 'web' };
const pod = { kind: 'Pod', namespace: 'shop', name: 'web-1' };
const job = { group: 'batch', kind: 'CronJob', namespace: 'shop', name: 'nightly' };
const commands = commandsOf('argocd');
const server = 'https://causeway.example.com:8443';

/** Every command that pages offer, in another form for each thing that it can have. */
const offered = [
  ...[own, other].flatMap((app) => [
    commands.tree(app),
    commands.diff(app),
    commands.history(app),
    commands.history(app, ['3', '0a1b2c3d']),
    commands.approve(app),
    commands.values(app),
    commands.trace(app),
    commands.trace(app, 3),
    commands.rollback(app, 3, false),
    commands.rollback(app, 3, true),
    commands.windows(app),
    commands.orphans(app),
    commands.events(app),
    commands.events(app, pod),
    commands.events(app, job),
    commands.logs(app),
    commands.logs(app, pod),
    commands.logs(app, pod, { container: 'proxy', previous: true }),
    commands.sync(app),
    commands.sync(app, [
      '--prune --dry-run --force --no-hooks --server-side --sync-option Validate=false',
      "--revision 'v1; rm' --resource apps:Deployment:shop/web --resource :Namespace:shop",
    ]),
    commands.why(app),
    commands.why(app, pod),
    commands.why(app, { kind: 'Namespace', name: 'shop' }),
    commands.action(app, job, 'create-job', {}),
    commands.action(app, { ...pod, group: '' }, 'scale', { replicas: '3' }),
  ]),
  commands.apps({}),
  commands.apps({ health: ['Degraded', 'Missing'], sync: ['OutOfSync'], q: "o'neil web" }, true),
  commands.apps({
    project: ['shop', 'web'],
    cluster: ['in-cluster'],
    namespace: ['team-a'],
    applicationSet: ['addons'],
    operation: ['Failed'],
    labels: 'tier!=edge',
    image: 'nginx:1',
    revision: 'a1b2',
    sort: '-name',
  }),
  ...Object.values(fixed),
  changesCommand({}),
  changesCommand({ q: 'raise memory', repo: 'abc', project: 'shop', cluster: 'prod', state: 'failed' }),
  bridgeCommand('prod'),
  setCommand('addons'),
  clusterCommand('prod'),
  projectCommand('shop'),
  repositoryCommand('https://git.example.com/shop.git'),
  listCommand(fixed.clusters, ['dev', 'prod eu'], true).text,
  fleetCommand([], false).text,
  fleetCommand(['dev', 'prod'], true).text,
  rolloutCommand('addons'),
  approveSetCommand('addons'),
  keysCommand(server, false),
  keysCommand(server, true),
  makeKeyCommand(server, 'ci of shop', { reads: true, rules: ['applications:sync:shop-*', 'logs:get:*'], days: 30 }),
  makeKeyCommand(server, 'portal', { reads: false, rules: ['applications:get:*'], days: 365 }),
  revokeKeyCommand(server, '4ekx2yb6hqhzk3ma'),
  auditCommand(
    new URLSearchParams({
      who: 'mina',
      verb: 'sync',
      name: 'web',
      project: 'shop',
      outcome: 'denied',
      q: 'a b',
      since: '24',
    }),
  ),
  'causeway logs --engine',
];

test('the command line parses what pages offer', async () => {
  // Its own test reads the same file: go test ./internal/cli -run TestCommandsOfPages
  await expect(`${offered.join('\n')}\n`).toMatchFileSnapshot('commands.txt');
});

test('an application is named as the command line takes it', () => {
  expect(commands.tree(own)).toBe('causeway tree web');
  expect(commands.tree(other)).toBe('causeway tree team-a/web');
  expect(commands.why(other, pod)).toBe('causeway why web/Pod/shop/web-1 --app-namespace=team-a');
  expect(commandsOf('team-a').tree(own)).toBe('causeway tree argocd/web');
  expect(commands.isElsewhere(['argocd'])).toBe(false);
  expect(commands.isElsewhere(['argocd', 'team-a'])).toBe(true);
});

test('a shell is opened in the cluster and the container that are meant', () => {
  expect(shellCommand('prod eu', pod, 'web')).toBe("kubectl exec -it --context='prod eu' -n shop web-1 -c web -- sh");
  for (const unnamed of [undefined, 'in-cluster', 'https://10.0.0.1:6443'])
    expect(shellCommand(unnamed, pod, undefined)).toBe('kubectl exec -it -n shop web-1 -- sh');
});

test('what a search leaves is named in the command, and not claimed where that is too much', () => {
  const all = { text: 'causeway get clusters', whole: true };
  expect(listCommand(fixed.clusters, ['dev', 'prod'], false)).toEqual(all);
  expect(listCommand(fixed.clusters, ['dev'], true)).toEqual({ text: 'causeway get clusters dev', whole: true });
  const twice = ['https://git.example.com/a', 'https://git.example.com/a'];
  expect(listCommand(fixed.repositories, twice, true).text).toBe(`${fixed.repositories} https://git.example.com/a`);
  expect(listCommand(fixed.clusters, [], true)).toEqual({ ...all, whole: false });
  const many = Array.from({ length: 21 }, (_, i) => `c${i}`);
  expect(listCommand(fixed.clusters, many, true)).toEqual({ ...all, whole: false });
  expect(fleetCommand(['dev', 'prod'], true).text).toBe('causeway get apps -o wide --cluster=dev,prod');
});

test('all filters are in the command', () => {
  expect(commands.apps({ project: ['shop', 'web'], labels: 'tier!=edge', health: ['Degraded'], q: 'a b' }, true)).toBe(
    "causeway get apps -A --project=shop,web --health=Degraded --search='a b' --selector='tier!=edge'",
  );
});
