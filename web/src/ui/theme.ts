import { createTheme, type MantineColorsTuple } from '@mantine/core';

const tide: MantineColorsTuple = [
  '#e6f6f9',
  '#cdebf1',
  '#9fd7e3',
  '#6cc2d4',
  '#41b0c7',
  '#1f9cb5',
  '#0f86a0',
  '#0b7285',
  '#0a5e6e',
  '#084956',
];

/** Its seventh shade is legible below white, in both themes; the second one on what is dark. */
const red: MantineColorsTuple = [
  '#fdecea',
  '#fad4d0',
  '#ffb4ab',
  '#ff8a80',
  '#e5534b',
  '#cf3a30',
  '#c02c21',
  '#b42318',
  '#912018',
  '#7a1c15',
];

/** Greys of the dark theme, in the blue of its surfaces: the fourth is legible in a field, which has the seventh. */
const dark: MantineColorsTuple = [
  '#d5dbe3',
  '#bac3cd',
  '#a0abb8',
  '#8d99a7',
  '#38424e',
  '#2b343f',
  '#1c242d',
  '#151a21',
  '#10151b',
  '#0b0f14',
];

/** The look of what Mantine draws; global.css has that of the rest. */
export const theme = createTheme({
  primaryColor: 'tide',
  primaryShade: { light: 7, dark: 7 },
  colors: { tide, red, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  components: {
    Modal: { defaultProps: { centered: true, lockScroll: false, overlayProps: { backgroundOpacity: 0.45 } } },
    Drawer: { defaultProps: { lockScroll: false, overlayProps: { backgroundOpacity: 0.35 } } },
  },
});
