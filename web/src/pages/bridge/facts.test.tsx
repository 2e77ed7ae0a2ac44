import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '../../testing/render';
import { refused, serve } from '../../testing/server';
import { Facts } from './facts';

const route = 'GET /api/v1/bridge/prod/facts';
const fact = (name: string, value: string, type = 'string') => ({ name, value, type, source: 'cluster' });

test('what a cluster tells of itself stands there with its type and source, and API versions are counted', async () => {
  serve({
    [route]: () => ({ facts: [fact('nodeCount', '3', 'integer'), fact('apiVersions', 'apps/v1,batch/v1,v1')] }),
  });
  show(<Facts cluster="prod" />);
  const nodes = await screen.findByText('3', { selector: 'b' });
  expect(nodes.parentElement?.title).toBe('integer, told by: cluster');
  expect(screen.getByText('3 versions', { selector: 'summary' })).toBeDefined();
  expect(screen.getByText('apps/v1, batch/v1, v1')).toBeDefined();
});

test('what it does not tell is said, beside what it does', async () => {
  serve({ [route]: () => ({ facts: [fact('kubernetesVersion', '1.36.3')], untold: 'nodes may not be listed' }) });
  show(<Facts cluster="prod" />);
  await screen.findByText('nodes may not be listed');
  expect(screen.getByText('1.36.3')).toBeDefined();
});

test('a server that cannot tell leaves the page as it is', async () => {
  serve({ [route]: () => refused(404, 'no such path') });
  show(<Facts cluster="prod" />);
  await screen.findByText('not known');
});
