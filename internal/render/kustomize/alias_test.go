package kustomize

import (
	"bytes"
	"testing"

	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// FuzzRepeats has the library find no alias in a text that is not said to have one.
func FuzzRepeats(f *testing.F) {
	for _, s := range []string{"a: &x {b: c}\nd: *x\n", "[&x b, *x]", "{\"a\":&x {},\"b\":*x}", "&x [*x]", "a: &x b\nc:\u0085*x", "? &x a\n: *x", "- &x a\n- - *x", "--- &x a\n--- *x\n", "\ufeff&x [*x]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.IndexByte(text, 0) >= 0 || bounded.Repeats(text) {
			return
		}
		decoder := kyaml.NewDecoder(bytes.NewReader(text))
		for {
			var node kyaml.Node
			if decoder.Decode(&node) != nil {
				return
			}
			if aliased(&node) {
				t.Fatalf("%q has an alias", text)
			}
		}
	})
}

func aliased(n *kyaml.Node) bool {
	if n.Kind == kyaml.AliasNode {
		return true
	}
	for _, c := range n.Content {
		if aliased(c) {
			return true
		}
	}
	return false
}
