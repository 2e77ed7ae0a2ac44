package bounded

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"text/template/parse"
)

// written are pieces of templates that a lexer may take for something else.
var written = []string{
	"{{", "}}", "{{- ", " -}}", "{{-", "-}}", "{{/*", "*/}}", "{{- /* ", " */ -}}", "*/", "/*", `"`, `\"`, `"{{/*"`, `"{{end}}"`, `"}}"`, "`", "`{{if`", "'", `'\''`,
	`'"'`, `\`, "\n", " ", "(", ")", "if ", "if.", "else", "else if ", "else with ", "end", "range ", "with ", "define ", "block ", "template ", "break", "continue",
	"$x", " := ", " = ", ",", ".", ".a", ".if", "$end", "1", "-1", "0x1p-2", "1+2i", "nil", "true", "|", "x", "é", "ifé", "\xff", "\xe2\x82", ":", "@", "{{ /* */}}",
	"{{if .}}", "{{else}}", "{{else if .}}", "{{end}}", "{{end -}}", "{{with .}}", "{{else with .}}", "{{range .}}", `{{define "t"}}`, `{{block "b" .}}`, "{{/* {{if .}} */}}",
	`{{"{{/*"}}`, `{{"{{end}}"}}`, "{{`{{end}}`}}", `{{'"'}}`, `{{"\"{{end}}"}}`, "{{if (((.)))}}", "text", "{", "}",
}

// random is a template of such pieces: mostly of whole actions, or few can be parsed.
func random(r *rand.Rand) string {
	var b strings.Builder
	const plain = 19
	whole := len(written) - plain
	for range r.IntN(16) {
		if r.IntN(40) == 0 {
			b.WriteString(written[r.IntN(len(written))])
			continue
		}
		b.WriteString(written[whole+r.IntN(len(written)-whole)])
	}
	if r.IntN(4) == 0 {
		return b.String()
	}
	s := actions{text: b.String(), most: 1 << 30}
	for s.action() {
	}
	return b.String() + strings.Repeat("{{end}}", len(s.chains))
}

// depths are the most blocks, and the most pipelines, inside one another in the trees of a text.
type depths struct{ blocks, parens int }

func (d *depths) list(l *parse.ListNode, depth int) {
	if l == nil {
		return
	}
	d.blocks = max(d.blocks, depth)
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.IfNode:
			d.branch(&n.BranchNode, depth+1)
		case *parse.WithNode:
			d.branch(&n.BranchNode, depth+1)
		case *parse.RangeNode:
			d.branch(&n.BranchNode, depth+1)
		case *parse.ActionNode:
			d.pipe(n.Pipe, 0)
		case *parse.TemplateNode:
			d.pipe(n.Pipe, 0)
		}
	}
}

func (d *depths) branch(b *parse.BranchNode, depth int) {
	d.pipe(b.Pipe, 0)
	d.list(b.List, depth)
	d.list(b.ElseList, depth)
}

func (d *depths) pipe(p *parse.PipeNode, depth int) {
	if p == nil {
		return
	}
	d.parens = max(d.parens, depth)
	for _, c := range p.Cmds {
		for _, a := range c.Args {
			if chain, ok := a.(*parse.ChainNode); ok {
				a = chain.Node
			}
			if inner, ok := a.(*parse.PipeNode); ok {
				d.pipe(inner, depth+1)
			}
		}
	}
}

func depthOf(text string) (depths, error) {
	t, set := parse.New("t"), map[string]*parse.Tree{}
	t.Mode = parse.SkipFuncCheck
	_, err := t.Parse(text, "", "", set)
	var d depths
	for _, tree := range set {
		d.list(tree.Root, 0)
	}
	return d, err
}

// agrees compares what is found before parsing with what the parser makes of
// the whole text, and of each beginning of it that can be closed: where it
// fails, it had gone no deeper than in the longest of these.
func agrees(t *testing.T, text string) (parsed bool) {
	t.Helper()
	all := actions{text: text, most: 1 << 30}
	for all.action() {
	}
	s := actions{text: text, most: 1 << 30}
	for more := true; more; more = s.action() {
		begun := text[:len(text)-len(s.text)] + strings.Repeat("{{end}}", len(s.chains))
		if d, err := depthOf(begun); err == nil && (d.blocks > all.nest || d.parens > all.parens) {
			t.Fatalf("%q has %+v, found %d blocks and %d parentheses", begun, d, all.nest, all.parens)
		}
	}
	d, err := depthOf(text)
	if err != nil {
		return false
	}
	plain := !strings.Contains(text, "define") && !strings.Contains(text, "block")
	if d.blocks > all.nest || d.parens > all.parens || plain && d != (depths{all.nest, all.parens}) {
		t.Fatalf("%q has %+v, found %d blocks and %d parentheses", text, d, all.nest, all.parens)
	}
	if nodes := treesNodes(text); nodes > all.parts+1 {
		t.Fatalf("%q has %d nodes, and %d parts were found", text, nodes, all.parts)
	}
	return true
}

func treesNodes(text string) int {
	t, set := parse.New("t"), map[string]*parse.Tree{}
	t.Mode = parse.SkipFuncCheck
	_, _ = t.Parse(text, "", "", set)
	n := 0
	for _, tree := range set {
		n += listNodes(tree.Root)
	}
	return n
}

func listNodes(l *parse.ListNode) int {
	if l == nil {
		return 0
	}
	n := 0
	for _, node := range l.Nodes {
		n++
		switch node := node.(type) {
		case *parse.IfNode:
			n += listNodes(node.List) + listNodes(node.ElseList)
		case *parse.WithNode:
			n += listNodes(node.List) + listNodes(node.ElseList)
		case *parse.RangeNode:
			n += listNodes(node.List) + listNodes(node.ElseList)
		}
	}
	return n
}

// TestDepthsAgreeWithTheParser is the fuzz test's property of many texts at random.
func TestDepthsAgreeWithTheParser(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parsed := 0
	const texts = 5_000
	for range texts {
		if agrees(t, random(r)) {
			parsed++
		}
	}
	if parsed < texts/8 {
		t.Errorf("only %d of %d texts could be parsed", parsed, texts)
	}
	t.Logf("%d of %d texts parsed", parsed, texts)
}

func FuzzDepthsAgreeWithTheParser(f *testing.F) {
	for _, piece := range written {
		f.Add(piece + "{{if .}}{{else if (.)}}{{end}}" + piece)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 4096 {
			agrees(t, text)
		}
	})
}

func TestTemplatesThatTakeTooMuch(t *testing.T) {
	const many = 100_000
	for name, c := range map[string]struct{ text, want string }{
		"Blocks":          {strings.Repeat("{{if.}}", many), "blocks"},
		"Ranges":          {strings.Repeat("{{range.}}{{else}}", many), "blocks"},
		"NamedBlocks":     {strings.Repeat(`{{block "b" .}}`, many), "blocks"},
		"ElseIfs":         {"{{if .}}" + strings.Repeat("{{else if .}}", many) + "{{end}}", "blocks"},
		"ElseWiths":       {"{{with .}}" + strings.Repeat("{{else\n\twith .}}", many) + "{{end}}", "blocks"},
		"Parens":          {"{{" + strings.Repeat("(", many), "parentheses"},
		"CommentInText":   {`{{"{{/*"}}` + strings.Repeat("{{if.}}", many), "blocks"},
		"EndsInTexts":     {strings.Repeat(`{{if.}}{{"{{end}}"}}`, many), "blocks"},
		"EndsInRawTexts":  {strings.Repeat("{{if.}}{{`{{end}}`}}", many), "blocks"},
		"EndsInComments":  {strings.Repeat(`{{if.}}{{- /* {{end}} */ -}}`, many), "blocks"},
		"EndsInCharacter": {strings.Repeat(`{{if '"'}}{{"\"{{end}}"}}`, many), "blocks"},
		"ParensAfterText": {`{{"}}" ` + strings.Repeat("(", many), "parentheses"},
		"NoComment":       {"{{if .}}{{ /* }}" + strings.Repeat("{{if.}}", many), "blocks"},
		"Words":           {strings.Repeat("{{1}}", many), "words"},
		"Fields":          {"{{" + strings.Repeat(".a", many) + "}}", "words"},
		"Pipes":           {"{{1" + strings.Repeat("|x", many) + "}}", "words"},
		"Comments":        {strings.Repeat("x{{/**/}}", 2*many), "words"},
		"Variables":       {strings.Repeat("{{$a:=1}}", 12_000) + strings.Repeat("{{$a}}", 12_000), "variables"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseTemplate("t", c.text, many)
			if !IsCostly(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error about %s", err, c.want)
			}
		})
	}
}

// TestTemplatesOfUse parses what is deep for a template, and within its bounds.
func TestTemplatesOfUse(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("{{if .}}", MostNest) + strings.Repeat("{{end}}", MostNest),
		strings.Repeat("{{if .}}{{end}}", 10*MostNest),
		strings.Repeat(`{{"{{if .}}"}}`, 10*MostNest),
		"{{if .}}" + strings.Repeat("{{else if .}}", MostNest-1) + "{{end}}",
		"{{" + strings.Repeat("(", MostNest) + "1" + strings.Repeat(")", MostNest) + "}}",
	} {
		if _, err := ParseTemplate("t", text, 100_000); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// TestMemoryOfTemplates measures what parts take.
func TestMemoryOfTemplates(t *testing.T) {
	const many = 100_000
	for _, one := range []string{"{{1}}", "{{.}}", "{{.a}}", "{{x}}", "{{x 1 1 1 1 1}}", "{{((1))}}", "{{if .}}{{end}}", "{{1 | x | x | x}}", "{{.a.b.c.d.e.f}}", "x{{1}}", `{{"a"}}`, `{{template "x"}}`, "{{(.).a}}"} {
		text := strings.Repeat(one, many)
		before := heap()
		p, err := ParseTemplate("t", text, 1<<30, map[string]any{"x": 1})
		if err != nil {
			t.Fatal(err)
		}
		took := heap() - before
		if each := took / int64(p.Parts); each > PerPart {
			t.Errorf("%s: %d bytes for each of %d parts", one, each, p.Parts)
		} else {
			t.Logf("%s: %d bytes for each of %d parts", one, each, p.Parts)
		}
		runtime.KeepAlive(p)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
