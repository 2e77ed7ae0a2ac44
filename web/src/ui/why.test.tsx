import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';

import { api } from '../api/client';
import { show } from '../testing/render';
import { application } from '../testing/samples';
import { serve } from '../testing/server';
import { RemoveForm } from '../pages/application/removeform';
import { SyncForm } from '../pages/application/syncform';
import { Remove } from './form';
import { HeldList } from './heldlist';
import { mostReason, reasonOf, within, type Reason } from './why';

const base = '/api/v1/applications/argocd/web';
const header = 'X-Causeway-Reason';

test('a reason is one header, whatever is typed', () => {
  expect(reasonOf('  ')).toEqual({});
  expect(reasonOf(' Störung, 5 % \n')).toEqual({ [header]: 'St%C3%B6rung%2C%205%20%25' });
});

test('a reason is cut between characters to what the audit keeps', () => {
  expect(within('a'.repeat(mostReason + 9))).toHaveLength(mostReason);
  const cut = within('🚢'.repeat(mostReason));
  expect(new TextEncoder().encode(cut).length).toBeLessThanOrEqual(mostReason);
  expect(cut.endsWith('🚢')).toBe(true);
});

/** reasons serves a write and keeps why it was made. */
function reasons(what: string, more: Record<string, () => unknown> = {}): (string | null)[] {
  const given: (string | null)[] = [];
  serve({
    ...more,
    [what]: (request) => {
      given.push(request.headers.get(header));
      return { id: 'mark', follow: '' };
    },
  });
  return given;
}

test('a sync says why where somebody does, and asks for no reason', async () => {
  const given = reasons(`POST ${base}/sync`, { [`GET ${base}/diff`]: () => [] });
  const { unmount } = show(<SyncForm app={application('web')} opened close={() => undefined} />);
  await userEvent.type(await screen.findByLabelText('Why'), 'hotfix for #7');
  await userEvent.click(screen.getByRole('button', { name: 'Sync' }));
  await expect.poll(() => given).toEqual(['hotfix%20for%20%237']);
  unmount();
  show(<SyncForm app={application('web')} opened close={() => undefined} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Sync' }));
  await expect.poll(() => given).toEqual(['hotfix%20for%20%237', null]);
});

test('a deletion says why', async () => {
  const given = reasons(`DELETE ${base}`);
  show(<RemoveForm app={application('web')} opened close={() => undefined} />);
  await userEvent.type(await screen.findByLabelText('Why'), 'moved');
  await userEvent.type(screen.getByLabelText('Type web to confirm'), 'web{Enter}');
  await expect.poll(() => given).toEqual(['moved']);
});

function Page() {
  const [sent, setSent] = useState<Reason | null>(null);
  return (
    <>
      <output>{JSON.stringify(sent)}</output>
      <Remove name="prod" opened close={() => undefined} remove={setSent} pending={false} error={null}>
        It goes.
      </Remove>
    </>
  );
}

test('what is deleted by its name says why, too', async () => {
  show(<Page />);
  await userEvent.type(await screen.findByLabelText('Why'), 'empty');
  await userEvent.type(screen.getByLabelText('Type prod to confirm'), 'prod{Enter}');
  expect(await screen.findByText('{"X-Causeway-Reason":"empty"}')).toBeDefined();
});

test('an approval says why', async () => {
  const given = reasons(`POST ${base}/approve`);
  show(
    <HeldList
      title="Held"
      lead="They go."
      count={0}
      items={[]}
      act="Approve"
      may
      command="causeway approve web"
      give={(headers) =>
        api.POST('/api/v1/applications/{namespace}/{name}/approve', {
          params: { path: { namespace: 'argocd', name: 'web' } },
          body: { digest: 'abc', minutes: 60 },
          headers,
        })
      }
      given="Approved"
      kind="applications"
    />,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Approve…' }));
  await userEvent.type(await screen.findByLabelText('Why'), 'meant');
  await userEvent.click(screen.getByRole('button', { name: 'Approve' }));
  await expect.poll(() => given).toEqual(['meant']);
});
