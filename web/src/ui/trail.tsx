import { Link } from 'react-router';

import { Icon } from './icons';
import css from './layout.module.css';

/** Trail leads from one of a list back to the list. */
export function Trail({ to, name }: { to: string; name: string }) {
  return (
    <nav aria-label={name} className={css.trail}>
      <Link to={to}>
        <Icon name="left" size={14} /> {name}
      </Link>
    </nav>
  );
}
