import type { Ref } from '../../api/client';
import { pathOf } from '../applications/rows';

/** childPath is the page of an object that is an Application itself: why it is not healthy is told there, and not by its events. */
export function childPath(o: Ref): string | null {
  if (o.group !== 'argoproj.io' || o.kind !== 'Application' || !o.namespace) return null;
  return pathOf({ namespace: o.namespace, name: o.name });
}
