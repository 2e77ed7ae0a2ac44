package engine

import "github.com/causeway-gitops/causeway/internal/cache"

// tplCache keeps the trees of texts that are given to tpl. They are the same
// in all charts, and do not change any more.
type tplCache struct{ texts *cache.LRU[string, *tplText] }

// maxTplBytes is what all of them take; one that takes much of it is parsed each time.
const maxTplBytes = 16 << 20

func newTplCache() *tplCache { return &tplCache{cache.New[string, *tplText](maxTplBytes)} }

// tplText is a text that was parsed, and what its trees take of memory.
type tplText struct {
	trees map[string]namedTree
	bytes int64
}

func (c *tplCache) parse(text string) (*tplText, error) {
	if known, ok := c.texts.Get(text); ok {
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
	c.texts.Put(text, made, made.bytes)
	return made, nil
}
