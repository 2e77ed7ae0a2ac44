import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';

import { Problem } from './api/client';
import { Crashed } from './shell/boundary';
import { SignInPage } from './shell/gate';
import { Shell } from './shell/shell';
import { loaded } from './ui/part';
import { Failed } from './ui/state';

/** Each page is loaded when somebody goes there. */
const page = (load: () => Promise<{ default: React.ComponentType }>): Pick<RouteObject, 'lazy'> => ({
  lazy: async () => ({ Component: await loaded(load) }),
});

export const routes: RouteObject[] = [
  { path: '/sign-in', element: <SignInPage />, errorElement: <Crashed heading="h1" /> },
  {
    path: '/',
    element: <Shell />,
    hydrateFallbackElement: <></>,
    errorElement: <Crashed heading="h1" />,
    children: [
      { index: true, element: <Navigate to="/applications" replace /> },
      { path: 'applications', ...page(() => import('./pages/applications/page')) },
      { path: 'applications/:namespace/:name', ...page(() => import('./pages/application/page')) },
      { path: 'fleet', ...page(() => import('./pages/fleet/page')) },
      { path: 'environments', ...page(() => import('./pages/environments/page')) },
      { path: 'environments/compare', ...page(() => import('./pages/environments/compare')) },
      { path: 'changes', ...page(() => import('./pages/changes/page')) },
      { path: 'changes/:repo/:commit', ...page(() => import('./pages/changes/detail')) },
      { path: 'clusters', ...page(() => import('./pages/clusters/page')) },
      { path: 'applicationsets', ...page(() => import('./pages/sets/page')) },
      { path: 'applicationsets/:namespace/:name', ...page(() => import('./pages/set/page')) },
      { path: 'projects', ...page(() => import('./pages/projects/page')) },
      { path: 'repositories', ...page(() => import('./pages/repositories/page')) },
      { path: 'repositories/:id', ...page(() => import('./pages/repositories/one')) },
      { path: 'clusters/:id', ...page(() => import('./pages/clusters/one')) },
      { path: 'new/cluster', ...page(() => import('./pages/clusters/new')) },
      { path: 'projects/:name', ...page(() => import('./pages/projects/one')) },
      { path: 'new/project', ...page(() => import('./pages/projects/new')) },
      { path: 'new/repository', ...page(() => import('./pages/repositories/new')) },
      { path: 'bridge', ...page(() => import('./pages/bridge/page')) },
      { path: 'audit', ...page(() => import('./pages/audit/page')) },
      { path: 'settings', ...page(() => import('./pages/settings/page')) },
      { path: 'bridge/:cluster', ...page(() => import('./pages/bridge/cluster')) },
      { path: '*', element: <Failed error={new Problem(404, '')} /> },
    ],
  },
];

export const newRouter = () => createBrowserRouter(routes);
