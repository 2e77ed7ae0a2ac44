import { expect, test } from 'vitest';

import { application } from '../../testing/samples';
import { parentOf } from './parent';

const marked = (id: string) => application('web', { annotations: { 'argocd.argoproj.io/tracking-id': id } });

test('an application that another one has among its objects leads to it', () => {
  expect(parentOf(marked('root:argoproj.io/Application:argocd/web'), 'control')).toEqual({
    namespace: 'control',
    name: 'root',
  });
  expect(parentOf(marked('team_root:argoproj.io/Application:argocd/web'), 'control')).toEqual({
    namespace: 'team',
    name: 'root',
  });
});

test('a mark of another object, or none, leads nowhere', () => {
  for (const id of ['root:argoproj.io/Application:argocd/other', 'root:apps/Deployment:argocd/web', 'root', ':::', ''])
    expect(parentOf(marked(id), 'argocd')).toBeNull();
  expect(parentOf(application('web'), 'argocd')).toBeNull();
});
