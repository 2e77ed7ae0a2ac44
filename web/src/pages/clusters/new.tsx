import { useNavigate } from 'react-router';

import { t } from '../../text';
import css from '../../ui/form.module.css';
import { Permitted } from '../../ui/may';
import { useHeading, useTitle } from '../../ui/title';
import { ClusterForm } from './form';

/** NewCluster connects a cluster: /new/cluster. */
export default function NewCluster() {
  const navigate = useNavigate();
  const heading = useHeading();
  useTitle(t.clusterForm.title);
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {t.clusterForm.title}
        </h1>
      </header>
      <Permitted resource="clusters" action="create" denied={t.clusterForm.denied}>
        <ClusterForm member={null} done={() => void navigate('/clusters')} />
      </Permitted>
    </div>
  );
}
