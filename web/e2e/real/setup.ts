import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

import { hold } from '../leash';
import { Fleet } from './fleet';

declare module 'vitest' {
  export interface ProvidedContext {
    folder: string;
  }
}

const policy = `
p, role:look, applications, get, billing/*, allow
p, role:work, applications, *, storefront/*, allow
g, billing-readers, role:look
g, storefront-writers, role:work
g, admin, role:admin
`;

/** setup starts the fleet for all tests, and an issuer that the engine is told of. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-e2e-'));
  hold(process.env.CAUSEWAY_KEEP ? '' : folder);
  const fleet = new Fleet(folder);
  // Who interrupts the tests gets no time to tidy up.
  process.once('exit', () => fleet.leave());
  try {
    fleet.make();
    const [signIn] = await Promise.all([fleet.up(), fleet.west()]);
    const issuer = await fleet.issuer(`${signIn.url}/auth/callback`);
    await fleet.addWest();
    const metadata = (name: string) => ({
      name,
      namespace: 'argocd',
      labels: { 'app.kubernetes.io/part-of': 'argocd' },
    });
    await fleet.apply('hub', {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'Secret', metadata: metadata('people'), stringData: { secret: issuer.clientSecret } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('argocd-rbac-cm'), data: { 'policy.csv': policy } },
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: metadata('argocd-cm'),
          data: {
            url: signIn.url,
            'accounts.operator': 'login',
            'oidc.config': JSON.stringify({
              name: 'Work',
              issuer: issuer.issuer,
              clientID: issuer.clientID,
              clientSecret: '$people:secret',
              rootCA: issuer.ca,
            }),
          },
        },
      ],
    });
    project.provide('server', { url: signIn.url, user: signIn.username, password: signIn.password, synthetic: false });
    project.provide('folder', fleet.folder);
  } catch (error) {
    await fleet.end();
    throw error;
  }
  return () => fleet.end();
}
