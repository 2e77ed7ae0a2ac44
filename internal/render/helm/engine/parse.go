package engine

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"helm.sh/helm/v4/pkg/chart/common"
)

// parsed are the templates of a chart with its dependencies. Its trees do not
// change any more.
type parsed struct {
	files []file
	trees map[string]*parse.Tree
	bytes int64
	sets  sync.Pool // of *set
	tpls  tplCache
}

// file is a template file under its full name.
type file struct {
	name string
	from *common.File
}

// rootName is the name that Helm gives to the template above all others.
const rootName = "gotpl"

func parseFiles(files []file) (*parsed, error) {
	p := &parsed{files: files, trees: map[string]*parse.Tree{}}
	for _, f := range files {
		text := string(f.from.Data)
		trees, err := parseText(f.name, text)
		if err != nil {
			return nil, p.parseError(f, err)
		}
		in := instrument{name: f.name, lines: lineStarts(text)}
		for name, t := range trees {
			// A template of blanks does not replace one that has content.
			if old := p.trees[name]; old != nil && t.empty {
				continue
			}
			next := in
			next.tree, next.file = t.tree, name == f.name
			next.run()
			p.trees[name] = t.tree
		}
		p.bytes += 8*int64(len(text)) + 1024
	}
	return p, nil
}

// namedTree is a tree with what is known of it before markers were put in.
type namedTree struct {
	tree  *parse.Tree
	empty bool
}

// parseText parses a text into its template and those that it defines.
func parseText(name, text string) (map[string]namedTree, error) {
	if err := nests(text); err != nil {
		return nil, err
	}
	trees, err := parse.Parse(name, text, "", "", names, builtins)
	if err != nil {
		return nil, err
	}
	out := make(map[string]namedTree, len(trees))
	for n, t := range trees {
		out[n] = namedTree{t, parse.IsEmptyTree(t.Root)}
	}
	return out, nil
}

var parsePlace = regexp.MustCompile(`^template: (.+?):(\d+)(?::\d+)?: `)

func (p *parsed) parseError(f file, err error) error {
	e := &Error{Template: f.name, File: f.from, Text: err.Error(), Err: err}
	if m := parsePlace.FindStringSubmatch(e.Text); m != nil {
		e.Line, _ = strconv.Atoi(m[2])
		e.Text = e.Text[len(m[0]):]
	}
	e.Text = "cannot parse it: " + e.Text
	return e
}

// set is a group of templates whose functions are bound to a state.
type set struct {
	root  *template.Template
	state *state
}

func (p *parsed) set() (*set, error) {
	if s, ok := p.sets.Get().(*set); ok {
		return s, nil
	}
	s := &set{root: template.New(rootName).Option("missingkey=zero"), state: newState(p)}
	s.root.Funcs(s.state.functions())
	s.root.Funcs((&scope{s.state, s.root}).functions())
	for name, tree := range p.trees {
		if _, err := s.root.AddParseTree(name, tree); err != nil {
			return nil, err
		}
	}
	return s, nil
}

var execPlace = regexp.MustCompile(`template: ([^\s:][^:]*):(\d+)(?::\d+)?: executing "(?:[^"\\]|\\.)*" at <(?:.*?)>: `)

// execError finds the innermost place of an error that is inside a file.
func (s *set) execError(top file, err error) error {
	if ctx := s.state.ctx.Err(); ctx != nil && errors.Is(err, ctx) {
		return ctx
	}
	e := &Error{Template: top.name, File: top.from, Err: err}
	var limit *limitError
	if errors.As(err, &limit) {
		e.Text = limit.text
		if m := s.state.last; m != nil && s.state.parsed.find(nameOf(m)) != nil {
			e.Template, e.Line, e.File = nameOf(m), lineOf(m), s.state.parsed.find(nameOf(m))
		}
		return e
	}
	text := err.Error()
	e.Text = text
	for _, m := range execPlace.FindAllStringSubmatchIndex(text, -1) {
		e.Text = text[m[1]:]
		name := text[m[2]:m[3]]
		if from := s.state.parsed.find(name); from != nil {
			e.Template, e.File = name, from
			e.Line, _ = strconv.Atoi(text[m[4]:m[5]])
		}
	}
	if called, cause, ok := strings.Cut(e.Text, ": "); ok && strings.HasPrefix(called, "error calling ") {
		e.Text = strings.TrimPrefix(called, "error calling ") + ": " + cause
		if called == "error calling fail" || called == "error calling required" {
			e.Text = cause // the chart's own words
		}
	}
	return e
}

func (p *parsed) find(name string) *common.File {
	for _, f := range p.files {
		if f.name == name {
			return f.from
		}
	}
	return nil
}

// tplCache keeps the trees of texts that values give to tpl.
type tplCache struct {
	mu    sync.Mutex
	trees map[string]map[string]namedTree
	bytes int
}

// Bounds of a tplCache: what does not fit is parsed each time.
const (
	maxTplText  = 16 << 10
	maxTplBytes = 256 << 10
)

func (c *tplCache) parse(text string) (map[string]namedTree, error) {
	c.mu.Lock()
	trees, ok := c.trees[text]
	c.mu.Unlock()
	if ok {
		return trees, nil
	}
	trees, err := parseText(rootName, text)
	if err != nil {
		return nil, err
	}
	in := instrument{name: rootName, lines: lineStarts(text)}
	for _, t := range trees {
		next := in
		next.tree = t.tree
		next.run()
	}
	c.keep(text, trees)
	return trees, nil
}

func (c *tplCache) keep(text string, trees map[string]namedTree) {
	if len(text) > maxTplText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trees == nil || c.bytes+len(text) > maxTplBytes {
		c.trees, c.bytes = map[string]map[string]namedTree{}, 0
	}
	c.trees[text] = trees
	c.bytes += len(text)
}

func excerpt(text string) string {
	const most = 200
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", text)
}
