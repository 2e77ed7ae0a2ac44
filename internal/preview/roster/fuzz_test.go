package roster

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func FuzzParseFile(f *testing.F) {
	f.Add([]byte("apiVersion: causeway.io/v1alpha1\nkind: Fleet\nhub: v1\nclusters:\n- {name: a, server: 'https://a', facts: v1, labels: {x: y}}\nfacts:\n  v1: {kubeVersion: 1.36.3, apiVersions: [v1, apps/v1]}\n"))
	f.Add([]byte("apiVersion: causeway.io/v1alpha1\nkind: Fleet\nclusters: [{name: a, server: 'https://u:p@a/b'}]\n"))
	f.Add([]byte("clusters: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		IsFile(text)
		first, err := Parse(text, gitops.Facts{KubeVersion: "1.30.0"})
		if err != nil {
			return
		}
		var written bytes.Buffer
		if err := first.Write(&written); err != nil {
			t.Fatal(err)
		}
		if !IsFile(written.Bytes()) {
			t.Fatalf("what is written is no fleet file:\n%s", written.Bytes())
		}
		second, err := Parse(written.Bytes(), gitops.Facts{KubeVersion: "1.30.0"})
		if err != nil {
			t.Fatalf("what is written cannot be read: %v\n%s", err, written.Bytes())
		}
		var again bytes.Buffer
		if err := second.Write(&again); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(written.String(), again.String()); d != "" {
			t.Fatalf("written again it differs (-first +second):\n%s", d)
		}
		second.Names()
		Changes(first, second)
	})
}
