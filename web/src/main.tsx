import '@mantine/core/styles.css';
import './ui/global.css';

import { createRoot } from 'react-dom/client';

import { App } from './app';

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
