import { useNavigate } from 'react-router';

import { t } from '../../text';
import css from '../../ui/form.module.css';
import { Permitted } from '../../ui/may';
import { useHeading, useTitle } from '../../ui/title';
import { ProjectForm } from './form';

/** NewProject makes a project: /new/project. */
export default function NewProject() {
  const navigate = useNavigate();
  const heading = useHeading();
  useTitle(t.projectForm.title);
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {t.projectForm.title}
        </h1>
      </header>
      <Permitted resource="projects" action="create" denied={t.projectForm.denied}>
        <ProjectForm project={null} done={() => void navigate('/projects')} />
      </Permitted>
    </div>
  );
}
