import { useNavigate, useSearchParams } from 'react-router';

import { t } from '../../text';
import css from '../../ui/form.module.css';
import { Permitted } from '../../ui/may';
import { useHeading, useTitle } from '../../ui/title';
import { RepositoryForm } from './form';

const kinds = ['git', 'helm', 'oci'] as const;

/**
 * NewRepository connects a repository, or adds a template: /new/repository?kind=template.
 * One that applications use has its address there: ?url=…&type=helm.
 */
export default function NewRepository() {
  const [query] = useSearchParams();
  const template = query.get('kind') === 'template';
  const url = query.get('url');
  const title = template ? t.repositories.newTemplate : t.repositories.newRepository;
  const navigate = useNavigate();
  const heading = useHeading();
  useTitle(title);
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
      </header>
      {template && <p className="dim">{t.repositories.templateLead}</p>}
      <Permitted resource="repositories" action="create" denied={t.repositories.denied}>
        <RepositoryForm
          key={String(template)}
          repository={null}
          template={template}
          begin={url ? { url, type: kinds.find((k) => k === query.get('type')) ?? 'git' } : undefined}
          done={() => void navigate('/repositories')}
        />
      </Permitted>
    </div>
  );
}
