package engine

import (
	"context"
	"fmt"
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// Options of an Engine; the zero value takes the defaults.
type Options struct {
	Limits Limits
	// CacheBytes bounds the memory of parsed templates, roughly; 64 MiB when 0.
	CacheBytes int64
}

// Engine executes templates. It is safe for concurrent use.
type Engine struct {
	limits Limits
	shelf  *shelf
}

// New makes an Engine.
func New(o Options) *Engine {
	return &Engine{limits: o.Limits.withDefaults(), shelf: newShelf(orElse(o.CacheBytes, 64<<20))}
}

// Output is what one template file gave.
type Output struct {
	// Name is the full name of the template, as in web/templates/x.yaml.
	Name string
	// File is the template.
	File *common.File
	Text string

	records []record
}

// Render executes the templates of a chart, whose dependencies were resolved,
// with what templates see as their root: Values, Release and Capabilities.
// Partials give no output. Errors are an *Error, or the context's.
func (e *Engine) Render(ctx context.Context, ch *chart.Chart, top common.Values) ([]Output, error) {
	files, scopes := collect(ch, top)
	p, err := e.shelf.get(files)
	if err != nil {
		return nil, err
	}
	set, err := p.set()
	if err != nil {
		return nil, err
	}
	set.state.begin(ctx, e.limits)
	defer func() {
		set.state.end()
		p.sets.Put(set)
	}()
	return set.render(files, scopes)
}

func (s *set) render(files []file, scopes []root) (out []Output, err error) {
	at := file{}
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, &Error{Template: at.name, File: at.from, Text: fmt.Sprint("the template breaks the engine: ", r)}
		}
	}()
	for i, f := range files {
		if strings.HasPrefix(path.Base(f.name), "_") {
			continue
		}
		at = f
		scopes[i].enter(f.name)
		one, err := s.file(f, scopes[i].data)
		if err != nil {
			return nil, s.execError(f, err)
		}
		out = append(out, one)
	}
	return out, nil
}

func (s *set) file(f file, data any) (Output, error) {
	w := &writer{state: s.state, text: s.state.buffer(), file: true}
	s.state.recording = w
	s.state.depth = 0
	err := s.root.ExecuteTemplate(w, f.name, data)
	s.state.recording = nil
	out := Output{Name: f.name, File: f.from, Text: string(w.text), records: w.records}
	s.state.release(w.text)
	out.dropNoValue()
	return out, err
}
