import { accounts } from './accounts';
import { application } from './application';
import { applications } from './applications';
import { audit } from './audit';
import { bridge } from './bridge';
import { changes } from './changes';
import { clusters } from './clusters';
import { conditions } from './conditions';
import { environments } from './environments';
import { held } from './held';
import { keys } from './keys';
import { object } from './object';
import { parts } from './parts';
import { projects } from './projects';
import { repositories } from './repositories';
import { sets } from './sets';
import { settings } from './settings';
import { shell } from './shell';
import { views } from './views';

/** All texts of the pages. A translation is another folder of this shape. */
export const en = {
  ...shell,
  ...parts,
  ...applications,
  ...application,
  ...conditions,
  ...object,
  ...sets,
  ...clusters,
  ...projects,
  ...repositories,
  ...environments,
  ...changes,
  ...bridge,
  ...audit,
  ...settings,
  ...keys,
  ...held,
  ...accounts,
  ...views,
};

export type Text = typeof en;
