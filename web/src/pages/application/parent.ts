import type { Application, Key } from '../../api/client';

const tracking = 'argocd.argoproj.io/tracking-id';

/**
 * parentOf is the application that has this one among its objects, as the engine marks objects:
 * APP:GROUP/KIND:NAMESPACE/NAME, where APP outside the control namespace is NAMESPACE_NAME. A mark that was copied from
 * another object is none.
 */
export function parentOf({ annotations, row }: Application, control: string): Key | null {
  const [app = '', kind, object] = (annotations?.[tracking] ?? '').split(':');
  if (app === '' || kind !== 'argoproj.io/Application' || object !== `${row.namespace}/${row.name}`) return null;
  const at = app.indexOf('_');
  return at < 0 ? { namespace: control, name: app } : { namespace: app.slice(0, at), name: app.slice(at + 1) };
}
