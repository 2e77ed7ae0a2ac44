import type { SVGProps } from 'react';

/** Strokes of 24 × 24 pictures, drawn for this product. */
const paths = {
  apps: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  fleet: 'M3 5h18M3 12h18M3 19h18M8 3v18M16 3v18',
  environments: 'M3 6h5v12H3zM10 6h4v12h-4zM16 6h5v12h-5z',
  changes: 'M12 3v5M12 16v5M12 8a4 4 0 100 8 4 4 0 000-8z',
  cluster: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  set: 'M12 3l9 5-9 5-9-5zM3 12.5l9 5 9-5M3 17l9 5 9-5',
  gear: 'M12 9a3 3 0 100 6 3 3 0 000-6zM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M5.600 18.400l2.100-2.100M16.300 7.700l2.100-2.100',
  bridge: 'M3 8v11M21 8v11M3 15h18M3 8c3 4.500 6 5.500 9 5.500s6-1 9-5.500M8 12.200V15M12 13.500V15M16 12.200V15',
  project: 'M3 7a2 2 0 012-2h4l2 2h8a2 2 0 012 2v8a2 2 0 01-2 2H5a2 2 0 01-2-2z',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l5 5',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 019.5 4 8.5 8.5 0 1020 14.5z',
  keyboard:
    'M3 7a1 1 0 011-1h16a1 1 0 011 1v10a1 1 0 01-1 1H4a1 1 0 01-1-1zM7 10h.01M11 10h.01M15 10h.01M17.5 10h.01M8 14h8',
  user: 'M12 4a4 4 0 100 8 4 4 0 000-8zM4 21c.8-4 4-6 8-6s7.200 2 8 6',
  out: 'M14 4h4a2 2 0 012 2v12a2 2 0 01-2 2h-4M10 8l-4 4 4 4M6 12h10',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  okay: 'M12 3a9 9 0 100 18 9 9 0 000-18zM8 12.300l2.800 2.800L16 9.500',
  bad: 'M12 3a9 9 0 100 18 9 9 0 000-18zM9 9l6 6M15 9l-6 6',
  missing: 'M12 3a9 9 0 100 18 9 9 0 000-18zM8 12h8',
  unknown:
    'M12 3a9 9 0 100 18 9 9 0 000-18zM9.500 9.500a2.500 2.500 0 113.600 2.300c-.8.400-1.100.9-1.100 1.700M12 16.800v.01',
  progress: 'M12 3a9 9 0 109 9M12 7v5l3 2',
  paused: 'M12 3a9 9 0 100 18 9 9 0 000-18zM10 9v6M14 9v6',
  synced:
    'M4 12a8 8 0 0113.700-5.600L20 8.500M20 4v4.500h-4.500M20 12a8 8 0 01-13.700 5.600L4 15.500M4 20v-4.500h4.500',
  differs: 'M12 3l9 9-9 9-9-9zM9 10.500h6M9 13.500h6',
  warning: 'M12 4l9 16H3zM12 10v4.500M12 17v.01',
  info: 'M12 3a9 9 0 100 18 9 9 0 000-18zM12 11v5M12 8v.01',
  copy: 'M9 9a1 1 0 011-1h9a1 1 0 011 1v10a1 1 0 01-1 1h-9a1 1 0 01-1-1zM15 8V5a1 1 0 00-1-1H5a1 1 0 00-1 1v9a1 1 0 001 1h4',
  down: 'M6 9l6 6 6-6',
  right: 'M9 6l6 6-6 6',
  up: 'M6 15l6-6 6 6',
  left: 'M15 6l-6 6 6 6',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  list: 'M4 6h.01M4 12h.01M4 18h.01M8 6h12M8 12h12M8 18h12',
  sort: 'M7 5v14M7 19l-3-3M7 19l3-3M14 6h6M14 12h4M14 18h2',
  pencil: 'M4 20l1-4L16 5l3 3L8 19zM13.500 7.500l3 3',
  bin: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  stop: 'M6 6h12v12H6z',
  history: 'M4 12a8 8 0 108-8 8.500 8.500 0 00-6.500 3L4 8.500M4 4v4.500h4.500M12 8v4.500l3 1.500',
  graph: 'M9 4h6v5H9zM3 15h6v5H3zM15 15h6v5h-6zM12 9v3M6 15v-3h12v3',
  diff: 'M7 4v6M4 7h6M14 7h6M5 20L19 8M14 17h6',
  logs: 'M5 4h14v16H5zM8 8h8M8 12h8M8 16h5',
  branch: 'M7 4v16M7 14c6 0 10-2 10-7M17 3.500a1.500 1.500 0 100 3 1.500 1.500 0 000-3z',
  star: 'M12 4l2.400 5 5.600.700-4.100 3.800 1.100 5.500-5-2.800-5 2.800 1.100-5.500L4 9.700 9.600 9z',
  back: 'M9 7L4 12l5 5M4 12h11a5 5 0 015 5v1',
  command: 'M4 5h16v14H4zM7 10l3 2.500L7 15M12 15h4',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  link: 'M10 14a4 4 0 006 .500l3-3a4 4 0 00-5.700-5.700L12 7M14 10a4 4 0 00-6-.500l-3 3a4 4 0 005.700 5.700L12 17',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
} as const;

export type IconName = keyof typeof paths;

interface Props extends SVGProps<SVGSVGElement> {
  name: IconName;
  size?: number;
}

/** Icon is an ornament beside a word, or has a label of its own. */
export function Icon({ name, size = 16, ...rest }: Props) {
  const labelled = rest['aria-label'] !== undefined;
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={size > 20 ? 1.6 : 2}
      strokeLinecap="round"
      strokeLinejoin="round"
      focusable="false"
      {...(labelled ? { role: 'img' } : { 'aria-hidden': true })}
      {...rest}
    >
      <path d={paths[name]} />
    </svg>
  );
}
