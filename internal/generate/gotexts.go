package generate

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// goTexts renders Go templates. It is used by one goroutine at a time.
type goTexts struct {
	ctx     context.Context //nolint:containedctx // lives as long as one run
	options []string
	limits  Limits
	lacks   *lacks
	base    *template.Template
	names   template.FuncMap // of what texts may call
	parsed  kept[*goText]
	steps   int
	depth   int
	// made counts the bytes that functions made for the text that is rendered.
	made int
	// keys counts the keys that were made for it.
	keys  int
	total *budget
	// mark makes fences; empty for none.
	mark string
}

// tick is called by every loop turn, enter and leave by every template at its
// start and end: see instrument.
const (
	tick  = "__tick"
	enter = "__enter"
	leave = "__leave"
)

// deepest is how many templates may be within one another, and the blocks that
// they have inside one another counted with them: all that stands in them at
// the deepest place. An error in a loop is raised anew at each level, which
// takes time by the square of the levels.
const deepest = 1000

// printed checks what is about to be printed, by an action or in an error; gave
// what a method gave.
const (
	printed = "__printable"
	gave    = "__gave"
)

// missingKeyOptions are all options that there are. A wrong one is found when
// the first text is rendered: a set that gives no parameters does not show it.
var missingKeyOptions = []string{"missingkey=default", "missingkey=invalid", "missingkey=zero", "missingkey=error"}

func newGoTexts(ctx context.Context, options []string, limits Limits, total *budget, l *lacks) *goTexts {
	return &goTexts{ctx: ctx, options: options, limits: limits, total: total, lacks: l}
}

func (g *goTexts) fenced(mark string) renderer {
	out := newGoTexts(g.ctx, g.options, g.limits, g.total, g.lacks)
	out.mark = mark
	return out
}

func (g *goTexts) render(text string, p Params) (string, error) {
	if g.base == nil {
		if err := g.prepare(); err != nil {
			return "", err
		}
	}
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	parsed, ok := g.parsed.texts[text]
	if !ok {
		var err error
		if parsed, err = g.parse(text); err != nil {
			return "", errorf("cannot parse %s: %w", excerpt(text), &ofText{err, text, parsing})
		}
		g.parsed.keep(text, parsed, parsed.bytes)
	}
	g.look(parsed, p)
	if parsed.parts != nil {
		if done, ok := join(parsed.parts, p, g.limits.Text); ok {
			return done, g.total.spend(len(done))
		}
	}
	g.steps, g.made, g.keys, g.depth = 0, 0, 0, 0
	out := limitedBuffer{limit: g.limits.Text}
	// Functions of sprig look for exactly this type.
	if err := parsed.Execute(&out, map[string]any(p)); err != nil {
		return "", errorf("cannot render %s: %w", excerpt(text), &ofText{err, text, executing})
	}
	rendered := out.String()
	if strings.Contains(rendered, noValue) {
		g.missed(parsed, p)
	}
	return rendered, g.total.spend(len(rendered))
}

// look notes which of a text's parameters some parameter set has.
func (g *goTexts) look(t *goText, p Params) {
	if !g.lacks.watching || len(t.unseen) == 0 {
		return
	}
	t.unseen = slices.DeleteFunc(t.unseen, func(a ask) bool {
		seen := there(p, a.path)
		g.lacks.silent[a.key()] = g.lacks.silent[a.key()] || seen
		return seen
	})
}

// missed names the parameters that a text with no value in it lacks.
func (g *goTexts) missed(t *goText, p Params) {
	found := false
	for _, a := range t.asks {
		if !a.maybe && !there(p, a.path) {
			found = true
			g.lacks.miss(a.key())
		}
	}
	if !found {
		g.lacks.miss(noValue)
	}
}

func (g *goTexts) prepare() error {
	for _, o := range g.options {
		if !slices.Contains(missingKeyOptions, o) {
			return errorf("unknown goTemplateOptions entry %q, use one of %s", o, word(strings.Join(missingKeyOptions, ", ")))
		}
	}
	g.names = functions(g.limits.Text, g)
	g.base = template.New(textName).Funcs(g.names).Option(g.options...).
		Funcs(template.FuncMap{tick: g.tick, enter: g.enter, leave: g.leave, printed: g.printable, gave: g.keep})
	return nil
}

// textName is what errors call a text.
const textName = "template"

// mostParts is how many words and signs a text may have: each of them is read
// and kept for its parameters, and a long template has some hundred.
const mostParts = 20_000

func (g *goTexts) parse(text string) (*goText, error) {
	read, err := bounded.ParseTemplate(textName, text, mostParts, g.names)
	if err != nil {
		return nil, err
	}
	out := &goText{bytes: perText + 4*len(text) + read.Parts*bounded.PerPart} //nolint:mnd // the text as key, in trees and in parts
	if g.mark != "" {
		for _, t := range read.Trees {
			fence(t.Root, g.mark)
		}
	}
	if len(read.Trees) == 1 {
		out.parts = partsOf(read.Trees[textName])
	}
	for _, t := range read.Trees {
		out.asks = append(out.asks, asksOf(t)...)
		instrument(t)
	}
	if err := g.bind(out, read.Trees); err != nil {
		return nil, err
	}
	for _, a := range out.asks {
		if g.lacks.ask(a.key()) && !a.maybe {
			out.unseen = append(out.unseen, a)
		}
	}
	return out, nil
}

// bind makes a template of trees. One alone shares the functions with all
// others; what defines some gets a copy of them, to add to.
func (g *goTexts) bind(t *goText, trees map[string]*parse.Tree) error {
	if len(trees) == 1 {
		t.Template = g.base.New(textName)
		t.Tree = trees[textName]
		return nil
	}
	own, err := g.base.Clone()
	if err != nil {
		return err
	}
	for name, tree := range trees {
		if _, err := own.AddParseTree(name, tree); err != nil {
			return err
		}
	}
	t.Template = own.Lookup(textName)
	t.bytes += perCopy
	return nil
}

// make counts what a function made.
func (g *goTexts) make(bytes int) error {
	if g.made += bytes; g.made > g.limits.Made {
		return errTooLarge
	}
	return nil
}

// call looks at the context before each call: some take as long as many steps.
func (g *goTexts) call() error { return g.ctx.Err() }

// mostKeys is how many keys, certificates and hashes of passwords one text may
// make.
const mostKeys = 200

func (g *goTexts) key() error {
	if g.keys++; g.keys > mostKeys {
		return errKeys
	}
	return nil
}

// printable lets through what may be printed: that follows a value to its end.
func (g *goTexts) printable(value any) (any, error) {
	if _, text := value.(string); text {
		return value, nil
	}
	_, err := printOf(g.limits.Text, []reflect.Value{reflect.ValueOf(value)})
	return value, err
}

// keep lets through what a method made, as if that were a function.
func (g *goTexts) keep(value any) (any, error) {
	long := length(reflect.ValueOf(value))
	if long > g.limits.Text {
		return nil, errTooLarge
	}
	return value, g.make(long)
}

var (
	errSteps     = plain("it takes too many steps")
	errDeepCalls = plain("its templates call one another too deeply")
)

// tick bounds the steps of one text, and ends it with the run's context.
func (g *goTexts) tick() (string, error) {
	const every = 1024
	g.steps++
	if g.steps > g.limits.Steps {
		return "", errSteps
	}
	if g.steps%every == 0 {
		return "", g.ctx.Err()
	}
	return "", nil
}

// enter bounds how deeply templates call one another.
func (g *goTexts) enter(levels int) (string, error) {
	if g.depth += levels; g.depth > deepest {
		return "", errDeepCalls
	}
	return g.tick()
}

func (g *goTexts) leave(levels int) string {
	g.depth -= levels
	return ""
}

// limitedBuffer refuses what goes beyond its limit.
type limitedBuffer struct {
	kept  bytes.Buffer
	limit int
}

func (b *limitedBuffer) String() string { return b.kept.String() }
func (b *limitedBuffer) Len() int       { return b.kept.Len() }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if err := b.fits(len(p)); err != nil {
		return 0, err
	}
	return b.kept.Write(p)
}

// WriteString is Write for io.WriteString.
func (b *limitedBuffer) WriteString(s string) (int, error) {
	if err := b.fits(len(s)); err != nil {
		return 0, err
	}
	return b.kept.WriteString(s)
}

func (b *limitedBuffer) fits(more int) error {
	if b.Len()+more > b.limit {
		return errorf("the text renders to more than %d bytes", b.limit)
	}
	return nil
}

// missingKey reports whether an error of a template comes from a parameter that
// is not there. The library has no type for it.
func missingKey(err error) bool {
	text := err.Error()
	return strings.Contains(text, "map has no entry for key") || strings.Contains(text, "can't evaluate field")
}
