import { api, body, type Application, type HeldObjects } from '../../api/client';
import { t } from '../../text';
import { useCommands } from '../../ui/commands';
import { approvedFor, HeldList } from '../../ui/heldlist';
import { refKey } from './address';

/** Approvals are the deletions of an application that wait for somebody's word. */
export function Approvals({ app }: { app: Application }) {
  const commands = useCommands();
  const { namespace, name } = app.row;
  const path = { namespace, name };
  const may = app.can.includes('update');
  const { approval, confirmation } = app.held ?? {};
  return (
    <>
      {approval && (
        <HeldList
          title={t.held.approval(t.held.objects(approval.count))}
          lead={t.held.approvalLead}
          {...shown(approval)}
          act={t.held.approve}
          may={may}
          command={commands.approve(app.row)}
          give={(headers) =>
            body(
              api.POST('/api/v1/applications/{namespace}/{name}/approve', {
                params: { path },
                body: { digest: approval.digest, minutes: approvedFor },
                headers,
              }),
            )
          }
          given={t.held.approved}
          kind="applications"
        />
      )}
      {confirmation && (
        <HeldList
          title={t.held.confirmation(t.held.objects(confirmation.count))}
          lead={t.held.confirmationLead}
          {...shown(confirmation)}
          act={t.held.confirm}
          may={may}
          command={commands.approve(app.row)}
          give={(headers) =>
            body(
              api.POST('/api/v1/applications/{namespace}/{name}/confirm', {
                params: { path },
                body: { digest: confirmation.digest },
                headers,
              }),
            )
          }
          given={t.held.confirmed}
          kind="applications"
        />
      )}
    </>
  );
}

const shown = ({ count, objects }: HeldObjects) => ({
  count,
  items: objects.map((o) => ({
    key: refKey(o),
    text: (
      <>
        <span className="dim">{o.kind}</span> {[o.namespace, o.name].filter(Boolean).join('/')}
      </>
    ),
  })),
});
