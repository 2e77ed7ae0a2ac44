package generate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func jsonOf(raw []byte) apiextensionsv1.JSON { return apiextensionsv1.JSON{Raw: raw} }

// explosion is an ApplicationSet that asks for something beyond all measure.
type explosion struct{ reason, spec, want string }

func explosions() map[string]explosion {
	elements := func(key string, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("{%s: 'x%d'}", key, i))
		}
		return "{list: {elements: [" + strings.Join(all, ", ") + "]}}"
	}
	one := "generators: [{list: {elements: [{app: a}]}}]"
	return map[string]explosion{
		"matrix in matrix": {
			"three factors of 100 are a million, found out before all of them are made",
			fast("generators: [{matrix: {generators: [" + elements("a", 100) + ", {matrix: {generators: [" + elements("b", 100) + ", " + elements("c", 100) + "]}}]}}]"), "more than 20000 Applications",
		},
		"merge of matrices": {
			"those that are merged away count, too",
			fast("generators: [{merge: {mergeKeys: [a], generators: [" + elements("a", 10) + ", {matrix: {generators: [" + elements("b", 600) + ", " + elements("c", 600) + "]}}]}}]"), "more than 250000 parameter sets",
		},
		"elements": {
			"as many as fit into an object of the API server",
			fast("generators: [{list: {elementsYaml: '[" + strings.TrimSuffix(strings.Repeat("{},", 400_000), ",") + "]'}}]"), "more than 400000 values",
		},
		"aliases": {
			"a text that doubles itself at each line",
			fast("generators: [{list: {elementsYaml: \"" + bomb() + "\"}}]"), "elementsYaml",
		},
		"recursion": {
			"a template that calls itself", replaced(goMode(one), "{{.v}}", `{{define "t"}}{{with .}}{{if true}}{{range list 1}}{{template "t" $}}{{end}}{{end}}{{end}}{{end}}{{template "t" .}}`), "call one another too deeply",
		},
		"repeat": {"a text of a gigabyte", replaced(goMode(one), "{{.v}}", `{{repeat 1000000000 "x"}}`), "too large"},
		"kept texts": {
			"many texts, each within its limit", replaced(goMode(one), "{{.v}}", `{{$l := list}}{{range until 50000}}{{$l = append $l (repeat 4000000 "x")}}{{end}}`), "too large",
		},
		"kept doubles": {
			"joined instead of repeated", replaced(goMode(one), "{{.v}}", `{{$s := repeat 2000000 "x"}}{{$l := list}}{{range until 50000}}{{$l = append $l (printf "%s%s" $s $s)}}{{end}}`), "too large",
		},
		"wide lists": {"items cost, too", replaced(goMode(one), "{{.v}}", `{{$l := list}}{{range until 50000}}{{$l = append $l (until 50000)}}{{end}}`), "too large"},
		"many texts": {
			"each Application within its limit", replaced(goMode("generators: [{matrix: {generators: ["+elements("app", 300)+", "+elements("w", 1)+"]}}]"), "{{.v}}", `{{repeat 4000000 "x"}}`), "more than 192 MiB",
		},
		"many parentheses": {"nested as deep as an object holds", replaced(goMode(one), "{{.v}}", "{{"+strings.Repeat("(", 300_000)+"1"+strings.Repeat(")", 300_000)+"}}"), "cannot parse"},
	}
}

// TestExplosions end with a message that says what to do.
func TestExplosions(t *testing.T) {
	for name, c := range explosions() {
		t.Run(name, func(t *testing.T) {
			_, err := New(testFleet(), testRepo(), anyProject{}).Applications(context.Background(), specSet(t, c.spec))
			var p *gitops.Problem
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &p) {
				t.Errorf("%s: got %v", c.reason, err)
			}
			if err != nil && len(err.Error()) > 2000 {
				t.Errorf("the message is %d bytes long", len(err.Error()))
			}
		})
	}
}

// bomb is YAML of nine lines that means a billion items.
func bomb() string {
	var text strings.Builder
	text.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]")
	for i := 1; i < 10; i++ {
		ref := fmt.Sprintf("*a%d,", i-1)
		fmt.Fprintf(&text, "\\na%d: &a%d [%s]", i, i, strings.TrimSuffix(strings.Repeat(ref, 10), ","))
	}
	return text.String()
}

func TestDeepBlocks(t *testing.T) {
	const depth = 20_000
	set := specSet(t, goMode("generators: [{list: {elements: [{app: a}]}}]"))
	set.Spec.Template.Annotations = map[string]string{"v": strings.Repeat("{{if true}}", depth) + "x" + strings.Repeat("{{end}}", depth)}
	exp, err := New(testFleet(), testRepo(), anyProject{}).Applications(context.Background(), set)
	if err == nil && exp.Applications[0].Annotations["v"] != "x" {
		t.Errorf("got %q", exp.Applications[0].Annotations["v"])
	}
}

func TestLimitsComplete(t *testing.T) {
	got := Limits{ParameterSets: 5}.complete()
	want := DefaultLimits()
	want.ParameterSets = 5
	if got != want {
		t.Errorf("got %+v", got)
	}
}
