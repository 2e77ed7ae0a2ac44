package engine

import "sync"

// tplCache keeps the trees of texts that are given to tpl. They are the same
// in all charts, and do not change any more.
type tplCache struct {
	mu    sync.Mutex
	texts map[string]*tplText
	bytes int64
}

// tplText is a text that was parsed, and what its trees take of memory.
type tplText struct {
	trees map[string]namedTree
	bytes int64
}

// Bounds of a tplCache: what does not fit is parsed each time.
const (
	maxTplText  = 1 << 20
	maxTplBytes = 16 << 20
)

func (c *tplCache) parse(text string) (*tplText, error) {
	c.mu.Lock()
	known, ok := c.texts[text]
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	trees, bytes, err := parseText(rootName, text)
	if err != nil {
		return nil, err
	}
	in := instrument{name: rootName, lines: lineStarts(text)}
	for _, t := range trees {
		next := in
		next.tree = t.tree
		next.run()
	}
	made := &tplText{trees, bytes + 4*int64(len(text)) + 1024} //nolint:mnd // the text, its copy in the trees, its lines
	c.keep(text, made)
	return made, nil
}

func (c *tplCache) keep(text string, made *tplText) {
	if made.bytes > maxTplText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil || c.bytes+made.bytes > maxTplBytes {
		c.texts, c.bytes = map[string]*tplText{}, 0
	}
	if _, ok := c.texts[text]; ok {
		return
	}
	c.texts[text] = made
	c.bytes += made.bytes
}
