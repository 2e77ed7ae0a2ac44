import { Button, Checkbox } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import type { Environments } from '../../api/client';
import { environmentsQuery } from '../../api/queries';
import { t } from '../../text';
import { Find } from '../../ui/find';
import { fixed } from '../../ui/commands';
import { Command } from '../../ui/copy';
import { Empty } from '../../ui/may';
import { Failed, Loading, Message } from '../../ui/state';
import { useHeading, useTitle } from '../../ui/title';
import { compareTo, useAddress, type Address } from './address';
import { Drawer } from './drawer';
import { Matrix } from './matrix';
import css from './page.module.css';
import { Pages } from './pages';

export default function EnvironmentsPage() {
  useTitle(t.nav.environments);
  const heading = useHeading();
  const address = useAddress();
  const query = useQuery({ ...environmentsQuery(address.filter), placeholderData: keepPreviousData });
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 ref={heading} tabIndex={-1}>
          {t.nav.environments}
        </h1>
        {query.data && (
          <span className="dim" role="status">
            {t.environments.size(query.data.total, query.data.environments?.length ?? 0)}
          </span>
        )}
        <span className={css.end}>
          <Command text={fixed.environments} whole={!address.filter.q && !address.filter.differs} />
        </span>
      </header>
      {query.data ? (
        <Content data={query.data} address={address} />
      ) : query.error ? (
        <Failed
          error={query.error}
          retry={() => void query.refetch()}
          clear={() => address.change({ q: '', differs: '', page: '' })}
        />
      ) : (
        <Loading rows={12} />
      )}
      {address.product && <Drawer key={address.product} address={address} />}
    </div>
  );
}

function Content({ data, address }: { data: Environments; address: Address }) {
  const filtered = Boolean(address.filter.q ?? address.filter.differs);
  if (data.total === 0 && !filtered)
    return (
      <Empty resource="applications" of={t.environments.what}>
        <Message icon="environments" title={t.environments.none}>
          <p>{t.environments.noneLead}</p>
        </Message>
      </Empty>
    );
  return (
    <>
      <div className={css.tools}>
        <Find
          label={t.environments.find}
          value={address.filter.q ?? ''}
          change={(text) => address.change({ q: text, page: '' })}
        />
        <Checkbox
          label={t.environments.differs}
          checked={address.filter.differs ?? false}
          onChange={(e) => address.change({ differs: e.currentTarget.checked ? '1' : '', page: '' })}
        />
        {(data.environments?.length ?? 0) > 1 && (
          <Button component={Link} to={compareTo()} variant="default" size="xs">
            {t.environments.two.open}
          </Button>
        )}
      </div>
      {data.total === 0 ? (
        <Message icon="okay" title={address.filter.differs ? t.environments.allSame : t.list.noMatch} />
      ) : (
        <Matrix data={data} address={address} />
      )}
      <Pages total={data.total} address={address} />
    </>
  );
}
