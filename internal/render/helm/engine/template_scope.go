package engine

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// scope has the functions that see the templates around them: those of a
// text given to tpl see what the text defines, too.
type scope struct {
	state *state
	root  *template.Template
}

func (c *scope) functions() template.FuncMap {
	return template.FuncMap{"include": c.include, "tpl": c.tpl}
}

// include executes a template by its name.
func (c *scope) include(name string, data any) (string, error) {
	s := c.state
	if s.names[name] > maxNames {
		return "", fmt.Errorf("template %s includes itself more than %d times", name, maxNames)
	}
	t := c.root.Lookup(name)
	if t == nil {
		// The library has the words for it.
		return "", c.root.ExecuteTemplate(&writer{state: s}, name, data)
	}
	s.names[name]++
	text, err := c.execute(t, data)
	s.names[name]--
	return text, err
}

func (c *scope) execute(t *template.Template, data any) (string, error) {
	w := writer{state: c.state, text: c.state.buffer()}
	outer := c.state.recording
	c.state.recording = nil
	err := t.Execute(&w, data)
	c.state.recording = outer
	text := string(w.text)
	c.state.release(w.text)
	return text, c.state.brief(err)
}

// longestError bounds the text of an error in an included template: each template
// around it keeps a copy.
const longestError = 256 << 10

func (s *state) brief(err error) error {
	if err == nil || len(err.Error()) <= longestError {
		return err
	}
	var limit *limitError
	if errors.As(err, &limit) {
		return limit
	}
	if ctx := s.ctx.Err(); ctx != nil {
		return ctx
	}
	return errors.New(err.Error()[:longestError] + "…")
}

// tpl executes a text as a template.
func (c *scope) tpl(text string, data any) (string, error) {
	if !strings.Contains(text, "{{") {
		return strings.ReplaceAll(text, noValue, ""), c.state.produce(int64(len(text)))
	}
	if err := c.state.work(len(text)); err != nil {
		return "", err
	}
	if c.state.nested > maxNames {
		return "", &limitError{fmt.Sprintf("texts given to tpl stand more than %d times inside one another", maxNames)}
	}
	c.state.nested++
	defer func(held int64) { c.state.nested--; c.state.drop(held) }(c.state.held)
	made, err := c.parse(text)
	if err != nil {
		return "", err
	}
	t, err := c.with(made.trees)
	if err != nil {
		return "", err
	}
	if len(made.trees) > 1 {
		if c.state.copies++; c.state.copies > maxCopies {
			return "", &limitError{"texts given to tpl that define templates stand inside one another without end"}
		}
		defer func() { c.state.copies-- }()
	}
	out, err := c.execute(t, data)
	if err != nil {
		return "", fmt.Errorf("in the text given to tpl, %s: %w", excerpt(text), err)
	}
	return strings.ReplaceAll(out, noValue, ""), nil
}

// parse parses a text, which is held then.
func (c *scope) parse(text string) (*tplText, error) {
	made, err := c.state.parsed.tpls.parse(text)
	if err != nil {
		return nil, fmt.Errorf("cannot parse template %s: %w", excerpt(text), err)
	}
	return made, c.state.hold(made.bytes)
}

// with is the template of a text. One that defines nothing shares the
// templates around it; one that does gets a copy of them to add to.
func (c *scope) with(trees map[string]namedTree) (*template.Template, error) {
	if len(trees) == 1 {
		t := c.root.New(rootName)
		t.Tree = trees[rootName].tree
		return t, nil
	}
	around := int64(len(c.root.Templates()) + len(trees))
	if err := c.state.step(around + glance); err != nil {
		return nil, err
	}
	if err := c.state.hold(around*perTemplate + perCopy); err != nil {
		return nil, err
	}
	inner, err := c.root.Clone()
	if err != nil {
		return nil, fmt.Errorf("cannot clone template: %w", err)
	}
	inner.Option("missingkey=zero")
	inner.Funcs((&scope{c.state, inner}).functions())
	main := inner.New(rootName)
	for name, t := range trees {
		if old := inner.Lookup(name); name != rootName && t.empty && old != nil && old.Tree != nil {
			continue
		}
		if _, err := main.AddParseTree(name, t.tree); err != nil {
			return nil, err
		}
	}
	return main, nil
}

// What a copy of the templates takes of memory, in bytes: its functions, and
// each of the templates without its tree.
const (
	perCopy     = 64 << 10
	perTemplate = 512
)

// noValue is what text/template writes for a missing value.
const noValue = "<no value>"
