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

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// parsed are the templates of a chart with its dependencies. Its trees do not
// change any more.
type parsed struct {
	files []file
	trees map[string]*parse.Tree
	bytes int64
	sets  sync.Pool // of *set
	tpls  *tplCache
}

// file is a template file under its full name.
type file struct {
	name string
	from *common.File
}

// rootName is the name that Helm gives to the template above all others.
const rootName = "gotpl"

func parseFiles(files []file, tpls *tplCache) (*parsed, error) {
	p := &parsed{files: files, trees: map[string]*parse.Tree{}, tpls: tpls}
	left := int64(maxTrees)
	for _, f := range files {
		text := string(f.from.Data)
		trees, bytes, err := parseText(f.name, text)
		if left -= bytes; err == nil && left < 0 {
			err = &limitError{fmt.Sprintf("with it, the templates of the chart take more than %d MiB", maxTrees>>20)}
		}
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
		p.bytes += 2*int64(len(text)) + bytes + 1024
	}
	return p, nil
}

// namedTree is a tree with what is known of it before markers were put in.
type namedTree struct {
	tree  *parse.Tree
	empty bool
}

// parseText parses a text into its template and those that it defines, and
// tells what they take of memory, in bytes.
func parseText(name, text string) (map[string]namedTree, int64, error) {
	each := bounded.PerPart + int64(len(name))/4 //nolint:mnd // each action may get a marker, and has four parts
	p, err := bounded.ParseTemplate(name, text, int(min(maxParts, maxTree/each)), names)
	if err != nil {
		return nil, 0, tooMuch(err)
	}
	out := make(map[string]namedTree, len(p.Trees))
	for n, t := range p.Trees {
		out[n] = namedTree{t, parse.IsEmptyTree(t.Root)}
	}
	return out, int64(p.Parts) * each, nil
}

// tooMuch makes a limit of what takes too much, as a text or a pattern does; other errors stay.
func tooMuch(err error) error {
	if bounded.IsCostly(err) {
		return &limitError{err.Error()}
	}
	return err
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

func excerpt(text string) string {
	const most = 200
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Sprintf("%q", text)
}
